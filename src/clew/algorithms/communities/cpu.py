"""Louvain and Leiden on the CPU: levels of graphs whose vertices are communities of the level below."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.algorithms.communities import Spread, improved, kernels, summary, undirected
from clew.algorithms.communities import kernels_levels as levels
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

BATCHES = 64  # of a pass; with fewer, more moves of a batch disturb each other
MOST_BATCH = 1 << 14
MAX_PASSES = 100
ENOUGH = 3e-5  # of the modularity, by a pass; after one with less, the next level comes
GRAINS = 256  # of an average weight: rounding wakes few more vertices, and a million times as much still fits
LINE = 64  # bytes
PER_VERTEX = 90  # bytes for all levels, besides what depends on dtypes
LEAST_DESK, MOST_DESK = 1 << 22, 1 << 24  # bytes: large pages are fast, but finding many can take long
AHEAD = 32  # edges to prefetch ahead; with a million vertices, that saves a fifth of the time


def workspace(graph: Graph, **_: object) -> Workspace:
    """The arrays of a run; the graph of the first level has at most as many arcs as the graph."""
    n, ids, arcs = graph.num_vertices, graph.indices.dtype, graph.num_arcs * (2 if graph.directed else 1)
    batch, sums = 2 * _batch(n), _no_weights(arcs).dtype if graph.weights is None else np.dtype(np.float64)
    planned = np.dtype([("target", ids), ("joining", "f8"), ("staying", "f8"), ("slack", "i4")])
    return Workspace(
        community=result(n, ids, later=True),
        strength=scratch(n, np.float64, later=True),
        totals=scratch((2, n), np.float64, later=True),
        sizes=scratch((2, n), ids, later=True),
        queue=scratch(n, ids, later=True),
        awake=scratch(n, np.uint8, later=True),
        slack=scratch(n, np.int32, later=True),
        changed=scratch((2, n), np.int32, later=True),
        near=scratch((threads.count(), n), sums, later=True),
        plan=scratch(batch, planned, later=True),
        places=scratch((2, n), ids, later=True),
        firsts=scratch(n, np.uint64, later=True),
        next_neighbors=scratch(2 * arcs, ids, later=True),
        next_weights=scratch(2 * arcs, sums, later=True),
    )


def communities(
    graph: Graph, resolution: float, max_iterations: int, seed: int | None, hierarchy: bool, *, refine: bool
) -> Answer:
    """Communities of high modularity; with ``refine``, by Leiden, else by Louvain."""
    first = Rows.of(undirected(graph), resolution, seed)
    alone = np.arange(graph.num_vertices, dtype=first.neighbors.dtype)
    labels, moves = improved(first, alone, max_iterations, refine=refine, hierarchy=hierarchy)
    numbers = [first.by_size(label, graph.indices.dtype) for label in labels]
    return summary(numbers, first.modularity_above(resolution), moves, hierarchy=hierarchy)


class Desk:
    """Memory for the arrays of all levels, in one piece, so that the system can use large pages.

    A small page costs more time when it is first written to than most of these arrays take to compute.
    """

    def __init__(self, n: int, arcs: int, ids: np.dtype[Any], sums: np.dtype[Any]) -> None:
        members, batch = threads.count(), _batch(n)
        sparse = members * sums.itemsize * n + 2 * arcs * (ids.itemsize + sums.itemsize)
        nbytes = (PER_VERTEX + 10 * ids.itemsize) * n + sparse
        self._memory, self._taken = np.empty(max(LEAST_DESK, min(nbytes, MOST_DESK)), np.uint8), 0
        take, f8, i4 = self.take, np.float64, np.int32
        self.near = take(sums, members * n).reshape(members, n)  # see ``kernels.move``
        self.near[:] = 0
        lists = (take(ids, n + 1), take(np.uint8, -(-n // 8) * 8), take(i4, n))
        parts, finer = ((take(f8, n), take(ids, n)) for _ in range(2))
        plan = (take(ids, 2 * batch), take(f8, 2 * batch), take(f8, 2 * batch), take(i4, 2 * batch))
        self.arrays = (lists, parts, finer, (take(i4, n), take(i4, n), take(f8, 1)), plan, self.near)
        self.places, self.firsts, self.members = take(ids, n), take(np.uint64, n + 2), take(ids, n)
        self.size, self._kept = n, self._taken

    def clear(self) -> None:
        """Take back what was taken: an iteration needs no array of the one before."""
        self._taken = self._kept

    def take(self, dtype: npt.DTypeLike, size: int) -> Array:
        """A new array, with any values."""
        dtype = np.dtype(dtype)
        first, last = self._taken, self._taken + size * dtype.itemsize
        if last > self._memory.size:
            return np.empty(size, dtype)
        self._taken = -(-last // LINE) * LINE
        return self._memory[first:last].view(dtype)


@dataclass(frozen=True)
class Rows:
    """A level as sparse rows. Edges inside its vertices are dropped; their weight is in the strength."""

    starts: Array
    ends: Array
    neighbors: Array
    weights: Array  # of dtype uint32 where they count edges, else float64
    strength: Array
    factor: float  # the resolution divided by the strength of all vertices
    seed: int | None
    total: float = 0.0  # the strength of all vertices
    backwards: bool = False  # whether to process vertices in the reverse order
    height: int = 0
    room: dict[int, tuple[Array, Array]] = field(default_factory=dict)  # for levels of even height, and of odd
    shared: list[Desk] = field(default_factory=list)  # the desk of all levels, once there is one
    latest: list[Any] = field(default_factory=list)  # the level that improved last, and its communities

    @classmethod
    def of(cls, graph: Graph, resolution: float = 1.0, seed: int | None = None) -> Rows:
        """The lowest level."""
        weights = _no_weights(graph.num_arcs) if graph.weights is None else graph.weights.astype(np.float64)
        offsets, neighbors = graph.outgoing.unsigned()
        rows = (offsets[:-1], offsets[1:], neighbors, weights)
        bounds, strength = team.fixed_blocks(graph.outgoing), np.empty(graph.num_vertices)
        threads.each(levels.strengths, bounds.size - 1, bounds, rows, strength)
        total = float(strength.sum())
        return cls(*rows, strength, resolution / (total or 1.0), seed, total)

    @property
    def rows(self) -> tuple[Array, Array, Array, Array]:
        """The edges, for kernels."""
        return self.starts, self.ends, self.neighbors, self.weights

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """The number of entries, since arrays of upper levels have room for more; and the largest of a row."""
        total, most = levels.lengths(self.starts, self.ends)
        return int(total), int(most)

    @property
    def desk(self) -> Desk:
        """Memory for this level and those above."""
        if not self.shared or self.shared[0].size < self.size:
            self.shared[:] = [Desk(self.size, self.lengths[0], self.neighbors.dtype, self.weights.dtype)]
        return self.shared[0]

    @property
    def size(self) -> int:
        """The number of vertices."""
        return int(self.strength.size)

    def turn(self, iteration: int) -> Rows:
        """The level for an iteration. In the reverse order, the second one finds what the first could not."""
        if iteration == 0:
            return self
        self.desk.clear()
        return replace(self, backwards=iteration % 2 == 1, room={})

    def improve(self, community: Array) -> tuple[Array, int]:
        """Better communities, in the same array, and the number of moves."""
        self.latest[:] = self, community
        return community, self._move(community, community[:0], MAX_PASSES)

    def refined(self, community: Array) -> Array:
        """Connected parts of communities just improved: vertices that are alone join the best part next to them."""
        part = self.desk.take(community.dtype, self.size)
        self._move(part, community, 1)
        return part

    def numbered(self, label: Array) -> tuple[Array, int]:
        """Labels replaced by 0, 1, … in their order, and how many there are."""
        numbers = self.desk.take(label.dtype, label.size)
        return numbers, levels.number(label, numbers, self.desk.places)

    def _move(self, community: Array, within: Array, max_passes: int) -> int:
        n, (arcs, longest) = self.size, self.lengths
        order = np.empty(0, np.int64) if self.seed is None else np.random.default_rng(self.seed).permutation(n)
        scales = (self.factor, self._grains(), ENOUGH * self.total / 2)
        moves: int = team.run(
            kernels.move,
            3 * arcs + n,
            *(self.rows, self.strength, community, within, (order, self.backwards), self.desk.arrays),
            *(np.uint64(_batch(n)), scales, longest, self._ahead(), max_passes),
            most=len(self.desk.near),
            bounded=True,
            shown="communities",
        )
        return moves

    def _grains(self) -> float:
        """Slack per weight: 1 if weights count edges."""
        counts = self.weights.size == 0 or self.weights.dtype != np.float64
        return 1.0 if counts else GRAINS * self.lengths[0] / (float(self.strength.sum()) or 1.0)

    def _ahead(self) -> np.uint64:
        """How many edges ahead to prefetch communities; 0 where they are likely to be in the cache."""
        n, arcs = self.strength.size, self.lengths[0]
        return np.uint64(AHEAD if n * self.neighbors.itemsize >= team.MOSTLY_NEAR and arcs >= team.FEW * n else 0)

    def contracted(self, part: Array, count: int, community: Array) -> tuple[Rows, Array]:
        """The graph whose vertices are the parts 0…count-1, and their communities."""
        desk, ids = self.desk, part.dtype
        room, ends = desk.take(np.uint64, count + 1), desk.take(np.uint64, count)
        above, strength = desk.take(ids, count), desk.take(np.float64, count)
        levels.group(part, self.rows, desk.firsts, desk.members, room)
        neighbors, weights = self._room_above(int(room[-1]), ids)
        groups = (desk.firsts, desk.members)
        team.run(
            levels.contract,
            self.lengths[0],
            *(self.rows, self.strength, part, groups, room, ends, (neighbors, weights), strength, desk.near),
            most=len(desk.near),
            bounded=True,
        )
        levels.number(community, desk.members, desk.places)
        levels.lift(desk.members, part, above)
        neighbors = neighbors[:]  # read-only as in a graph, so that kernels are compiled once
        room.flags.writeable = ends.flags.writeable = neighbors.flags.writeable = False
        level = replace(
            self,
            starts=room[:-1],
            ends=ends,
            neighbors=neighbors,
            weights=weights,
            strength=strength,
            height=self.height + 1,
        )
        return level, above

    def _room_above(self, arcs: int, ids: np.dtype[Any]) -> tuple[Array, Array]:
        """Room for the edges of the next level. The level below this one no longer needs its own."""
        held = self.room.get(self.height % 2)
        if held is None or held[0].size <= arcs:
            take = self.desk.take
            held = self.room[self.height % 2] = (take(ids, arcs + 1), take(self.weights.dtype, arcs + 1))
        return held

    @property
    def spread(self) -> Spread:
        """A function that returns labels of the level above as labels of this one, given the parts."""
        return np.take

    def connected(self, community: Array) -> Array:
        """The communities, with those that are not connected split into their connected pieces."""
        pieces = np.empty_like(community)
        levels.split(self.rows, community, pieces, np.empty_like(community))
        self.latest[:] = self, pieces
        return pieces

    def by_size(self, label: Array, dtype: np.dtype[Any]) -> Array:
        """Labels of this level's vertices as numbers; see ``communities.by_size``."""
        desk, numbers = self.desk, np.empty(label.size, dtype)
        levels.by_size(label, desk.places, desk.members, desk.firsts, numbers)
        return numbers

    def modularity_above(self, resolution: float) -> float:
        """The modularity of the communities found last, from the edges between the vertices of their level.

        Vertices of that level are parts of communities, so other edges are inside.
        """
        level, community = self.latest
        if self.total == 0:
            return float("nan")
        strong = np.bincount(community, level.strength) / self.total
        inside = self.total - levels.outer_weight(level.rows, community)
        return float(inside / self.total - resolution * (strong**2).sum())

    def modularity(self, community: Array, resolution: float) -> float:
        """The modularity; of the lowest level only, since others lack the edges inside their vertices."""
        total = float(self.strength.sum())
        if total == 0:
            return float("nan")
        blocks = np.linspace(0, community.size, 65).astype(np.uint64)
        inside = sum(threads.each(levels.inner_weight, 64, blocks, self.rows, community))
        strong = np.bincount(community, self.strength) / total
        return float(inside / total - resolution * (strong**2).sum())


def _no_weights(num_arcs: int) -> Array:
    """An empty array, whose dtype is that of sums of edges without weights."""
    return np.empty(0, np.uint32 if num_arcs < 2**32 else np.float64)


def _batch(num_vertices: int) -> int:
    return max(1, min(MOST_BATCH, -(-num_vertices // BATCHES)))
