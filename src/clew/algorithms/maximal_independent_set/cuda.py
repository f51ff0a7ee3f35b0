"""Maximal independent sets on the GPU: memory for the kernel. The sets are those of the CPU."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer
from clew.engines.cuda.balance.launches import control_of
from clew.engines.cuda.balance.symmetric_rows import symmetric_rows
from clew.engines.cuda.toolchain.device import Device
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch

STEPS_PER_LAUNCH = 1 << 18  # as steps.cuh counts; then the host checks for Ctrl-C
#: As in independent_set.cuh.
CONTROL = control_of(("begun", "rounds", "left", "done"), counters=3)


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run."""
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    lists = {name: scratch(n, ids) for name in ("live", "other_live", "joining", "listed")}
    key, left = scratch(n, np.uint64), scratch(min(n, TRACED_ROUNDS), np.int64)
    return Workspace(member=result(n, np.bool_), key=key, **lists, left=left)


def maximal_independent_set(device: Device, graph: Graph, seed: int, by_degree: bool, **constants: int) -> Answer:
    """A maximal independent set by rounds of random keys, or of random vertices whose degrees are the keys."""
    n = graph.num_vertices
    rows = symmetric_rows(device, graph)
    work = workspace(graph).allocate(device)
    member, left = work.member, work.left
    keys, draws = stream(seed, "independent set keys"), stream(seed, "independent set draws")
    if n == 0:
        return Answer({"member": member}, {"size": 0}, iterations=0, trace={"left": np.empty(0, np.int64)})
    defines = {"BY_DEGREE": int(by_degree), **constants}
    search = ("independent_set.cuh", "independent_set", defines, CONTROL, STEPS_PER_LAUNCH)
    lists = (work.live, work.other_live, work.joining, work.listed)
    used = (keys, draws, work.key, member, *lists, left, np.uint32(left.size))
    rounds = int(rows.launch_until_done(device, *search, *used)["rounds"])
    trace = {"left": device.download(left[:rounds])}
    return Answer({"member": member}, {"size": int(member.sum())}, iterations=rounds, trace=trace)
