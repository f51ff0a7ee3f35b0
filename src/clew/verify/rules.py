"""What checkers are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import VerificationError
from clew.graph import Graph

Checker = TypeVar("Checker", bound=Callable[..., None])


def require(holds: Any, rule: str, where: str = "vertex") -> None:
    """Every entry of ``holds`` is true; else the error names the rule and the first place where it is broken."""
    broken = np.flatnonzero(~np.atleast_1d(np.asarray(holds, dtype=np.bool_)))
    if broken.size:
        raise _BrokenRuleError(rule, broken.size, where, int(broken[0]))


class _BrokenRuleError(VerificationError):
    """A rule that is broken somewhere, by ids."""

    def __init__(self, rule: str, times: int, where: str, place: int | str) -> None:
        super().__init__(f"{rule}; broken {times:,} times, first at {where} {place}.")
        self.rule, self.times, self.where, self.place = rule, times, where, place


def named(checker: Checker) -> Checker:
    """A checker whose errors call a vertex what the user calls it."""

    @wraps(checker)
    def check(graph: Graph, *args: Any, **more: Any) -> None:
        try:
            checker(graph, *args, **more)
        except _BrokenRuleError as error:
            if error.where != "vertex" or graph.names is None or not int(error.place) < graph.num_vertices:
                raise
            name = repr(graph.name(int(error.place)))
            raise _BrokenRuleError(error.rule, error.times, error.where, name) from None

    return cast(Checker, check)


def arcs(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The source and the target of every stored entry."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    return source, graph.indices.astype(np.int64)


def arc_places(graph: Graph, source: Array, target: Array) -> npt.NDArray[np.int64]:
    """Where the first entry of each arc (source, target) is, or -1 where there is no such arc."""
    first, second = arcs(graph)
    keys = first * graph.num_vertices + second
    wanted = source.astype(np.int64) * graph.num_vertices + target
    places = np.searchsorted(keys, wanted)
    found = places < keys.size
    found[found] = keys[places[found]] == wanted[found]
    return np.where(found, places, -1)
