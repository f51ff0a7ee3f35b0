"""Path searches on a GPU: memory and launches of near_far.cuh, and parents by shortest_path_tree.cuh."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths import summary
from clew.algorithms.paths.cuda_problem import DEFAULT, SEARCH, Problem, Tuning, defines, search_space, threads_of
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.balance.frontiers import BALANCES, NO_LIMIT, fetched_edge, order_from, room_for_order
from clew.engines.cuda.balance.launches import launch_over, share_of
from clew.engines.cuda.memory.bandwidth import on_host, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device
from clew.result import timed_rows

STEPS_PER_LAUNCH = 1 << 12  # then the host checks for Ctrl-C,
EDGES_PER_LAUNCH = 1 << 33  # or after this many edges
LEVELS_PER_LAUNCH = 1 << 12  # of a shortest-path tree
EDGES_PER_THREAD = 8
DIVERGED = 1 << 63  # as in near_far.cuh


class Search:
    """A search whose state stays on the device from launch to launch."""

    def __init__(self, device: Device, rows: DeviceRows, source: int, problem: Problem, tuning: Tuning) -> None:
        self.device, self.rows, self.problem, self.tuning = device, rows, problem, tuning
        n = self.n = rows.num_vertices
        self.index, offset = rows.id_dtype, np.dtype(rows.offsets.dtype)
        self.source = self.index.type(source)
        given = (n, rows.num_arcs, self.index, offset, problem.value, tuning)
        key = ("search", problem.value, None if tuning is DEFAULT else tuning)  # to hash a tuning takes a while
        work = self.work = rows.take(device, key, lambda: search_space(*given))
        self.words, self.trace, self.state = work.words, work.trace, work.state
        self.values = (work.words, work.marks, work.links)
        self.queues, self.full = [work.queue, work.other_queue], [work.pieces, work.other_pieces]
        self.pile = (work.far_vertices, work.far_keys, np.uint64(work.far_keys.size // 2))
        self.threads = threads_of(device, rows, problem, tuning)
        self.step, self.relaxed = 1, 0
        self.order_from = order_from(rows, tuning.balance, tuning.order_from)
        self.order_room = (None, None) if self.order_from == NO_LIMIT else room_for_order(device, n)
        packed, linked = work.marks is None, work.links is not None
        self.defines = defines(rows, problem, tuning, words=packed, links=linked, threads=self.threads)
        ends = map(self._value, (problem.first, problem.low, problem.unreached))
        first = (rows.offsets, np.uint64(n), self.source, *ends, np.float64(problem.delta), *self.values)
        self._launch("near_far_begin", *first, self.queues[1], self.full[1], self.state)
        self.results: tuple[Any, ...] = ()  # values and parents
        self.last: Any = None  # the state that was downloaded last

    def run(self, *, relaxed_limit: int = NO_LIMIT, deterministic: bool = True) -> Any:
        """Continue until done, or until this many edges were relaxed; returns the state.

        Parents that need not be deterministic are written behind every launch. It is likely to be the last one, and
        then the host waits for the device only once.
        """
        rows, tuning, device, problem = self.rows, self.tuning, self.device, self.problem
        kernel = device.kernel("near_far.cuh", "near_far", self.defines)
        edge = fetched_edge(rows.id_dtype, problem.value).itemsize
        cut = tuning.balance == "degree_cut" and tuning.prefetch
        shared = tuning.cut * self.threads * edge if cut else 0
        at_once = share_of(EDGES_PER_LAUNCH, rows)
        tail = tuning.tail * rows.num_arcs if problem.grows else NO_LIMIT
        ends = (np.uint64(self.n), self._value(problem.unreached), np.float64(problem.delta))
        arrays = (*self.values, *self.queues, *self.full, *self.pile)
        limits = (self._value(problem.floor), *map(np.uint64, (*tuning.alone, tuning.eager, tail)))
        noted = (*self.order_room, self.trace, np.uint64(self.trace.shape[0]), self.state)
        while True:
            limit, edge_limit = self.step + STEPS_PER_LAUNCH, min(relaxed_limit, self.relaxed + at_once)
            until = map(np.uint64, (limit, edge_limit, self.order_from))
            given = (rows.offsets, *rows.edges, *ends, *arrays, *limits, *until, *noted)
            device.launch_cooperative(kernel, self.threads, *given, shared=shared, most=tuning.blocks)
            if not deterministic and self.values[2] is not None:
                self._write_results(self.values[2])
            state = self.last = self._download_state()
            self.step, self.relaxed = int(state["step"]), int(state["relaxed"])
            if self.step < limit and (self.relaxed < edge_limit or edge_limit == relaxed_limit):
                return state

    def answer(self, name: str, *, deterministic: bool, negative: bool = False) -> Answer:
        """The values, called ``name``, and the parents; ``negative`` says that a weight is below 0.

        Parents are those of the search, unless it keeps none or they must be the same in every run. This ends the
        search: the next one uses its arrays.
        """
        device, links = self.device, None if deterministic else self.values[2]
        if not self.results:
            if links is None:
                parents = shortest_path_tree(self, breadth_first=deterministic or negative)
                self.results = device.empty(self.n, self.problem.result), parents
            self._write_results(links)
            self.last = self._download_state()
        self.rows.give_back(self.work)
        values, parents = self.results
        state, splits = self.last, int(self.last["splits"])
        noted, steps = self.trace, int(state["step"]) - splits
        width, away = self.rows.bytes_per_edge, on_host(self.rows)

        def trace() -> dict[str, Array]:
            rows = device.download(noted[:steps])
            return with_link(timed_rows(rows, ("bucket", "frontier", "edges"), width), away)

        return summary(name, values, parents, int(state["reached"]), splits + 1, trace)

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
        return {**self.defines, "BALANCE": BALANCES["merge_path"], "CUT": 0, "UNROLL": DEFAULT.unroll, "THREADS": 256}

    def tree_arguments(self) -> tuple[Any, ...]:
        """The first arguments of all kernels in shortest_path_tree.cuh."""
        size = np.uint64(self.n), np.uint64(self.rows.num_arcs)
        return self.rows.offsets, *self.rows.edges, *size, self.words, self._value(self.problem.unreached)

    def _write_results(self, links: Any) -> None:
        """Have the device write the values, and the parents where links are given; then it counts the reached."""
        problem, device = self.problem, self.device
        self.results = self.results or (device.empty(self.n, problem.result), device.empty(self.n, self.index))
        unreached = (self._value(problem.unreached), problem.result.type(problem.nothing))
        self._launch("near_far_end", self.words, links, np.uint64(self.n), *unreached, *self.results, self.state)

    def _download_state(self) -> Any:
        return self.device.download(self.state).view(SEARCH)[0]

    def _value(self, number: Any) -> Any:
        return self.problem.value.type(number)

    def _launch(self, name: str, *args: Any) -> None:
        launch_over(self.device, "near_far.cuh", name, self.defines, self.n, *args)


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
    given = (*search.tree_arguments(), search.source, unsigned, levels, *search.queues)
    while True:
        device.launch_cooperative(kernel, 256, *given, np.uint64(LEVELS_PER_LAUNCH), state, barrier)
        level, *sizes = device.download(state)[:4].tolist()
        if level > 1 and sizes[level % 3] == 0:
            return parents
