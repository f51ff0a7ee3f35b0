"""Truss numbers on a cluster: in every round, the edges of fewest triangles leave, and others lose these triangles.

The owner of its smaller end counts the triangles of an edge. It fetches the neighbours of the larger end once to count,
and once more when the edge leaves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.k_truss import kernels_cluster as kernels
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster.own_rows import Batches, OwnRows, own_edges, own_rows, places_in
from clew.engines.cluster.share import Share

COPIES, NUMBERS_EDGES = (OwnRows(), OwnRows(directed=2)), True
EDGE = np.dtype([("place", np.int64), ("target", np.int64)])


def k_truss(share: Share) -> Answer:
    """The largest truss of every edge; see ``clew.k_truss``."""
    trusses = _Trusses(ClusterWaist(share, "cpu").simple(share, directed=False))
    trusses.count()
    rounds = trusses.remove_all()
    edges = own_edges(share)
    truss = np.zeros(edges.place.size, np.int32)
    real = edges.source != edges.target
    truss[real] = trusses.truss[places_in(trusses.all_rows, edges.place[real], edges.target[real])]
    largest = int(share.member.all_reduce(truss.max(initial=0), np.maximum))
    return Answer(
        {"truss": truss}, {"largest": largest}, iterations=rounds, pairs=(edges.source, edges.target), rows=edges.rows
    )


class _Trusses:
    """The rows of this member's vertices, and for every edge its state, its truss number and its triangles."""

    def __init__(self, links: Share) -> None:
        self.links, self.all_rows = links, own_rows(links)
        size = self.all_rows.num_arcs
        self.arc = np.arange(size)  # where the edges of ``rows`` are in all rows
        self._narrow()
        self.state, self.truss = np.full(size, kernels.STAYS, np.uint8), np.zeros(size, np.int32)
        self.triangles = np.zeros(size, np.int64)
        self.left = np.flatnonzero(self.rows.indices > links.ids[self.place])  # an edge counts at its smaller end

    def _narrow(self) -> None:
        """Make rows of the edges that are in ``arc``."""
        counts = np.diff(np.searchsorted(self.arc, self.all_rows.indptr))
        indptr = np.append(0, np.cumsum(counts))
        self.rows = Adjacency(indptr, self.all_rows.indices[self.arc])
        self.place = np.repeat(np.arange(counts.size), counts)

    def _drop_gone(self) -> None:
        """Keep the edges that are not gone, if they are the smaller part: others would be searched again and again."""
        if 2 * np.count_nonzero(self.state.view(np.bool_)) <= self.arc.size:  # no edge leaves now
            kept = np.flatnonzero(self.state)
            self.left = np.searchsorted(kept, self.left)
            self.arc, self.state, self.triangles = self.arc[kept], self.state[kept], self.triangles[kept]
            self._narrow()

    def count(self) -> None:
        """Count the triangles of every edge."""

        def add(arcs: Array, pairs: tuple[Array, ...], there: tuple[Array, ...]) -> None:
            found = np.empty(arcs.size, np.int64)
            threads.in_pieces(kernels.count, arcs.size, self.rows.unsigned(), self.state, there, *pairs, found)
            self.triangles[arcs] = found

        self._with_larger_ends(self.left, add)

    def remove_all(self) -> int:
        """Give every edge its truss number, the smallest first; returns the number of rounds."""
        member, k, rounds = self.links.member, 2, 0
        while member.any(self.left.size):
            state = (rounds, k, self.arc, self.left, self.state, self.truss, self.triangles)
            rounds, k, self.arc, self.left, self.state, self.truss, self.triangles = member.checkpoint(rounds, *state)
            if self.arc.size < self.rows.num_arcs:
                self._narrow()
            fewest = self.triangles[self.left].min(initial=np.iinfo(np.int64).max)
            k = max(k, int(member.all_reduce(fewest, np.minimum)) + 2)
            falls = self.triangles[self.left] + 2 <= k
            leaving, self.left = self.left[falls], self.left[~falls]
            both = np.concatenate([leaving, self._at_larger_ends(leaving)])
            self.state[both], self.truss[self.arc[both]] = kernels.LEAVES, k
            self._with_larger_ends(leaving, self._take_triangles)
            self.state[both] = kernels.GONE
            self._drop_gone()
            rounds += 1
        return rounds

    def _at_larger_ends(self, leaving: Array) -> Array:
        """Let the owners of the larger ends know which edges leave; returns where those edges are that arrive here."""
        owner, there = self.links.partition.place(self.rows.indices[leaving])
        columns = [there, self.links.ids[self.place[leaving]]]
        return places_in(self.rows, *self.links.member.send_to_owners(owner, columns))

    def _take_triangles(self, _: Array, pairs: tuple[Array, ...], there: tuple[Array, ...]) -> None:
        """Take the triangles of edges that leave from the other edges in them."""
        given = (self.rows.unsigned(), self.state, there, *pairs)
        ends = np.empty((kernels.others(*given, np.empty((0, 2), np.int64)), 2), np.int64)
        kernels.others(*given, ends)
        owner, there_too = self.links.partition.place(ends[:, 0])
        places = places_in(self.rows, *self.links.member.send_to_owners(owner, [there_too, ends[:, 1]]))
        np.subtract.at(self.triangles, places, 1)

    def _with_larger_ends(self, arcs: Array, work: Callable[..., None]) -> None:
        """Do something with edges, and with the rows of their larger ends, in batches; all members call this."""
        batches = Batches(self.links, self.rows, self.rows.indices[arcs])
        for number in range(len(batches)):
            some, slots, _, there = batches.fetch(number, self.state)
            mine = arcs[some]
            place = self.place[mine]
            work(mine, (place, self.links.ids[place], self.rows.indices[mine], slots), there)
