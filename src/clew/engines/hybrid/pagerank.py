"""PageRank on CPU and GPU together: each has some rows, and tells the other what their vertices pass on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew import threads
from clew.dtypes import Array, as_bits
from clew.engines.cpu import pagerank as cpu
from clew.engines.cpu.blocks import ahead_of
from clew.engines.cpu.pagerank import Ranks
from clew.engines.cpu.rows import rows_of
from clew.engines.cuda import pagerank as cuda
from clew.engines.cuda.device import Device
from clew.engines.cuda.row_product import RowProduct
from clew.engines.cuda.rows import into_of, offsets_on
from clew.engines.cuda.vectors_on_wire import copy_from
from clew.engines.hybrid.buffers import borrow
from clew.engines.hybrid.pipeline import DEFAULT, Settings, arcs_of, blocks_of_rows, shares
from clew.engines.hybrid.plans import CPU, GPU, SPLIT, fastest, on_host, one_sided
from clew.engines.hybrid.rates import Rates, Stopwatch, rates_of, slow_rows
from clew.engines.hybrid.searches import Search
from clew.graph import Graph
from clew.operators import monoids
from clew.result import Trace

SETTLING = 3  # rounds after which the cut stays: a GPU's classes of rows are looked up anew for each


def pagerank(
    device: Device, graph: Graph, *, plan: str | None = None, settings: Settings = DEFAULT, **options: Any
) -> Ranks:
    """Ranks to within ``tolerance``, or what there is after ``max_iterations``; arrays are on the CPU."""

    def split() -> Ranks:
        return _Shared(device, graph, settings, **options).run()

    def gpu() -> Ranks:
        found = cuda.pagerank(device, graph, **options)
        return found._replace(rank=on_host(device, found.rank), moved=_moved(graph, found.changes, GPU))

    def alone() -> Ranks:
        found = cpu.pagerank(graph, **options)
        return found._replace(moved=_moved(graph, found.changes, CPU))

    ways = {SPLIT: split, GPU: gpu, CPU: alone}
    if options["weighted"] or graph.num_vertices == 0:  # every edge passes on a share of its own
        del ways[SPLIT]
    return fastest("pagerank", graph, device, ways, plan)


@dataclass
class _Round:
    cut: int = 0
    change: float = 0.0
    stranded: float = 0.0
    up: int = 0
    down: int = 0
    seconds_cpu: float = 0.0
    seconds_gpu: float = 0.0


class _Shared:
    """The CPU has ranks of the rows before the cut, the GPU of those from it on; what is passed on, both have."""

    def __init__(
        self,
        device: Device,
        graph: Graph,
        settings: Settings,
        *,
        damping: float,
        tolerance: float,
        max_iterations: int,
        jumps: Array | None,
        weighted: bool,  # noqa: ARG002, never here
        dtype: str,
        start: Array | None = None,
    ) -> None:
        n, value = graph.num_vertices, np.dtype(dtype)
        self.device, self.n, self.value, self.settings = device, n, value, settings
        self.damping, self.tolerance, self.max_iterations = damping, tolerance, max_iterations
        program: Any = Search(_whole, _always, _every, monoids.plus, fields={}, message=value)
        self.product = RowProduct(device, program, monoids.plus, graph)
        self.into = into_of(graph)
        self.bounds = blocks_of_rows(self.into, settings.first_row)
        self.edges = arcs_of(self.into, self.bounds)
        slow = slow_rows(self.product.ways.against, self.into.indptr)
        self.slow_blocks = min(int(np.searchsorted(self.bounds, slow)), self.edges.size)
        self.rates: Rates = rates_of(device, f"pagerank/{value}")
        self.outgoing, self.jumps = graph.outgoing, jumps
        self.first = jumps if start is None else start
        self.rank, self.scale = np.empty(n, value), borrow(self, device, n, value)
        self.now, self.later = borrow(self, device, n, value), borrow(self, device, n, value)
        self.jumps_there = None if jumps is None else device.upload(jumps.astype(value))
        first = self.first
        self.rank_there = device.full(n, 1 / n, value) if first is None else device.upload(first.astype(value))
        self.scale_there, self.now_there = device.empty(n, value), device.empty(n, value)
        self.sums = device.empty(n, value)
        self.reached = device.zeros(2 * -(-n // 64), np.uint32)
        self.ahead = ahead_of(self.into, self.rank)

    def run(self) -> Ranks:
        stranded = self._begin()
        rounds: list[_Round] = []
        converged, cut, done = False, -1, 0
        while done < self.max_iterations and not converged:
            if done < SETTLING or cut < 0:
                cut = self._move_cut(cut)
            told = self._round(cut, 1.0 - self.damping + self.damping * stranded)
            stranded, converged = told.stranded, told.change < self.tolerance
            done += 1
            if done <= cpu.TRACED_ROUNDS:
                rounds.append(told)
        first = int(self.bounds[max(cut, 0)])
        if done:
            self.rank[first:] = self.device.download(self.rank_there[first:])
        changes = np.array([told.change for told in rounds])
        return Ranks(self.rank, done, converged, changes, self._moved(rounds))

    def _begin(self) -> float:
        """First ranks and what is passed on, on both sides; how much rank is where no edge leads on."""
        from clew.engines.hybrid import kernels_ranks as kernels

        xp, offsets = self.device.xp, offsets_on(self.device, self.outgoing)
        degrees = offsets[1:] - offsets[:-1]
        self.scale_there[...] = xp.where(degrees > 0, self.damping / xp.maximum(degrees, 1), 0.0)
        xp.multiply(self.rank_there, self.scale_there, out=self.now_there)
        given = (as_bits(self.outgoing.indptr), self.damping, self.first, self.rank, self.scale, self.now)
        return float(sum(threads.each(kernels.begin, *shares(self.n), *given)))

    def _move_cut(self, before: int) -> int:
        """Where the GPU's rows begin from now on; ranks go to whoever has the rows."""
        wanted = self.settings.first_row
        if wanted is None:
            cut = self.rates.cut("pull", self.edges, self.slow_blocks)
        else:
            cut = min(int(np.searchsorted(self.bounds, wanted // 64 * 64)), self.edges.size)
        if before >= 0 and cut != before:
            old, new = int(self.bounds[before]), int(self.bounds[cut])
            if before == self.edges.size:  # the GPU had no rows: nobody told it what is passed on
                self.device.copy_to(self.now_there, self.now)
            if new > old:
                self.rank[old:new] = self.device.download(self.rank_there[old:new])
            else:
                self.rank_there[new:old] = self.device.upload(self.rank[new:old])
        return cut

    def _round(self, cut: int, jumping: float) -> _Round:
        from clew.engines.hybrid import kernels_ranks as kernels

        device, first, told = self.device, int(self.bounds[cut]), _Round(cut)
        watch = None
        if cut < self.edges.size:
            watch = Stopwatch(device)
            sums = self._start(first, jumping)
            # On its way while the CPU works, which writes to the other part of the array.
            copy_from(device, self.later[first:], self.now_there[first:])
            watch.stop()
        if cut > 0:
            start = time.perf_counter()
            given = (self.bounds, self.ahead, rows_of(self.into), None, self.scale, self.jumps, jumping, self.rank)
            moved = threads.each(kernels.rank_rows, cut, *given, self.now, self.later)
            told.change, told.stranded = (sum(column) for column in zip(*moved, strict=True))
            told.seconds_cpu = time.perf_counter() - start
        if watch is not None:
            if first > 0:
                device.copy_to(self.now_there[:first], self.later[:first])
            change, stranded = device.download(sums).tolist()
            told.seconds_gpu = watch.seconds()
            told.change += change
            told.stranded += stranded
            told.up, told.down = first * self.value.itemsize, (self.n - first) * self.value.itemsize
        self.now, self.later = self.later, self.now
        ours = int(self.edges[:cut].sum())
        slow = max(0, int(self.edges[: self.slow_blocks].sum()) - ours)
        self.rates.learn_cpu("pull", ours, told.seconds_cpu)
        self.rates.learn_gpu("pull", slow, int(self.edges.sum()) - ours - slow, told.seconds_gpu)
        return told

    def _start(self, first: int, jumping: float) -> Any:
        """The GPU's rows; change and stranded rank, on the device."""
        xp, rank, scale = self.device.xp, self.rank_there[first:], self.scale_there[first:]
        self.sums.fill(0)
        self.product.pull(first, self.now_there, None, self.sums, self.reached, ())
        new = self.sums[first:]
        new += self.value.type(jumping / self.n) if self.jumps_there is None else jumping * self.jumps_there[first:]
        change = xp.abs(new - rank).sum(dtype=np.float64)
        stranded = xp.where(scale == 0, new, 0).sum(dtype=np.float64)
        rank[...] = new
        self.now_there[first:] = new * scale
        return xp.stack([change, stranded])

    def _moved(self, rounds: list[_Round]) -> dict[str, Array]:
        before = np.append(0, np.cumsum(self.edges))
        ours = np.array([int(before[told.cut]) for told in rounds], dtype=np.int64)
        return {
            "frontier": np.full(len(rounds), self.n),
            "edges_cpu": ours,
            "edges_gpu": before[-1] - ours,
            "bytes_up": np.array([told.up for told in rounds], dtype=np.int64),
            "bytes_down": np.array([told.down for told in rounds], dtype=np.int64),
            "seconds_cpu": np.array([told.seconds_cpu for told in rounds]),
            "seconds_gpu": np.array([told.seconds_gpu for told in rounds]),
            "form": np.full(len(rounds), "dense"),
        }


def _moved(graph: Graph, changes: Array, side: str) -> dict[str, Array]:
    """The columns of a run on one side."""
    everyone, edges = (np.full(changes.size, count) for count in (graph.num_vertices, graph.num_arcs))
    return dict(one_sided(Trace({"frontier": everyone, "edges": edges}), side).columns)


def _whole(message: Any, weight: Any, vertex: Any) -> Any:  # noqa: ARG001
    return message


def _always(value: Any, vertex: Any) -> Any:  # noqa: ARG001
    return True


def _every(vertex: Any) -> Any:  # noqa: ARG001
    return True
