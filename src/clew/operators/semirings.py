"""The built-in semirings, named add_multiply; ``first`` is the weight, ``second`` the neighbour's value."""

from __future__ import annotations

from clew.operators import functions, monoids
from clew.operators.algebra import Semiring

plus_times = Semiring(monoids.plus, functions.times)
min_plus = Semiring(monoids.min, functions.plus, absorbing=True)
max_plus = Semiring(monoids.max, functions.plus, absorbing=True)
min_max = Semiring(monoids.min, functions.larger, name="min_max")
max_min = Semiring(monoids.max, functions.smaller, name="max_min")
min_times = Semiring(monoids.min, functions.times)
max_times = Semiring(monoids.max, functions.times)
or_and = Semiring(monoids.lor, functions.land, name="or_and")
xor_and = Semiring(monoids.lxor, functions.land, name="xor_and")
any_pair = Semiring(monoids.any, functions.pair)
plus_pair = Semiring(monoids.plus, functions.pair)
min_first = Semiring(monoids.min, functions.first)
min_second = Semiring(monoids.min, functions.second)
max_second = Semiring(monoids.max, functions.second)
plus_first = Semiring(monoids.plus, functions.first)
plus_second = Semiring(monoids.plus, functions.second)
