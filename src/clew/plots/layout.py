"""Positions for the vertices of a graph: neighbours close together, other vertices apart.

Edges are springs, and vertices repel each other in proportion to their edges. Components are laid out separately and
then packed. A large component is coarsened to about a hundred vertices, laid out, and refined step by step
(``levels``). So its global shape is found while it is small.

References
----------
T. Fruchterman, E. Reingold: "Graph drawing by force-directed placement", 1991. Y. Hu: "Efficient, high-quality
force-directed graph drawing", 2005. A. Noack: "Modularity clustering is force-directed layout", 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.build import component_labels
from clew.checks import whole
from clew.dtypes import Array, as_bits
from clew.graph import Graph, check_graph
from clew.plots.forces import GRAIN, Push
from clew.plots.levels import Level, levels_of
from clew.plots.packing import packed

SMALL = 400  # components up to here are laid out by one thread each, pair by pair
FEW = 3_000  # vertices that may be seen one by one, so that none is to hide another
WORK = 30_000  # rounds times vertices of such a component
ROUNDS = (100, 30)  # of a level of a thousand vertices or fewer, and of a million or more


def layout(graph: Graph, *, seed: int = 0) -> npt.NDArray[np.float32]:
    """Compute a position (x, y) for every vertex; edges are about 1 long. The same seed gives the same positions.

    Directions and weights are ignored. Components are side by side, and vertices without edges in rows next to them.
    """
    check_graph(graph)
    random = np.random.default_rng(whole("seed", seed, 0))
    places = np.zeros((graph.num_vertices, 2), dtype=np.float32)
    if graph.num_vertices < 2:
        return places
    parts = _components(graph)
    x, y = np.zeros((2, graph.num_vertices), dtype=np.float32)
    _lay_out_small(parts, random, x, y)
    for number in range(int(np.searchsorted(-parts.sizes, -SMALL))):
        first, last = parts.starts[number], parts.starts[number + 1]
        x[first:last], y[first:last] = _lay_out_large(parts.level(number), random)
    packed(parts.starts, x, y)
    if graph.num_vertices <= FEW:
        x, y = _with_room(parts, x, y)
    places[parts.order, 0], places[parts.order, 1] = x, y
    return places


@dataclass(frozen=True)
class _Components:
    """A graph whose components are runs of consecutive vertices, the largest first; ``order`` holds the old ids."""

    order: Array
    starts: Array
    indptr: Array
    indices: Array

    @property
    def sizes(self) -> Array:
        return np.diff(self.starts)

    def level(self, number: int) -> Level:
        """One component as a separate graph."""
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        begin, end = int(self.indptr[first]), int(self.indptr[last])
        indptr = self.indptr[first : last + 1] - np.uint64(begin)
        indices = (self.indices[begin:end] - self.indices.dtype.type(first)).astype(np.uint32, copy=False)
        charge = np.diff(indptr).astype(np.float32)
        return Level(indptr, indices, None, charge, np.ones(last - first, dtype=np.float32))


def _components(graph: Graph) -> _Components:
    from clew.plots import kernels_coarsen as kernels

    rows = graph.with_weights(None).symmetrized().outgoing
    labels = component_labels(rows, both_directions=True)
    sizes = np.bincount(labels, minlength=graph.num_vertices)
    roots = np.flatnonzero(sizes)
    roots = roots[np.argsort(-sizes[roots], kind="stable")]
    starts = np.concatenate(([0], np.cumsum(sizes[roots])))
    indptr, indices = as_bits(rows.indptr), as_bits(rows.indices)
    if roots.size == 1:
        return _Components(np.arange(graph.num_vertices), starts, indptr, indices)
    rank = np.empty(graph.num_vertices, dtype=np.int64)
    rank[roots] = np.arange(roots.size)
    order = np.argsort(rank[labels], kind="stable")
    position = np.empty(order.size, dtype=indices.dtype)
    position[order] = np.arange(order.size)
    new_indptr = np.concatenate(([0], np.cumsum(rows.degrees()[order]))).astype(np.uint64)
    new_indices = np.empty_like(indices)
    pieces = threads.pieces(indices.size)
    threads.each(kernels.reorder, pieces, pieces, order, position, indptr, indices, new_indptr, new_indices)
    return _Components(order, starts, new_indptr, new_indices)


def _lay_out_small(parts: _Components, random: np.random.Generator, x: Array, y: Array) -> None:
    """All components of 2 to ``SMALL`` vertices, each by one thread."""
    sizes = parts.sizes
    starts = parts.starts[np.searchsorted(-sizes, -SMALL) : np.searchsorted(-sizes, -1) + 1]
    if starts.size < 2:
        return
    charge = np.diff(parts.indptr).astype(np.float32)
    _settle(starts, Level(parts.indptr, parts.indices, None, charge, charge), random, x, y)


def _settle(starts: Array, level: Level, random: np.random.Generator, x: Array, y: Array) -> None:
    from clew.plots import kernels_small as kernels

    noise = random.normal(scale=0.1, size=(x.size, 2)).astype(np.float32)
    pieces = max(1, min(256, starts.size - 1))
    threads.each(
        kernels.lay_out,
        pieces,
        pieces,
        starts,
        level.indptr,
        level.indices,
        level.weights,
        level.charge,
        noise,
        WORK,
        x,
        y,
    )


def _lay_out_large(finest: Level, random: np.random.Generator) -> tuple[Array, Array]:
    """One connected graph, from its smallest level to the finest."""
    levels = levels_of(finest, random)
    last = levels[-1]
    x, y = np.zeros((2, last.size), dtype=np.float32)
    _settle(np.array([0, last.size]), last, random, x, y)
    for level, coarser in zip(levels[-2::-1], levels[:0:-1], strict=True):
        assert coarser.joined is not None
        noise = random.normal(scale=0.1, size=(2, level.size)).astype(np.float32)
        x, y = x[coarser.joined] + noise[0], y[coarser.joined] + noise[1]
        x, y = _relaxed(level, x, y)
    return x, y


def _relaxed(level: Level, x: Array, y: Array) -> tuple[Array, Array]:
    """The places after vertices have moved to where forces balance, in shorter and shorter steps."""
    from clew.plots import kernels_layout as kernels

    push = Push(level.charge)
    strength = np.float32(1 / level.charge.sum())
    pieces = max(1, min(64, level.size // GRAIN))
    rounds = _rounds(level.size)
    new_x, new_y = np.empty_like(x), np.empty_like(y)
    for number, longest in enumerate(np.geomspace(0.5, 0.02, rounds).astype(np.float32)):
        if number in (0, rounds // 3):
            scale = _scale(level, x, y)
            x, y = x * scale, y * scale
        push.update(x, y)
        threads.each(
            kernels.move,
            pieces,
            pieces,
            level.indptr,
            level.indices,
            level.weights,
            level.charge,
            x,
            y,
            push.x,
            push.y,
            strength,
            longest,
            new_x,
            new_y,
        )
        x, y, new_x, new_y = new_x, new_y, x, y
    return x, y


def _with_room(parts: _Components, x: Array, y: Array) -> tuple[Array, Array]:
    """The places with vertices that lie all but upon each other moved apart."""
    from clew.plots import kernels_small as kernels

    source = np.repeat(np.arange(x.size), np.diff(parts.indptr).astype(np.int64))
    length = np.hypot(x[source] - x[parts.indices], y[source] - y[parts.indices])
    apart = np.float32(min(0.6, 0.8 * float(length.mean()))) if length.size else np.float32(0)
    pieces = max(1, x.size // 256)
    new_x, new_y = np.empty_like(x), np.empty_like(y)
    for _ in range(20):
        threads.each(kernels.make_room, pieces, pieces, x, y, apart, new_x, new_y)
        x, y, new_x, new_y = new_x, new_y, x, y
    return x, y


def _scale(level: Level, x: Array, y: Array) -> np.float32:
    """By how much to enlarge everything, so that springs and pushes balance at large.

    Every pair adds charge · charge · strength to the work of the pushes, at any distance; at rest the springs
    have as much in them.
    """
    from clew.plots import kernels_layout as kernels

    pieces = max(1, min(64, level.size // GRAIN))
    held = sum(threads.each(kernels.tension, pieces, pieces, level.indptr, level.indices, level.weights, x, y))
    total = float(level.charge.sum(dtype=np.float64))
    wanted = total - float(np.square(level.charge, dtype=np.float64).sum()) / total
    return np.float32((wanted / held) ** (1 / 2) if held > 0 and wanted > 0 else 1.0)


def _rounds(vertices: int) -> int:
    """Fewer rounds the larger the level: its shape at large is found by then."""
    share = np.clip((np.log10(vertices) - 3) / 3, 0, 1)
    return int(ROUNDS[0] + share * (ROUNDS[1] - ROUNDS[0]))
