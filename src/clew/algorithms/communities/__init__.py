"""What Louvain and Leiden share: the check of weights, and the numbers of communities."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np

from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph


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
                f"{int((~np.isfinite(weights)).sum()):,} weights are NaN or infinite; communities need "
                "finite weights. Remove these edges, or use graph.with_weights(None)."
            )
        if weights.dtype.kind in "if" and (least := weights.min()) < 0:
            raise GraphError(
                f"the smallest weight is {least}; communities need weights of 0 or more. "
                "Use graph.with_weights(None) to count edges."
            )
    return graph.symmetrized(duplicates="keep") if graph.directed else graph


class Level(Protocol):
    """A graph whose vertices are communities of the level below."""

    def turn(self, iteration: int) -> Self:
        """The lowest level for an iteration, 0 for the first; in each, another order of vertices."""

    def improve(self, community: Array) -> tuple[Array, int]:
        """Better communities, and the number of moves."""

    def refined(self, community: Array) -> Array:
        """Connected parts of the communities, by Leiden's refinement."""

    def contracted(self, part: Array, count: int) -> Level:
        """The graph whose vertices are the parts 0…count-1."""

    def connected(self, community: Array) -> Array:
        """The communities, with those that are not connected split into their connected pieces."""


def improved(first: Level, community: Array, max_iterations: int, *, refine: bool) -> tuple[list[Array], list[int]]:
    """Improve communities, level by level, and repeat that; returns those of every level, and the moves per iteration.

    The last of the levels are the communities themselves. With ``refine``, this is Leiden, else Louvain.
    """
    levels, moves = [community], [1]
    while len(moves) <= max_iterations and moves[-1]:
        levels, moved = _iteration(first.turn(len(moves) - 1), levels[-1], refine=refine)
        moves.append(moved)
    return levels, moves[1:]


def _iteration(level: Level, community: Array, *, refine: bool) -> tuple[list[Array], int]:
    place = np.arange(community.size, dtype=community.dtype)  # the vertex of the current level that has each vertex
    levels: list[Array] = []
    moves = 0
    while True:
        community, moved = level.improve(community)
        moves += moved
        part, count = numbered(level.refined(community) if refine else community)
        if count == community.size:  # nothing was merged
            break
        level, community = level.contracted(part, count), above(community, part, count)
        place = part[place]
        levels.append(place)
    if refine:
        community = level.connected(community)
    return [*levels, first_vertices(community[place])], moves


def summary(graph: Graph, levels: list[Array], quality: float, moves: list[int], *, hierarchy: bool) -> Answer:
    """The answer: communities numbered by size, the largest first, and of equal ones the one with the smallest vertex.

    ``levels`` are the communities of all levels, the smallest first.
    """
    numbers = by_size(levels[-1], graph.indices.dtype)
    facts: dict[str, Any] = {"count": int(numbers.max(initial=-1)) + 1, "modularity": quality}
    if hierarchy:
        facts["hierarchy"] = [*(by_size(level, graph.indices.dtype) for level in levels[:-1]), numbers]
    return Answer({"community": numbers}, facts, iterations=len(moves), trace={"moves": np.array(moves, np.int64)})


def by_size(label: Array, dtype: np.dtype[Any]) -> Array:
    """Labels replaced by numbers from 0, in the order of decreasing size."""
    _, first, place, counts = np.unique(label, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    numbers = np.empty(order.size, dtype)
    numbers[order] = np.arange(order.size)
    return numbers[place.reshape(-1)]


def numbered(label: Array) -> tuple[Array, int]:
    """Labels replaced by 0, 1, … in their order, and how many there are."""
    used = np.zeros(label.size, np.bool_)
    used[label] = True
    return (np.cumsum(used) - 1).astype(label.dtype)[label], int(used.sum())


def above(community: Array, part: Array, count: int) -> Array:
    """The communities of parts. The label of a community is one of its parts, so that labels are vertices again."""
    label = np.empty(community.size, community.dtype)
    label[community] = part  # of several, the last part
    label_of_part = np.empty(count, community.dtype)
    label_of_part[part] = label[community]
    return label_of_part


def first_vertices(label: Array) -> Array:
    """Labels replaced by the first vertex that has each."""
    first = np.empty_like(label)
    first[label[::-1]] = np.arange(label.size, dtype=label.dtype)[::-1]
    return first[label]
