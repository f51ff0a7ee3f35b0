"""Path searches on a GPU: memory and launches of near_far.cuh, and parents by shortest_path_tree.cuh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.algorithms.paths import summary
from clew.algorithms.paths.cuda_problem import DEFAULT, Problem, Tuning, ready_for
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.frontiers import BALANCES, NO_LIMIT, room_for_order
from clew.engines.cuda.balance.launches import launch_over, share_of
from clew.engines.cuda.memory.bandwidth import on_host_by_plan, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device
from clew.result import timed_rows

STEPS_PER_LAUNCH = 1 << 12  # then the host checks for Ctrl-C, or after EDGES_PER_LAUNCH
EDGES_PER_LAUNCH = 1 << 33
LEVELS_PER_LAUNCH = 1 << 12  # of a shortest-path tree
EDGES_PER_THREAD = 8
DIVERGED = 1 << 63  # as in near_far.cuh
NO_ROOM = (None, None)


class Search:
    """A search whose state stays on the device from launch to launch."""

    def __init__(self, device: Device, rows: DeviceRows, source: int, problem: Problem, tuning: Tuning) -> None:
        self.device, self.rows, self.problem, self.tuning = device, rows, problem, tuning
        ready = self.ready = ready_for(device, rows, problem, tuning)
        self.n, self.index, self.source = rows.num_vertices, rows.id_dtype, ready.source(source)
        self.work, self.trace = rows.take(device, ready.room)
        self.given = self.work.given
        self.step, self.relaxed = 1, 0
        self.order_room = NO_ROOM if ready.order_from == NO_LIMIT else room_for_order(device, self.n)
        begin, grid = ready.begin
        device.start(begin, grid, (*ready.start, self.source, *ready.first, *self.given.begin))
        self.results: tuple[Any, ...] = ()  # values and parents
        self.last: Any = None  # the state that was downloaded last

    @property
    def words(self) -> Any:
        """The values, as the search computes them."""
        return self.work.words

    def run(self, *, relaxed_limit: int = NO_LIMIT, deterministic: bool = True) -> Any:
        """Continue until done, or until this many edges were relaxed; returns the state.

        Parents that need not be deterministic are written behind every launch. It is likely to be the last one, and
        then the host waits for the device only once.
        """
        device, ready, given = self.device, self.ready, self.given
        front = (*ready.edges, *given.search, *ready.limits)
        back = (*device.passed(*self.order_room, self.trace), ready.traced, given.state)
        (search, grid), at_once = ready.search, share_of(EDGES_PER_LAUNCH, self.rows)
        while True:
            limit, edge_limit = self.step + STEPS_PER_LAUNCH, min(relaxed_limit, self.relaxed + at_once)
            until = (np.uint64(limit), np.uint64(edge_limit), ready.order_limit)
            device.start(search, grid, (*front, *until, *back))
            if not deterministic and given.links is not None:
                self._write_results(given.links)
            state = self.last = given.read()
            self.step, self.relaxed = int(state["step"]), int(state["relaxed"])
            if self.step < limit and (self.relaxed < edge_limit or edge_limit == relaxed_limit):
                return state

    def answer(self, name: str, *, deterministic: bool, negative: bool = False) -> Answer:
        """The values, called ``name``, and the parents; ``negative`` says that a weight is below 0.

        Parents are those of the search, unless it keeps none or they must be the same in every run. This ends the
        search: the next one uses its arrays.
        """
        device, links = self.device, None if deterministic else self.given.links
        if not self.results:
            if links is None:
                parents = shortest_path_tree(self, breadth_first=deterministic or negative)
                self.results = device.empty(self.n, self.problem.result), parents
            self._write_results(links or self.given.none)
            self.last = self.given.read()
        values, parents = self.results
        state, splits = self.last, int(self.last["splits"])
        noted, steps, reached = self.trace, int(state["step"]) - splits, int(state["reached"])
        width, plan = self.rows.bytes_per_edge, self.rows.plan

        def trace() -> dict[str, Array]:
            rows = device.download(noted[:steps])
            return with_link(timed_rows(rows, ("bucket", "frontier", "edges"), width), on_host_by_plan(plan, noted))

        self.end(trace)
        return summary(name, values, parents, reached, splits + 1, trace)

    def end(self, trace: Callable[[], Any] | None = None) -> None:
        """Leave the arrays to the next search; ``trace`` reads that of this one."""
        self.rows.give_back(self.work, trace)

    def is_done(self, state: Any) -> bool:
        """Whether nothing is left to do."""
        size, full, _, far, _ = state["counters"]
        now = self.step % 3
        empty = size[now] == 0 and full[now] == 0 and far[state["splits"] % 3] == 0
        return bool(empty) and not self.has_diverged(state)

    def has_diverged(self, state: Any) -> bool:
        """Whether a value fell below the problem's floor."""
        return bool(state["counters"][2][self.step % 3] == DIVERGED)

    def over_edges(self, name: str, *args: Any) -> None:
        """Launch a kernel of shortest_path_tree.cuh that visits every edge once."""
        file, work = "shortest_path_tree.cuh", self.rows.num_arcs // EDGES_PER_THREAD
        launch_over(self.device, file, name, self.tree_defines(), work, *self.tree_arguments(), *args)

    def tree_defines(self) -> dict[str, Any]:
        """The macros of shortest_path_tree.cuh: those of the search, with edges shared by the merge path."""
        merged = {"BALANCE": BALANCES["merge_path"], "CUT": 0, "UNROLL": DEFAULT.unroll, "THREADS": 256}
        return {**self.ready.defines, **merged}

    def tree_arguments(self) -> tuple[Any, ...]:
        """The first arguments of all kernels in shortest_path_tree.cuh."""
        size = np.uint64(self.n), np.uint64(self.rows.num_arcs)
        return self.rows.offsets, *self.rows.edges, *size, self.words, self.ready.ends[1]

    def _write_results(self, links: Any) -> None:
        """Have the device write the values, and the parents where links are given; then it counts the reached."""
        device, (end, grid) = self.device, self.ready.end
        results = self.results = self.results or (
            device.empty(self.n, self.problem.result),
            device.empty(self.n, self.index),
        )
        given = (self.given.words, links, *self.ready.unreached, *device.passed(*results), self.given.state)
        device.start(end, grid, given)


def shortest_path_tree(search: Search, *, breadth_first: bool) -> Any:
    """Parents that depend on the graph alone: a tree of edges that give their ends the values they have.

    ``breadth_first`` takes the smallest vertex of the earliest level, as every engine does for ``deterministic``.
    Without it, and if no weight is negative, one pass over all edges does for most vertices.
    """
    device = search.device
    parents = device.full(search.n, -1, search.index)
    unsigned = parents.view(f"u{search.index.itemsize}")
    if not breadth_first:
        search.over_edges("rising_parents", search.source, unsigned)
    levels = device.empty(search.n, np.uint32)
    state, barrier = device.zeros(5, np.uint64), device.zeros(GRID_BARRIER_WORDS, np.uint32)
    kernel = device.kernel("shortest_path_tree.cuh", "parents_by_level", search.tree_defines())
    queues = search.work.queue, search.work.other_queue
    given = (*search.tree_arguments(), search.source, unsigned, levels, *queues)
    while True:
        device.launch_cooperative(kernel, 256, *given, np.uint64(LEVELS_PER_LAUNCH), state, barrier)
        level, *sizes = device.download(state)[:4].tolist()
        if level > 1 and sizes[level % 3] == 0:
            return parents
