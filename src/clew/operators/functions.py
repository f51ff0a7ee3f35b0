"""The scalar functions that the built-in operators are made of: plain Python, compiled by each engine for itself."""

from __future__ import annotations

from typing import Any


def plus(a: Any, b: Any) -> Any:
    """The sum."""
    return a + b


def times(a: Any, b: Any) -> Any:
    """The product."""
    return a * b


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two; as with Python's ``min``, a NaN on the right is passed over."""
    return b if b < a else a


def larger(a: Any, b: Any) -> Any:
    """The larger of two; as with Python's ``max``, a NaN on the right is passed over."""
    return b if b > a else a


def first(a: Any, b: Any) -> Any:  # noqa: ARG001
    """The left operand: in a product, the weight."""
    return a


def second(a: Any, b: Any) -> Any:  # noqa: ARG001
    """The right operand: in a product, the value of the neighbour."""
    return b


def pair(a: Any, b: Any) -> Any:  # noqa: ARG001
    """1, whatever the operands: that an edge is there is all that counts."""
    return 1


def land(a: Any, b: Any) -> Any:
    """Whether neither is zero."""
    return (a != 0) & (b != 0)


def lor(a: Any, b: Any) -> Any:
    """Whether one of them is not zero."""
    return (a != 0) | (b != 0)


def lxor(a: Any, b: Any) -> Any:
    """Whether exactly one of them is not zero."""
    return (a != 0) ^ (b != 0)


def band(a: Any, b: Any) -> Any:
    """The bits that both have."""
    return a & b


def bor(a: Any, b: Any) -> Any:
    """The bits that either has."""
    return a | b


def bxor(a: Any, b: Any) -> Any:
    """The bits that one of them has."""
    return a ^ b
