"""The plan of a run on a cluster: the grid, the bytes of every worker, and the bytes and seconds of a superstep.

The work is what the model of one machine says, shared by the workers. The messages follow from the degrees: a hashed
vertex of degree d has an edge in one of k blocks with probability 1 - (1 - 1/k)^d. Only then its value goes there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from clew import generate, threads
from clew.algorithms.registry import Algorithm, not_on_cluster
from clew.checks import counted
from clew.describe import human_bytes
from clew.distributed.graph import ClusterGraph
from clew.dtypes import Array, id_dtype
from clew.engines.cluster.partition import Grid
from clew.errors import ClewError, ClusterError
from clew.free_memory import available_bytes
from clew.graph import Graph
from clew.plan import machine
from clew.plan.models import MODELS, Sketch, over_the_waist, shape_of
from clew.plan.models.common import Shape
from clew.plan.parts import Choice, Role, Share, Span, duration, total
from clew.plan.plan import Plan, Tier

WORKER = "a worker"
PEER = 7e-6  # seconds of CPU per peer and exchange, as measured between processes
LINK = 1.2e9  # bytes per second and worker: as measured over Unix sockets, and assumed for a network (10 Gbit/s)
BALANCE = {1: 1.0, 4: 1.01, 16: 1.03, 64: 1.02, 256: 1.02, 1024: 1.04}  # largest block by mean, counted on kron20
SEARCHED = 0.65  # bytes per vertex of a search by levels, times (√p - 1): 0.69 to 9.4 counted for 4 to 256 workers
EXCHANGES = 2  # of a superstep: expand and fold; counts travel in them
# CPU time of 4 workers by that of one thread: compiled forms took 1.2 to 4.3 on kron20, generic ones 1.6 to 16.
FUSED, GENERIC = Span(1, 1.5, 4.5), Span(1.5, 4, 16)
TIMES_SENT = Span(1, 3, 10)  # how often the value of a vertex changes, and is sent, where nothing else is known


def plan_on_cluster(
    record: Algorithm, graph: Any, workers: int | None, device: str, bound: Mapping[str, Any], given: dict[str, Any]
) -> Plan:
    """The plan for a graph on a cluster, or a forecast for a graph in this process and a number of workers."""
    there = graph if isinstance(graph, ClusterGraph) else None
    count = (workers or 1) if there is None else there.cluster.grid.workers
    sketch, scale = _sketch(record, graph, bound)
    grid = Grid(count) if there is None else there.grid
    rounds = sketch.iterations or sketch.shape.levels
    cores, free = (threads.count(), available_bytes()) if there is None else _room(there)
    plan = Plan(
        algorithm=record.name,
        device=device,
        engine="cluster",
        graph=graph,
        arguments=given,
        iterations=rounds,
        notes=[*sketch.notes, HASHED if there is None else SPREADS_FAST],
        error=_error(record),
    )
    cut = None if there is None else there.cut
    sent = values_sent(*_degree_counts(graph), grid) if cut is None else (float(cut.copies), 0.0)
    message = Messages(record, graph, grid, sent, bound, rounds)
    plan.choices = _choices(record, grid, cores, sent, message, graph)
    plan.memory = _memory(record, graph, grid, sent, message, bound)
    _count(plan, free, grid, loaded=there is not None)
    _foresee(plan, sketch, scale, grid, cores, message)
    return plan


HASHED = "the plan is for hashed vertices; a graph of which ranges cut few edges stays in ranges, and sends less"
SPREADS_FAST = "iterations assume that searches spread fast; a road network takes many more"


def values_sent(out: tuple[Array, Array], incoming: tuple[Array, Array], grid: Grid) -> tuple[float, float]:
    """The values that a product sends to other workers along rows and along columns, if each goes where it is used.

    ``out`` and ``incoming`` are distinct degrees, and how many vertices have each.
    """
    sent = []
    for (degrees, counts), blocks in ((out, grid.columns), (incoming, grid.rows)):
        used = 1 - (1 - 1 / blocks) ** degrees.astype(np.float64)
        sent.append(float((blocks - 1) * (counts * used).sum()))
    return sent[0], sent[1]


def balance(workers: int) -> float:
    """The largest block by the mean block."""
    places = [math.log2(each) for each in BALANCE]
    return float(np.interp(math.log2(workers), places, list(BALANCE.values())))


class Messages:
    """The bytes of a run and of a superstep, on all workers together."""

    def __init__(
        self,
        record: Algorithm,
        graph: Any,
        grid: Grid,
        sent: tuple[float, float],
        bound: Mapping[str, Any],
        rounds: Span,
    ) -> None:
        width = np.dtype(bound.get("dtype") or np.float64).itemsize
        if record.dense_rounds:
            self.form = f"values of {width} bytes, to the workers that use them"
            self.why = "all values change in every superstep; workers agree once on who needs which, so no ids are sent"
            self.superstep = Span.exactly(sum(sent) * width)
            self.run = self.superstep.times(rounds)
            return
        if record.by_levels and not grid.one_column:
            self.form, self.why = "ids or a bitmap", "the one that takes fewer bytes in a superstep"
            whole = SEARCHED * max(0.0, math.sqrt(grid.workers) - 1) * graph.num_vertices
            self.run = Span(whole / 2, whole, whole * 2)
        else:
            self.form = "changed values with ids or a bitmap"
            self.why = "the one that takes fewer bytes; a value is sent when it changes"
            self.run = TIMES_SENT.times(sum(sent) * (4 + width))
        steps = max(1.0, rounds.likely)
        self.superstep = self.run.times(1 / steps)


def _error(record: Algorithm) -> ClewError | None:
    if record.distributed or record.cluster is not None:
        return None
    return not_on_cluster(record)


def _room(graph: ClusterGraph) -> tuple[int, int]:
    """The threads of the worker that has fewest, and the bytes of the one that has fewest left."""
    cluster = graph.cluster
    return min(each["threads"] for each in cluster.workers), min(cluster.free_bytes())


def _degree_counts(graph: Any) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Distinct out-degrees and in-degrees, and how many vertices have each."""
    if isinstance(graph, ClusterGraph):
        return graph.degree_counts(), graph.degree_counts("in") if graph.directed else graph.degree_counts()
    out, into = (np.unique(graph.degrees(each), return_counts=True) for each in ("out", "in"))
    return out, into


