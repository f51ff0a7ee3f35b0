"""Small worlds: ring lattices with some long-range edges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.checks import whole
from clew.dtypes import Array, id_dtype
from clew.errors import GraphError
from clew.generate.arguments import check_memory_of_edges, probability
from clew.generate.streams import stream
from clew.graph import Graph

MAX_ATTEMPTS = 64


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
    from clew.generate import kernels_ring as kernels

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
    parts = threads.pieces(source.size)
    if half:
        key = stream(seed, "which edges to rewire")
        threads.each(kernels.ring_edges, parts, parts, key, count, half, rewire, source, target, rewired)
    if count > degree + 1:
        _rewire(np.flatnonzero(rewired), stream(seed, "where to rewire"), count, half, target)
    return Graph.from_edges(source, target, None, count, False)


def _rewire(slots: npt.NDArray[np.int64], key: np.uint64, count: int, half: int, target: Array) -> None:
    """Give the edges in ``slots`` new targets such that no two edges are equal.

    All draw at once. If several drew the same edge, the first keeps it and the others draw again. New edges never
    coincide with lattice edges, so an edge without a free place can stay unchanged.
    """
    from clew.generate import kernels_ring as kernels

    taken: list[Array] = []
    for attempt in range(MAX_ATTEMPTS):
        if not slots.size:
            return
        chosen = np.empty(slots.size, dtype=np.int64)
        parts = threads.pieces(slots.size)
        threads.each(kernels.new_targets, parts, parts, key, attempt * target.size, count, half, slots, chosen)
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
