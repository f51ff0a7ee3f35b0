"""Amounts of memory as text: ``"8GiB"``, ``"512 MB"``, or a number of bytes."""

from __future__ import annotations

import re

import numpy as np

from clew.errors import GraphError

UNITS = {"": 1, "B": 1}
UNITS |= {f"{letter}{end}": 1024**power for power, letter in enumerate("KMGTP", 1) for end in ("iB", "i")}
UNITS |= {f"{letter}{end}": 1000**power for power, letter in enumerate("KMGTP", 1) for end in ("B", "")}
BY_LOWER = {unit.lower(): size for unit, size in UNITS.items()}
AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*", re.ASCII)


def parse_bytes(amount: int | str) -> int:
    """Parse an amount of memory: KiB, MiB, GiB, TiB and PiB are powers of 1024, KB, MB and so on powers of 1000.

    >>> parse_bytes("8GiB"), parse_bytes("1.5 kB"), parse_bytes(4096)
    (8589934592, 1500, 4096)
    """
    if isinstance(amount, (int, np.integer)) and not isinstance(amount, bool) and amount >= 0:
        return int(amount)
    found = AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    size = BY_LOWER.get(found[2].lower()) if found else None
    if found is None or size is None:
        raise GraphError(f"{amount!r} is not an amount of memory; expected a number of bytes or a text such as '8GiB'.")
    return int(found[1]) * size if found[1].isdecimal() else int(float(found[1]) * size)


def smallest(*amounts: int | str | None) -> int:
    """The smallest of some amounts of memory, in bytes; None means no limit, and at least one must be a limit."""
    return min(parse_bytes(amount) for amount in amounts if amount is not None)


def as_budget(size: int) -> np.uint64:
    """Bytes in the type that kernels count with."""
    return np.uint64(min(size, 2**63))