def _sketch(record: Algorithm, graph: Any, bound: Mapping[str, Any]) -> tuple[Sketch, float]:
    """What the model of one machine says, and how many times the work of the graph is that of the sketch.

    The arrays of a graph on a cluster are not here. A small graph with as many edges a vertex stands in for it.
    """
    model = MODELS.get(record.name, over_the_waist)
    if isinstance(graph, Graph):
        start = graph.vertex(bound["source"]) if "source" in bound and graph.num_vertices else None
        sketch = Sketch(record, graph, bound, shape_of(graph, start), on_gpu=False)
        model(sketch)
        return sketch, 1.0
    degree = max(1.0, graph.num_arcs / max(1, graph.num_vertices))
    small = generate.rmat(10, edge_factor=math.ceil(degree), seed=1)
    small = small if graph.directed else small.symmetrized()
    if graph.weighted:
        small = small.with_weights(np.ones(small.num_arcs, graph.weight_dtype))
    levels = math.log(max(2, graph.num_vertices)) / math.log(1 + degree) + 3
    stand_ins = {"source": 0, "sources": [0], "left": None, "samples": None}
    arguments = {key: stand_ins.get(key, value) for key, value in bound.items()}
    shape = Shape(degree, Span(levels / 2, levels, levels * 4), 1.0, expanding=True)
    sketch = Sketch(record, small, arguments, shape, on_gpu=False)
    model(sketch)
    return sketch, graph.num_arcs / max(1, small.num_arcs)


def _choices(
    record: Algorithm, grid: Grid, cores: int, sent: tuple[float, float], message: Messages, graph: Any
) -> list[Choice]:
    workers, fused = grid.workers, record.cluster is not None
    bytes_each = human_bytes(round(message.superstep.likely / workers))
    return [
        Choice("engine", "cluster", f"{counted(workers, 'worker')} with {counted(cores, 'thread')} each"),
        *_placing(grid, sent, graph),
        Choice(
            "form",
            "fused" if fused else "generic",
            "compiled for the workers of a cluster" if fused else "the generic form runs on every worker's segment",
        ),
        Choice("messages", message.form, message.why),
        Choice("superstep", f"{bytes_each} per worker", f"{human_bytes(round(message.superstep.likely))} in all"),
    ]


def _placing(grid: Grid, sent: tuple[float, float], graph: Any) -> list[Choice]:
    """Where vertices and edges are, and which of them other workers use."""
    per_value = sum(sent) / max(1, graph.num_vertices)
    copies = Choice("cut", f"{per_value:.2f} copies a vertex", "other workers that use its value, or add to its sum")
    shape, peers = f"{grid.rows} × {grid.columns}", grid.rows + grid.columns - 2
    if isinstance(graph, ClusterGraph) and graph.cut is not None:
        share = graph.cut.arcs / max(1, graph.num_arcs)
        return [
            Choice("grid", shape, "a worker has all out-edges of its vertices"),
            Choice("partition", "ranges", "searches and components finish inside a range before workers exchange"),
            Choice("cut", f"{share:.2%} of the edges", f"counted: they end in another range, at {copies.chosen}"),
        ]
    nearly = f"as nearly square as the number allows: a worker talks to {peers} of {grid.workers - 1} others"
    even = f"every worker has vertices of all degrees: the largest block is about {balance(grid.workers):.2f} times"
    return [
        Choice("grid", shape, nearly),
        Choice("partition", "hashed, in two dimensions", f"{even} the mean"),
        copies,
    ]


