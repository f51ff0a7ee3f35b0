"""Colouring on the GPU: the order of the vertices, and memory for the kernels. The colours are those of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.coloring import kernels, summary
from clew.algorithms.registry import Answer
from clew.dtypes import as_bits
from clew.engines.cpu import team
from clew.engines.cuda.balance.launches import control_of, launch_over
from clew.engines.cuda.balance.symmetric_rows import SymmetricRows, symmetric_rows
from clew.engines.cuda.toolchain.device import Device
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch

STEPS_PER_LAUNCH = 1 << 15  # as steps.cuh counts; then the host checks for Ctrl-C
#: As in coloring.cuh and coloring_rounds.cuh, with what coloring_waves.cuh counts.
ORDERED = control_of(("begun", "stop", "queued", "listed", "done"), counters=2)
ROUNDS = control_of(("begun", "rounds", "stop", "queued", "done"), counters=2)


def workspace(graph: Graph, method: str, order: str) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
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
    search = ("coloring.cuh", "color_in_order", constants, ORDERED, STEPS_PER_LAUNCH)
    rows.launch_until_done(device, *search, word, color, work.waiting, work.queue, work.listed)
    return summary(color)


def color_by_rounds(device: Device, graph: Graph, seed: int, **constants: int) -> Answer:
    """Every round colours those whose random value is the largest, or the smallest, among what is left around them."""
    n = graph.num_vertices
    rows = symmetric_rows(device, graph)
    work = workspace(graph, "rounds", "").allocate(device)
    color, colored = work.color, work.colored
    if n == 0:
        return summary(color, 0, {"colored": np.empty(0, np.int64)})
    search = ("coloring_rounds.cuh", "color_by_rounds", constants, ROUNDS, STEPS_PER_LAUNCH)
    used = (color, work.above, work.below, work.queue, work.listed, colored, np.uint32(colored.size))
    rounds = int(rows.launch_until_done(device, *search, stream(seed, "coloring"), *used)["rounds"])
    return summary(color, rounds, {"colored": device.download(colored[:rounds])})


def _set_priorities(device: Device, rows: SymmetricRows, by_degree: bool, key: np.uint64, word: Any) -> None:
    """Words in the order of the priorities: by degree, if requested, then at random."""
    n = int(word.size)
    top = rows.largest_degree() if by_degree else 0
    widths = (np.uint64(top), np.uint32(top.bit_length()), np.uint32(max(1, n - 1).bit_length()))
    given = (np.uint64(n), *rows.arguments, key, *widths, word)
    launch_over(device, "coloring.cuh", "priorities", rows.defines, n, *given)


def _smallest_last(device: Device, graph: Graph) -> Any:
    """The rank of every vertex in that order, which one thread of the CPU finds."""
    n = graph.num_vertices
    out, into, degrees = *team.symmetric_rows(graph), team.total_degrees(graph)
    vertices = np.empty(n, dtype=out[1].dtype)
    kernels.smallest_last(out, into, as_bits(degrees), np.uint64(degrees.max(initial=0)), vertices)
    rank = np.empty(n, dtype=np.uint64)
    rank[vertices] = np.arange(n, dtype=np.uint64)
    return device.upload(rank)
