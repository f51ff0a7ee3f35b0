"""Sampled neighbourhoods on a cluster: the owners of vertices draw their edges, and every member has the whole sample.

Random numbers depend on the seed, the hop and the vertex, so samples are those of one machine.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.registry import Answer
from clew.algorithms.sample_neighbors import Samples, grow
from clew.algorithms.sample_neighbors.cpu import in_parallel, number, picked
from clew.dtypes import Array
from clew.engines.cluster.own_rows import OwnRows, first_arcs, own_rows, places_in
from clew.engines.cluster.share import Share

COPIES = (OwnRows(weights="weighted"), OwnRows(undirected=0))  # by target, and by source for the numbers of edges
EDGE = np.dtype([("place", np.int64), ("target", np.int64)])


def sample_neighbors(share: Share, given: Samples) -> Answer:
    """Drawn edges; see ``clew.sample_neighbors``."""
    rows = own_rows(share, transpose=True, weighted=given.weighted)
    return grow(np, given, given.sources, partial(_draw, share, rows, given), number)


def _draw(
    share: Share, rows: Adjacency, given: Samples, vertices: Array, hop: int, fanout: int
) -> tuple[Array, Array, Array]:
    """As ``Draw``; every member draws for its own vertices."""
    member = share.member
    owner, local = share.partition.place(vertices)
    order, parts = member.by_owner(owner)
    mine = parts[member.rank]
    own_counts, places = picked(rows, given, in_parallel, local[mine], vertices[mine], hop, fanout)
    numbers = _numbers(share, rows, np.repeat(local[mine], own_counts), np.repeat(vertices[mine], own_counts), places)
    counts = np.empty(vertices.size, np.int64)
    counts[order] = by_rank = np.concatenate(member.all_gather("all", own_counts))
    # Drawn edges arrive by owner, and belong where their vertices are.
    starts = (np.cumsum(counts) - counts)[order] - (np.cumsum(by_rank) - by_rank)
    belong = np.repeat(starts, by_rank) + np.arange(counts.sum())
    found = np.empty((2, belong.size), np.int64)
    for column, drawn in zip(found, (rows.indices[places].astype(np.int64), numbers), strict=True):
        column[belong] = np.concatenate(member.all_gather("all", drawn))
    return counts, found[0], found[1]


def _numbers(share: Share, rows: Adjacency, local: Array, vertices: Array, places: Array) -> Array:
    """The numbers of drawn edges in the whole graph, given their vertices and their places in this member's rows."""
    if not share.directed:
        found: Array = first_arcs(share)[local] + places - rows.indptr[local]
        return found
    out = own_rows(share)

    def answer(edges: Array) -> Array:
        u, v = (np.ascontiguousarray(edges[name]) for name in EDGE.names or ())
        numbers: Array = first_arcs(share)[u] + places_in(out, u, v) - out.indptr[u]
        return numbers

    first_arcs(share)  # which all members make together
    sources = rows.indices[places].astype(np.int64)
    owner, there = share.partition.place(sources)
    questions = np.empty(places.size, EDGE)
    questions["place"], questions["target"] = there, vertices
    # Parallel edges are in the same order in both rows.
    return share.member.ask(owner, questions, answer) + places - places_in(rows, local, sources)
