"""A semiring or monoid with the types it runs on, as kernels take it: macros, compiled functions, and scalars."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from clew.engines.cuda.toolchain.source import Compiled, ctype
from clew.operators import Monoid, Semiring
from clew.operators.inspection import fingerprint

#: What may end a sum early (STOP in spmv_rows.cuh): nothing, a terminal value, or any product at all.
NEVER, TERMINAL, FIRST = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """Everything that a kernel needs to know of the numbers; one object for the same semiring and types."""

    defines: dict[str, Any]
    operators: dict[str, Compiled]
    value: np.dtype[Any]  # of x
    result: np.dtype[Any]
    monoid: Monoid
    identity: Any
    nothing: Any
    terminal: Any
    stop: int
    #: Whether sums may begin with the identity: what users give as one may not be, for every type.
    starts_from_identity: bool


def scalar(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number as kernels take it; truth values are bytes."""
    return np.uint8(bool(value)) if dtype.kind == "b" else dtype.type(value)


def of_semiring(
    semiring: Semiring, weight: np.dtype[Any] | None, x: np.dtype[Any], result: np.dtype[Any]
) -> Arithmetic:
    """Products of weights and values of x, and their sums; without weights, every weight is 1 of x's dtype."""
    mark = fingerprint(semiring.add.operator.function, semiring.multiply.function)
    return _of_semiring(semiring, mark, weight, x, result)


@lru_cache(maxsize=256)
def _of_semiring(
    semiring: Semiring,
    mark: int,  # noqa: ARG001, what the functions do may change
    weight: np.dtype[Any] | None,
    x: np.dtype[Any],
    result: np.dtype[Any],
) -> Arithmetic:
    absorbing = semiring.absorbing and x.kind in "iu"
    multiply = Compiled(semiring.multiply.function, (weight or x, x), result)
    return Arithmetic(
        {
            "weight_t": ctype(weight or x),
            "WEIGHTED": int(weight is not None),
            "value_t": ctype(x),
            "sum_t": ctype(result),
            "ABSORBING": int(absorbing),
        },
        {"clew_multiply": multiply, "clew_add": _add(semiring.add, result)},
        x,
        result,
        semiring.add,
        *_numbers(semiring.add, result, semiring.add.identity(x) if absorbing else x.type(0), x),
    )


def of_monoid(monoid: Monoid, value: np.dtype[Any], result: np.dtype[Any]) -> Arithmetic:
    """Sums of values."""
    return _of_monoid(monoid, fingerprint(monoid.operator.function), value, result)


@lru_cache(maxsize=256)
def _of_monoid(
    monoid: Monoid,
    mark: int,  # noqa: ARG001
    value: np.dtype[Any],
    result: np.dtype[Any],
) -> Arithmetic:
    return Arithmetic(
        {
            "SEGMENTS": 1,
            "weight_t": ctype(value),
            "value_t": ctype(value),
            "sum_t": ctype(result),
            "RESULT_IS_BOOL": int(result.kind == "b"),
        },
        {"clew_add": _add(monoid, result)},
        value,
        result,
        monoid,
        *_numbers(monoid, result, value.type(0), value),
    )


def _add(monoid: Monoid, result: np.dtype[Any]) -> Compiled:
    return Compiled(monoid.operator.function, (result, result), result)


def _numbers(monoid: Monoid, result: np.dtype[Any], nothing: Any, x: np.dtype[Any]) -> tuple[Any, Any, Any, int, bool]:
    """Identity, what an absent value of x is, the terminal value, what may end a sum early, what sums may begin with.

    A terminal value is only looked for among truth values, which soon reach it; with other numbers the look costs more
    than it saves.
    """
    terminal = monoid.terminal(result)
    stop = FIRST if monoid.stops_at_first else TERMINAL if terminal is not None and result.kind == "b" else NEVER
    identity = scalar(monoid.identity(result), result)
    last = identity if terminal is None else scalar(terminal, result)
    return identity, scalar(nothing, x), last, stop, _leaves_all_as_it_is(monoid, result)


def _leaves_all_as_it_is(monoid: Monoid, dtype: np.dtype[Any]) -> bool:
    """Whether the identity is one at the ends of the type's range and around zero."""
    add, identity = monoid.operator.function, dtype.type(monoid.identity(dtype))
    some: list[Any] = [False, True]
    if dtype.kind != "b":
        ends = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        some = [ends.min, ends.max, 0, 1, 2, *([-1, 0.1] if dtype.kind == "f" else [-1] if dtype.kind == "i" else [])]
    try:
        with np.errstate(all="ignore"):
            return all(dtype.type(add(identity, dtype.type(v))) == dtype.type(v) for v in some)
    except Exception:
        return False
