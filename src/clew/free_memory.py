"""How much memory this process may still take: of the machine, and of the control groups that it is in."""

from __future__ import annotations

import os
from pathlib import Path

GROUPS, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def available_bytes() -> int:
    """The bytes that this process may still take, by the machine's memory and by limits such as a container's."""
    return min(memory_pools().values())


def memory_pools() -> dict[str, int]:
    """The bytes left of the machine's memory, and in each control group of this process that has a limit."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    pools = {"machine": free}
    for folder in _groups():
        for limit, used in (("max", "current"), ("limit_in_bytes", "usage_in_bytes")):
            try:
                most, taken = (int((folder / f"memory.{name}").read_text()) for name in (limit, used))
            except (OSError, ValueError):  # no such file, or "max"
                continue
            pools[str(folder)] = max(0, most - max(0, taken - _file_pages(folder / "memory.stat")))
    return pools


def _groups() -> set[Path]:
    """The folders of the control groups that this process is in; a container sees its own at the top."""
    folders = {GROUPS, GROUPS / "memory"}
    try:
        lines = OWN_GROUPS.read_text().splitlines()
    except OSError:
        return folders
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if not kinds or "memory" in kinds.split(","):
            top = GROUPS / "memory" if kinds else GROUPS
            place = top / path.strip("/")
            folders |= {place, *(each for each in place.parents if each.is_relative_to(top))}
    return folders


def _file_pages(statistics: Path) -> int:
    """The bytes of cached file pages charged to the group, which the system drops when memory is needed."""
    try:
        words = dict(line.split() for line in statistics.read_text().splitlines())
        names = ("inactive_file", "active_file")
        return sum(int(words.get(f"total_{name}", words.get(name, 0))) for name in names)
    except (OSError, ValueError):
        return 0
