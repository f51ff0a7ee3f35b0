"""Similarity on a cluster: the owner of a pair's first vertex fetches the neighbours of the second one.

Pairs are sorted by their second vertices, so a member fetches the neighbours of a vertex once. It does so in batches,
whose rows take a few MB, or are those of one vertex.
"""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.registry import Answer
from clew.algorithms.similarity import METHODS, kernels, kernels_cluster, values_of
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cluster.own_rows import Batches, OwnRows, distinct, own_edges, own_rows
from clew.engines.cluster.share import Share
from clew.result import Rows

COPIES, NUMBERS_EDGES = (OwnRows(),), True


def similarity(share: Share, pairs: tuple[Array, Array] | None, method: str) -> Answer:
    """The score of every pair; see ``clew.similarity``."""
    rows, (place, first, second, kept) = own_rows(share), _own_pairs(share, pairs)
    count = _distinct(rows, share.ids)
    value = _neighbor_values(share, rows, count, method)
    scores, batches, done = np.zeros(second.size), Batches(share, rows, second), 0
    while done < len(batches):
        done, scores = share.member.checkpoint(done, done, scores)
        some, slots, others, there = batches.fetch(done)
        counts = share.member.fetch(*share.partition.place(others), count)[slots]
        ends = place[some], first[some], second[some], slots
        given = (*ends, value, METHODS.index(method), count[place[some]], counts)
        found = np.empty(some.size)
        threads.in_pieces(kernels_cluster.score_pairs, some.size, rows.unsigned(), there, *given, found)
        scores[some] = found
        done += 1
    return Answer({"score": scores}, pairs=(first, second), rows=kept)


def _own_pairs(share: Share, pairs: tuple[Array, Array] | None) -> tuple[Array, Array, Array, Rows]:
    """The pairs whose first vertices are here: places and ids of the first ones, the second ones, and their numbers."""
    if pairs is None:
        edges = own_edges(share)
        return edges.place, edges.source, edges.target, edges.rows
    owner, local = share.partition.place(pairs[0])
    mine = np.flatnonzero(owner == share.member.rank)
    first, second = (ends[mine].astype(share.ids.dtype) for ends in pairs)
    return local[mine], first, second, Rows(mine, owner.size)


def _distinct(rows: Adjacency, ids: Array) -> Array:
    """How many distinct neighbours, other than itself, each of this member's vertices has."""
    count, bounds = np.zeros(ids.size, np.int64), blocks_of(rows)
    threads.each(kernels_cluster.count_distinct, bounds.size - 1, bounds, rows.unsigned(), ids, count)
    return count


def _neighbor_values(share: Share, rows: Adjacency, count: Array, method: str) -> Array | None:
    """What the target of every own edge counts as a shared neighbour; None if all count 1."""
    if METHODS.index(method) <= kernels.COSINE:
        return None
    back = _distinct(own_rows(share, transpose=True), share.ids) if share.directed else count
    targets, places = distinct(share.num_vertices, rows.indices)
    values: Array = share.member.fetch(*share.partition.place(targets), values_of(back, method))[places]
    return values
