"""Reductions that need to see everything that arrives, such as the most frequent value; for vertex programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from clew.errors import OperatorError
from clew.operators.results import check_returns, where


class Gather:
    """A reduction of a whole multiset: a function of the different values and of how often each occurs.

    A monoid forgets what it has combined; this does not. A multiset is what remains of messages when their order is
    taken away, so the result depends on neither threads nor machines: parts are counted apart and the counts added.

    Parameters
    ----------
    function
        A Python function or lambda of two arrays of one length, one or more: the different values, and how often each
        occurs. It may use loops, indices, ``len`` and whatever else Numba knows of NumPy.
    empty
        The result where there is nothing to reduce.
    in_order
        Whether values must come in ascending order. A function to which the order makes no difference is faster
        without.
    name
        What to call it; by default the function's name.

    Examples
    --------
    >>> import clew
    >>> spread = clew.Gather(lambda values, counts: values[-1] - values[0])
    >>> spread
    Gather(<lambda>)
    """

    __slots__ = ("empty", "function", "in_order", "name")

    def __init__(
        self,
        function: Callable[[Any, Any], Any],
        *,
        empty: float = 0,
        in_order: bool = True,
        name: str | None = None,
    ) -> None:
        plain = getattr(function, "py_func", function)
        if not isinstance(plain, FunctionType):
            raise OperatorError(f"{function!r} is a {type(function).__name__}; expected a Python function or lambda.")
        try:
            inspect.signature(plain).bind(None, None)
        except TypeError:
            raise OperatorError(f"{where(plain)} does not take two arguments: the values and their counts.") from None
        check_returns(plain.__name__, plain)
        self.function: FunctionType = plain
        self.empty, self.in_order = empty, in_order
        self.name = name or plain.__name__

    def __repr__(self) -> str:
        return f"Gather({self.name})"


def _mode(values: Any, counts: Any) -> Any:
    best = 0
    for i in range(1, len(values)):
        if counts[i] > counts[best] or (counts[i] == counts[best] and values[i] < values[best]):
            best = i
    return values[best]


def _median(values: Any, counts: Any) -> Any:
    total = 0
    for i in range(len(counts)):
        total += counts[i]
    seen = 0
    for i in range(len(values)):
        seen += counts[i]
        if 2 * seen >= total:
            return values[i]
    return values[len(values) - 1]


def _distinct(values: Any, counts: Any) -> Any:  # noqa: ARG001
    return len(values)


#: The most frequent value, the smallest of several.
mode = Gather(_mode, in_order=False, name="mode")
#: The middle value, the lower of two.
median = Gather(_median, name="median")
#: How many different values there are.
distinct = Gather(_distinct, in_order=False, name="distinct")
