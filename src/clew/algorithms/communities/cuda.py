"""Louvain and Leiden on the GPU: levels in the memory of the device while they are large, then on the CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clew.algorithms.communities import Level, Spread, cpu, improved, summary, undirected
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.products.vectors import true_places
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, index_defines, shared_bytes, stable_order
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch

THREADS = 512
MOST_TABLE = 1 << 16  # bytes of a block's table
GRAINS = 16  # of slack, of an average weight; counts of edges are whole numbers already
GROUPS, MOST_GROUPS = 8, 128  # of a round; with more, fewer moves disturb each other
MAX_ROUNDS = 100
REFINING_ROUNDS = 4
LEAST_GAIN = 1e-6  # of the modularity, by a round; with less, the next level comes
LEAST_SHARE = 0.01  # of what the rounds of a level have gained so far; with less, too
SUM_BITS = 51  # of all weights, as whole numbers whose sums doubles have exactly
SMALL = 1 << 18  # arcs; levels with fewer are faster on the CPU
TASK = 56  # bytes, of a part of a row with more communities than a table has room for
CONTROL = np.dtype(
    [("inside", "f8"), ("moved", "u4"), ("alive", "u4"), ("steps", "u4", 9), ("barrier", "u4", GRID_BARRIER_WORDS + 1)]
)


def workspace(graph: Graph, **_: object) -> Workspace:
    """The arrays of a run; the graph of the first level has at most as many arcs as the graph."""
    n, ids, arcs = graph.num_vertices, graph.outgoing.id_dtype, graph.num_arcs * (2 if graph.directed else 1)
    return Workspace(
        community=result(n, ids, later=True),
        weights=None if graph.weights is None else scratch(arcs, np.float64, later=True),
        strength=scratch(n, np.float64, later=True),
        **_round_space(n, ids).deferred(),
        before=scratch(n, np.dtype([("community", ids), ("total", "f8"), ("size", "u4")]), later=True),
        keys=scratch(arcs, np.uint64, later=True),
        order=scratch(arcs, np.int64, later=True),
        sums=scratch(2 * arcs, np.float64, later=True),
    )


def _round_space(num_vertices: int, ids: np.dtype[Any]) -> Workspace:
    """The arrays of a level's rounds."""
    return Workspace(
        target=scratch(num_vertices, ids),
        slack=scratch(num_vertices, np.int32),
        taken=scratch(num_vertices, np.uint8),
        list=scratch(num_vertices, ids),
    )


def communities(
    device: Device,
    graph: Graph,
    resolution: float,
    max_iterations: int,
    seed: int | None,
    hierarchy: bool,
    *,
    refine: bool,
    **constants: int,
) -> Answer:
    """Communities of high modularity; with ``refine``, by Leiden, else by Louvain.

    ``constants`` (SHORT_ROW, SLOTS) replace what would be chosen, to measure it.
    """
    if graph.num_arcs == 0:
        return cpu.communities(graph, resolution, max_iterations, seed, hierarchy, refine=refine)
    lowest = undirected(graph)  # kept until the end: edges on the host are read where they are
    first = _lowest(device, lowest, resolution, seed, constants)
    alone = device.xp.arange(graph.num_vertices, dtype=first.ids)
    levels, moves = improved(first, alone, max_iterations, refine=refine, hierarchy=hierarchy)
    numbers = [device.download(_by_size(device, level)) for level in levels]
    return summary(numbers, first.modularity(levels[-1]), moves, hierarchy=hierarchy)


def _by_size(device: Device, label: Any) -> Any:
    """Labels replaced by numbers from 0, as ``communities.by_size`` has them; on the device."""
    xp = device.xp
    order = stable_order(label)
    grouped = label[order]
    firsts = xp.ones(label.size + 1, np.bool_)  # and the end
    firsts[1:-1] = grouped[1:] != grouped[:-1]
    bounds = xp.flatnonzero(firsts)
    vertex, sizes = order[bounds[:-1]], bounds[1:] - bounds[:-1]
    rank = stable_order(vertex)
    rank = rank[stable_order(-sizes[rank])]
    number_of = xp.empty(rank.size, label.dtype)
    number_of[rank] = xp.arange(rank.size, dtype=label.dtype)
    numbers = xp.empty_like(label)
    numbers[order] = number_of[xp.cumsum(firsts[:-1]) - 1]
    return numbers


