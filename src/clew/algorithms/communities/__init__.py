"""What Louvain and Leiden share: the checks of arguments and weights, and the numbers of communities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np

from clew.algorithms.arguments import check_most_rounds, wrong_weights
from clew.algorithms.registry import Answer, run
from clew.checks import whole
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result


def start_communities(
    name: str,
    graph: Graph,
    resolution: float,
    max_iterations: int,
    seed: int | None,
    hierarchy: bool,
    device: str,
) -> Result:
    """Check the arguments of Louvain or Leiden, and run it."""
    return run(
        name,
        graph,
        device,
        resolution=check_resolution(resolution),
        max_iterations=check_most_rounds(max_iterations),
        seed=None if seed is None else whole("seed", seed, 0),
        hierarchy=hierarchy,
    )


def check_resolution(resolution: float) -> float:
    """Reject anything but a finite number of 0 or more."""
    if not isinstance(resolution, (int, float, np.number)) or not 0 <= resolution < np.inf:
        raise GraphError(f"resolution is {resolution!r}; expected a finite number of 0 or more, such as 1.0.")
    return float(resolution)


def undirected(graph: Graph) -> Graph:
    """The graph with every edge in both directions, checked for weights that modularity is not defined for."""
    weights = graph.weights
    if weights is not None and weights.size:
        if weights.dtype.kind == "f" and not np.isfinite(weights).all():
            raise GraphError(
                f"{wrong_weights(graph, lambda given: ~np.isfinite(given))} NaN or infinite; communities need "
                "finite weights. Remove these edges, or use graph.with_weights(None)."
            )
        if weights.dtype.kind in "if" and (least := weights.min()) < 0:
            raise GraphError(
                f"the smallest weight is {least}; communities need weights of 0 or more. "
                "Use graph.with_weights(None) to count edges."
            )
    return graph.symmetrized(duplicates="keep") if graph.directed else graph


Spread = Callable[[Any, Any], Any]


class Level(Protocol):
    """A graph whose vertices are communities of the level below. Labels are arrays where the level is."""

    @property
    def size(self) -> int:
        """The number of vertices."""

    def turn(self, iteration: int) -> Self:
        """The lowest level for an iteration, 0 for the first; in each, another order of vertices."""

    def improve(self, community: Any) -> tuple[Any, int]:
        """Better communities, and the number of moves."""

    def refined(self, community: Any) -> Any:
        """Connected parts of the communities that ``improve`` returned last, by Leiden's refinement."""

    def numbered(self, label: Any) -> tuple[Any, int]:
        """Labels replaced by 0, 1, … in their order, and how many there are."""

    def contracted(self, part: Any, count: int, community: Any) -> tuple[Level, Any]:
        """The graph whose vertices are the parts 0…count-1, and their communities."""

    def connected(self, community: Any) -> Any:
        """The communities, with those that are not connected split into their connected pieces."""

    @property
    def spread(self) -> Spread:
        """A function that returns labels of the level above as labels of this one, given the parts."""


def improved(
    first: Level, community: Any, max_iterations: int, *, refine: bool, hierarchy: bool
) -> tuple[list[Any], list[int]]:
    """Improve communities, level by level, and repeat that; returns communities, and the moves per iteration.

    The last communities are the result. Those of the other levels come before them, with ``hierarchy``. With
    ``refine``, this is Leiden, else Louvain. The first of several iterations is not refined: the next one refines what
    it finds, and that gives as good communities in less time.
    """
    steps: list[tuple[Spread, Any]] = []
    moves = [1]
    while len(moves) <= max_iterations and moves[-1]:
        refines = refine and (len(moves) > 1 or max_iterations == 1)
        steps, community, moved = _iteration(first.turn(len(moves) - 1), community, refine=refines)
        moves.append(moved)
    lower = [_lowered(steps[:i], part) for i, (_, part) in enumerate(steps)] if hierarchy else []
    return [*lower, community], moves[1:]


def _iteration(level: Level, community: Any, *, refine: bool) -> tuple[list[tuple[Spread, Any]], Any, int]:
    """The parts of every level, the communities of the lowest, and the number of moves."""
    steps: list[tuple[Spread, Any]] = []
    moves = 0
    while True:
        community, moved = level.improve(community)
        moves += moved
        part, count = level.numbered(level.refined(community) if refine else community)
        if count == level.size:  # nothing was merged
            break
        steps.append((level.spread, part))
        level, community = level.contracted(part, count, community)
    return steps, _lowered(steps, level.connected(community) if refine else community), moves


def _lowered(steps: list[tuple[Spread, Any]], label: Any) -> Any:
    """Labels of the level above all of these, as labels of the lowest."""
    for spread, part in reversed(steps):
        label = spread(label, part)
    return label


def summary(numbers: list[Any], quality: float, moves: list[int], *, hierarchy: bool) -> Answer:
    """The answer; ``numbers`` are the communities of all levels, as ``by_size`` has them, the smallest first."""
    count = int(numbers[-1].max()) + 1 if numbers[-1].size else 0
    facts: dict[str, Any] = {"count": count, "modularity": quality}
    if hierarchy:
        facts["hierarchy"] = numbers
    return Answer({"community": numbers[-1]}, facts, iterations=len(moves), trace={"moves": np.array(moves, np.int64)})


def by_size(label: Array, dtype: np.dtype[Any]) -> Array:
    """Labels below the number of vertices, replaced by numbers from 0 in the order of decreasing size.

    Of communities of one size, the one with the smallest vertex comes first.
    """
    ids = np.arange(label.size, dtype=label.dtype)
    first = np.empty_like(label)
    first[label[::-1]] = ids[::-1]
    first = first[label]
    sizes = np.bincount(first, minlength=label.size)
    large = np.flatnonzero(sizes > 1)
    order = np.concatenate([large[np.argsort(-sizes[large], kind="stable")], np.flatnonzero(sizes == 1)])
    numbers = np.empty(label.size, dtype)
    numbers[order] = ids[: order.size]
    return numbers[first]


def numbered(label: Array) -> tuple[Array, int]:
    """Labels replaced by 0, 1, … in their order, and how many there are."""
    used = np.zeros(label.size, np.bool_)
    used[label] = True
    return (np.cumsum(used) - 1).astype(label.dtype)[label], int(used.sum())
