"""Louvain and Leiden on the CPU: levels of graphs whose vertices are communities of the level below."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.communities import Spread, by_size, improved, kernels, summary, undirected
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

BATCHES = 64  # of a pass; with fewer, more moves of a batch disturb each other
MOST_BATCH = 1 << 14
MAX_PASSES = 100
GRAINS = 256  # of an average weight: rounding wakes few more vertices, and a million times as much still fits
AHEAD = 32  # edges to prefetch ahead; with a million vertices, that saves a fifth of the time


def workspace(graph: Graph, **_: object) -> Workspace:
    """The arrays of a run; the graph of the first level has at most as many arcs as the graph."""
    n, ids, arcs = graph.num_vertices, graph.indices.dtype, graph.num_arcs * (2 if graph.directed else 1)
    batch, sums = 2 * _batch(n), _no_weights(arcs).dtype if graph.weights is None else np.dtype(np.float64)
    planned = np.dtype([("target", ids), ("joining", "f8"), ("staying", "f8"), ("slack", "i4")])
    return Workspace(
        community=result(n, ids, later=True),
        strength=scratch(n, np.float64, later=True),
        totals=scratch(n, np.float64, later=True),
        sizes=scratch(n, np.int64, later=True),
        queue=scratch(n, ids, later=True),
        awake=scratch(n, np.uint8, later=True),
        slack=scratch(n, np.int32, later=True),
        changed=scratch((threads.count(), n), np.int64, later=True),
        near=scratch((threads.count(), n), sums, later=True),
        plan=scratch(batch, planned, later=True),
        next_neighbors=scratch(2 * arcs, ids, later=True),
        next_weights=scratch(2 * arcs, sums, later=True),
    )


def communities(
    graph: Graph, resolution: float, max_iterations: int, seed: int | None, hierarchy: bool, *, refine: bool
) -> Answer:
    """Communities of high modularity; with ``refine``, by Leiden, else by Louvain."""
    first = Rows.of(undirected(graph), resolution, seed)
    alone = np.arange(graph.num_vertices, dtype=first.neighbors.dtype)
    levels, moves = improved(first, alone, max_iterations, refine=refine, hierarchy=hierarchy)
    numbers = [by_size(level, graph.indices.dtype) for level in levels]
    return summary(numbers, first.modularity(levels[-1], resolution), moves, hierarchy=hierarchy)


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
    backwards: bool = False  # whether to process vertices in the reverse order
    height: int = 0
    room: dict[int, tuple[Array, Array]] = field(default_factory=dict)  # for levels of even height, and of odd

    @classmethod
    def of(cls, graph: Graph, resolution: float = 1.0, seed: int | None = None) -> Rows:
        """The lowest level."""
        weights = _no_weights(graph.num_arcs) if graph.weights is None else graph.weights.astype(np.float64)
        offsets, neighbors = graph.outgoing.unsigned()
        rows = (offsets[:-1], offsets[1:], neighbors, weights)
        bounds, strength = team.fixed_blocks(graph.outgoing), np.empty(graph.num_vertices)
        threads.each(kernels.strengths, bounds.size - 1, bounds, rows, strength)
        return cls(*rows, strength, resolution / (float(strength.sum()) or 1.0), seed)

    @property
    def rows(self) -> tuple[Array, Array, Array, Array]:
        """The edges, for kernels."""
        return self.starts, self.ends, self.neighbors, self.weights

    @cached_property
    def num_arcs(self) -> int:
        """The number of entries; arrays of upper levels have room for more."""
        return int((self.ends - self.starts).sum())

    @cached_property
    def longest(self) -> int:
        """The largest number of neighbours."""
        return int((self.ends - self.starts).max(initial=0))

    @property
    def size(self) -> int:
        """The number of vertices."""
        return int(self.strength.size)

    def turn(self, iteration: int) -> Rows:
        """The level for an iteration. In the reverse order, the second one finds what the first could not."""
        return replace(self, backwards=iteration % 2 == 1)

    def improve(self, community: Array) -> tuple[Array, int]:
        """Better communities, in the same array, and the number of moves."""
        parts = (community, *self._tally(community))
        return community, self._move(parts, (community[:0], self.strength[:0]), MAX_PASSES)

    def refined(self, community: Array) -> Array:
        """Connected parts of the communities: vertices that are alone join the best part next to them."""
        n = community.size
        part = np.arange(n, dtype=community.dtype)
        self._move((part, self.strength.copy(), np.ones(n, np.int64)), (community, self._tally(community)[0]), 1)
        return part

    def numbered(self, label: Array) -> tuple[Array, int]:
        """Labels replaced by 0, 1, … in their order, and how many there are."""
        numbers = np.empty_like(label)
        return numbers, kernels.number(label, numbers)

    def _tally(self, community: Array) -> tuple[Array, Array]:
        totals, sizes = np.zeros(community.size), np.zeros(community.size, np.int64)
        kernels.tally(community, self.strength, totals, sizes)
        return totals, sizes

    def _move(self, parts: tuple[Array, Array, Array], bound: tuple[Array, Array], max_passes: int) -> int:
        n, ids = parts[0].size, parts[0].dtype
        if self.seed is None:
            queue = np.arange(n, dtype=ids)
        else:
            queue = np.random.default_rng(self.seed).permutation(n).astype(ids)
        queue = np.ascontiguousarray(queue[::-1]) if self.backwards else queue
        batch = 2 * _batch(n)
        plan = (np.empty(batch, ids), np.empty(batch), np.empty(batch), np.empty(batch, np.int32))
        lists = (np.append(queue, queue[:1]), np.zeros(-(-n // 8) * 8, np.uint8), np.full(n, -1, np.int32))
        moves: int = team.run(
            kernels.move,
            3 * self.num_arcs + n,
            *(self.rows, self.strength, parts, bound, lists, plan, self.factor, self._grains()),
            *(self.longest, self._ahead(), max_passes),
            most=max(1, _batch(n) // kernels.CHUNK),  # of a smaller batch, some would take nothing
            shown="communities",
        )
        return moves

    def _grains(self) -> float:
        """Slack per weight: 1 if weights count edges."""
        counts = self.weights.size == 0 or self.weights.dtype != np.float64
        return 1.0 if counts else GRAINS * self.num_arcs / (float(self.strength.sum()) or 1.0)

    def _ahead(self) -> np.uint64:
        """How many edges ahead to prefetch communities; 0 where they are likely to be in the cache."""
        n, arcs = self.strength.size, self.num_arcs
        return np.uint64(AHEAD if n * self.neighbors.itemsize >= team.MOSTLY_NEAR and arcs >= team.FEW * n else 0)

    def contracted(self, part: Array, count: int, community: Array) -> tuple[Rows, Array]:
        """The graph whose vertices are the parts 0…count-1, and their communities."""
        firsts, order, room = np.zeros(count + 1, np.uint64), np.empty_like(part), np.zeros(count + 1, np.uint64)
        kernels.group(part, self.rows, firsts, order, room)
        neighbors, weights = self._room_above(int(room[-1]), part.dtype)
        ends, strength = np.empty(count, np.uint64), np.empty(count)
        team.run(
            kernels.contract,
            self.num_arcs,
            *(self.rows, self.strength, part, (firsts, order), room, ends, (neighbors, weights), strength),
            bounded=True,
        )
        above = np.empty(count, community.dtype)
        above[part] = self.numbered(community)[0]
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
            held = self.room[self.height % 2] = (np.empty(arcs + 1, ids), np.empty(arcs + 1, self.weights.dtype))
        return held

    @property
    def spread(self) -> Spread:
        """A function that returns labels of the level above as labels of this one, given the parts."""
        return np.take

    def connected(self, community: Array) -> Array:
        """The communities, with those that are not connected split into their connected pieces."""
        pieces = np.empty_like(community)
        kernels.split(self.rows, community, pieces, np.empty_like(community))
        return pieces

    def modularity(self, community: Array, resolution: float) -> float:
        """The modularity; of the lowest level only, since others lack the edges inside their vertices."""
        total = float(self.strength.sum())
        if total == 0:
            return float("nan")
        blocks = np.linspace(0, community.size, 65).astype(np.uint64)
        inside = sum(threads.each(kernels.inner_weight, 64, blocks, self.rows, community))
        strong = np.bincount(community, self.strength) / total
        return float(inside / total - resolution * (strong**2).sum())


def _no_weights(num_arcs: int) -> Array:
    """An empty array, whose dtype is that of sums of edges without weights."""
    return np.empty(0, np.uint32 if num_arcs < 2**32 else np.float64)


def _batch(num_vertices: int) -> int:
    return max(1, min(MOST_BATCH, -(-num_vertices // BATCHES)))
