"""Colouring on the GPU: the order of the vertices, and memory for the kernels. The colours are those of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.coloring import summary
from clew.algorithms.coloring.cpu import TRACED_ROUNDS
from clew.algorithms.coloring.cpu import both_ways as host_rows
from clew.algorithms.registry import Answer
from clew.dtypes import as_bits
from clew.engines.cuda.balance.launches import control_of, launch_until_done, share_of
from clew.engines.cuda.balance.symmetric_rows import SymmetricRows, few_blocks, symmetric_rows
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines
from clew.engines.cuda.toolchain.source import KernelSource
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.result import Trace
from clew.workspace import Workspace, result, scratch

THREADS = 512
STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host has a look, so that Ctrl-C is heard
#: As in coloring.cuh and coloring_rounds.cuh, with what coloring_waves.cuh counts.
ORDERED = control_of(("begun", "stop", "queued", "listed", "done"), counters=2)
ROUNDS = control_of(("begun", "rounds", "stop", "queued", "done"), counters=2)


def workspace(graph: Graph, method: str, order: str) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.indices.dtype
    both = {"color": result(n, np.int32), "queue": scratch(n, ids), "listed": scratch(n, ids)}
    if method == "rounds":
        return Workspace(
            **both,
            above=scratch(n, np.uint32),
            below=scratch(n, np.uint32),
            colored=scratch(min(n, TRACED_ROUNDS), np.int64),
        )
    word = scratch(n, np.uint64, later=order == "smallest_last")
    return Workspace(**both, word=word, waiting=scratch(n, np.uint32))


def coloring(device: Device, graph: Graph, method: str, order: str, seed: int) -> Answer:
    """By rounds, or one vertex after the other in an order."""
    return color_by_rounds(device, graph, seed) if method == "rounds" else color_in_order(device, graph, order, seed)


def color_in_order(device: Device, graph: Graph, order: str, seed: int, **constants: int) -> Answer:
    """Every vertex gets the smallest colour that no neighbour before it has."""
    n = graph.num_vertices
    rows = symmetric_rows(device, graph)
    work = workspace(graph, "in_order", order).allocate(device)
    color, word = work.color, work.word
    if n == 0:
        return summary(color)
    if order == "smallest_last":
        word = _smallest_last(device, graph)
    else:
        _set_priorities(device, rows, order == "largest_first", stream(seed, "coloring"), word)
    steps = np.int32(share_of(STEPS_PER_LAUNCH, *rows.rows))
    kernel = device.kernel("coloring.cuh", "color_in_order", {**rows.defines, **constants})
    given = (np.uint64(n), *rows.arguments, steps, word, color, work.waiting, work.queue, work.listed)
    launch_until_done(
        device,
        ORDERED,
        lambda control: device.launch_cooperative(kernel, THREADS, *given, control, most=few_blocks(n)),
    )
    return summary(color)


def color_by_rounds(device: Device, graph: Graph, seed: int, **constants: int) -> Answer:
    """Every round colours those whose random value is the largest, or the smallest, among what is left around them."""
    n = graph.num_vertices
    rows = symmetric_rows(device, graph)
    work = workspace(graph, "rounds", "").allocate(device)
    color, colored = work.color, work.colored
    if n == 0:
        return summary(color, 0, Trace({"colored": np.empty(0, np.int64)}))
    steps = np.int32(share_of(STEPS_PER_LAUNCH, *rows.rows))
    kernel = device.kernel("coloring_rounds.cuh", "color_by_rounds", {**rows.defines, **constants})
    given = (np.uint64(n), *rows.arguments, steps, stream(seed, "coloring"))
    used = (color, work.above, work.below, work.queue, work.listed, colored, np.uint32(colored.size))
    told = launch_until_done(
        device,
        ROUNDS,
        lambda control: device.launch_cooperative(kernel, THREADS, *given, *used, control, most=few_blocks(n)),
    )
    rounds = int(told["rounds"])
    return summary(color, rounds, Trace({"colored": device.download(colored[:rounds])}))


def _set_priorities(device: Device, rows: SymmetricRows, by_degree: bool, key: np.uint64, word: Any) -> None:
    """Words in the order of the priorities: by degree, if asked for, then at random."""
    n = int(word.size)
    top = rows.largest_degree() if by_degree else 0
    device.launch(
        device.kernel("coloring.cuh", "priorities", rows.defines),
        blocks_for(device, n, 256),
        256,
        np.uint64(n),
        *rows.arguments,
        key,
        np.uint64(top),
        np.uint32(top.bit_length()),
        np.uint32(max(1, n - 1).bit_length()),
        word,
    )


def _smallest_last(device: Device, graph: Graph) -> Any:
    """The rank of every vertex in that order, which is found by one thread of the CPU."""
    from clew.algorithms.coloring import kernels

    out, into = host_rows(graph)
    degrees = graph.degrees() + graph.degrees("in") if graph.directed else graph.degrees().copy()
    vertices = np.empty(graph.num_vertices, dtype=out[1].dtype)
    kernels.smallest_last(out, into, as_bits(degrees), np.uint64(degrees.max(initial=0)), vertices)
    rank = np.empty(graph.num_vertices, dtype=np.uint64)
    rank[vertices] = np.arange(graph.num_vertices, dtype=np.uint64)
    return device.upload(rank)


VARIANTS = [
    KernelSource.of(file, index_defines(np.dtype(index), arcs))
    for file in ("coloring.cuh", "coloring_rounds.cuh")
    for index, arcs in ((np.int32, 0), (np.int64, 1 << 32))
]
