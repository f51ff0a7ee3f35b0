"""SciPy, igraph, NetworKit, and SuiteSparse:GraphBLAS through python-graphblas.

SciPy and igraph use one thread. SciPy has csgraph for some algorithms, and sparse products for the others. igraph
returns Python lists, and converting to them is part of the time a caller waits. The algorithms of GraphBLAS are written
with its products.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csgraph, triu

from clew.bench.task import ROUNDS, TOLERANCE, Answer, Prepare, Ready, Task, smallest_labels

DAMPING = 0.85
FAR = np.finfo(np.float64).max  # NetworKit's distance of unreachable vertices
PULL_FROM = 1 / 32  # share of vertices in the frontier; smaller frontiers are pushed


def _triangles_of(task: Task, share: float) -> Answer:
    """The number of triangles, from the share of wedges that are closed; a triangle closes three."""
    degrees = task.graph.degrees().astype(np.float64)
    wedges = float((degrees * (degrees - 1)).sum()) / 2
    return Answer(np.int64(round(share * wedges / 3)))


def _matrix(task: Task) -> Any:
    """The graph as a matrix of SciPy."""
    return task.graph.to_scipy().astype(np.float64)


def _scipy_bfs(task: Task) -> Ready:
    matrix = _matrix(task)

    def answer(result: Any) -> Answer:
        order, parent = (array.tolist() for array in result)
        depth = [-1] * task.graph.num_vertices
        depth[task.source] = 0
        for vertex in order[1:]:
            depth[vertex] = depth[parent[vertex]] + 1
        return Answer(np.array(depth))

    return Ready(lambda: csgraph.breadth_first_order(matrix, task.source), answer)


def _scipy_sssp(task: Task) -> Ready:
    matrix = _matrix(task)
    return Ready(lambda: csgraph.dijkstra(matrix, indices=[task.source]), lambda output: Answer(output[0]))


def _scipy_components(task: Task) -> Ready:
    matrix = _matrix(task)
    return Ready(
        lambda: csgraph.connected_components(matrix, directed=task.graph.directed, connection="weak"),
        lambda output: Answer(smallest_labels(output[1])),
    )


def _scipy_pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    degrees = task.graph.degrees().astype(np.float64)
    into = task.graph.with_weights(None).to_scipy().T.tocsr().astype(np.float64)
    n = degrees.size
    share = np.divide(DAMPING, degrees, out=np.zeros(n), where=degrees > 0)
    dead_ends = np.flatnonzero(degrees == 0)

    def call() -> Any:
        rank = np.full(n, 1 / n)
        for _ in range(rounds):
            lost = DAMPING * rank[dead_ends].sum()
            new = into @ (rank * share) + (1 - DAMPING + lost) / n
            change = np.abs(new - rank).sum() if tolerance else 1.0
            rank = new
            if change < tolerance:
                break
        return rank

    return Ready(call, Answer)


def _scipy_triangles(task: Task) -> Ready:
    task.require_undirected()
    # Few edges lead from a vertex to ones of higher degree, so the product stays small. Sorting is not timed.
    order = np.argsort(task.graph.degrees(), kind="stable")
    matrix = task.graph.with_weights(None).to_scipy().astype(np.int64)[order][:, order]
    upper = triu(matrix, 1).tocsr()
    return Ready(lambda: (upper @ upper).multiply(upper).sum(), lambda output: Answer(np.int64(output)))


def _igraph(task: Task) -> Any:
    import igraph

    source, target, _ = task.graph.edges()
    ends = np.column_stack([source, target])
    return igraph.Graph(n=task.graph.num_vertices, edges=ends, directed=task.graph.directed)


def _igraph_distances(weighted: bool, task: Task) -> Ready:
    graph = _igraph(task)
    if weighted:
        graph.es["weight"] = np.asarray(task.graph.edges()[2]).tolist()

    def answer(result: Any) -> Answer:
        distance = np.array(result[0], dtype=np.float64)
        return Answer(distance if weighted else np.where(np.isfinite(distance), distance, -1).astype(np.int64))

    weights = "weight" if weighted else None
    return Ready(lambda: graph.distances(source=task.source, weights=weights, mode="out"), answer)


def _igraph_pagerank(task: Task) -> Ready:
    graph = _igraph(task)
    return Ready(lambda: graph.pagerank(damping=DAMPING), lambda output: Answer(np.array(output)))


def _igraph_components(task: Task) -> Ready:
    graph = _igraph(task)
    return Ready(
        lambda: graph.connected_components(mode="weak"), lambda output: Answer(smallest_labels(output.membership))
    )


def _igraph_triangles(task: Task) -> Ready:
    task.require_undirected()
    graph = _igraph(task)
    return Ready(lambda: graph.transitivity_undirected(mode="zero"), partial(_triangles_of, task))


def _igraph_betweenness(task: Task) -> Ready:
    graph = _igraph(task)
    scale = 1.0 if task.graph.directed else 2.0  # igraph halves the sum over sources of an undirected graph
    return Ready(
        lambda: graph.betweenness(directed=task.graph.directed, sources=[task.source]),
        lambda output: Answer(np.array(output) * scale),
    )


def _networkit(task: Task, *, weighted: bool = False) -> Any:
    import networkit

    source, target, weights = task.graph.edges()
    ends: Any = (np.array(source, dtype=np.uint64), np.array(target, dtype=np.uint64))  # narrower ids crash it
    if weighted and weights is not None:
        ends = (weights.astype(np.float64), ends)
    networkit.setNumberOfThreads(task.threads)
    return networkit.GraphFromCoo(ends, n=task.graph.num_vertices, weighted=weighted, directed=task.graph.directed)


def _networkit_distances(weighted: bool, task: Task) -> Ready:
    from networkit.distance import BFS, Dijkstra

    graph = _networkit(task, weighted=weighted)
    search = Dijkstra if weighted else BFS

    def answer(result: Any) -> Answer:
        distance = np.array(result.getDistances())
        distance[distance == FAR] = np.inf if weighted else -1
        return Answer(distance if weighted else distance.astype(np.int64))

    return Ready(lambda: search(graph, task.source, storePaths=False).run(), answer)


def _networkit_pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    from networkit.centrality import Norm, PageRank

    graph = _networkit(task)

    def call() -> Any:
        ranking = PageRank(graph, damp=DAMPING, tol=tolerance)
        ranking.maxIterations, ranking.norm = rounds, Norm.L1_NORM
        return ranking.run()

    return Ready(call, lambda ranking: Answer(np.array(ranking.scores())))


def _networkit_components(task: Task) -> Ready:
    from networkit import components

    graph = _networkit(task)
    find = components.WeaklyConnectedComponents if task.graph.directed else components.ParallelConnectedComponents

    def answer(result: Any) -> Answer:
        labels = np.empty(task.graph.num_vertices, dtype=np.int64)
        for number, members in enumerate(result.getComponents()):
            labels[members] = number
        return Answer(smallest_labels(labels))

    return Ready(lambda: find(graph).run(), answer)


def _networkit_triangles(task: Task) -> Ready:
    from networkit.globals import ClusteringCoefficient

    task.require_undirected()
    graph = _networkit(task)
    return Ready(lambda: ClusteringCoefficient.exactGlobal(graph), partial(_triangles_of, task))


def _graphblas_matrix(task: Task, *, weights: Any = True, incoming: bool = False) -> Any:
    import graphblas

    graphblas.ss.config["nthreads"] = task.threads
    rows = task.graph.incoming if incoming and task.graph.directed else task.graph.outgoing
    values = task.graph.weights if weights is None else np.full(rows.indices.size, weights)
    return graphblas.Matrix.from_csr(rows.indptr, rows.indices.astype(np.uint64), values, ncols=task.graph.num_vertices)


def _graphblas_bfs(task: Task) -> Ready:
    from graphblas import Vector
    from graphblas.semiring import any_pair

    out, into = _graphblas_matrix(task), _graphblas_matrix(task, incoming=True)
    n = task.graph.num_vertices

    def call() -> Any:
        depths, frontier = Vector("INT32", n), Vector(bool, n)
        frontier[task.source] = True
        depth = 0
        while frontier.nvals:
            depths(frontier.S) << depth
            depth += 1
            pull = frontier.nvals > n * PULL_FROM
            found = any_pair(into @ frontier) if pull else any_pair(frontier @ out)
            frontier(~depths.S, replace=True) << found
        return depths

    return Ready(call, lambda depths: Answer(depths.to_dense(-1)))


def _graphblas_sssp(task: Task) -> Ready:
    from graphblas import Vector, binary
    from graphblas.semiring import min_plus

    out = _graphblas_matrix(task, weights=None)
    n = task.graph.num_vertices
    dtype = "INT64" if task.graph.weights is not None and task.graph.weights.dtype.kind in "iu" else "FP64"

    def call() -> Any:
        distance, frontier = Vector(dtype, n), Vector(dtype, n)
        distance[task.source] = frontier[task.source] = 0
        while frontier.nvals:
            reached = min_plus(frontier @ out).new(dtype)
            worse = binary.ge(reached & distance).new()
            reached(~worse.V, replace=True) << reached  # what is shorter, or new
            distance(binary.min) << reached
            frontier = reached
        return distance

    return Ready(call, lambda distance: Answer(distance.dup("FP64").to_dense(np.inf)))


def _graphblas_pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    from graphblas import Vector, binary, monoid, unary
    from graphblas.semiring import plus_second

    into = _graphblas_matrix(task, weights=np.float32(1), incoming=True)
    n = task.graph.num_vertices
    degrees = task.graph.degrees().astype(np.float32)
    share = np.divide(DAMPING, degrees, out=np.zeros(n, dtype=np.float32), where=degrees > 0, dtype=np.float32)
    shares = Vector.from_dense(share)
    dead_ends = Vector.from_coo(np.flatnonzero(degrees == 0), True, dtype=bool, size=n)

    def call() -> Any:
        rank = Vector.from_scalar(1 / n, n, dtype="FP32")
        for _ in range(rounds):
            lost = 0.0
            if dead_ends.nvals:
                lost = DAMPING * float(binary.first(rank & dead_ends).reduce(monoid.plus).get(0.0))
            new = Vector.from_scalar((1 - DAMPING + lost) / n, n, dtype="FP32")
            new(binary.plus) << plus_second(into @ binary.times(rank & shares).new())
            change = 1.0
            if tolerance:
                change = float(unary.abs(binary.minus(new & rank).new()).reduce(monoid.plus).get(0.0))
            rank = new
            if change < tolerance:
                break
        return rank

    return Ready(call, lambda rank: Answer(rank.to_dense(0.0).astype(np.float64)))


def _graphblas_components(task: Task) -> Ready:
    from graphblas import Vector, binary
    from graphblas.semiring import min_second

    matrix = _graphblas_matrix(task)
    if task.graph.directed:
        matrix = binary.lor(matrix | _graphblas_matrix(task, incoming=True)).new()
    n = task.graph.num_vertices

    def call() -> Any:
        parent = np.arange(n)
        while True:  # FastSV: take the smallest grandparent of all neighbours, hook to it, and jump
            grand = parent[parent]
            found = min_second(matrix @ Vector.from_dense(grand)).new()
            index, smallest = found.to_coo()
            np.minimum.at(parent, parent[index], smallest)
            parent[index] = np.minimum(parent[index], smallest)
            parent = np.minimum(parent, parent[parent])
            if np.array_equal(parent[parent], grand):
                return parent

    return Ready(call, lambda parent: Answer(smallest_labels(parent)))


def _graphblas_triangles(task: Task) -> Ready:
    import graphblas
    from graphblas import Matrix
    from graphblas.semiring import plus_pair

    task.require_undirected()
    # Few edges lead from a vertex to ones of higher degree, so the product stays small. Sorting is not timed.
    matrix = _graphblas_matrix(task)
    order = np.argsort(task.graph.degrees(), kind="stable")
    ordered = matrix[order, order].new()
    lower = graphblas.select.tril(ordered, -1).new()
    upper = graphblas.select.triu(ordered, 1).new()

    def call() -> int:
        counts = Matrix("INT64", lower.nrows, lower.ncols)
        counts(lower.S) << plus_pair(lower @ upper.T)
        return int(counts.reduce_scalar("plus").get(0))

    return Ready(call, lambda total: Answer(np.int64(total)))


def _graphblas_betweenness(task: Task) -> Ready:
    from graphblas import Vector, binary
    from graphblas.semiring import plus_first, plus_second

    out, into = _graphblas_matrix(task, weights=1.0), _graphblas_matrix(task, weights=1.0, incoming=True)
    n = task.graph.num_vertices

    def call() -> Any:
        paths, frontier = Vector("FP64", n), Vector("FP64", n)
        frontier[task.source] = 1.0
        levels = []
        while frontier.nvals:
            paths(binary.plus) << frontier
            levels.append(frontier.dup())
            pull = frontier.nvals > n * PULL_FROM
            found = plus_second(into @ frontier) if pull else plus_first(frontier @ out)
            frontier(~paths.S, replace=True) << found
        depends = Vector.from_scalar(0.0, n, dtype="FP64")
        for level in range(len(levels) - 1, 1, -1):
            share = binary.truediv((1.0 + depends).new() & levels[level]).new()
            above = levels[level - 1]
            gathered = Vector("FP64", n)
            pull = share.nvals > n * PULL_FROM
            gathered(above.S) << (plus_second(out @ share) if pull else plus_first(share @ into))
            depends(binary.plus) << binary.times(gathered & above)
        return depends

    return Ready(call, lambda depends: Answer(depends.to_dense(0.0)))


OFFERS: Mapping[str, Mapping[str, Prepare]] = {
    "scipy": {
        "bfs": _scipy_bfs,
        "sssp": _scipy_sssp,
        "pagerank": partial(_scipy_pagerank, ROUNDS, 0.0),
        "pagerank_converged": partial(_scipy_pagerank, 100, TOLERANCE),
        "connected_components": _scipy_components,
        "triangles": _scipy_triangles,
    },
    "igraph": {
        "bfs": partial(_igraph_distances, False),
        "sssp": partial(_igraph_distances, True),
        "pagerank_converged": _igraph_pagerank,  # it solves for the limit, without iterations
        "connected_components": _igraph_components,
        "triangles": _igraph_triangles,
        "betweenness": _igraph_betweenness,
    },
    "networkit": {
        "bfs": partial(_networkit_distances, False),
        "sssp": partial(_networkit_distances, True),
        "pagerank": partial(_networkit_pagerank, ROUNDS, 0.0),
        "pagerank_converged": partial(_networkit_pagerank, 100, TOLERANCE),
        "connected_components": _networkit_components,
        "triangles": _networkit_triangles,
    },
    "graphblas": {
        "bfs": _graphblas_bfs,
        "sssp": _graphblas_sssp,
        "pagerank": partial(_graphblas_pagerank, ROUNDS, 0.0),
        "pagerank_converged": partial(_graphblas_pagerank, 100, TOLERANCE),
        "connected_components": _graphblas_components,
        "triangles": _graphblas_triangles,
        "betweenness": _graphblas_betweenness,
    },
}
