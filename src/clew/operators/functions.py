"""The scalar functions of the built-in operators: plain Python, which each engine compiles."""

from __future__ import annotations

from typing import Any


def plus(a: Any, b: Any) -> Any:
    """The sum."""
    return a + b


def times(a: Any, b: Any) -> Any:
    """The product."""
    return a * b


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two. Like Python's ``min``, it ignores a NaN on the right."""
    return b if b < a else a


def larger(a: Any, b: Any) -> Any:
    """The larger of two. Like Python's ``max``, it ignores a NaN on the right."""
    return b if b > a else a


def first(a: Any, b: Any) -> Any:  # noqa: ARG001
    """The left operand: in a product, the weight."""
    return a


def second(a: Any, b: Any) -> Any:  # noqa: ARG001
    """The right operand: in a product, the value of the neighbour."""
    return b


def pair(a: Any, b: Any) -> Any:  # noqa: ARG001
    """1 for any operands: only the existence of an edge counts."""
    return 1


def land(a: Any, b: Any) -> Any:
    """Whether both are nonzero."""
    return (a != 0) & (b != 0)


def lor(a: Any, b: Any) -> Any:
    """Whether at least one is nonzero."""
    return (a != 0) | (b != 0)


def lxor(a: Any, b: Any) -> Any:
    """Whether exactly one is nonzero."""
    return (a != 0) ^ (b != 0)


def band(a: Any, b: Any) -> Any:
    """The bits set in both."""
    return a & b


def bor(a: Any, b: Any) -> Any:
    """The bits set in either."""
    return a | b


def bxor(a: Any, b: Any) -> Any:
    """The bits set in exactly one."""
    return a ^ b
