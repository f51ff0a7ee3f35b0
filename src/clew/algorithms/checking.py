"""Helpers of the checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import VerificationError
from clew.graph import Graph
from clew.names import VertexNames, shown
from clew.result import Result

Checker = TypeVar("Checker", bound=Callable[..., None])


def require(holds: Any, rule: str, at: Array | tuple[Array, Array] | None = None, **mentioned: int) -> None:
    """Require every entry of ``holds`` to be true; the error names the rule and the first place where it is broken.

    Parameters
    ----------
    holds
        An entry per vertex, or per entry of ``at``; a single bool for a rule about the whole result.
    rule
        The rule, as a sentence without a full stop; vertices in it are ``{…}``.
    at
        The vertices that the entries are about, or the two ends of the edges; None: all vertices, in order.
    **mentioned
        The vertices that replace ``{…}`` in the rule.
    """
    kept = np.asarray(holds, dtype=np.bool_)
    broken = np.flatnonzero(~kept)
    if not broken.size:
        return
    first = int(broken[0])
    if kept.ndim == 0:
        place: tuple[int, ...] = ()
    elif at is None:
        place = (first,)
    else:
        place = tuple(int(ends[first]) for ends in (at if isinstance(at, tuple) else (at,)))
    raise _BrokenRuleError(rule, int(broken.size), place, mentioned)


class _BrokenRuleError(VerificationError):
    """A rule that is broken somewhere, by ids: one for a vertex, two for an edge, none for the whole answer."""

    def __init__(self, rule: str, times: int, place: tuple[int, ...], mentioned: Mapping[str, int]) -> None:
        self.rule, self.times, self.place, self.mentioned = rule, times, place, mentioned
        super().__init__(self.said(None))

    def said(self, names: VertexNames | None) -> str:
        """The sentence, with vertices called what the user calls them."""
        rule = self.rule
        if self.mentioned:
            rule = rule.format(**{word: shown(names, vertex) for word, vertex in self.mentioned.items()})
        if not self.place:
            return f"{rule}; this answer breaks that."
        where = f"{'vertex' if len(self.place) == 1 else 'edge'} {shown(names, *self.place)}"
        often = "once, at" if self.times == 1 else f"{self.times:,} times, first at"
        return f"{rule}; broken {often} {where}."


def named(checker: Checker) -> Checker:
    """A checker that copies results to the host first, and whose errors use the names of vertices."""

    @wraps(checker)
    def check(graph: Graph, *args: Any, **more: Any) -> None:
        try:
            checker(graph, *map(_here, args), **{name: _here(given) for name, given in more.items()})
        except _BrokenRuleError as error:
            raise VerificationError(error.said(graph.names)) from None

    return cast(Checker, check)


def _here(given: Any) -> Any:
    return given.numpy() if isinstance(given, Result) else given


def counts_reached(result: Result, reached: Array) -> None:
    """A search says how many vertices it reached; an engine's bare arrays do not."""
    if "num_reached" in result.facts:
        require(result.facts["num_reached"] == reached.sum(), "num_reached is the number of vertices that were reached")


def arcs(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The source and the target of every stored entry."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    return source, graph.indices.astype(np.int64)


def ranges(start: Array, stop: Array) -> npt.NDArray[np.int64]:
    """All numbers from each start to its stop, one range after the other."""
    sizes = stop - start
    numbers: npt.NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(stop - np.cumsum(sizes), sizes)
    return numbers


def reachable(roots: Array, source: Array, target: Array) -> npt.NDArray[np.bool_]:
    """Which vertices the arcs (source, target) lead to from ``roots``, a bool per vertex; the roots too."""
    order = np.argsort(source, kind="stable")
    offsets, targets = np.searchsorted(source[order], np.arange(roots.size + 1)), target[order]
    found = roots.copy()
    front = np.flatnonzero(found)
    while front.size:
        front = np.unique(targets[ranges(offsets[front], offsets[front + 1])])
        front = front[~found[front]]
        found[front] = True
    return found


def arc_places(graph: Graph, source: Array, target: Array) -> npt.NDArray[np.int64]:
    """Where the first entry of each arc (source, target) is, or -1 where there is no such arc."""
    first, second = arcs(graph)
    keys = first * graph.num_vertices + second
    sought = source.astype(np.int64) * graph.num_vertices + target
    places = np.searchsorted(keys, sought)
    found = places < keys.size
    found[found] = keys[places[found]] == sought[found]
    return np.where(found, places, -1)
