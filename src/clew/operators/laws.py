"""Tests of the laws of a monoid on sample values, since no proof is possible."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.dtypes import Array
from clew.errors import OperatorError

if TYPE_CHECKING:
    from clew.operators.algebra import Monoid, Semiring

SAMPLES = (0, 1, 2, 3, 5, 7, -1, -2, 0.5, float("inf"))


def samples_of(dtype: np.dtype[Any]) -> Array:
    """A few distinct values of ``dtype``, small enough that sums and products of three are exact."""
    kept = [value for value in SAMPLES if np.array(value, dtype=object) == _held(value, dtype)]
    return np.unique(np.array(kept, dtype=dtype))


def check_monoid(monoid: Monoid, dtype: np.dtype[Any], values: Array | None = None) -> None:
    """Raise OperatorError with the first values of ``dtype`` that break a law."""
    if values is None:
        values = samples_of(dtype)

    def add(a: Any, b: Any) -> Any:
        return np.array(monoid(a, b)).astype(dtype)[()]

    identity = monoid.identity(dtype)
    with np.errstate(all="ignore"):
        for a in values:
            for found, text in ((add(identity, a), f"{identity}, {a}"), (add(a, identity), f"{a}, {identity}")):
                _require(found, a, monoid, f"{identity} is not an identity: f({text}) is {found}, expected {a}")
        for a, b in product(values, values):
            left, right = add(a, b), add(b, a)
            _require(left, right, monoid, f"it is not commutative: f({a}, {b}) is {left}, f({b}, {a}) is {right}")
        for a, b, c in product(values, values, values):
            left, right = add(add(a, b), c), add(a, add(b, c))
            problem = f"it is not associative: f(f({a}, {b}), {c}) is {left}, f({a}, f({b}, {c})) is {right}"
            _require(left, right, monoid, problem)


def check_semiring(semiring: Semiring, dtype: np.dtype[Any]) -> None:
    """Test the laws of ``add`` on the products of weights and values of ``dtype``."""
    domain = semiring.result_dtype(dtype, dtype)
    values = samples_of(dtype)
    with np.errstate(all="ignore"):
        products = np.array([semiring.multiply(a, b) for a, b in product(values, values)]).astype(domain)
    distinct = np.unique(products[products == products])
    check_monoid(semiring.add, domain, distinct[:: max(1, distinct.size // 12)])


def _held(value: float, dtype: np.dtype[Any]) -> Any:
    """A value converted to ``dtype``, or None if it does not fit."""
    try:
        with np.errstate(all="ignore"):
            return np.array(value).astype(dtype).item()
    except (OverflowError, ValueError):
        return None


def _require(left: Any, right: Any, monoid: Monoid, problem: str) -> None:
    if left != right and not (left != left and right != right):
        raise OperatorError(f"{monoid.operator.where} is not a monoid on {left.dtype}: {problem}.")
