"""The most similar vertices on a cluster: owners fetch the in-neighbours of neighbours, and add up what is shared.

A batch is a range of a member's edges, by source: as many as have targets whose rows fit. So a vertex with many
neighbours takes several batches. What it shares so far is kept for the next one.
"""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.most_similar import kernels_cluster as kernels
from clew.algorithms.registry import Answer
from clew.algorithms.similarity import METHODS, values_of
from clew.dtypes import Array
from clew.engines.cluster import own_rows as gathering
from clew.engines.cluster.own_rows import distinct, own_rows, rows_of
from clew.engines.cluster.share import Share

#: What a vertex shares with another one so far, and how many neighbours that one has.
KNOWN = np.dtype([("id", np.int64), ("count", np.int64), ("shared", np.float64)])


def most_similar(share: Share, k: int, method: str) -> Answer:
    """The best others of every vertex; see ``clew.most_similar``."""
    member, ids = share.member, share.ids
    similar, scores = np.full((ids.size, k), -1, ids.dtype), np.zeros((ids.size, k))
    batches = _Batches(share, method)
    turn = arc = 0
    known = np.empty(0, KNOWN)
    while member.any(arc < batches.rows.num_arcs):
        turn, arc, known, similar, scores = member.checkpoint(turn, turn, arc, known, similar, scores)
        arc, known = batches.add(turn, arc, known, (similar, scores))
        turn += 1
    pairs = int(member.all_reduce(np.int64(np.count_nonzero(similar >= 0)), np.add))
    return Answer({"score": scores, "similar": similar}, {"num_pairs": pairs})


class _Batches:
    """The rows of this member's vertices, and what it must know about the rows of neighbours to fetch them."""

    def __init__(self, share: Share, method: str) -> None:
        self.share, self.method = share, METHODS.index(method)
        self.rows = _without_repeats(own_rows(share), share.ids)
        self.back = _without_repeats(own_rows(share, transpose=True), share.ids) if share.directed else self.rows
        self.near, self.slots = distinct(share.num_vertices, self.rows.indices)
        degrees, owners = self.back.degrees(), share.partition.place(self.near)
        self.lengths = share.member.fetch(*owners, degrees)
        self.values = share.member.fetch(*owners, values_of(degrees, method))
        self.stamp = np.full(self.near.size, -1)  # the last batch that has a row
        # How many neighbours the others in a row have, for their scores.
        others, places = distinct(share.num_vertices, self.back.indices)
        counts = self.rows.degrees().astype(share.ids.dtype)
        self.counts = share.member.fetch(*share.partition.place(others), counts)[places]

    def add(self, turn: int, arc: int, known: Array, best: tuple[Array, Array]) -> tuple[int, Array]:
        """Go on from an edge, whose source has the ``known`` sums, and list the ``best`` others; collective.

        Returns the next edge, and the sums of its source.
        """
        end = int(kernels.end_of_batch(self.slots, self.lengths, arc, gathering.ROOM, turn, self.stamp))
        slots = self.slots[arc:end]
        wanted, which = distinct(self.near.size, slots)
        begin, stop, found, counts = rows_of(self.share, self.back, self.near[wanted], self.counts)
        others, before, column = distinct(self.share.num_vertices, known["id"], found)
        count, given, left = np.zeros(others.size, counts.dtype), np.zeros(others.size), np.zeros(others.size)
        count[before], given[before] = known["count"], known["shared"]
        count[column] = counts
        batch = ((arc, end), self.rows.indptr, self.share.ids, (which, self.values[slots]), (begin, stop, column))
        work = (*batch, others, count, given, left, self.method, *best)
        if end > arc:
            threads.in_pieces(kernels.best_of_batch, column.size, *work)
        going = np.flatnonzero(left)
        known = np.empty(going.size, KNOWN)
        known["id"], known["count"], known["shared"] = others[going], count[going], left[going]
        return end, known


def _without_repeats(rows: Adjacency, ids: Array) -> Adjacency:
    """Own rows without loops and repeated edges."""
    place = np.repeat(np.arange(ids.size), rows.degrees())
    kept = rows.indices != ids[place]
    kept[1:] &= (np.diff(rows.indices) != 0) | (np.diff(place) != 0)
    indptr = np.append(0, np.cumsum(np.bincount(place[kept], minlength=ids.size)))
    return Adjacency(indptr, rows.indices[kept])
