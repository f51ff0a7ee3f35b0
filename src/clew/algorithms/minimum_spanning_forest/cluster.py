"""Spanning forests on a cluster: members keep the forests of their own edges, then join them by Borůvka's rounds.

The heaviest edge of a cycle is in no forest, even if the cycle has edges of other members. So members drop such edges
first. In a round, the owner of every component learns its lightest edge from the workers that have edges of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from clew.algorithms.minimum_spanning_forest import sort_keys
from clew.algorithms.minimum_spanning_forest.cpu import chosen_edges
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster.own_rows import OwnEdges, OwnRows, distinct, own_edges
from clew.engines.cluster.share import Share

COPIES, NUMBERS_EDGES = (OwnRows(weights="any"),), True
OFFER = np.dtype([("place", np.int64), ("other", np.int64), ("key", np.uint64), ("number", np.int64)])


def minimum_spanning_forest(share: Share, maximum: bool) -> Answer:
    """The edges of least or largest total weight; see ``clew.minimum_spanning_forest``."""
    edges = own_edges(share, weighted=share.weights is not None)
    light = _own_forest(share, edges, maximum=maximum)
    keys = np.zeros(light.size, np.uint64)
    if edges.weights is not None:
        keys = sort_keys(edges.weights[light], maximum=maximum)
    taken, rounds = _joined(share, edges.source[light], edges.target[light], keys, edges.rows.numbers[light])
    member = np.zeros(edges.source.size, np.bool_)
    member[light[taken]] = True
    count = int(share.member.all_reduce(np.count_nonzero(member), np.add))
    weight = count
    if edges.weights is not None:
        weight = share.member.all_reduce(edges.weights[member].sum(), np.add).item()
    facts = {"weight": weight, "trees": share.num_vertices - count}
    return Answer({"member": member}, facts, iterations=rounds, pairs=(edges.source, edges.target), rows=edges.rows)


def _own_forest(share: Share, edges: OwnEdges, *, maximum: bool) -> Array:
    """The edges that are in the forest of this member's edges, the lightest first."""
    ends, source, target = distinct(share.num_vertices, edges.source, edges.target)
    keys = None if edges.weights is None else sort_keys(edges.weights, maximum=maximum)
    return chosen_edges(source, target, keys, ends.size)


@dataclass
class _Trees:
    """Where the components lead that this member owns: the one that each is joined to, or itself."""

    share: Share
    above: Array
    hooked: Array = field(default_factory=lambda: np.empty(0, np.int64))

    def choose(self, offers: Array) -> Array:
        """Join every component over the lightest of the edges that are offered; returns which these are."""
        order = np.lexsort((offers["number"], offers["key"], offers["place"]))
        best = order[np.diff(offers["place"][order], prepend=-1) != 0]
        self.hooked = offers["place"][best]
        self.above[self.hooked] = offers["other"][best]
        chosen = np.zeros(offers.size, np.bool_)
        chosen[best] = True
        return chosen

    def above_of(self, components: Array) -> Array:
        """What components anywhere are joined to."""
        return self.share.member.fetch(*self.share.partition.place(components), self.above)

    def flatten(self) -> None:
        """Point those that were joined to the roots of their trees."""
        # No edge has the rank of another, so two components at most lead to each other. The smaller one is the root.
        mine = self.share.ids[self.hooked]
        mutual = (self.above_of(self.above[self.hooked]) == mine) & (mine < self.above[self.hooked])
        self.above[self.hooked[mutual]] = mine[mutual]
        going = self.hooked[~mutual]
        while self.share.member.any(going.size):
            higher = self.above_of(self.above[going])
            moved = higher != self.above[going]
            self.above[going] = higher
            going = going[moved]


def _joined(share: Share, one: Array, other: Array, keys: Array, numbers: Array) -> tuple[Array, int]:
    """Which edges of all members' forests are in the forest of all, and the number of rounds; edges are in order."""
    member, trees = share.member, _Trees(share, share.ids.astype(np.int64))
    taken, left, rounds = np.zeros(one.size, np.bool_), np.flatnonzero(one != other), 0
    one, other = one[left].astype(np.int64), other[left].astype(np.int64)
    while member.any(left.size):
        rounds, left, one, other, taken, trees.above = member.checkpoint(
            rounds, rounds, left, one, other, taken, trees.above
        )
        # Edges are in order, so the first one of a component is the lightest here.
        components, first = np.unique(np.column_stack([one, other]), return_index=True)
        edge = first // 2
        owner, place = share.partition.place(components)
        offers = np.empty(place.size, OFFER)
        offers["place"], offers["other"] = place, one[edge] + other[edge] - components
        offers["key"], offers["number"] = keys[left[edge]], numbers[left[edge]]
        taken[left[edge[member.ask(owner, offers, trees.choose)]]] = True
        trees.flatten()
        roots = trees.above_of(components)
        one, other = (roots[np.searchsorted(components, ends)] for ends in (one, other))
        open_ones = one != other
        left, one, other = left[open_ones], one[open_ones], other[open_ones]
        rounds += 1
    return np.flatnonzero(taken), rounds
