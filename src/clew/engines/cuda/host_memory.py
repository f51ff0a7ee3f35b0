"""What the host can still give: asked before edges get a second copy there, which the system would end a process for.

A run of addresses with two memories behind it is made of memory that the driver allocates: what is mapped there is an
allocation's handle, and pages that a user's array has already, pinned or not, have none. So the part of tiered edges
that stays on the host is there twice. Edges that are all on the host are read where they are.
"""

from __future__ import annotations

from pathlib import Path

from clew.engines.memory import available
from clew.errors import ResourceError

GROUPS = Path("/sys/fs/cgroup")


def free_on_host() -> int:
    """The bytes that this process may still take: what the machine has, or what its control group is left."""
    return min(available(), _left_to_group())


def check_host(needed: int, what: str, *, remedy: str, option: str) -> None:
    """Refuse what would take more than there is."""
    free = free_on_host()
    if needed > free:
        raise ResourceError(
            f"{what} needs {needed:,} bytes of host memory, and {free:,} bytes are free.", remedy=remedy, option=option
        )


def _left_to_group() -> int:
    """What a container's limit leaves; very much where there is none."""
    for limit, used, told in (
        ("memory.max", "memory.current", "memory.stat"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
    ):
        try:
            most, taken = (int((GROUPS / name).read_text()) for name in (limit, used))
        except (OSError, ValueError):  # no such file, or "max"
            continue
        return max(0, most - max(0, taken - _file_pages(GROUPS / told)))
    return 2**63 - 1


def _file_pages(told: Path) -> int:
    """The bytes of files that the system keeps in memory on the group's account: it drops them when others need it."""
    try:
        words = dict(line.split() for line in told.read_text().splitlines())
        kinds = ("inactive_file", "active_file")
        return sum(int(words.get(f"total_{kind}", words.get(kind, 0))) for kind in kinds)
    except (OSError, ValueError):
        return 0
