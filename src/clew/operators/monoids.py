"""The built-in monoids."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from clew.operators import functions
from clew.operators.algebra import Monoid


def _all_bits(dtype: np.dtype[Any]) -> int | bool:
    return True if dtype.kind == "b" else -1 if dtype.kind == "i" else int(np.iinfo(dtype).max)


plus = Monoid(functions.plus, 0)
times = Monoid(functions.times, 1)
min = Monoid(functions.smaller, inf, terminal=-inf, name="min")  # noqa: A001
max = Monoid(functions.larger, -inf, terminal=inf, name="max")  # noqa: A001
any = Monoid(functions.second, 0, name="any")  # noqa: A001
any.stops_at_first = True
land = Monoid(functions.land, True, terminal=False)
lor = Monoid(functions.lor, False, terminal=True)
lxor = Monoid(functions.lxor, False)
band = Monoid(functions.band, _all_bits, terminal=0)
bor = Monoid(functions.bor, 0, terminal=_all_bits)
bxor = Monoid(functions.bxor, 0)
