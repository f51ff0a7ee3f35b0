"""Louvain and Leiden on a cluster: members move their own vertices in groups, and tell those who have edges to them.

Owners of vertices own the communities of the same numbers, and add up their strengths. A round that does not raise the
modularity is undone. Levels with few edges are gathered, and every member computes them as one machine does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.communities import Level, Spread, cpu, improved, undirected
from clew.algorithms.communities import kernels_cluster as kernels
from clew.algorithms.registry import Answer, run
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cluster.member import Member
from clew.engines.cluster.own_rows import distinct, own_rows
from clew.engines.cluster.partition import KEY, Partition, Permutation
from clew.engines.cluster.share import Share, build_share
from clew.graph import Graph

GROUPS, MOST_GROUPS = 4, 32  # of a round; with more, fewer moves disturb each other
MAX_ROUNDS = 100
REFINING_ROUNDS = 4
LEAST_GAIN = 1e-6  # of the modularity, by a round; with less, the next level comes
LEAST_SHARE = 0.01  # of what the rounds of a level have gained so far; with less, too
SMALL = 1 << 18  # arcs; levels with fewer are gathered
CHANGE = np.dtype([("place", np.int64), ("strength", np.float64), ("count", np.float64)])
LABEL = np.dtype([("which", np.int64), ("label", np.int64)])


def communities(
    share: Share, resolution: float, max_iterations: int, seed: int | None, hierarchy: bool, *, refine: bool
) -> Answer:
    """Communities of high modularity; with ``refine``, by Leiden, else by Louvain.

    The first member alone has the hierarchy.
    """
    member, first = share.member, _lowest(undirected(share), resolution, seed)  # type: ignore[arg-type]
    levels, moves = improved(first, first.ids.copy(), max_iterations, refine=refine, hierarchy=hierarchy)
    numbers = [_by_size(first, level).astype(share.ids.dtype) for level in levels]
    largest = int(member.all_reduce(np.int64(numbers[-1].max(initial=-1)), np.maximum))
    facts: dict[str, Any] = {"count": largest + 1, "modularity": first.modularity(levels[-1])}
    if hierarchy:
        ids, *gathered = (member.at_first(each) for each in (first.ids, *numbers))
        if member.rank == 0:
            facts["hierarchy"] = [each[np.argsort(ids)] for each in gathered]
    trace = {"moves": np.array(moves, np.int64)}
    return Answer({"community": numbers[-1]}, facts, iterations=len(moves), trace=trace)


def _lowest(share: Share, resolution: float, seed: int | None) -> Links:
    rows = own_rows(share, weighted=share.weights is not None)
    weights = None if share.weights is None or rows.weights is None else rows.weights.astype(np.float64)
    there, items = distinct(share.num_vertices, rows.indices)
    level = Links(
        share.member, share.partition, (rows.indptr, items, weights), there, np.empty(0), 1.0, resolution, seed or 0
    )
    strength, alone = np.empty(level.ids.size), np.zeros(there.size, np.int64)
    level.look_around(np.zeros_like(level.ids), alone, strength)  # as if all were in one community
    total = float(share.member.all_reduce(strength.sum(), np.add))
    level.strength, level.total = strength, total or 1.0
    return level


def _by_size(level: Links, label: Array) -> Array:
    """Labels replaced by numbers from 0, as ``communities.by_size`` has them."""
    sizes = level.totals_of(label, np.ones(label.size)).astype(np.int64)
    first = np.full(sizes.size, level.size)
    used, slot = distinct(level.size, label)
    least = np.full(used.size, level.size)
    np.minimum.at(least, slot, level.ids)
    owner, place = level.partition.place(used)
    np.minimum.at(first, *level.member.send_to_owners(owner, [place, least]))
    return level.ranked(label, sizes > 0, (level.size - sizes) * level.size + first)[0]


@dataclass
class Links:
    """A level whose vertices are spread over the members.

    ``rows`` are those of this member's vertices: where the edges of each begin, the places in ``there`` that they lead
    to, and weights. ``there`` has the ids of these vertices. Above the lowest level, edges inside vertices are dropped;
    their weight is in the strength.
    """

    member: Member
    partition: Partition
    rows: tuple[Array, Array, Array | None]
    there: Array
    strength: Array
    total: float
    resolution: float
    seed: int
    above: Partition | int = 0  # that of the next level, or how many of its vertices every member has

    def __post_init__(self) -> None:
        """Agree on who tells whom about which vertices; collective."""
        indptr, items, _ = self.rows
        self.ids = self.partition.owned(self.member.rank)
        self.itself = np.full(self.ids.size, -1)  # where own vertices are in ``there``, if they are
        if self.there.size:
            place = np.minimum(np.searchsorted(self.there, self.ids), self.there.size - 1)
            self.itself = np.where(self.there[place] == self.ids, place, -1)
        self._blocks = blocks_of(Adjacency(indptr, items, width=max(1, self.there.size)))
        owner, place = self._owners = self.partition.place(self.there)
        _, self._parts = self.member.by_owner(owner)  # the places in ``there`` that each member owns
        self._followed = self.member.all_to_all("all", [place[part] for part in self._parts])  # own ones of each

    @property
    def size(self) -> int:
        """The number of vertices of all members."""
        return self.partition.num_vertices

    def turn(self, iteration: int) -> Links:
        """The level for an iteration: in each, others move together."""
        return replace(self, seed=self.seed + iteration) if iteration else self

    def look_around(self, community: Array, there: Array, inside: Array, changed: Array | None = None) -> Array:
        """Write the weight of every vertex's edges inside its community; returns who sees a change in another one."""
        awake = np.zeros(community.size, np.bool_)
        changed = np.zeros(there.size, np.bool_) if changed is None else changed
        given = (self.rows[:2], self.rows[2], self.itself, community, there, changed, inside, awake)
        threads.each(kernels.look_around, self._blocks.size - 1, self._blocks, *given)
        return awake

    def fetched(self, values: Array) -> Array:
        """The values of the vertices that edges lead to; collective."""
        return self.member.fetch(*self._owners, values)

    def tell(self, moved: Array, label: Array, there: Array) -> None:
        """Let others know the labels of vertices that moved, and write theirs to ``there``; collective."""
        news = []
        for places in self._followed:
            which = np.flatnonzero(moved[places])
            news.append(np.empty(which.size, LABEL))
            news[-1]["which"], news[-1]["label"] = which, label[places[which]]
        for part, given in zip(self._parts, self.member.all_to_all("all", news), strict=True):
            there[part[given["which"]]] = given["label"]

    def totals_of(self, label: Array, values: Array, partition: Partition | None = None) -> Array:
        """The sums of values by label, each where the vertex of that number is, here or above; collective."""
        partition = partition or self.partition
        used, slot = distinct(partition.num_vertices, label)
        owner, place = partition.place(used)
        here, total = np.zeros(used.size), np.zeros(partition.num_owned(self.member.rank))
        np.add.at(here, slot, values)
        np.add.at(total, *self.member.send_to_owners(owner, [place, here]))
        return total

    def ranked(self, label: Array, used: Array, keys: Array) -> tuple[Array, int]:
        """The ranks of labels by their keys, and how many are used; owners know both. Collective."""
        own, rank = np.flatnonzero(used), np.full(used.size, -1)
        rank[own] = self.member.ranks(keys[own])
        return taken(self.member, self.partition, rank, label), int(self.member.all_reduce(np.int64(own.size), np.add))

    def improve(self, community: Array) -> tuple[Array, int]:
        """Better communities, and the number of moves. A round that does not raise the modularity is undone."""
        member, rounds, groups, moves, goes_on = self.member, 0, GROUPS, 0, True
        state = Moves.of(self, community)
        start = best = state.quality(state.there)
        state.awake[:] = True
        while goes_on and rounds < MAX_ROUNDS:
            numbers = (rounds, groups, moves, start, best)
            rounds, groups, moves, start, best, *arrays = member.checkpoint(rounds, *numbers, *state.arrays)
            state = Moves(self, *arrays)
            before, dealt = state.copy(), self._dealt(rounds) % groups
            moved = sum(state.step((dealt == group) & before.awake) for group in range(groups))
            quality = state.quality(before.there)
            if moved and quality <= best:
                state, groups = before, 4 * groups
                state.awake[:] = True
                goes_on = groups <= MOST_GROUPS
            else:
                moves, gain, best = moves + moved, quality - best, quality
                goes_on = moved > 0 and gain >= max(LEAST_GAIN, LEAST_SHARE * (best - start))
            rounds += 1
        return state.community, moves

    def refined(self, community: Array) -> Array:
        """Connected parts of the communities: vertices that are alone join the best part next to them."""
        state, rounds, moved = Moves.of(self, self.ids.copy()), 0, 1
        whole = taken(self.member, self.partition, self.totals_of(community, self.strength), community)
        bound = community, self.fetched(community), whole
        while moved and rounds < REFINING_ROUNDS:
            rounds, *arrays = self.member.checkpoint(rounds, rounds, *state.arrays)
            state, dealt = Moves(self, *arrays), self._dealt(rounds) % GROUPS
            moved = sum(state.step(dealt == group, bound) for group in range(GROUPS))
            rounds += 1
        return state.community

    def _dealt(self, turn: int) -> Array:
        """A random number for each of this member's vertices."""
        return Permutation(self.size, KEY * (2 * (self.seed * MAX_ROUNDS + turn) + 1))(self.ids)

    def numbered(self, label: Array) -> tuple[Array, int]:
        """Labels replaced by 0, 1, … in their order, and how many there are."""
        return self.ranked(label, self.totals_of(label, np.ones(label.size)) > 0, self.ids)

    def contracted(self, part: Array, count: int, community: Array) -> tuple[Level, Array]:
        """The graph whose vertices are parts, and their communities; every member has all of a small one."""
        member, (indptr, items, weights) = self.member, self.rows
        source, target = np.repeat(part, np.diff(indptr)), self.fetched(part)[items]
        between = source != target if weights is None else (source != target) & (weights > 0)
        parts, tails, heads = distinct(count, source[between], target[between])
        sums: Array | None = np.ones(tails.size) if weights is None else weights[between]
        links = Graph.from_edges(tails, heads, sums, parts.size, duplicates="sum").outgoing  # so that fewer are sent
        assert links.weights is not None
        edges = parts[np.repeat(np.arange(parts.size), links.degrees())], parts[links.indices], links.weights
        above = Partition(count, self.partition.grid)
        strength = self.totals_of(part, self.strength, above)
        numbers, _ = self.numbered(community)
        if member.all_reduce(np.int64(edges[0].size), np.add) < SMALL:
            return self._small(part, above, edges, strength, numbers)
        self.above = above
        owner, place = above.place(edges[0])
        places, targets, sums = member.send_to_owners(owner, [place, *edges[1:]])
        there, items = distinct(count, targets)
        size = strength.size
        rows = Graph.from_edges(places, items, sums, max(size, there.size), duplicates="sum").outgoing
        arrays = rows.indptr[: size + 1], rows.indices.astype(np.int64), rows.weights
        return replace(self, partition=above, rows=arrays, there=there, strength=strength, above=0), self._put(
            above, part, numbers
        )

    def _put(self, above: Partition, part: Array, numbers: Array) -> Array:
        """The numbers of parts, at their owners."""
        some, first = np.unique(part, return_index=True)
        owner, place = above.place(some)
        found = np.zeros(above.num_owned(self.member.rank), np.int64)
        places, given = self.member.send_to_owners(owner, [place, numbers[first]])
        found[places] = given
        return found

    def _small(
        self, part: Array, above: Partition, edges: tuple[Array, ...], strength: Array, numbers: Array
    ) -> tuple[cpu.Rows, Array]:
        """The level and its communities, without the vertices that have no edges, on every member.

        These are renumbered in ``part``: vertices without edges come last. No vertex joins them.
        """
        member, ids = self.member, above.owned(self.member.rank)
        number = self._put(above, part, numbers)
        linked = self.totals_of(edges[0], np.ones(edges[0].size), above) > 0
        place = np.empty(ids.size, np.int64)
        place[linked] = member.ranks(ids[linked])
        self.above = size = int(member.all_reduce(np.int64(linked.sum()), np.add))
        place[~linked] = size + member.ranks(ids[~linked])
        part[:] = taken(member, above, place, part)
        ends = (taken(member, above, place, each) for each in edges[:2])
        source, target, weights = (np.concatenate(member.all_gather("all", each)) for each in (*ends, edges[2]))
        rows = Graph.from_edges(source, target, weights, size, duplicates="sum").outgoing
        order = np.argsort(np.concatenate(member.all_gather("all", place[linked])))
        strong, labels = (np.concatenate(member.all_gather("all", x[linked]))[order] for x in (strength, number))
        bounds, neighbors = rows.indptr.astype(np.uint64), rows.indices.view(f"u{rows.indices.itemsize}")
        bounds.flags.writeable = neighbors.flags.writeable = False  # as in a graph: kernels are compiled once
        factor = self.resolution / self.total
        level = cpu.Rows(bounds[:-1], bounds[1:], neighbors, rows.weights, strong, factor, self.seed)  # type: ignore[arg-type]
        return level, np.unique(labels, return_inverse=True)[1].astype(neighbors.dtype)

    @property
    def spread(self) -> Spread:
        """A function that returns labels of the level above as labels of this one, given the parts."""

        def spread(label: Array, part: Array) -> Array:
            if isinstance(self.above, Partition):
                return taken(self.member, self.above, label, part)
            labels, inner = part.copy(), part < self.above
            labels[inner] = label[part[inner]]
            return labels

        return spread

    def connected(self, community: Array) -> Array:
        """The communities, with those that are not connected split into their connected pieces."""
        indptr, items, _ = self.rows
        source = np.repeat(np.arange(self.ids.size), np.diff(indptr))
        inside = community[source] == self.fetched(community)[items]
        ends = self.ids[source[inside]], self.there[items[inside]]
        joined = build_share(self.member, *ends, None, self.partition)
        label: Array = run("connected_components", joined, "cpu").label.astype(np.int64)
        return label

    def modularity(self, community: Array) -> float:
        """The modularity; of the lowest level only, since others lack the edges inside their vertices."""
        state = Moves.of(self, community)
        some = self.member.any(self.strength.any())
        return state.quality(state.there) if some else float("nan")


