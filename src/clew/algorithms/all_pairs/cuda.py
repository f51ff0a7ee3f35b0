"""All distances on a GPU: one matrix, by Floyd and Warshall."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.all_pairs import cpu, summary
from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import Pace, launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device
from clew.engines.cuda.toolchain.source import ctype
from clew.graph import Graph
from clew.progress import over
from clew.workspace import Workspace, result, scratch

SIDE = 64  # of a tile, as in floyd_warshall.cuh
TALL, WIDE = 4, 4  # numbers of a tile that a thread computes: rows and columns, the latter in fours
ROUNDS_PER_LAUNCH = 64  # then the host checks for Ctrl-C,
SUMS_PER_LAUNCH = 1 << 41  # or after this many sums: about 0.3 s
FAR = 2**30 - 1  # in 32 bits: twice this is still a number
# How many pairs a GPU does in the time of one on the CPU, and from how many vertices the CPU searches at once.
TIMES_FASTER, SEARCHES_AT_ONCE = 500, 64


def workspace(graph: Graph, number: Any = None) -> Workspace:
    """The arrays of Floyd-Warshall; integers, which it computes in 32 bits or as float64, are converted at the end."""
    n, weights = graph.num_vertices, graph.weights
    whole = weights is None or weights.dtype.kind != "f"
    kind = (_integers(graph) if number is None else number) if weights is None or whole else weights.dtype
    return Workspace(
        distance=result((n, n), np.int64 if whole else kind, later=whole),
        computed=scratch((n, n), kind) if whole else None,
        closed=scratch(SIDE * SIDE, kind),
    )


def all_pairs(device: Device, graph: Graph, method: str) -> Answer:
    """Distances by a method, or by the faster one; searches are done on the CPU."""
    chosen = methods(graph)[0] if method == "auto" else method
    if chosen == "sparse":
        return summary(graph, cpu.sparse(graph), chosen)
    distance = floyd_warshall(device, graph)
    return summary(graph, distance, chosen, np.flatnonzero(device.download(distance.diagonal()) < 0))


def methods(graph: Graph) -> list[str]:
    """The methods that can do this graph, the faster one first; searches are done on the CPU."""
    able = cpu.methods(graph)
    if len(able) == 1:
        return able
    n, arcs = graph.num_vertices, graph.num_arcs
    searches = cpu.PAIRS_PER_VERTEX * n + cpu.PAIRS_PER_ARC * arcs
    if graph.weights is None:
        searches //= SEARCHES_AT_ONCE
    return ["floyd_warshall", "sparse"] if n * n < TIMES_FASTER * searches else ["sparse", "floyd_warshall"]


def floyd_warshall(device: Device, graph: Graph, *, number: Any = None, tall: int = TALL, wide: int = WIDE) -> Any:
    """Distances by Floyd and Warshall, on the device; a diagonal below 0 is the mark of a negative cycle.

    Integers are computed in 32 bits where no sum can be too large and no weight is negative. Otherwise float64 is used,
    which is exact as long as ``check_exact`` says so. ``number``, ``tall`` and ``wide`` replace what would be chosen,
    to measure it.
    """
    cpu.check_exact(graph)
    space = workspace(graph, number)
    work, n = space.allocate(device), graph.num_vertices
    whole = work.computed is not None
    distance = work.computed if whole else work.distance
    kind = distance.dtype
    far = kind.type(FAR if kind.kind == "i" else np.inf)
    if n == 0:
        return distance.astype(np.int64 if whole else kind)
    rows = rows_on(device, graph.outgoing)
    defines = {**rows.defines, "number_t": ctype(kind), "TALL": tall, "WIDE": wide}
    given = (np.uint64(n), rows.offsets, rows.neighbours, rows.weights, far, distance)
    launch_over(device, "floyd_warshall.cuh", "weights_as_matrix", defines, n * 32, *given)
    _close(device, defines, distance, work.closed, far, (SIDE // tall) * (SIDE // wide))
    if not whole:
        return distance
    integers = device.empty((n, n), dict(space)["distance"].dtype)
    pairs = np.uint64(n * n)
    launch_over(device, "floyd_warshall.cuh", "as_integers", defines, n * n, pairs, distance, far, integers)
    return integers


def _close(device: Device, defines: dict[str, Any], distance: Any, closed: Any, far: Any, threads: int) -> None:
    """Replace the weights of edges by the lengths of shortest paths, in place."""
    n, shared = distance.shape[0], 2 * SIDE * SIDE * distance.dtype.itemsize
    kernel = device.kernel("floyd_warshall.cuh", "floyd_warshall", defines)
    barrier = device.zeros(GRID_BARRIER_WORDS, np.uint32)
    tiles = -(-n // SIDE)
    rounds = max(1, min(ROUNDS_PER_LAUNCH, SUMS_PER_LAUNCH // (n * n * SIDE)))
    pace = Pace(device)
    for begin in over(range(0, tiles, rounds), "Floyd-Warshall", unit="rounds"):
        given = (distance, np.uint64(n), far, np.uint64(begin), np.uint64(min(tiles, begin + rounds)), closed, barrier)
        device.launch_cooperative(kernel, threads, *given, shared=shared, most=max(2 * tiles, tiles * tiles))
        if tiles > rounds:
            pace.launched()


def _integers(graph: Graph) -> type[np.generic]:
    """The type to compute integers in."""
    weights = graph.weights
    negative = weights is not None and weights.size > 0 and weights.dtype.kind == "i" and weights.min() < 0
    return np.float64 if negative or cpu.longest(graph) >= FAR else np.int32
