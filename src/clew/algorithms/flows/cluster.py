"""Maximum flows on a cluster, by pushing and raising in rounds of all members (Goldberg and Tarjan).

The source fills its edges first. In a round, every vertex with more than leaves it pushes to neighbours one step lower,
and is raised if it still has too much. Now and then, a search from the sink, and one from the source for the others,
give all vertices their exact heights. What cannot reach the sink flows back to the source.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.flows import check_total
from clew.algorithms.flows import kernels_cluster as kernels
from clew.dtypes import Array
from clew.engines.cluster.own_rows import OwnEdges, own_edges
from clew.engines.cluster.share import Share

FEWEST_ROUNDS = 8  # between two searches
CALL = np.dtype([("arc", np.int64), ("mate", np.int64)])


class Flow:
    """The arcs of this member's vertices, in both directions of every edge, and how much each takes.

    ``mate`` is where the other direction is, with the vertex's ``owner``. ``excess`` is how much more flows into a
    vertex than out of it.
    """

    def __init__(self, share: Share, source: int, sink: int) -> None:
        self.share, self.member = share, share.member
        self.edges = own_edges(share, weighted=share.weights is not None)
        self.capacity, self.entry = self._set_up(self.edges)
        n = share.ids.size
        self.source, self.sink = (np.flatnonzero(share.ids == each) for each in (source, sink))
        self.excess, self.height = np.zeros(n, self.left.dtype), np.zeros(n, np.int64)
        self.heights = np.zeros(self.left.size, np.int64)  # of the vertices that arcs lead to
        self.rounds = 0

    def _set_up(self, edges: OwnEdges) -> tuple[Array, Array]:
        """Make the arcs; returns the capacity of every edge, and where its arc from its source is."""
        member, share, weights = self.member, self.share, edges.weights
        kind = np.float64 if weights is not None and weights.dtype.kind == "f" else np.int64
        capacity: Array = np.ones(edges.place.size, kind) if weights is None else weights.astype(kind)
        if kind == np.int64:
            check_total(member.all_reduce(capacity.sum(dtype=np.float64), np.add))
        kept = np.flatnonzero(edges.source != edges.target)
        owner, there = share.partition.place(edges.target[kept])
        places, sources, back, origin = member.send_to_owners(
            owner, [there, edges.source[kept].astype(np.int64), capacity[kept], np.arange(kept.size)]
        )
        place = np.append(edges.place[kept], places)
        order = np.argsort(place, kind="stable")
        arc = np.empty_like(order)
        arc[order] = np.arange(order.size)
        own, arrived = arc[: kept.size], arc[kept.size :]
        self.place = place[order]
        self.indptr = np.searchsorted(self.place, np.arange(share.ids.size + 1))
        self.left = np.append(capacity[kept], np.zeros_like(back) if share.directed else back)[order]
        senders, _ = share.partition.place(sources)
        self.owner, self.mate = np.append(owner, senders)[order], np.empty(order.size, np.int64)

        def meet(given: Array) -> Array:
            self.mate[own[given["arc"]]] = given["mate"]
            answer: Array = own[given["arc"]]
            return answer

        calls = np.empty(origin.size, CALL)
        calls["arc"], calls["mate"] = origin, arrived
        self.mate[arrived] = member.ask(senders, calls, meet)
        entry = np.full(edges.place.size, -1)
        entry[kept] = own
        return capacity, entry

    def run(self) -> None:
        """Let as much flow as can; collective."""
        full = np.flatnonzero(np.isin(self.place, self.source) & (self.left > 0))
        given = self.left[full]
        self.left[full] = 0
        self._arrive(full, given)
        until = 0
        while self.member.any(self._active().size):
            state = (self.rounds, until, self.left, self.excess, self.height, self.heights)
            state = self.member.checkpoint(self.rounds, *state)
            self.rounds, until, self.left, self.excess, self.height, self.heights = state
            if self.rounds >= until:
                until = self.rounds + max(FEWEST_ROUNDS, self._search_heights())
            self._round()
            self.rounds += 1

    def _active(self) -> Array:
        """The vertices that have too much."""
        too_much = self.excess > 0
        too_much[self.source] = too_much[self.sink] = False
        return np.flatnonzero(too_much)

    def _round(self) -> None:
        active = self._active()
        room = int((self.indptr[active + 1] - self.indptr[active]).sum())
        arcs, given, raised = np.empty(room, np.int64), np.empty(room, self.left.dtype), np.empty_like(active)
        state = (self.indptr, self.heights, self.left, self.height, self.excess)
        count = kernels.push(active, *state, arcs, given)
        self._arrive(arcs[:count], given[:count])
        self._tell_heights(raised[: kernels.raise_up(active, *state, raised)])

    def _arrive(self, arcs: Array, given: Array) -> None:
        """Let what was pushed over arcs arrive."""
        mates, given = self.member.send_to_owners(self.owner[arcs], [self.mate[arcs], given])
        self.left[mates] += given
        np.add.at(self.excess, self.place[mates], given)

    def _arcs_of(self, vertices: Array) -> Array:
        counts = self.indptr[vertices + 1] - self.indptr[vertices]
        arcs: Array = np.repeat(self.indptr[vertices] - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        return arcs

    def _tell_heights(self, vertices: Array) -> None:
        """Let the neighbours of vertices know how high these are."""
        arcs = self._arcs_of(vertices)
        mates, heights = self.member.send_to_owners(self.owner[arcs], [self.mate[arcs], self.height[self.place[arcs]]])
        self.heights[mates] = heights

    def distances(self, frontier: Array, others: Array | None = None) -> tuple[Array, int]:
        """The number of arcs from every vertex to some, -1 if there is no way, and the number of rounds; collective.

        With ``others``, only over these vertices.
        """
        away, rounds = np.full(self.height.size, -1), 0
        if others is not None:
            away[~others], frontier = 0, frontier[others[frontier]]
        away[frontier] = 0
        while self.member.any(frontier.size):
            rounds += 1
            arcs = self._arcs_of(frontier)
            (mates,) = self.member.send_to_owners(self.owner[arcs], [self.mate[arcs]])
            mates = mates[(self.left[mates] > 0) & (away[self.place[mates]] < 0)]
            frontier = np.unique(self.place[mates])
            away[frontier] = rounds
        return away, rounds

    def _search_heights(self) -> int:
        """Give all vertices the largest heights that are valid; returns the number of rounds that it took."""
        n = self.share.num_vertices
        to_sink, some = self.distances(self.sink)
        cut_off = to_sink < 0  # no arc with room leads out of them
        to_source, more = self.distances(self.source, cut_off)
        back = np.where(to_source >= 0, to_source + n, 2 * n)
        before, self.height = self.height, np.where(cut_off, back, to_sink)
        self.height[self.source] = n
        self._tell_heights(np.flatnonzero(self.height != before))
        return some + more

    def value(self) -> Any:
        """How much arrives at the sink."""
        return self.member.all_reduce(self.excess[self.sink].sum(), np.add).item()

    def flow(self) -> Array:
        """The flow on each of this member's edges."""
        flow = np.zeros_like(self.capacity)
        real = self.entry >= 0
        flow[real] = self.capacity[real] - self.left[self.entry[real]]
        return flow
