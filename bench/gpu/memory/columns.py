"""Where edges can be, in the order in which that is measured; what matters most comes first."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from bench.gpu.memory.cells import PACKED, Where
from bench.gpu.memory.strategies import STRATEGIES

CACHED = "cached"
HBM: Where = ("device", None)
ZERO_COPY: Where = ("zero_copy", None)
ON_DEMAND: Where = ("managed", None)
CACHE: Where = (CACHED, 2)
HALF, SMALLER_PARTS = 2, (4, 8)

COLUMNS: dict[Where, str] = {
    HBM: "all in HBM",
    ZERO_COPY: "all zero-copy",
    ON_DEMAND: "managed, on demand",
    CACHE: "managed, half of it cached",
    ("tiered", HALF): "tiered 1/2",
    **{("tiered", part): f"tiered 1/{part}" for part in SMALLER_PARTS},
    (PACKED, None): "packed, all in HBM",
    **{(PACKED, part): f"packed 1/{part}" for part in (HALF, 4)},  # of the plain bytes
    **{(name, HALF): f"{name} 1/2" for name in STRATEGIES},
    ("auto", HALF): "auto 1/2",
    ("managed+prefetch", None): "managed, prefetched",
    **{(name, part): f"{name} 1/{part}" for part in SMALLER_PARTS for name in STRATEGIES},
}


def named_like(patterns: Iterable[str]) -> list[Where]:
    """Those whose names are like one of the patterns, as a shell has them; all, where there are none.

    >>> named_like(["tiered *", "Hot(cost) 1/2"])
    [('tiered', 2), ('tiered', 4), ('tiered', 8), ('Hot(cost)', 2)]
    """
    wanted = list(patterns) or ["*"]
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in COLUMNS.values()):
            raise ValueError(f"unknown column {pattern!r}; expected some of {'; '.join(COLUMNS.values())}")
    return [where for where, name in COLUMNS.items() if any(fnmatchcase(name, pattern) for pattern in wanted)]


def is_strategy(where: Where) -> bool:
    """Whether the graph is renumbered for it."""
    return where[0] in STRATEGIES


def in_rows() -> list[Where]:
    """In the order of the table's rows: modes, then strategies."""
    return sorted(COLUMNS, key=is_strategy)
