"""Operator, Monoid and Semiring: the arithmetic of a computation, built from plain Python functions.

Every engine compiles the functions: Numba inlines them into CPU kernels. They take two scalars and return one. They
may use what the engine's compiler supports: arithmetic, comparisons, conditions, ``math``.

``check`` tests the laws of a monoid on sample values, since no proof is possible.
"""

from __future__ import annotations

import builtins
import math
import operator as python
from collections.abc import Callable
from itertools import product
from types import FunctionType
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import OperatorError
from clew.operators import functions
from clew.operators.inspection import function_of_two, is_self_contained, lasting_dtype, result_dtype, where

Function = Callable[[Any, Any], Any]
Value = Any  # a number, or a function from a dtype to a number

#: What Python and NumPy call our functions; those themselves are not Python code that could be compiled.
KNOWN: dict[Any, Any] = {
    other: function
    for function, *others in (
        (functions.plus, python.add, np.add),
        (functions.times, python.mul, np.multiply),
        (functions.smaller, builtins.min, np.minimum),
        (functions.larger, builtins.max, np.maximum),
        (functions.band, python.and_, np.bitwise_and),
        (functions.bor, python.or_, np.bitwise_or),
        (functions.bxor, python.xor, np.bitwise_xor),
        (functions.land, np.logical_and),
        (functions.lor, np.logical_or),
        (functions.lxor, np.logical_xor),
    )
    for other in others
}

#: What gives the same in any order, by the functions themselves: a user may call a sum "max".
ORDER_FREE: frozenset[Any] = frozenset(
    {functions.smaller, functions.larger, functions.land, functions.lor, functions.band, functions.bor}
)
SAMPLES = (0, 1, 2, 3, 5, 7, -1, -2, 0.5, float("inf"))


class Operator:
    """A function of two scalars.

    Parameters
    ----------
    function
        A Python function or lambda of two arguments. ``min``, ``max``, the functions of ``operator`` and their NumPy
        equivalents work too.
    name
        The name; by default the function's name.

    Examples
    --------
    >>> from clew import Operator
    >>> Operator(lambda a, b: abs(a - b), "distance")(2, 5)
    3
    """

    __slots__ = ("function", "name")
    name: str

    def __init__(self, function: Function | Operator | Monoid, name: str | None = None) -> None:
        if isinstance(function, Monoid):
            name = name or function.name
            function = function.operator
        if isinstance(function, Operator):
            name = name or function.name
            function = function.function
        self.function: FunctionType = _as_function(function)
        self.name = name or self.function.__name__

    def __call__(self, a: Any, b: Any) -> Any:
        """Call the function in plain Python."""
        return self.function(a, b)

    def __repr__(self) -> str:
        return f"Operator({self.name})"

    @property
    def where(self) -> str:
        """The name of the function, and its file and line."""
        return where(self.function)

    def result_dtype(self, left: npt.DTypeLike, right: npt.DTypeLike) -> np.dtype[Any]:
        """The dtype that NumPy gives the result for scalars of these dtypes.

        It is determined by calling the function on zeros and ones. A plain Python number, as in ``lambda weight, x:
        1``, gets the dtype of the right operand if that can hold it.
        """
        given = (self.function, np.dtype(left), np.dtype(right))
        return lasting_dtype(*given) if is_self_contained(self.function) else result_dtype(*given)


class Monoid:
    """An associative and commutative operator with an identity: a reduction.

    Parameters
    ----------
    operator
        A function of two scalars, or an ``Operator``.
    identity
        The neutral value, and the result of an empty reduction: a number, or a function from a dtype to a number.
        Infinity means the largest value of an integer dtype, and minus infinity the smallest.
    terminal
        The absorbing value, if there is one: reductions stop when they reach it. It has the same forms.
    name
        The name; by default the operator's name.
    check
        Test the laws on sample values: True (for float64), or the dtype to sample. See ``check``.

    Examples
    --------
    >>> import clew, math
    >>> longest = clew.Monoid(max, identity=-math.inf, check="int32")
    >>> longest.identity("int8")
    np.int8(-128)
    """

    __slots__ = ("_identity", "_terminal", "name", "operator", "stops_at_first")
    name: str
    stops_at_first: bool

    def __init__(
        self,
        operator: Function | Operator,
        identity: Value,
        *,
        terminal: Value = None,
        name: str | None = None,
        check: bool | npt.DTypeLike = False,
    ) -> None:
        self.operator = Operator(operator)
        self.name = name or self.operator.name
        self._identity, self._terminal = identity, terminal
        self.stops_at_first = False  # of ``any`` alone: every value is as good as all of them
        if check is not False:
            self.check("float64" if check is True else check)

    @property
    def is_order_free(self) -> bool:
        """Whether the result is independent of the order for all numbers; sums of floats are not."""
        return self.stops_at_first or self.operator.function in ORDER_FREE

    def __call__(self, a: Any, b: Any) -> Any:
        """Call the operator in plain Python."""
        return self.operator(a, b)

    def __repr__(self) -> str:
        return f"Monoid({self.name})"

    def identity(self, dtype: npt.DTypeLike) -> Any:
        """The identity as a scalar of ``dtype``."""
        return _as_scalar(self._identity, np.dtype(dtype), f"the identity of {self.name}")

    def terminal(self, dtype: npt.DTypeLike) -> Any:
        """The terminal value as a scalar of ``dtype``, or None."""
        if self._terminal is None:
            return None
        return _as_scalar(self._terminal, np.dtype(dtype), f"the terminal value of {self.name}")

    @property
    def has_terminal(self) -> bool:
        """Whether there is an absorbing value."""
        return self._terminal is not None

    def check(self, dtype: npt.DTypeLike = "float64") -> None:
        """Test identity, associativity and commutativity on values of ``dtype``; OperatorError has a counterexample.

        The values are small, so sums and products of floats are exact.
        """
        check_monoid(self, np.dtype(dtype))