def _memory(
    record: Algorithm, graph: Any, grid: Grid, sent: tuple[float, float], message: Messages, bound: Mapping[str, Any]
) -> list[Share]:
    """The arrays of the worker that has most."""
    n, arcs, workers = graph.num_vertices, graph.num_arcs, grid.workers
    block, own = balance(workers) * arcs / workers, n / workers
    rows, columns = n / grid.rows, n / grid.columns
    kept: list[tuple[str, Role, float]] = [
        ("edges", "graph", 4 * block),
        ("offsets", "graph", 4 * rows),
        ("ids of own vertices", "graph", np.dtype(id_dtype(n)).itemsize * own),
    ]
    if graph.weighted:
        kept.append(("weights", "graph", graph.weight_dtype.itemsize * block))
    if "in_edges" in record.needs and graph.directed and not record.by_levels:
        weights = graph.weight_dtype.itemsize if graph.weighted and "weights" in record.needs else 0
        kept += [("in-edges", "graph", (4 + weights) * block), ("offsets of in-edges", "graph", 4 * columns)]
    kept += _own_rows(record, graph, bound, workers)
    kept += [
        ("values of own vertices", "result", 8 * own),
        ("vectors of own vertices", "scratch", 3 * 8 * own),
        ("values of the block's rows and columns", "scratch", 8 * (rows + columns)),
        ("who needs which values", "scratch", 2 * 4 * sum(sent) / workers),
        ("messages", "scratch", 2 * message.superstep.likely / workers),
    ]
    return [Share(what, role, round(size), WORKER) for what, role, size in kept if size >= 1]


def _own_rows(record: Algorithm, graph: Any, bound: Mapping[str, Any], workers: int) -> list[tuple[str, Role, float]]:
    """The copies of edges that walks, samples and scores of edges need: by source, and by number."""
    width, copied = np.dtype(id_dtype(graph.num_vertices)).itemsize, 0.0
    for directed, undirected, weights in record.declared("cluster", "COPIES", ()):
        carried = weights if isinstance(weights, int) else 0
        if graph.weighted and (weights == "any" or (weights == "weighted" and bound.get("weighted"))):
            carried = graph.weight_dtype.itemsize
        number = directed if graph.directed else undirected
        copied += (
            number * (width + carried) * graph.num_arcs / workers + 8 * bool(number) * graph.num_vertices / workers
        )
    kept: list[tuple[str, Role, float]] = [("edges of own vertices", "scratch", copied)]
    if record.declared("cluster", "NUMBERS_EDGES", False) and bound.get("pairs") is None:
        kept.append(("edges by number", "scratch", (24 + 2 * width) * graph.num_edges / workers))
    return kept


def _count(plan: Plan, free: int | None, grid: Grid, *, loaded: bool) -> None:
    """Add the bytes of a worker, and refuse what does not fit."""
    by_role = {role: sum(s.bytes for s in plan.memory if s.role == role) for role in ("graph", "result", "scratch")}
    tier = Tier(WORKER, by_role["graph"], by_role["result"], by_role["scratch"], free)
    plan.tiers = [tier]
    needed = tier.total - tier.graph if loaded else tier.total
    if plan.error is None and free is not None and needed > free:
        enough = math.ceil(grid.workers * tier.total / max(1, free + tier.graph if loaded else free))
        plan.error = ClusterError(
            f"{plan.algorithm} needs {needed:,} bytes on every worker{' besides the graph' if loaded else ''}, and "
            f"{free:,} are free.",
            remedy=f"Use about {enough:,} workers with as much memory each.",
        )


def _foresee(plan: Plan, sketch: Sketch, scale: float, grid: Grid, cores: int, message: Messages) -> None:
    """Predict the seconds of a run: the edges, the bytes, and the calls of every exchange."""
    if plan.error is not None:
        return
    processor, workers = machine.processor(), grid.workers
    overhead = FUSED if sketch.record.cluster is not None else GENERIC
    narrower = plan.graph.num_vertices / max(1, sketch.vertices) / math.sqrt(workers)
    computing = Span.exactly(0)
    for work in sketch.work:
        share = work.items.times(scale * balance(workers) / workers)
        part = replace(work, items=share, spread=work.spread * narrower, threads=min(cores, processor.threads))
        computing = computing.plus(part.on_cpu(cores, processor))
    rounds = plan.iterations or Span.exactly(1)
    inside = sketch.record.declared("cluster", "EXCHANGES_OF_RANGES", None)
    if grid.one_column and inside:
        rounds = Span(*(grid.workers * each for each in inside))
    calls = rounds.times(EXCHANGES * (grid.rows + grid.columns - 2) * PEER)
    plan.parts = [
        ("edges of the largest block", computing.times(overhead)),
        ("bytes between workers", message.run.times(1 / workers / LINK)),
        ("calls of the exchanges", Span(calls.low, calls.likely, calls.high * 3)),
    ]
    plan.expected = total(plan.parts)
    step = duration(plan.expected.likely / max(1.0, rounds.likely))
    plan.notes += [
        f"a superstep takes about {step}: {duration(PEER)} per peer and exchange (measured), {LINK / 1e9:g} GB/s per "
        "worker (measured on one machine, assumed between machines)",
        "workers are assumed to have the memory speed of this machine",
    ]