def _lowest(device: Device, graph: Graph, resolution: float, seed: int | None, constants: Mapping[str, int]) -> Links:
    rows = rows_on(device, graph.outgoing)
    weights = None
    if graph.weights is not None:
        weights = rows.weights_of(0, rows.num_arcs).astype(np.float64)
        total = float(weights.sum())
        weights = device.xp.rint(weights * 2.0 ** (SUM_BITS - np.ceil(np.log2(total or 1.0))))
    strength, n = device.empty(graph.num_vertices, np.float64), graph.num_vertices
    counts = weights is None and graph.num_arcs < 2**32
    edges = (rows.offsets, rows.neighbours, weights)
    level = Links(device, edges, strength, 1.0, resolution, seed, {**constants, "ON_HOST": int(rows.on_host)}, counts)
    launch_over(device, "moves.cuh", "strengths", level.defines, 32 * n, np.uint64(n), *edges, strength)
    return replace(level, total=float(strength.sum()) or 1.0)


@dataclass(frozen=True)
class Links:
    """A level on the device. Weights are whole numbers, so that sums are exact in any order.

    Above the lowest level, edges inside its vertices are dropped; their weight is in the strength.
    """

    device: Device
    edges: tuple[Any, Any, Any]  # offsets, neighbours, and weights or None
    strength: Any
    total: float
    resolution: float
    seed: int | None
    constants: Mapping[str, int]
    counts: bool  # whether weights count edges
    iteration: int = 0

    @cached_property
    def ids(self) -> np.dtype[Any]:
        """The dtype of vertices on the device."""
        ids: np.dtype[Any] = np.dtype(self.edges[1].dtype)
        return ids

    @cached_property
    def defines(self) -> dict[str, Any]:
        """The macros of the kernels."""
        kinds = {**index_defines(self.ids, self.edges[1].size), "sum_t": "u32" if self.sums == np.uint32 else "double"}
        return {**kinds, "SLOTS": self.slots, **self.constants}

    @cached_property
    def sums(self) -> np.dtype[Any]:
        """The dtype of sums of weights."""
        return np.dtype(np.uint32) if self.counts else np.dtype(np.float64)

    @property
    def slots(self) -> int:
        """The places of a block's table, a power of two."""
        room = min(MOST_TABLE, shared_bytes(self.device) - 2048) // (self.ids.itemsize + self.sums.itemsize)
        return int(self.constants.get("SLOTS", 1 << (room.bit_length() - 1)))

    @property
    def size(self) -> int:
        """The number of vertices."""
        return int(self.strength.size)

    def turn(self, iteration: int) -> Links:
        """The level for an iteration: in each, others move together."""
        return replace(self, iteration=iteration)

    @cached_property
    def grains(self) -> float:
        """Slack per weight."""
        return 1.0 if self.counts else GRAINS * self.edges[1].size / (float(self.strength.sum()) or 1.0)

    @cached_property
    def linked(self) -> Any:
        """The vertices that have edges."""
        return self.device.xp.flatnonzero(self.edges[0][1:] != self.edges[0][:-1])

    def improve(self, community: Any) -> tuple[Any, int]:
        """Better communities, and the number of moves. A round that does not raise the modularity is undone."""
        rounds = _Rounds(self, community.copy())
        groups, moves = GROUPS, 0
        inside = 0.0  # only what it gains matters
        start = best = rounds.quality(inside)
        for _ in range(MAX_ROUNDS):
            before = [array.copy() for array in rounds.parts]
            moved, more = rounds.run(groups, before[0])
            quality = rounds.quality(inside + more)
            if moved and quality <= best:
                rounds.parts = before
                rounds.work.slack.fill(-1)
                groups *= 4
                if groups > MOST_GROUPS:
                    break
                continue
            rounds.alive = rounds._alive(rounds.used)
            moves, gain, best, inside = moves + moved, quality - best, quality, inside + more
            if moved == 0 or gain < max(LEAST_GAIN, LEAST_SHARE * (best - start)):
                break
        return rounds.parts[0], moves

    def refined(self, community: Any) -> Any:
        """Connected parts of the communities: vertices that are alone join the best part next to them."""
        rounds = _Rounds(self, self.device.xp.arange(self.size, dtype=self.ids), community)
        for _ in range(REFINING_ROUNDS):
            if rounds.run(GROUPS)[0] == 0:
                break
        return rounds.parts[0]

    def numbered(self, label: Any) -> tuple[Any, int]:
        """Labels replaced by 0, 1, … in their order, and how many there are."""
        used = self.device.zeros(self.size, self.ids)
        used[label] = 1
        ends = self.device.xp.cumsum(used, dtype=self.ids)
        return (ends - 1)[label], int(ends[-1])

    def contracted(self, part: Any, count: int, community: Any) -> tuple[Level, Any]:
        """The graph whose vertices are the parts 0…count-1, and their communities; small ones are on the CPU."""
        edges, xp = self._edges_above(part, count), self.device.xp
        above = self.device.empty(count, self.ids)
        above[part] = self.numbered(community)[0]
        strength = xp.bincount(part, self.strength, count)
        level = replace(self, edges=edges, strength=strength, constants={**self.constants, "ON_HOST": 0})
        return level._small(part, above) if edges[1].size <= SMALL else (level, above)

    def _edges_above(self, part: Any, count: int) -> tuple[Any, Any, Any]:
        """The edges between parts: pairs are sorted by the parts of their ends, and equal ones become one."""
        device, xp, (_, _, weights) = self.device, self.device.xp, self.edges
        room, size = int(self.edges[1].size) // 2, device.zeros(1, np.uint64)
        keys, given = device.empty(room, np.uint64), None if weights is None else device.empty(room, self.sums)
        arguments = (np.uint64(self.size), *self.edges, part, np.uint64(count), keys, given, size)
        launch_over(device, "moves.cuh", "pair_up", self.defines, -(-2 * room // 8), *arguments)
        kept = int(device.download(size)[0])
        keys = keys[:kept]
        if given is None:
            keys.sort()
        else:
            order = stable_order(keys)
            keys, given = keys[order], given[:kept][order]
        firsts = xp.ones(kept + 1, np.bool_)  # and the end
        firsts[1:kept] = keys[1:] != keys[:-1]
        bounds, _ = true_places(device, firsts, kept + 1, np.int64)
        if given is None:
            sums = (bounds[1:] - bounds[:-1]).astype(self.sums)
        else:
            ends = xp.cumsum(given, dtype=self.sums)[bounds[1:] - 1]
            sums = ends.copy()
            sums[1:] -= ends[:-1]
        return self._both_ways(keys[bounds[:-1]], sums, count)

    def _both_ways(self, keys: Any, sums: Any, count: int) -> tuple[Any, Any, Any]:
        """The rows of sorted pairs of parts in both directions."""
        device, xp, pairs = self.device, self.device.xp, int(keys.size)
        runs = xp.searchsorted(keys, xp.arange(count + 1, dtype=np.uint64) * np.uint64(count)).astype(np.int64)
        forward = runs[1:] - runs[:-1]
        lengths = forward + xp.bincount((keys % np.uint64(count)).astype(np.int64), minlength=count)
        offsets = xp.zeros(count + 1, np.uint32 if 2 * pairs < 2**32 else np.int64)
        offsets[1:] = xp.cumsum(lengths)
        neighbours, weights = device.empty(2 * pairs, self.ids), device.empty(2 * pairs, self.sums)
        defines = {**self.defines, **index_defines(self.ids, 2 * pairs)}
        following = (offsets[:-1] + forward).astype(offsets.dtype)
        given = (np.uint64(pairs), keys, sums, np.uint64(count), runs, offsets, following, neighbours, weights)
        launch_over(device, "moves.cuh", "mirror", defines, pairs, *given)
        return offsets, neighbours, weights

    def _small(self, part: Any, community: Any) -> tuple[cpu.Rows, Array]:
        """The level and its communities for the CPU, without the vertices that have no edges.

        These are renumbered in ``part``, the parts of the level below: vertices without edges come last. No vertex
        joins them, and each is a community.
        """
        xp, ids, (offsets, neighbours, weights) = self.device.xp, self.ids, self.edges
        linked = offsets[1:] != offsets[:-1]
        before = xp.cumsum(linked, dtype=ids)
        place = xp.where(linked, before - 1, before[-1] + xp.arange(self.size, dtype=ids) - before).astype(ids)
        part[:] = place[part]
        active = self.linked
        ends = xp.append(offsets[active], offsets[-1:])
        level = replace(self, edges=(ends, place[neighbours], weights), strength=self.strength[active])
        host = self._download(community[active])
        return level.on_host(), np.unique(host, return_inverse=True)[1].reshape(-1).astype(host.dtype)

    def on_host(self) -> cpu.Rows:
        """The same level for the CPU."""
        download, xp, (offsets, neighbours, weights) = self.device.download, self.device.xp, self.edges
        row = xp.searchsorted(offsets, xp.arange(neighbours.size, dtype=offsets.dtype), "right")
        order = stable_order(row * np.int64(self.size) + neighbours)  # where neighbours have any order
        neighbours, weights = neighbours[order], None if weights is None else weights[order]
        bounds, neighbors = download(offsets).astype(np.uint64), self._download(neighbours)
        bounds.flags.writeable = neighbors.flags.writeable = False  # as in a graph: kernels are compiled once
        level = cpu.Rows(
            starts=bounds[:-1],
            ends=bounds[1:],
            neighbors=neighbors,
            weights=np.ones(neighbors.size, self.sums) if weights is None else download(weights),
            strength=download(self.strength),
            factor=self.resolution / self.total,
            seed=self.seed,
        )
        return level.turn(self.iteration)

    def _download(self, ids: Any) -> Array:
        return self.device.download(ids).view(f"u{self.ids.itemsize}")

    def connected(self, community: Any) -> Any:
        """The communities, with those that are not connected split into their connected pieces."""
        pieces = self.on_host().connected(self._download(community))
        return self.device.upload(pieces.view(self.ids))

    @property
    def spread(self) -> Spread:
        """A function that returns labels of the level above as labels of this one, given the parts."""
        device, ids = self.device, self.ids

        def spread(label: Any, part: Any) -> Any:
            label = device.upload(label.view(ids)) if label.dtype != ids else label
            count = int(part.max()) + 1
            if label.size < count:  # parts without edges, as ``_small`` has them
                label = device.xp.concatenate([label, device.xp.arange(label.size, count, dtype=ids)])
            return label[part]

        return spread

    def modularity(self, community: Any) -> float:
        """The modularity; of the lowest level only, since others lack the edges inside their vertices."""
        if not float(self.strength.sum()):
            return float("nan")
        rounds = _Rounds(self, community)
        return rounds.quality(rounds.run(0)[1])


class _Rounds:
    """The communities of a level on the device, and what rounds of moves need."""

    def __init__(self, level: Links, community: Any, bound: Any = None) -> None:
        device, xp = level.device, level.device.xp
        self.level = level
        self.parts = [community, self._totals(community), xp.bincount(community, minlength=level.size)]
        self.parts[2] = self.parts[2].astype(np.uint32)
        self.bound = (bound, None if bound is None else self._totals(bound))
        self.work = _round_space(level.size, level.ids).allocate(device)
        self.work.slack.fill(-1)
        self.rounds = 0
        self.alive = self._alive(int((self.parts[2] > 0).sum()))
        self.kernel = device.kernel("moves.cuh", "move_round", level.defines)
        self.tasks = device.empty((4 * level.edges[1].size // level.slots + 1) * TASK, np.uint8)

    def _totals(self, community: Any) -> Any:
        return self.level.device.xp.bincount(community, self.level.strength, self.level.size)

    def run(self, groups: int, before: Any = None) -> tuple[int, float]:
        """A round; returns the number of moves, and how much more weight is inside communities than ``before``.

        With 0 groups nothing moves, and that is all weight inside them.
        """
        level, work = self.level, self.work
        key = ((level.seed or 0) * 1000 + level.iteration) * 1000 + self.rounds
        self.rounds += 1
        control = level.device.zeros(CONTROL.itemsize, np.uint8)
        level.device.launch_cooperative(
            self.kernel,
            THREADS,
            *(np.uint64(level.size), *level.edges, level.strength),
            *(np.float64(level.resolution / level.total), np.float64(level.grains), *self.parts, *self.bound),
            *(before, work.target, work.slack, work.taken, work.list, self.tasks),
            *(np.uint64(self.alive), np.uint32(groups), np.uint64(key % 2**64), control),
            shared=level.slots * (level.ids.itemsize + level.sums.itemsize),
            most=max(1, -(-level.size // 32)),
        )
        progress = level.device.download(control).view(CONTROL)[0]
        if before is not None:
            self.used = int(progress["alive"])
        return int(progress["moved"]), float(progress["inside"])

    def _alive(self, used: int) -> int:
        """How many communities vertices with edges are in: no row has more, and a round makes none."""
        return used - self.level.size + int(self.level.linked.size)

    def quality(self, inside: float) -> float:
        """The modularity, less a constant."""
        shares = self.parts[1] / self.level.total
        return inside / self.level.total - self.level.resolution * float((shares * shares).sum())