def taken(member: Member, partition: Partition, values: Array, ids: Array) -> Array:
    """The values of vertices anywhere, by their ids, each fetched once; collective."""
    some, slot = distinct(partition.num_vertices, ids)
    return member.fetch(*partition.place(some), values)[slot]


class Moves:
    """The communities of a level: of own vertices, and of those that edges lead to.

    ``totals`` and ``sizes`` are the strength and the number of vertices of the communities that have the numbers of own
    vertices. ``awake`` are the vertices that may move in this round.
    """

    def __init__(self, level: Links, community: Array, there: Array, totals: Array, sizes: Array, awake: Array) -> None:
        self.level, self.community, self.there = level, community, there
        self.totals, self.sizes, self.awake = totals, sizes, awake

    @classmethod
    def of(cls, level: Links, community: Array) -> Moves:
        """The communities before a round; collective."""
        totals = level.totals_of(community, level.strength)
        sizes = level.totals_of(community, np.ones(community.size))
        return cls(level, community, level.fetched(community), totals, sizes, np.ones(community.size, np.bool_))

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All that rounds change."""
        return self.community, self.there, self.totals, self.sizes, self.awake

    def copy(self) -> Moves:
        """The communities as they are now."""
        return Moves(self.level, *(each.copy() for each in self.arrays))

    def step(self, chosen: Array, bound: tuple[Array, Array, Array] | None = None) -> int:
        """Let some vertices move at once, with ``bound`` only those that are alone; returns how many do."""
        level, member = self.level, self.level.member
        if bound is not None:
            chosen = chosen & (self.community == level.ids) & (self.sizes == 1)
        used, *labels = distinct(level.size, self.community, self.there)
        totals, movers = member.fetch(*level.partition.place(used), self.totals), np.flatnonzero(chosen)
        target = labels[0].copy()
        work = (level.rows[:2], level.rows[2], level.itself, level.strength, tuple(labels), totals, bound)
        factor = level.resolution / level.total
        threads.in_pieces(kernels.choose, movers.size, movers, *work, factor, target)
        after = used[target]
        moving = np.flatnonzero(after != self.community)
        if bound is not None:  # a community that a vertex leaves accepts none, so every community stays connected
            leaves = after != self.community
            moving = moving[~member.fetch(*level.partition.place(after[moving]), leaves)]
        strength, changes = level.strength[moving], np.empty(2 * moving.size, CHANGE)
        owner, changes["place"] = level.partition.place(np.append(self.community[moving], after[moving]))
        changes["strength"], changes["count"] = np.append(-strength, strength), np.repeat([-1.0, 1.0], moving.size)
        (given,) = member.send_to_owners(owner, [changes])
        np.add.at(self.totals, given["place"], given["strength"])
        np.add.at(self.sizes, given["place"], given["count"])
        self.community[moving] = after[moving]
        moved = np.zeros(after.size, np.bool_)
        moved[moving] = True
        level.tell(moved, self.community, self.there)
        return int(member.all_reduce(np.int64(moving.size), np.add))

    def quality(self, before: Array) -> float:
        """The modularity, less a constant. Wakes those who have seen a change since ``before``; collective."""
        level, inside = self.level, np.empty(self.community.size)
        self.awake = level.look_around(self.community, self.there, inside, self.there != before)
        shares = self.totals / level.total
        near, strong = level.member.all_reduce(np.array([inside.sum() / level.total, (shares * shares).sum()]), np.add)
        return float(near - level.resolution * strong)
