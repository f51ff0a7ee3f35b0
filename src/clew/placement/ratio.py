"""Ratios of slow to fast, in the paper's notation: 1-2 is one to slow memory, then two to fast memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.errors import GraphError

Ratio = tuple[int, int]
MANY = 1 << 61  # turns; no graph has more, and twice as many are still a 64-bit number


def parse_ratio(ratio: Any) -> Ratio:
    """Two numbers from a pair, or from a text such as "1-2" or "1:2"."""
    parts = ratio.replace(":", "-").split("-") if isinstance(ratio, str) else ratio
    try:
        slow, fast = (int(part) for part in parts)
    except (TypeError, ValueError):
        slow = fast = 0
    if min(slow, fast) < 0 or slow + fast == 0:
        raise GraphError(f"the ratio is {ratio!r}; expected slow and fast as (1, 2) or '1-2', and not both 0.")
    return slow, fast


def is_fast_turn(ratio: Ratio, turns: Any) -> Any:
    """Whether turn number k, or each of several, goes to fast memory; slow turns come first."""
    slow, fast = (min(turns_each, MANY) for turns_each in ratio)
    return np.asarray(turns) % (slow + fast) >= slow
