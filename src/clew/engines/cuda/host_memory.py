"""What the host can still give: asked before edges get a second copy there, which the system would end a process for.

A run of addresses with two memories behind it is made of memory that the driver allocates: what is mapped there is an
allocation's handle, and pages that a user's array has already, pinned or not, have none. So the part of tiered edges
that stays on the host is there twice. Edges that are all on the host are read where they are.
"""

from __future__ import annotations

from pathlib import Path

from clew.engines.cpu.memory import available
from clew.errors import ResourceError

GROUPS = Path("/sys/fs/cgroup")


def free_on_host() -> int:
    """The bytes that this process may still take: what the machine has, or what its control group is left."""
    return min(available(), _left_to_group())


def check_host(needed: int, what: str, remedy: str) -> None:
    """Refuse what would take more than there is."""
    free = free_on_host()
    if needed > free:
        raise ResourceError(f"{what} needs {needed:,} bytes of host memory, and {free:,} bytes are free. {remedy}")


def _left_to_group() -> int:
    """What a container's limit leaves; very much where there is none."""
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            return max(0, int((GROUPS / limit).read_text()) - int((GROUPS / used).read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return 2**63 - 1
