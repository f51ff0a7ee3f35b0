"""Reductions that need all messages at once, such as the most frequent value; for vertex programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.operators.inspection import function_of_two


class Gather:
    """A reduction of a multiset: a function of the distinct values and their counts.

    A monoid combines values one by one; a gather sees all of them. Messages form a multiset without an order, so the
    result does not depend on threads or machines. Parts are counted separately, and the counts are added.

    Parameters
    ----------
    function
        A Python function or lambda of two arrays of equal, positive length: the distinct values and their counts. It
        may use loops, indices, ``len`` and the parts of NumPy that Numba supports.
    empty
        The result of an empty multiset.
    in_order
        Whether values must be in ascending order. Functions that do not need an order are faster without.
    name
        The name; by default the function's name.

    Examples
    --------
    >>> import clew
    >>> spread = clew.Gather(lambda values, counts: values[-1] - values[0])
    >>> spread
    Gather(<lambda>)
    """

    __slots__ = ("empty", "function", "in_order", "name")

    def __init__(
        self, function: Callable[[Any, Any], Any], *, empty: float = 0, in_order: bool = True, name: str | None = None
    ) -> None:
        self.function = function_of_two(function, "", "two arguments: the values and their counts")
        self.empty, self.in_order = empty, in_order
        self.name = name or self.function.__name__

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
