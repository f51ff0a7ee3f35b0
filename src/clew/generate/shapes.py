"""Graphs with a shape: path, cycle, star, complete graph, grid, Delaunay triangulation, small world, cliques."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency, BuildReport
from clew.checks import whole
from clew.dtypes import OFFSET, Array, id_dtype
from clew.errors import GraphError
from clew.generate import arguments
from clew.generate.arguments import check_memory_of_edges, probability, stream
from clew.generate.drawn import Drawn
from clew.generate.random_edges import random_weights
from clew.graph import Graph

MAX_ATTEMPTS = 64


def path(num_vertices: int, directed: bool = False) -> Graph:
    """Path: each vertex is joined to the next; n-1 edges.

    Parameters
    ----------
    num_vertices
        The number of vertices; a path of one vertex has no edge.
    directed
        Whether edges are directed, from each vertex to the next.

    Notes
    -----
    Building it takes about three times the graph's memory, as do ``cycle`` and ``star``.
    """
    count = whole("num_vertices", num_vertices, 0)
    return Drawn(count, max(0, count - 1), partial(_successors, count), directed).graph()


def cycle(num_vertices: int, directed: bool = False) -> Graph:
    """Cycle: each vertex is joined to the next, and the last to the first; n edges.

    Parameters
    ----------
    num_vertices
        The number of vertices, at least 3.
    directed
        Whether edges are directed, from each vertex to the next.
    """
    count = whole("num_vertices", num_vertices, 3)
    return Drawn(count, count, partial(_successors, count), directed).graph()


def _successors(count: int, first: int, size: int) -> tuple[Array, Array]:
    """Edges from vertices to the next one, from that of vertex ``first`` on; the next of the last is 0."""
    source = np.arange(first, first + size, dtype=id_dtype(count))
    target = source + 1
    target[target == count] = 0
    return source, target


def star(num_vertices: int) -> Graph:
    """Star: vertex 0 is joined to every other vertex; n-1 edges; undirected.

    Parameters
    ----------
    num_vertices
        The number of vertices, including the centre.
    """
    count = whole("num_vertices", num_vertices, 0)

    def draw(first: int, size: int) -> tuple[Array, Array]:
        leaves = np.arange(first + 1, first + size + 1, dtype=id_dtype(count))
        return np.zeros_like(leaves), leaves

    return Drawn(count, max(0, count - 1), draw, False).graph()


def complete(num_vertices: int) -> Graph:
    """Complete graph: every vertex is joined to every other; n(n-1)/2 edges; undirected.

    Parameters
    ----------
    num_vertices
        The number of vertices.

    Notes
    -----
    Building it takes about twice the graph's memory.
    """
    count = whole("num_vertices", num_vertices, 0)
    size = count * (count - 1) // 2
    arguments.check_memory_of_rows(count, 2 * size)
    row = np.arange(count, dtype=id_dtype(count))
    indices = np.tile(row, (count, 1))[~np.eye(count, dtype=np.bool_)]
    indptr = np.arange(count + 1, dtype=OFFSET) * max(0, count - 1)
    return Graph(Adjacency(indptr, indices), directed=False, report=BuildReport(given=size))


def grid(
    height: int,
    width: int,
    *,
    diagonals: bool = False,
    delete: float = 0.0,
    max_weight: int | None = None,
    seed: int = 0,
) -> Graph:
    """Undirected grid, a model of road networks: vertex ``row * width + column`` is joined to its neighbours.

    Parameters
    ----------
    height, width
        The number of vertices in each direction.
    diagonals
        Whether to join each vertex to its four diagonal neighbours too.
    delete
        The probability of removing each edge. Below about 0.5 (without diagonals) most vertices of a large grid stay
        connected.
    max_weight
        The weights are random integers from 1 to this number; by default there are none.
    seed
        The random seed, for removed edges and weights.

    Notes
    -----
    Rows are written directly, without an edge list, so memory is that of the graph.
    """
    from clew.generate import kernels

    height, width = whole("height", height, 0), whole("width", width, 0)
    delete = probability("delete", delete)
    heaviest = None if max_weight is None else whole("max_weight", max_weight, 1, 2**63 - 1)
    size = height * width
    arguments.check_memory_of_rows(size, (4 if diagonals else 2) * size)
    parts = threads.pieces(size)
    shape = (stream(seed, "grid"), height, width, diagonals, delete)
    indptr = np.zeros(size + 1, dtype=OFFSET)
    threads.each(kernels.grid_rows, parts, parts, *shape, indptr, None)
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], dtype=id_dtype(size))
    threads.each(kernels.grid_rows, parts, parts, *shape, indptr, indices)
    graph = Graph(Adjacency(indptr, indices), directed=False, report=BuildReport(given=indices.size // 2))
    return graph if heaviest is None else random_weights(graph, 1, heaviest, seed=seed)


BYTES_PER_POINT = 700  # what Qhull takes, measured


def delaunay(num_vertices: int, *, seed: int = 0, points: bool = False) -> Graph:
    """Delaunay triangulation of random points in the unit square; undirected.

    It has 3n-3-h edges for 3 or more vertices, where h is the number of points on the convex hull. Two vertices are
    joined.

    Parameters
    ----------
    num_vertices
        The number of points.
    seed
        The random seed.
    points
        Store the points as ``metadata["coordinates"]``, an array of shape (num_vertices, 2).

    Notes
    -----
    SciPy's Qhull computes it on one core, in about 10 microseconds and 700 bytes of memory per point.

    References
    ----------
    B. Delaunay: "Sur la sphère vide", 1934. C. B. Barber, D. P. Dobkin, H. Huhdanpaa: "The Quickhull algorithm for
    convex hulls", ACM Transactions on Mathematical Software 22, 1996.
    """
    from clew.generate import kernels_random as kernels

    count = whole("num_vertices", num_vertices, 0, 2**31 - 1)
    arguments.check_memory(BYTES_PER_POINT * count, count, 3 * count)
    places = np.empty((count, 2))
    threads.in_pieces(kernels.fill_units, places.size, stream(seed, "points"), places.reshape(-1))
    metadata = {"coordinates": places} if points else None
    if count < 3:
        tiny = path(count)
        return Graph(tiny.outgoing, directed=False, report=tiny.report, metadata=metadata)
    from scipy.spatial import Delaunay

    indptr, indices = Delaunay(places).vertex_neighbor_vertices
    return Graph.from_csr(indptr, indices, directed=False, metadata=metadata)


def small_world(num_vertices: int, neighbors: int, rewire: float, *, seed: int = 0) -> Graph:
    """Watts-Strogatz small world: a ring lattice with some edges rewired at random; undirected and simple.

    Every vertex is first joined to its ``neighbors`` nearest vertices on a ring. Then each edge is rewired with
    probability ``rewire``: its clockwise end is replaced. The new end is drawn from the vertices that the lattice does
    not join to the other end, so there are no self-loops or duplicates. There are always ``num_vertices * neighbors /
    2`` edges. (The original also allows lattice neighbours whose own edge was rewired. For large graphs the two models
    are the same.)

    Parameters
    ----------
    num_vertices
        The number of vertices: more than ``neighbors``, at most 2^31-1.
    neighbors
        The number of lattice neighbours per vertex, an even number.
    rewire
        The probability of rewiring an edge: 0 keeps the ring lattice, 1 rewires all edges. In a very dense graph, edges
        without a free place are not rewired.
    seed
        The random seed.

    Notes
    -----
    Besides the memory of ``Graph.from_edges``, it takes 9 bytes per edge and about 40 per rewired edge.

    References
    ----------
    D. J. Watts, S. H. Strogatz: "Collective dynamics of 'small-world' networks", Nature 393, 1998.
    """
    from clew.generate import kernels

    count = whole("num_vertices", num_vertices, 0, 2**31 - 1)
    degree = whole("neighbors", neighbors, 0)
    rewire = probability("rewire", rewire)
    if degree % 2:
        raise GraphError(f"neighbors is {degree:,}; expected an even number, half of them on either side.")
    if degree and degree >= count:
        raise GraphError(
            f"neighbors is {degree:,}, but num_vertices is {count:,}; expected more vertices than neighbors."
        )
    half = degree // 2
    check_memory_of_edges(count, count * half, directed=False)
    source = np.empty(count * half, dtype=id_dtype(count))
    target = np.empty_like(source)
    rewired = np.empty(source.size, dtype=np.bool_)
    if half:
        key = stream(seed, "which edges to rewire")
        threads.in_pieces(kernels.ring_edges, source.size, key, count, half, rewire, source, target, rewired)
    if count > degree + 1:
        _rewire(np.flatnonzero(rewired), stream(seed, "where to rewire"), count, half, target)
    return Graph.from_edges(source, target, None, count, False)


def _rewire(slots: npt.NDArray[np.int64], key: np.uint64, count: int, half: int, target: Array) -> None:
    """Give the edges in ``slots`` new targets such that no two edges are equal.

    All draw at once. If several drew the same edge, the first keeps it and the others draw again. New edges never
    coincide with lattice edges, so an edge without a free place can stay unchanged.
    """
    from clew.generate import kernels

    taken: list[Array] = []
    for attempt in range(MAX_ATTEMPTS):
        if not slots.size:
            return
        chosen = np.empty(slots.size, dtype=np.int64)
        threads.in_pieces(kernels.new_targets, slots.size, key, attempt * target.size, count, half, slots, chosen)
        origin = slots // half
        edges = np.minimum(origin, chosen) * count + np.maximum(origin, chosen)
        distinct, first = np.unique(edges, return_index=True)
        free = np.ones(distinct.size, dtype=np.bool_)
        for earlier in taken:
            free &= ~np.isin(distinct, earlier, assume_unique=True)
        won = first[free]
        target[slots[won]] = chosen[won]
        taken.append(distinct[free])
        slots = np.delete(slots, won)


def ssca2(
    scale: int,
    max_clique_size: int | None = None,
    inter_clique: float = 0.5,
    max_weight: int | None = None,
    *,
    seed: int = 0,
    scramble: bool = True,
) -> Graph:
    """SSCA#2 graph: cliques of random size with edges between them; undirected and simple.

    Consecutive vertices form cliques with sizes uniform in 1…max_clique_size. Vertex u is joined to vertex u + 2^i
    (modulo n) with probability ``inter_clique / 2**i`` for i = 0, 1, 2, …, if that is in another clique. Finally the
    ids are permuted. The benchmark's parallel edges and one-way edges are omitted.

    Parameters
    ----------
    scale
        log2 of the number of vertices, up to 40.
    max_clique_size
        The largest clique size; by default ``2**(scale / 3)``, rounded down, as in the benchmark.
    inter_clique
        The probability of an edge to the next vertex, if that is in another clique.
    max_weight
        The weights are random integers from 1 to this number; by default there are none.
    seed
        The random seed.
    scramble
        Permute the ids at random. Otherwise cliques consist of consecutive vertices.

    Notes
    -----
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from scale 31 on) and 8 bytes
    per vertex.

    References
    ----------
    D. A. Bader, K. Madduri: "Design and implementation of the HPCS graph analysis benchmark on symmetric
    multiprocessors", HiPC 2005. Defaults are those of their "GTgraph: a synthetic graph generator suite", 2006, which
    lets distances between cliques vary by up to a half.
    """
    from clew.generate import kernels

    scale = whole("scale", scale, 0, arguments.MAX_SCALE)
    count = 1 << scale
    largest = whole("max_clique_size", int(2 ** (scale / 3)) if max_clique_size is None else max_clique_size, 1)
    chance = probability("inter_clique", inter_clique)
    heaviest = None if max_weight is None else whole("max_weight", max_weight, 1, 2**63 - 1)
    largest = min(largest, count)
    expected = count * ((largest + 2) // 3 + 1)  # a vertex has (largest - 1) / 3 edges in its clique on average
    check_memory_of_edges(count, expected, directed=False)
    starts = np.full(count + 1, count, dtype=OFFSET)
    cliques = kernels.clique_starts(stream(seed, "clique sizes"), largest, starts)
    starts = starts[: cliques + 1].copy()
    starts[-1] = count
    parts = min(threads.pieces(expected), cliques)
    common = (stream(seed, "edges between cliques"), starts, chance)
    places = np.zeros(parts + 1, dtype=OFFSET)
    places[1:] = np.cumsum(threads.each(kernels.clique_edges, parts, parts, *common, places, None, None))
    source = np.empty(places[-1], dtype=id_dtype(count))
    target = np.empty_like(source)
    threads.each(kernels.clique_edges, parts, parts, *common, places, source, target)
    if scramble:
        arguments.scramble_ids(scale, seed, source, target)
    # Two vertices at half the ring's length may each have drawn an edge to the other.
    graph = Graph.from_edges(source, target, None, count, False, "drop")
    return graph if heaviest is None else random_weights(graph, 1, heaviest, seed=seed)
