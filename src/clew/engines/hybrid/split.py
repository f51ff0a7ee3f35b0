"""Searches from one vertex on CPU and GPU together: rows in fast memory are the GPU's, the others the CPU's.

Where one side alone was faster on a graph, it has all of the rows (``plans``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import Array
from clew.engines.cpu.bfs import Found
from clew.engines.cpu.path_weights import extent
from clew.engines.cpu.rows import rows_of
from clew.engines.cpu.sssp import Paths, default_delta
from clew.engines.cuda.device import Device
from clew.engines.hybrid import searches
from clew.engines.hybrid.buffers import borrow
from clew.engines.hybrid.pipeline import DEFAULT, LeftToCpu, Settings, shares
from clew.engines.hybrid.plans import CPU, GPU, SPLIT, fastest, on_host, one_sided
from clew.engines.hybrid.program import run_program
from clew.graph import Graph
from clew.result import Trace

STEPS = 16  # intervals of the priorities of paths: a step of both sides is not worth less

COLUMNS = ("edges_cpu", "edges_gpu", "bytes_up", "bytes_down", "seconds_cpu", "seconds_gpu", "form")


def bfs(
    device: Device,
    graph: Graph,
    source: int,
    *,
    deterministic: bool = False,
    plan: str | None = None,
    settings: Settings = DEFAULT,
) -> Found:
    """Search from ``source``; arrays are on the CPU."""
    from clew.engines.cpu.bfs import bfs as on_cpu
    from clew.engines.cuda.bfs import bfs as on_gpu

    def split() -> Found:
        try:
            found = _searched(device, graph, source, searches.bfs(), settings, np.dtype(np.int32), -1)
        except LeftToCpu:
            return cpu()
        if deterministic:
            _smallest_parents(graph, found.value, found.parent)
        return Found(found.value, found.parent, found.reached, found.buckets, found.trace)

    def gpu() -> Found:
        found = on_gpu(device, graph, source, deterministic=deterministic)
        depth, parent = on_host(device, found.depth), on_host(device, found.parent)
        return Found(depth, parent, found.reached, found.levels, one_sided(found.trace, GPU))

    def cpu() -> Found:
        found = on_cpu(graph, source, deterministic=deterministic)
        return found._replace(trace=one_sided(found.trace, CPU))

    ways = {SPLIT: split, GPU: gpu, CPU: cpu}
    if not _has_room(graph):
        del ways[SPLIT]
    return fastest("bfs", graph, device, ways, plan)


def sssp(
    device: Device,
    graph: Graph,
    source: int,
    weights: Array,
    *,
    delta: float | None = None,
    deterministic: bool = False,
    plan: str | None = None,
    settings: Settings = DEFAULT,
) -> Paths:
    """Shortest paths. Sums that do not fit 31 bits, floats among them, are left to one side."""
    from clew.engines.cpu.sssp import sssp as on_cpu
    from clew.engines.cuda.sssp import sssp as on_gpu

    low, high = _extent(weights)
    options: dict[str, Any] = {"delta": delta, "deterministic": deterministic}
    ways = _alone(
        device,
        partial(on_gpu, device, graph, source, **options),
        partial(on_cpu, graph, source, weights, **options),
    )

    cpu = ways[CPU]  # not looked up by split: it and the ways would hold each other, and with the graph its edges

    def split() -> Paths:
        step = max(1.0, high / STEPS, default_delta(graph, weights)) if delta is None else delta
        far = np.dtype(np.int64)
        try:
            return _searched(device, graph, source, searches.sssp(step), settings, far, np.iinfo(far).max)
        except LeftToCpu:
            return cpu()

    fits = low >= 0 and high * graph.num_vertices < searches.UNREACHED
    if fits and not deterministic and _are_narrow(graph, weights):
        ways[SPLIT] = split
    return fastest("sssp", graph, device, ways, plan)


def sswp(
    device: Device,
    graph: Graph,
    source: int,
    weights: Array,
    *,
    deterministic: bool = False,
    plan: str | None = None,
    settings: Settings = DEFAULT,
) -> Paths:
    """Widest paths. Weights below 0 or beyond 31 bits, and floats, are left to one side."""
    from clew.engines.cpu.sswp import sswp as on_cpu
    from clew.engines.cuda.sswp import sswp as on_gpu

    low, high = _extent(weights)
    ways = _alone(
        device,
        partial(on_gpu, device, graph, source, deterministic=deterministic),
        partial(on_cpu, graph, source, weights, deterministic=deterministic),
    )

    cpu = ways[CPU]  # as in sssp

    def split() -> Paths:
        search = searches.sswp(max(1.0, (high - low) / STEPS))
        smallest, largest = (0, 1) if weights.dtype.kind == "b" else _ends(weights.dtype)
        top = np.int64(searches.WIDEST)
        try:
            found = _searched(device, graph, source, search, settings, weights.dtype, smallest, top)
        except LeftToCpu:
            return cpu()
        found.value[source] = largest
        return found

    # The smallest number of a dtype stands for an edge that cannot be taken; here it would be one like others.
    fits = (low > 0 or (low == 0 and weights.dtype.kind == "i")) and high <= searches.WIDEST
    if fits and not deterministic and _are_narrow(graph, weights):
        ways[SPLIT] = split
    return fastest("sswp", graph, device, ways, plan)


def _searched(
    device: Device,
    graph: Graph,
    source: int,
    search: searches.Search,
    settings: Settings,
    dtype: np.dtype[Any],
    nothing: Any,
    top: Any = None,
) -> Paths:
    """Run a search; values are what vertices are worth, or ``top`` less that, and ``nothing`` where unreached."""
    from clew.engines.hybrid import kernels_search as kernels

    n = graph.num_vertices
    fields = np.dtype([(name, kind) for name, kind in search.fields.items()], align=True)
    state = borrow(search, device, n, fields)
    unreached = np.int64(searches.UNREACHED)
    threads.each(kernels.begin, *shares(n), state, np.int64(searches.UNREACHED << searches.SHIFT | searches.LOW))
    state["best"][source] = source
    active = np.zeros(n, dtype=np.bool_)
    active[source] = True
    program: Any = search
    done = run_program(device, program, graph, state, active, replace(settings, restarts=True))
    value, parent = np.empty(n, dtype), np.empty(n, graph.indices.dtype)
    counts = threads.each(kernels.end, *shares(n), state, unreached, top, dtype.type(nothing), value, parent)
    return Paths(value, parent, int(sum(counts)), done.iterations, _renamed(done.trace))


def _extent(weights: Array) -> tuple[int, int]:
    """The smallest and the largest weight; of floats, numbers that do not fit."""
    if weights.dtype.kind == "f":
        return -1, 0
    low, high = extent(weights) if weights.size else (1, 1)
    return int(low), int(high)


def _ends(dtype: np.dtype[Any]) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _has_room(graph: Graph) -> bool:
    """Whether ids fit the lower half of a message."""
    return graph.indices.dtype == np.int32


def _are_narrow(graph: Graph, weights: Array) -> bool:
    return _has_room(graph) and weights.dtype.kind in "biu" and weights.dtype != np.uint64


def _alone(device: Device, on_gpu: Callable[[], Any], on_cpu: Callable[[], Paths]) -> dict[str, Callable[[], Paths]]:
    """Either side by itself, with a trace as both together have it."""

    def cpu() -> Paths:
        found = on_cpu()
        return found._replace(trace=one_sided(found.trace, CPU))

    return {GPU: lambda: _fetched(device, on_gpu()), CPU: cpu}


def _fetched(device: Device, found: Any) -> Paths:
    value, parent = on_host(device, found.value), on_host(device, found.parent)
    return Paths(value, parent, found.reached, found.buckets, one_sided(found.trace, GPU))


def _renamed(trace: Trace) -> Trace:
    return Trace({"frontier": trace["active"], **{name: trace[name] for name in COLUMNS}})


def _smallest_parents(graph: Graph, depth: Array, parent: Array) -> None:
    from clew.engines.cpu import kernels_bfs as kernels

    bounds = blocks_of(graph.incoming)
    threads.each(kernels.smallest_parents, bounds.size - 1, bounds, rows_of(graph.incoming), depth, parent)
