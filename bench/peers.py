"""What peers are there, and how each is asked for an algorithm on a graph."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import clew

#: What a peer offers: algorithm to a function that makes the timed call, given the graph and a source.
Maker = Callable[[clew.Graph, int], Callable[[], Any]]


def clew_calls() -> dict[str, Maker]:
    """The algorithms that are raced."""
    calls: dict[str, Maker] = {
        "bfs": lambda g, s: lambda: clew.bfs(g, s),
        "sssp": lambda g, s: lambda: clew.sssp(g, s),
        "pagerank": lambda g, s: lambda: clew.pagerank(g, tolerance=0, max_iterations=20, dtype="float32"),
        "connected_components": lambda g, s: lambda: clew.connected_components(g),
        "triangles": lambda g, s: lambda: clew.triangles(g, per_vertex=False),
        "betweenness": lambda g, s: lambda: clew.betweenness(g, samples=[s]),
    }
    return {name: make for name, make in calls.items() if hasattr(clew, name)}


def scipy_calls() -> dict[str, Maker]:
    """SciPy's csgraph; one thread."""
    from scipy.sparse import csgraph

    def matrix(g: clew.Graph) -> Any:
        return g.to_scipy().astype(np.float64)

    def bfs(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = matrix(g)
        return lambda: csgraph.breadth_first_order(a, s)

    def sssp(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = matrix(g)
        return lambda: csgraph.dijkstra(a, indices=s)

    def components(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = matrix(g)
        return lambda: csgraph.connected_components(a, directed=g.directed, connection="weak")

    return {"bfs": bfs, "sssp": sssp, "connected_components": components}


def networkit_calls() -> dict[str, Maker]:
    """NetworKit, where it is installed; as many threads as OpenMP is told."""
    try:
        import networkit as nk
    except ImportError:
        return {}

    def graph(g: clew.Graph, weighted: bool = False) -> Any:
        source, target, weights = g.edges()
        data = (weights.astype(np.float64) if weighted and weights is not None else None, (source, target))
        given = data if data[0] is not None else (source, target)
        return nk.GraphFromCoo(given, n=g.num_vertices, weighted=weighted, directed=g.directed)

    def bfs(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = graph(g)
        return lambda: nk.distance.BFS(a, s, storePaths=False).run()

    def sssp(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = graph(g, weighted=True)
        return lambda: nk.distance.Dijkstra(a, s, storePaths=False).run()

    def components(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = graph(g)
        kind = nk.components.WeaklyConnectedComponents if g.directed else nk.components.ParallelConnectedComponents
        return lambda: kind(a).run()

    def triangles(g: clew.Graph, s: int) -> Callable[[], Any]:
        a = graph(g)
        return lambda: nk.globals.ClusteringCoefficient.exactGlobal(a)

    return {"bfs": bfs, "sssp": sssp, "connected_components": components, "triangles": triangles}


GAP = {
    "bfs": ("bfs", ".sg", True, ()),
    "sssp": ("sssp", ".wsg", True, ("-d2",)),
    "pagerank": ("pr", ".sg", False, ("-i20", "-t0")),
    "connected_components": ("cc", ".sg", False, ()),
    "triangles": ("tc", ".sg", False, ()),
    "betweenness": ("bc", ".sg", True, ("-i1",)),
}


def gap_seconds(algorithm: str, graph: clew.Graph, source: int, folder: Path, threads: int) -> float | None:
    """The best trial of the GAP benchmark's program, where its programs are on the PATH; its own clock, run alone."""
    marker = shutil.which("cc_sv")  # the one name of its programs that nothing else has
    if marker is None or algorithm not in GAP:
        return None
    program, suffix, needs_source, options = GAP[algorithm]
    path = folder / f"graph{suffix}"
    if not path.exists():
        clew.write(graph if suffix == ".wsg" else graph.with_weights(None), path)
    start = ["-r", str(source)] if needs_source else []
    command = [str(Path(marker).with_name(program)), "-f", str(path), "-n", "5", *options, *start]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    times = [float(time) for time in re.findall(r"Trial Time:\s+([\d.]+)", done.stdout)]
    return min(times, default=None)
