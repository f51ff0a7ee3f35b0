"""Clustered graphs: small worlds and the cliques of the SSCA#2 benchmark."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.checks import whole
from clew.dtypes import OFFSET, Array, id_dtype
from clew.errors import GraphError
from clew.generate.arguments import MAX_SCALE, check_memory_of_edges, probability, scramble_ids, stream
from clew.generate.weights import random_weights
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
    from clew.generate import kernels

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

    scale = whole("scale", scale, 0, MAX_SCALE)
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
        scramble_ids(scale, seed, source, target)
    # Two vertices at half the ring's length may each have drawn an edge to the other.
    graph = Graph.from_edges(source, target, None, count, False, "drop")
    return graph if heaviest is None else random_weights(graph, 1, heaviest, seed=seed)
