"""The clustered graphs of the SSCA#2 benchmark."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.checks import whole
from clew.dtypes import OFFSET, id_dtype
from clew.generate.arguments import MAX_SCALE, check_memory_of_edges, probability
from clew.generate.streams import scramble_ids, stream
from clew.generate.weights import random_weights
from clew.graph import Graph


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
    from clew.generate import kernels_cliques as kernels

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
    made = Graph.from_edges(source, target, None, count, False, "drop")
    return made if heaviest is None else random_weights(made, 1, heaviest, seed=seed)
