"""Breadth-first search on the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import clew
from bench.gpu.graphs import Case
from bench.gpu.timing import Work
from clew.algorithms.bfs.cuda import bfs


def cases(device: Any, case: Case) -> Iterator[Work]:
    """The search as it is, and without pulling."""

    def check(result: Any) -> str:
        depth = result.depth
        total = int(depth[depth >= 0].astype("int64").sum())
        if case.depths is not None and total != case.depths:
            raise AssertionError(f"depths sum to {total:,}, expected {case.depths:,}")
        return f"{result.iterations} levels"

    def check_fully(timed: Any) -> str:
        result = clew.bfs(case.graph, case.source, device="cuda").numpy()
        clew.verify.bfs(case.graph, case.source, result)
        return check(timed)

    yield Work("bfs", "auto", lambda: bfs(device, case.graph, case.source), check_fully)
    yield Work("bfs", "push only", lambda: bfs(device, case.graph, case.source, pull_cost=1e30), check)
    for threads in (256, 512):
        run = lambda threads=threads: bfs(device, case.graph, case.source, threads=threads)  # noqa: E731
        yield Work("bfs", f"{threads} threads", run, check)
