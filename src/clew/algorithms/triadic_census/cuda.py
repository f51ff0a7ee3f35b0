"""Triadic census on a GPU: triangles by code, and pairs of neighbours from degrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.triadic_census import counted
from clew.algorithms.triangles.cuda import CODES, TOTAL, Neighbourhoods, by_tables, list_space, neighbourhoods
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, arcs = graph.num_vertices, 2 * graph.num_arcs if graph.directed else 0
    return Workspace(
        codes=scratch(64, np.uint64, 0),
        ends=scratch(arcs + 1, np.int64, 0) if graph.directed else None,
        kinds=scratch((4, n), np.int64, later=True),
        **list_space(graph, with_sides=graph.directed).deferred(),
    )


def triadic_census(device: Device, graph: Graph, **constants: int) -> Answer:
    """How many triads of each type there are; see ``clew.triadic_census``.

    ``constants`` (SMALL_SLOTS, LARGE_SLOTS, OWNED) replace those of the kernels, to measure them.
    """
    near, work = neighbourhoods(device, graph, with_sides=graph.directed), workspace(graph).allocate(device)
    if graph.directed:
        by_tables(device, near, CODES, work.codes, None, **constants)
    else:  # an edge leads both ways
        by_tables(device, near, TOTAL, None, work.codes[-1:], **constants)
    kinds = _kinds(device, near, work.ends)
    wedges = np.zeros((4, 4), np.int64)
    for one in (1, 2, 3):
        wedges[one, one] = int((kinds[one] * (kinds[one] - 1) // 2).sum())
        for other in range(one + 1, 4):
            wedges[one, other] = wedges[other, one] = int((kinds[one] * kinds[other]).sum())
    ones, twos = int(kinds[1].sum()), int(kinds[3].sum()) // 2
    return counted(device.download(work.codes).astype(np.int64), wedges, ones, twos, graph.num_vertices)


def _kinds(device: Device, near: Neighbourhoods, ends: Any) -> list[Any]:
    """The neighbours of every vertex by side: none, those it leads to, those that lead to it, and both."""
    all_of_them = near.up.astype(np.int64) + near.down
    if near.into is None:
        return [all_of_them * 0, all_of_them * 0, all_of_them * 0, all_of_them]
    starts = near.out.offsets.astype(np.int64) + near.into.offsets
    kinds = []
    for side in (1, 3):
        device.xp.cumsum(near.labels == side, dtype=np.int64, out=ends[1:])
        before = ends[starts]
        kinds.append(before[1:] - before[:-1])
    there, both = kinds
    return [all_of_them * 0, there, all_of_them - there - both, both]
