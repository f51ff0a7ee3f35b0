"""How much a row gains from fast memory, and the hottest rows that fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.placement.placement import Mask, as_budget, edge_bytes

PAGERANK_ROUNDS = 5  # the order of the hottest vertices settles soon
DAMPING = np.float32(0.85)
WALKS, STEPS = 1 << 16, 32
DIGIT = 11  # bits of a heat that one pass reads
ROUNDS = 8  # after these little room is left, and few rows fit


def by_degree(graph: Graph) -> Array:
    """The in-degree of every vertex: each in-edge is a chance of a visit."""
    return graph.degrees("in")


def by_pagerank(graph: Graph) -> Array:
    """Approximate PageRank; the graph's in-edges are built and cached for it."""
    from clew.placement import kernels

    into = graph.incoming
    rank = np.ones(graph.num_vertices, dtype=np.float32)
    passed, degrees = np.zeros_like(rank), graph.degrees().astype(np.float32)
    bounds = blocks_of(into)
    rows = (as_bits(into.indptr), as_bits(into.indices))
    for _ in range(PAGERANK_ROUNDS):
        np.divide(rank, degrees, out=passed, where=degrees > 0)
        threads.each(kernels.collect, bounds.size - 1, bounds, DAMPING, *rows, passed, rank)
    return rank


def by_access(graph: Graph) -> Array:
    """Visits of sampled random walks: far fewer steps than edges, so only a part of the graph is read."""
    from clew.placement import kernels

    if not graph.num_vertices:
        return np.zeros(0, dtype=np.int64)
    visits = np.empty((STEPS, WALKS), dtype=np.int64)
    rows = (as_bits(graph.indptr), as_bits(graph.indices))
    pieces = threads.pieces(visits.size)
    threads.each(kernels.walk, pieces, pieces, np.uint64(1), *rows, as_bits(visits))
    return np.bincount(visits.reshape(-1), minlength=graph.num_vertices)


def by_cost(graph: Graph) -> Array:
    """The saving per byte of fast memory if every row is one access: the shorter the row, the larger.

    A row of b bytes costs a + b / w in slow memory, for an access cost a and a bandwidth w. That is (a + b / w) / b per
    byte, which decreases with b for any a and w. Empty rows are never read.
    """
    lengths = graph.degrees()
    heat: Array = np.where(lengths > 0, lengths.max(initial=0) + 1 - lengths, 0)
    return heat


HEAT: dict[str, Callable[[Graph], Array]] = {
    "degree": by_degree,
    "pagerank": by_pagerank,
    "access": by_access,
    "cost": by_cost,
}


def hottest_fitting(rows: Adjacency, heat: Array, budget: int) -> Mask:
    """Vertices by descending heat (0 or more), ties by ascending id, each if its row still fits.

    All rows down to some heat fit. That heat is found digit by digit, from the bytes of rows by heat. Rows of that heat
    are tried one by one. Then the same is repeated with cooler rows that fit in the remaining bytes, usually one or
    two. If there are many, the last ones are sorted.
    """
    from clew.placement import kernels

    heats = as_bits(heat)  # numbers of 0 or more, floats too, have the order of their bits
    fast, left = np.zeros(heat.size, dtype=np.bool_), int(as_budget(budget))
    known = (heats, as_bits(rows.indptr), np.uint64(edge_bytes(rows)), np.uint64(rows.indptr.itemsize))
    pieces = threads.pieces(heat.size)
    below = int(heats.max(initial=0)) + 1  # vertices that are at least this hot have been decided upon
    for _ in range(ROUNDS):
        taken, last = _last_heat(known, pieces, below, left)
        hotter = np.uint64(0 if last is None else last + 1)
        threads.each(kernels.take, pieces, pieces, *known, np.uint64(below), np.uint64(left), hotter, fast)
        if last is None:
            return fast
        left, below = int(kernels.take_equals(*known, np.uint64(last), np.uint64(left - taken), fast)), last
        if left < rows.indptr.itemsize:
            return fast
    kernels.take_sorted(*known, np.uint64(below), np.uint64(left), fast)
    return fast


def _last_heat(
    known: tuple[Array, Array, np.uint64, np.uint64], pieces: int, below: int, left: int
) -> tuple[int, int | None]:
    """The bytes of rows down to the last heat, and that heat, of which not all rows fit. None if all rows fit."""
    from clew.placement import kernels

    taken, prefix, unknown = 0, 0, max(0, below - 1).bit_length()
    while True:
        digits = min(DIGIT, unknown)
        unknown -= digits
        where = (np.uint64(number) for number in (below, left, prefix, unknown, digits))
        sizes = np.sum(threads.each(kernels.bytes_by_digit, pieces, pieces, *known, *where), axis=0).tolist()
        digit = len(sizes) - 1
        while digit >= 0 and taken + sizes[digit] <= left:
            taken += sizes[digit]
            digit -= 1
        if digit < 0:
            return taken, None
        prefix = prefix << digits | digit
        if not unknown:
            return taken, prefix
