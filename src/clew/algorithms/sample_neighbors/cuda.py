"""Sampled neighbourhoods on a GPU. The samples are those of the CPU, and their arrays stay on the GPU."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.sample_neighbors import Samples, grow, number_by_sorting
from clew.algorithms.sample_neighbors.cpu import drawn_of, workspace
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_graph import incoming_on, rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.generate.kernels_random import bits
from clew.graph import Graph

__all__ = ["sample_neighbors", "workspace"]


def sample_neighbors(device: Device, graph: Graph, given: Samples) -> Answer:
    """Drawn edges; see ``clew.sample_neighbors``."""
    sources = device.upload(given.sources)
    return grow(device.xp, given, sources, partial(_draw, device, graph, given), partial(number_by_sorting, device.xp))


def _draw(device: Device, graph: Graph, given: Samples, vertices: Any, hop: int, fanout: int) -> tuple[Any, Any, Any]:
    xp, number = device.xp, np.uint64(vertices.size)
    rows = incoming_on(device, graph, weights=given.weighted)
    replace = given.replace and fanout >= 0
    defines = {**rows.defines, "BY_WEIGHT": int(given.weighted), "REPLACE": int(replace)}
    weights = rows.weights if given.weighted else device.zeros(1, np.float32)
    able = device.empty(vertices.size, np.int64)
    if vertices.size:
        counted = (rows.offsets, weights, vertices, number, able)
        launch_over(device, "samples.cuh", "count_able", defines, vertices.size, *counted)
    counts = drawn_of(able, fanout, replace=given.replace)
    ends = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(counts)])
    size = int(ends[-1])
    places, drawn = (device.empty(size, np.int64) for _ in range(2))
    keys = device.empty(size if given.weighted else 1, np.float64)
    if not size:
        return counts, drawn, places
    row = (rows.offsets, rows.neighbours, weights, vertices, number, np.uint64(bits(given.key, np.uint64(hop))))
    launch_over(device, "samples.cuh", "pick", defines, vertices.size, *row, able, ends, places, keys, drawn)
    if not graph.directed:
        return counts, drawn, places
    edges, out = device.empty(size, np.int64), rows_on(device, graph.outgoing, weights=False)
    ways = (rows.offsets, rows.neighbours, out.offsets, out.neighbours, vertices, number, ends, places, edges)
    launch_over(device, "samples.cuh", "out_places", defines, vertices.size, *ways)
    return counts, drawn, edges
