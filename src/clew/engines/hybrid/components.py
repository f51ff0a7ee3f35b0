"""Connected components on CPU and GPU together: each joins what its own rows join, then the two answers are joined.

One exchange does: the GPU's labels, of those vertices that are not their own there.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import as_bits
from clew.engines.cpu import components as cpu
from clew.engines.cpu.components import Components
from clew.engines.cuda import components as cuda
from clew.engines.cuda.bits import packed
from clew.engines.cuda.device import Device
from clew.engines.cuda.rows import rows_on
from clew.engines.hybrid.exchange import NOTHING, Exchange, Vector
from clew.engines.hybrid.pipeline import DEFAULT, Settings, arcs_of, blocks_of_rows
from clew.engines.hybrid.plans import CPU, GPU, SPLIT, fastest, on_host
from clew.engines.hybrid.rates import Stopwatch, rates_of, slow_rows
from clew.graph import Graph
from clew.result import Trace


def connected_components(
    device: Device, graph: Graph, *, plan: str | None = None, settings: Settings = DEFAULT
) -> Components:
    """Components over edges in any direction; arrays are on the CPU."""

    def split() -> Components:
        return _joined(device, graph, settings)

    def gpu() -> Components:
        found = cuda.connected_components(device, graph)
        label, sizes = on_host(device, found.label), on_host(device, found.sizes)
        return Components(label, sizes, _row(graph, 0, graph.num_arcs, 0, 0.0, 0.0, "gpu"))

    def one() -> Components:
        found = cpu.connected_components(graph)
        return Components(found.label, found.sizes, _row(graph, graph.num_arcs, 0, 0, 0.0, 0.0, "cpu"))

    ways = {SPLIT: split, GPU: gpu, CPU: one}
    return fastest("connected_components", graph, device, ways, CPU if graph.num_vertices == 0 else plan)


def _joined(device: Device, graph: Graph, settings: Settings) -> Components:
    from clew.build.kernels_components import flatten
    from clew.engines.hybrid.kernels_join import join_others

    rows, n = graph.outgoing, graph.num_vertices
    on_device = rows_on(device, rows, weights=False)
    rates, bounds = rates_of(device, "components"), blocks_of_rows(rows, settings.first_row)
    edges = arcs_of(rows, bounds)
    slow_blocks = min(int(np.searchsorted(bounds, slow_rows(on_device, rows.indptr))), edges.size)
    if settings.first_row is None:
        ours = rates.cut("pull", edges, slow_blocks)
    else:
        ours = min(int(np.searchsorted(bounds, settings.first_row // 64 * 64)), edges.size)
    cut = int(rows.indptr[bounds[ours]])
    watch, down, seconds_gpu = None, NOTHING, 0.0
    if ours < edges.size:
        watch = Stopwatch(device)
        later = replace(on_device, offsets=device.xp.maximum(on_device.offsets, on_device.offsets.dtype.type(cut)))
        theirs = cuda.labels_of_rows(device, later, both_ways=False)
        watch.stop()
    start = time.perf_counter()
    first = Graph(Adjacency(np.minimum(rows.indptr, cut), rows.indices), directed=True)
    label = cpu.connected_components(first).label
    seconds_cpu = time.perf_counter() - start
    if watch is not None:
        seconds_gpu = watch.seconds()
        exchange = Exchange(device, n, rows.indices.dtype, (rows.indices.dtype,), settings.form)
        outbox, inbox = exchange.device_vector(), exchange.host_vector()
        outbox.words[: -(-n // 32)] = packed(device, theirs != device.xp.arange(n, dtype=theirs.dtype))
        down = exchange.down(Vector(outbox.words, (theirs,)), inbox)
        if down.nbytes:
            pointer = as_bits(label)
            threads.each(
                join_others, exchange.bounds.size - 1, exchange.bounds, inbox.words, as_bits(inbox.columns[0]), pointer
            )
            parts = threads.pieces(n)
            threads.each(flatten, parts, parts, pointer)
    rates.learn_cpu("pull", cut, seconds_cpu)
    slow = max(0, int(edges[:slow_blocks].sum()) - cut)
    rates.learn_gpu("pull", slow, rows.num_arcs - cut - slow, seconds_gpu)
    trace = _row(graph, cut, rows.num_arcs - cut, down.nbytes, seconds_cpu, seconds_gpu, down.form)
    return Components(label, cpu.measured(label).sizes, trace)


def _row(graph: Graph, ours: int, theirs: int, down: int, cpu_seconds: float, gpu_seconds: float, form: str) -> Trace:
    columns = {
        "frontier": graph.num_vertices,
        "edges_cpu": ours,
        "edges_gpu": theirs,
        "bytes_up": 0,
        "bytes_down": down,
    }
    measured = {"seconds_cpu": cpu_seconds, "seconds_gpu": gpu_seconds, "form": form}
    return Trace({name: np.array([value]) for name, value in {**columns, **measured}.items()})
