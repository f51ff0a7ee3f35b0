"""What rounds of PageRank note of themselves on the device: ``Round`` of clock.cuh, as columns of a trace."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from clew.algorithms.pagerank import summary
from clew.algorithms.pagerank.cpu import TRACED_ROUNDS, rounds_over
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cuda.memory.bandwidth import on_host, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import Device
from clew.result import Trace, edge_bytes
from clew.workspace import Space, scratch


def space_for_rounds(max_iterations: int) -> Space:
    """A row for every round that is traced, and one for the end: its change, and the bits of when it began."""
    return scratch((min(max_iterations, TRACED_ROUNDS) + 1, 2), np.float64)


def told_by(device: Device, trace: Any, rounds: int) -> tuple[Array, Array]:
    """By how much each round changed the ranks, and when each began and the last ended, in nanoseconds."""
    rows = device.download(trace[: rounds + 1])  # fewer where not all rounds were traced
    return rows[:-1, 0], rows[:, 1].copy().view(np.int64)


def ranks_with_trace(device: Device, rank: Any, rows: DeviceRows, factors: Any, found: Any, trace: Any) -> Answer:
    """Ranks, and the trace of rounds over all edges of ``rows``; ``found`` is what the kernels say of the end."""
    changes, begun = told_by(device, trace, int(found["rounds"]))
    width, away = edge_bytes(rows.neighbours, factors), on_host(rows)
    size = SimpleNamespace(num_vertices=rows.num_vertices, num_arcs=rows.num_arcs)  # a trace must not keep the rows
    moved = Trace.later(lambda: with_link(rounds_over(size, begun, width), away)).columns
    return summary(rank, int(found["rounds"]), bool(found["converged"]), changes, moved)
