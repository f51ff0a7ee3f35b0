"""Public calls on the GPU as users write them: the whole call by the wall clock, compared with the peers' kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import clew
from bench.gpu.fixpoints import ROUNDS
from bench.gpu.graphs import Case
from bench.gpu.timing import Work


def cases(device: Any, case: Case) -> Iterator[Work]:
    """The five algorithms that peers were timed at."""
    graph, source = case.graph, case.source

    def search(name: str) -> Any:
        return lambda: getattr(clew, name)(graph, source, device="cuda")

    def ranks() -> Any:
        return clew.pagerank(graph, tolerance=0, max_iterations=ROUNDS, dtype="float32", device="cuda")

    def check_depths(result: Any) -> None:
        if case.depths is not None and int(result.depth[result.reached].astype("int64").sum()) != case.depths:
            raise AssertionError("depths have another sum than the peers'")

    def check_distances(result: Any) -> None:
        if case.distances is not None and int(result.distance[result.reached].sum()) != case.distances:
            raise AssertionError("distances have another sum than the peers'")

    yield Work("bfs", "call", search("bfs"), check_depths)
    yield Work("sssp", "call", search("sssp"), check_distances)
    yield Work("sswp", "call", search("sswp"))
    for _ in range(100 // ROUNDS):  # until a skewed graph has its sweep layout
        ranks()
    yield Work("pagerank", "call", ranks)
    if not graph.directed:
        yield Work("components", "call", lambda: clew.connected_components(graph, device="cuda"))