class Semiring:
    """The arithmetic of a product: ``multiply`` combines an edge's weight with a value, ``add`` reduces the products.

    Parameters
    ----------
    add
        A ``Monoid``, or a function of two scalars together with ``identity``.
    multiply
        A function of (weight, x), or an ``Operator``.
    identity, terminal
        Those of ``add``, as in ``Monoid``, if it is a function.
    name
        The name; by default the names of the two operators.
    check
        Test the laws of ``add`` on products of sample values: True (for float64), or the dtype to sample.
    absorbing
        Whether the identity of ``add`` means "no value", so that its products are the identity too. This matters for
        integers, where the largest value plus a weight would wrap around.

    Examples
    --------
    >>> import clew
    >>> reliability = clew.Semiring(add=max, identity=0.0, multiply=lambda weight, x: weight * x)
    >>> g = clew.Graph.from_edges([0, 0], [1, 2], [0.5, 0.9])
    >>> clew.spmv(g, [1.0, 1.0, 0.5], reliability).tolist()
    [0.5, 0.0, 0.0]
    """

    __slots__ = ("absorbing", "add", "multiply", "name")

    def __init__(
        self,
        add: Function | Operator | Monoid,
        multiply: Function | Operator,
        *,
        identity: Value = None,
        terminal: Value = None,
        name: str | None = None,
        check: bool | npt.DTypeLike = False,
        absorbing: bool = False,
    ) -> None:
        if not isinstance(add, Monoid):
            if identity is None:
                raise OperatorError(
                    "a semiring needs the identity of add, the result of an empty sum; pass identity=0 for a sum, or "
                    "identity=math.inf for a minimum."
                )
            add = Monoid(add, identity, terminal=terminal)
        elif identity is not None or terminal is not None:
            raise OperatorError(f"add is the monoid {add.name}, which has its own identity; omit identity.")
        self.add = add
        self.multiply = Operator(multiply)
        self.name = name or f"{self.add.name}_{self.multiply.name}"
        self.absorbing = absorbing
        if check is not False:
            self.check("float64" if check is True else check)

    def __repr__(self) -> str:
        return f"Semiring({self.name})"

    def result_dtype(self, weights: npt.DTypeLike, x: npt.DTypeLike) -> np.dtype[Any]:
        """The dtype of products and sums of weights and values of these dtypes."""
        return self.multiply.result_dtype(weights, x)

    def check(self, dtype: npt.DTypeLike = "float64") -> None:
        """Test the laws of ``add`` on products of weights and values of ``dtype``; see ``Monoid.check``."""
        check_semiring(self, np.dtype(dtype))


def _as_function(value: Any) -> FunctionType:
    """The plain Python function of an operator argument."""
    try:
        function = KNOWN.get(value, value)
    except TypeError:  # not even hashable
        function = value
    others = " of two arguments, an Operator, or one of min, max and the functions of the operator module"
    return function_of_two(function, others)


def _as_scalar(value: Value, dtype: np.dtype[Any], what: str) -> Any:
    """A number as a scalar of ``dtype``, infinities as the extremes of integers; raise OperatorError if it changes."""
    given = value(dtype) if callable(value) else value
    if dtype.kind != "f" and isinstance(given, float) and math.isinf(given):
        info = np.iinfo(dtype) if dtype.kind in "iu" else None
        low, high = (info.min, info.max) if info else (False, True)
        given = high if given > 0 else low
    try:
        scalar = np.array(given).astype(dtype)[()]
        same = bool(scalar == given) or given != given
    except (TypeError, ValueError, OverflowError):
        same = False
    if not same:
        raise OperatorError(f"{what} is {given!r}, which is not a value of {dtype}; pass one that is, or a function.")
    return scalar


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
