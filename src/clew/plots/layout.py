"""Positions for the vertices of a graph: neighbours close together, other vertices apart.

Edges are springs, and vertices repel each other in proportion to their edges. Components are laid out separately and
then packed. A large component is coarsened to about a hundred vertices, laid out, and refined step by step. So its
global shape is found while it is small.

References
----------
T. Fruchterman, E. Reingold: "Graph drawing by force-directed placement", 1991. Y. Hu: "Efficient, high-quality
force-directed graph drawing", 2005. A. Noack: "Modularity clustering is force-directed layout", 2009.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.fft

from clew import threads
from clew.build import component_labels
from clew.build.kernels_sort import close_gaps
from clew.checks import whole
from clew.dtypes import Array, as_bits
from clew.graph import Graph, check_graph
from clew.plots import kernels
from clew.transform import relabeled

SMALL = 400  # vertices of a component that one thread lays out, pair by pair
FEW = 3_000  # vertices up to which each is visible, so none may hide another
WORK = 30_000  # iterations times vertices of such a component
ROUNDS = (100, 30)  # of a level of a thousand vertices or fewer, and of a million or more
MOST_IN_PAIRS = 3_000
GRAIN = 4_096  # vertices per piece
MOST_NODES = 1024  # along each side of a mesh
MARGIN = 4  # nodes of the mesh around the vertices
GAP = 1.5  # between components
LOW = 0.4  # share of the height of a row, below which a component begins the next one
RADIUS = 0.5  # root mean square distance from the centre, divided by the square root of the number of vertices
SMALLEST = 100  # vertices of a graph that is laid out directly
STALLED = 0.95  # coarsening stops if more than this share of the vertices remains


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
    _pack(parts.starts, x, y)
    if graph.num_vertices <= FEW:
        x, y = _with_room(parts, x, y)
    places[parts.order, 0], places[parts.order, 1] = x, y
    return places


class _Components(NamedTuple):
    """A graph whose components are runs of consecutive vertices, the largest first; ``order`` holds the old ids."""

    order: Array
    starts: Array
    indptr: Array
    indices: Array

    @property
    def sizes(self) -> Array:
        return np.diff(self.starts)

    def level(self, number: int) -> _Level:
        """One component as a separate graph."""
        first, last = int(self.starts[number]), int(self.starts[number + 1])
        begin, end = int(self.indptr[first]), int(self.indptr[last])
        indptr = self.indptr[first : last + 1] - np.uint64(begin)
        indices = (self.indices[begin:end] - self.indices.dtype.type(first)).astype(np.uint32, copy=False)
        charge = np.diff(indptr).astype(np.float32)
        return _Level(indptr, indices, None, charge, np.ones(last - first, dtype=np.float32))


def _components(graph: Graph) -> _Components:
    rows = graph.with_weights(None).symmetrized().outgoing
    labels = component_labels(rows, both_directions=True)
    sizes = np.bincount(labels, minlength=graph.num_vertices)
    roots = np.flatnonzero(sizes)
    roots = roots[np.argsort(-sizes[roots], kind="stable")]
    starts = np.concatenate(([0], np.cumsum(sizes[roots])))
    rank = np.empty(graph.num_vertices, dtype=np.int64)
    rank[roots] = np.arange(roots.size)
    order = np.argsort(rank[labels], kind="stable")
    if roots.size > 1:
        rows = relabeled(rows, np.argsort(order))
    return _Components(order, starts, *rows.unsigned())


def _lay_out_small(parts: _Components, random: np.random.Generator, x: Array, y: Array) -> None:
    """Lay out all components of 2 to ``SMALL`` vertices, each by one thread."""
    sizes = parts.sizes
    starts = parts.starts[np.searchsorted(-sizes, -SMALL) : np.searchsorted(-sizes, -1) + 1]
    if starts.size < 2:
        return
    charge = np.diff(parts.indptr).astype(np.float32)
    _settle(starts, _Level(parts.indptr, parts.indices, None, charge, charge), random, x, y)


def _settle(starts: Array, level: _Level, random: np.random.Generator, x: Array, y: Array) -> None:
    noise = random.normal(scale=0.1, size=(x.size, 2)).astype(np.float32)
    pieces = max(1, min(256, starts.size - 1))
    threads.each(kernels.lay_out, pieces, pieces, starts, *level.rows, level.charge, noise, WORK, x, y)


def _lay_out_large(finest: _Level, random: np.random.Generator) -> tuple[Array, Array]:
    """Lay out one connected graph, from its coarsest level to the finest."""
    levels = _levels_of(finest, random)
    last = levels[-1]
    x, y = np.zeros((2, last.size), dtype=np.float32)
    _settle(np.array([0, last.size]), last, random, x, y)
    for level, coarser in zip(levels[-2::-1], levels[:0:-1], strict=True):
        assert coarser.joined is not None
        noise = random.normal(scale=0.1, size=(2, level.size)).astype(np.float32)
        x, y = x[coarser.joined] + noise[0], y[coarser.joined] + noise[1]
        x, y = _relaxed(level, x, y)
    return x, y


def _relaxed(level: _Level, x: Array, y: Array) -> tuple[Array, Array]:
    """Move vertices to where forces balance, in ever shorter steps; return the new positions."""
    push = _Repulsion(level.charge)
    strength = np.float32(1 / level.charge.sum())
    pieces = max(1, min(64, level.size // GRAIN))
    # The larger the level, the fewer iterations it needs: its shape is already found.
    rounds = int(np.interp(np.log10(level.size), (3, 6), ROUNDS))
    new_x, new_y = np.empty_like(x), np.empty_like(y)
    for number, longest in enumerate(np.geomspace(0.5, 0.02, rounds).astype(np.float32)):
        if number in (0, rounds // 3):
            scale = _scale(level, x, y)
            x, y = x * scale, y * scale
        push.update(x, y)
        forces = (level.charge, x, y, push.x, push.y, strength)
        threads.each(kernels.move, pieces, pieces, *level.rows, *forces, longest, new_x, new_y)
        x, y, new_x, new_y = new_x, new_y, x, y
    return x, y


def _with_room(parts: _Components, x: Array, y: Array) -> tuple[Array, Array]:
    """The positions, with vertices moved apart that nearly cover each other."""
    source = np.repeat(np.arange(x.size), np.diff(parts.indptr).astype(np.int64))
    length = np.hypot(x[source] - x[parts.indices], y[source] - y[parts.indices])
    apart = np.float32(min(0.6, 0.8 * float(length.mean()))) if length.size else np.float32(0)
    pieces = max(1, x.size // 256)
    new_x, new_y = np.empty_like(x), np.empty_like(y)
    for _ in range(20):
        threads.each(kernels.make_room, pieces, pieces, x, y, apart, new_x, new_y)
        x, y, new_x, new_y = new_x, new_y, x, y
    return x, y


def _scale(level: _Level, x: Array, y: Array) -> np.float32:
    """The factor to enlarge the layout by, so that attraction and repulsion balance.

    Every pair adds charge · charge · strength to the work of repulsion, at any distance. At rest the springs hold as
    much.
    """
    pieces = max(1, min(64, level.size // GRAIN))
    tension = sum(threads.each(kernels.tension, pieces, pieces, *level.rows, x, y))
    total = float(level.charge.sum(dtype=np.float64))
    balanced = total - float(np.square(level.charge, dtype=np.float64).sum()) / total
    return np.float32(np.sqrt(balanced / tension) if tension > 0 and balanced > 0 else 1.0)


class _Repulsion:
    """The repulsion at every vertex of a level."""

    def __init__(self, charge: Array) -> None:
        self.charge = charge
        self.x, self.y = np.zeros((2, charge.size), dtype=np.float32)
        self.pieces = max(1, min(64, charge.size // GRAIN))
        self.nodes = 0 if charge.size <= MOST_IN_PAIRS else _nodes_for(charge.size)
        # Sums depend on their order. The number of meshes is the same on every machine, so the layout is too.
        self.meshes = np.empty((min(4, self.pieces), self.nodes, self.nodes), dtype=np.float32)

    def update(self, x: Array, y: Array) -> None:
        """Compute the repulsion for these positions: pair by pair for few vertices, else over a mesh."""
        if not self.nodes:
            pieces = max(1, self.charge.size // 256)
            threads.each(kernels.pairs, pieces, pieces, x, y, self.charge, self.x, self.y)
            return
        left, bottom = x.min(), y.min()
        extent = max(x.max() - left, y.max() - bottom, np.float32(1e-6))
        per_unit = np.float32((self.nodes - 2 * MARGIN) / extent)
        left, bottom = left - MARGIN / per_unit, bottom - MARGIN / per_unit
        where = (np.float32(left), np.float32(bottom), per_unit)
        meshes = len(self.meshes)
        threads.each(kernels.spread, meshes, meshes, x, y, self.charge, *where, self.meshes)
        potential = _convolved(self.meshes.sum(axis=0))
        threads.each(kernels.read, self.pieces, self.pieces, x, y, potential, *where, self.x, self.y)


def _nodes_for(vertices: int) -> int:
    """The number of nodes along each side of the mesh: at least two per vertex, at most those a picture shows."""
    return int(scipy.fft.next_fast_len(int(np.clip(1.5 * np.sqrt(vertices), 128, MOST_NODES)), real=True))


def _convolved(mesh: Array) -> Array:
    """The potential at every node: the sum of charge · log(distance) over all nodes."""
    nodes = len(mesh)
    workers = threads.count()
    padded = (2 * nodes, 2 * nodes)  # the convolution is circular; the padding takes what wraps around
    spectrum: Any = scipy.fft.rfft2(mesh, padded, workers=workers)
    spectrum *= _kernel(nodes)
    potential: Any = scipy.fft.irfft2(spectrum, padded, workers=workers)
    return np.ascontiguousarray(potential[:nodes, :nodes])


@lru_cache(maxsize=4)
def _kernel(nodes: int) -> Array:
    """The spectrum of log(distance)."""
    steps = np.minimum(np.arange(2 * nodes), 2 * nodes - np.arange(2 * nodes)).astype(np.float64)
    squares = steps[:, None] ** 2 + steps[None, :] ** 2
    squares[0, 0] = 0.25
    spectrum: Any = scipy.fft.rfft2((0.5 * np.log(squares)).astype(np.float32))
    return np.asarray(spectrum)


def _pack(starts: Array, x: Array, y: Array) -> None:
    """Scale and move components (runs of vertices from ``starts``), so that they lie side by side; in place.

    The largest comes first, the others in rows next to it. Areas are proportional to the number of vertices.
    """
    sizes = np.diff(starts)
    first = starts[:-1]
    owner = np.repeat(np.arange(sizes.size), sizes)
    for place in (x, y):
        place -= (np.add.reduceat(place, first, dtype=np.float64) / sizes)[owner].astype(np.float32)
    spread = np.sqrt(np.add.reduceat(np.square(x) + np.square(y), first, dtype=np.float64) / sizes)
    scale = np.where(spread > 0, RADIUS * np.sqrt(sizes) / np.where(spread > 0, spread, 1), 1)[owner].astype(np.float32)
    x *= scale
    y *= scale
    low_x, low_y = np.minimum.reduceat(x, first), np.minimum.reduceat(y, first)
    wide, high = np.maximum.reduceat(x, first) - low_x + GAP, np.maximum.reduceat(y, first) - low_y + GAP
    corner_x, corner_y = _shelves(wide.astype(np.float64), high.astype(np.float64))
    x += (corner_x - low_x)[owner].astype(np.float32)
    y += (corner_y - low_y)[owner].astype(np.float32)
    x -= (x.min() + x.max()) / 2
    y -= (y.min() + y.max()) / 2


def _shelves(wide: Array, high: Array) -> tuple[Array, Array]:
    """The lower left corners of rectangles that fill rows of a roughly square area."""
    total = float(np.sqrt((wide * high).sum()))
    across = max(float(wide.max()), total)
    corner_x, corner_y = np.zeros((2, wide.size))
    at_x = at_y = shelf = 0.0
    for i in range(wide.size):
        # A row with one much higher rectangle would be mostly empty, so begin the next one.
        if at_x and (at_x + wide[i] > across or high[i] < LOW * shelf):
            at_x, at_y, shelf = 0.0, at_y - shelf, 0.0
        corner_x[i], corner_y[i] = at_x, at_y - high[i]
        at_x += wide[i]
        shelf = max(shelf, high[i])
    return corner_x, corner_y


class _Level(NamedTuple):
    """Rows of a connected undirected graph, and what its vertices and edges represent.

    ``charge`` is the number of edge ends of a vertex, and ``mass`` the number of original vertices in it. ``joined``
    maps each vertex of the finer level to one of this level (None at the finest).
    """

    indptr: Array
    indices: Array
    weights: Array | None
    charge: Array
    mass: Array
    joined: Array | None = None

    @property
    def rows(self) -> tuple[Array, Array, Array | None]:
        """The arrays that kernels read edges from."""
        return self.indptr, self.indices, self.weights

    @property
    def size(self) -> int:
        """The number of vertices."""
        return self.indptr.size - 1


def _levels_of(finest: _Level, random: np.random.Generator) -> list[_Level]:
    """The graph itself, one with about a quarter of its vertices, and so on."""
    levels = [finest]
    while levels[-1].size > SMALLEST:
        half = _coarser(levels[-1], random)
        quarter = _coarser(half, random)
        if quarter.size > STALLED * levels[-1].size:
            break
        assert half.joined is not None
        assert quarter.joined is not None
        levels.append(quarter._replace(joined=quarter.joined[half.joined]))
    return levels


def _coarser(level: _Level, random: np.random.Generator) -> _Level:
    """The graph with pairs of vertices merged."""
    unmatched = np.uint32(2**32 - 1)
    mate, waiting = np.full((2, level.size), unmatched, dtype=np.uint32)
    order = random.permutation(np.arange(level.size, dtype=np.uint32))
    kernels.match(order, *level.rows, level.mass, unmatched, mate, waiting)
    joined = np.empty(level.size, dtype=np.uint32)
    members = np.empty((level.size, 2), dtype=np.uint32)
    count = int(kernels.number_pairs(mate, unmatched, joined, members))
    members = members[:count]

    degree = np.diff(level.indptr.view(np.int64))
    alone = members[:, 0] == members[:, 1]
    most = degree[members[:, 0]] + np.where(alone, 0, degree[members[:, 1]])
    indptr = np.concatenate(([0], np.cumsum(most)))  # with room for the rows of both
    indices = np.empty(int(indptr[-1]), dtype=np.uint32)
    weights = np.empty(indices.size, dtype=np.float32)
    length = np.empty(count, dtype=np.int64)
    room = (as_bits(indptr), indices, weights, as_bits(length))
    threads.in_pieces(kernels.contract, indices.size, members, joined, *level.rows, *room)
    arcs = close_gaps(indptr, length, indices, weights)
    charge = np.bincount(joined, level.charge, count).astype(np.float32)
    mass = np.bincount(joined, level.mass, count).astype(np.float32)
    return _Level(as_bits(indptr), indices[:arcs].copy(), weights[:arcs].copy(), charge, mass, joined)
