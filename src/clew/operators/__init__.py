"""Operators, monoids and semirings: the arithmetic of the primitives. The built-in operators are here."""

from clew.operators import functions, gathers, monoids, semirings
from clew.operators.algebra import Monoid, Operator, Semiring
from clew.operators.gathers import Gather

plus = Operator(functions.plus)
times = Operator(functions.times)
min = Operator(functions.smaller, "min")  # noqa: A001
max = Operator(functions.larger, "max")  # noqa: A001
first = Operator(functions.first)
second = Operator(functions.second)
any = Operator(functions.second, "any")  # noqa: A001
pair = Operator(functions.pair)
land = Operator(functions.land)
lor = Operator(functions.lor)
lxor = Operator(functions.lxor)
band = Operator(functions.band)
bor = Operator(functions.bor)
bxor = Operator(functions.bxor)

__all__ = [
    "Gather",
    "Monoid",
    "Operator",
    "Semiring",
    "any",
    "band",
    "bor",
    "bxor",
    "first",
    "gathers",
    "land",
    "lor",
    "lxor",
    "max",
    "min",
    "monoids",
    "pair",
    "plus",
    "second",
    "semirings",
    "times",
]
