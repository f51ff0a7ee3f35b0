"""Memory that an algorithm asks for beyond the graph, checked before it is asked for."""

from __future__ import annotations

import os
from pathlib import Path

from clew.errors import ResourceError


def available() -> int:
    """The bytes that may be taken without swapping; all of the machine's where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check(needed: int, what: str, remedy: str) -> None:
    """Refuse ``what`` where it takes more bytes than are available."""
    present = available()
    if needed > present:
        raise ResourceError(f"{what} needs {needed:,} bytes, but {present:,} bytes are available; {remedy}.")
