"""Louvain and Leiden on the CPU: levels of graphs whose vertices are communities of the level below."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from clew import threads
from clew.algorithms.communities import improved, kernels, summary, undirected
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

BATCHES = 64  # of a pass; with fewer, more moves of a batch disturb each other
MOST_BATCH = 1 << 14
MAX_PASSES = 100
UNIT_WEIGHTS = np.empty(0)


def workspace(graph: Graph, **_: object) -> Workspace:
    """The arrays of a run; the graph of the first level has at most as many arcs as the graph."""
    n, ids, arcs = graph.num_vertices, graph.indices.dtype, graph.num_arcs * (2 if graph.directed else 1)
    batch = 2 * _batch(n)
    return Workspace(
        community=result(n, ids, later=True),
        strength=scratch(n, np.float64, later=True),
        totals=scratch(n, np.float64, later=True),
        sizes=scratch(n, np.int64, later=True),
        queue=scratch(n, ids, later=True),
        awake=scratch(n, np.uint8, later=True),
        changed=scratch((threads.count(), n), np.int64, later=True),
        near=scratch((threads.count(), n), np.float64, later=True),
        plan=scratch(batch, np.dtype([("target", ids), ("joining", "f8"), ("staying", "f8")]), later=True),
        next_neighbors=scratch(2 * arcs, ids, later=True),
        next_weights=scratch(2 * arcs, np.float64, later=True),
    )


def communities(
    graph: Graph, resolution: float, max_iterations: int, seed: int | None, hierarchy: bool, *, refine: bool
) -> Answer:
    """Communities of high modularity; with ``refine``, by Leiden, else by Louvain."""
    first = Rows.of(undirected(graph), resolution, seed)
    alone = np.arange(graph.num_vertices, dtype=first.neighbors.dtype)
    levels, moves = improved(first, alone, max_iterations, refine=refine)
    return summary(graph, levels, first.modularity(levels[-1], resolution), moves, hierarchy=hierarchy)


@dataclass(frozen=True)
class Rows:
    """A level as sparse rows. Edges inside its vertices are left out; their weight is in the strength."""

    offsets: Array
    neighbors: Array
    weights: Array
    strength: Array
    factor: float  # the resolution divided by the strength of all vertices
    seed: int | None
    backwards: bool = False  # whether to process vertices in the reverse order

    @classmethod
    def of(cls, graph: Graph, resolution: float = 1.0, seed: int | None = None) -> Rows:
        """The lowest level."""
        weights = UNIT_WEIGHTS if graph.weights is None else graph.weights.astype(np.float64)
        rows = (*graph.outgoing.unsigned(), weights)
        bounds, strength = team.fixed_blocks(graph.outgoing), np.empty(graph.num_vertices)
        threads.each(kernels.strengths, bounds.size - 1, bounds, rows, strength)
        return cls(*rows, strength, resolution / (float(strength.sum()) or 1.0), seed)

    @property
    def rows(self) -> tuple[Array, Array, Array]:
        """The edges, for kernels."""
        return self.offsets, self.neighbors, self.weights

    def turn(self, iteration: int) -> Rows:
        """The level for an iteration. In the reverse order, the second one finds what the first could not."""
        return replace(self, backwards=iteration % 2 == 1)

    def improve(self, community: Array) -> tuple[Array, int]:
        """Better communities, in the same array, and the number of moves."""
        return community, self._move(community, (community[:0], self.strength[:0]), MAX_PASSES)

    def refined(self, community: Array) -> Array:
        """Connected parts of the communities: vertices that are alone join the best part next to them."""
        part = np.arange(community.size, dtype=community.dtype)
        self._move(part, (community, self._totals(community)), 1)
        return part

    def _totals(self, community: Array) -> Array:
        return np.bincount(community, self.strength, community.size).astype(np.float64, copy=False)

    def _move(self, community: Array, bound: tuple[Array, Array], max_passes: int) -> int:
        n = community.size
        parts = (community, self._totals(community), np.bincount(community, minlength=n))
        queue = np.arange(n) if self.seed is None else np.random.default_rng(self.seed).permutation(n)
        queue = (queue[::-1] if self.backwards else queue).astype(community.dtype)
        batch = 2 * _batch(n)
        plan = (np.empty(batch, community.dtype), np.empty(batch), np.empty(batch))
        moves: int = team.run(
            kernels.move,
            3 * self.neighbors.size + n,
            *(self.rows, self.strength, parts, bound, (queue, np.zeros(n, np.uint8)), plan),
            *(self.factor, int(np.diff(self.offsets).max(initial=0)), max_passes),
            shown="communities",
        )
        return moves

    def contracted(self, part: Array, count: int) -> Rows:
        """The graph whose vertices are the parts 0…count-1."""
        starts, order = np.zeros(count + 1, np.uint64), np.empty_like(part)
        kernels.group(part, starts, order)
        room = np.zeros(part.size + 1, np.uint64)
        np.cumsum(np.diff(self.offsets)[order], out=room[1:])
        room = room[starts]
        loose = np.empty(self.neighbors.size, part.dtype), np.empty(self.neighbors.size)
        lengths = np.zeros(count, np.uint64)
        team.run(kernels.contract, self.neighbors.size, self.rows, part, starts, order, room, lengths, *loose)
        offsets = np.zeros(count + 1, np.uint64)
        np.cumsum(lengths, out=offsets[1:])
        arcs = int(offsets[-1])
        neighbors, weights = np.empty(arcs, part.dtype), np.empty(arcs)
        threads.in_pieces(kernels.close_gaps, arcs, room, offsets, *loose, neighbors, weights)
        offsets.flags.writeable = neighbors.flags.writeable = False  # as in a graph: kernels are compiled once
        return replace(
            self,
            offsets=offsets,
            neighbors=neighbors,
            weights=weights,
            strength=np.bincount(part, self.strength, count),
        )

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


def _batch(num_vertices: int) -> int:
    return max(1, min(MOST_BATCH, -(-num_vertices // BATCHES)))
