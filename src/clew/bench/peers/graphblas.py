"""SuiteSparse:GraphBLAS through python-graphblas: the usual algorithms, written with its products."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from clew.bench.task import ROUNDS, TOLERANCE, Answer, Prepare, Ready, Task, smallest_labels

DAMPING = 0.85
PULL_FROM = 1 / 32  # share of vertices in the frontier; smaller frontiers are pushed


def _matrix(task: Task, *, weights: Any = True, incoming: bool = False) -> Any:
    import graphblas

    graphblas.ss.config["nthreads"] = task.threads
    rows = task.graph.incoming if incoming and task.graph.directed else task.graph.outgoing
    values = task.graph.weights if weights is None else np.full(rows.indices.size, weights)
    return graphblas.Matrix.from_csr(rows.indptr, rows.indices.astype(np.uint64), values, ncols=task.graph.num_vertices)


def _bfs(task: Task) -> Ready:
    from graphblas import Vector
    from graphblas.semiring import any_pair

    out, into = _matrix(task), _matrix(task, incoming=True)
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


def _sssp(task: Task) -> Ready:
    from graphblas import Vector, binary
    from graphblas.semiring import min_plus

    out = _matrix(task, weights=None)
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


def _pagerank(rounds: int, tolerance: float, task: Task) -> Ready:
    from graphblas import Vector, binary, monoid, unary
    from graphblas.semiring import plus_second

    into = _matrix(task, weights=np.float32(1), incoming=True)
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


def _components(task: Task) -> Ready:
    from graphblas import Vector, binary
    from graphblas.semiring import min_second

    matrix = _matrix(task)
    if task.graph.directed:
        matrix = binary.lor(matrix | _matrix(task, incoming=True)).new()
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


def _triangles(task: Task) -> Ready:
    import graphblas
    from graphblas import Matrix
    from graphblas.semiring import plus_pair

    task.require_undirected()
    # Few edges lead from a vertex to ones of higher degree, so the product stays small. Sorting is not timed.
    matrix = _matrix(task)
    order = np.argsort(task.graph.degrees(), kind="stable")
    ordered = matrix[order, order].new()
    lower = graphblas.select.tril(ordered, -1).new()
    upper = graphblas.select.triu(ordered, 1).new()

    def call() -> int:
        counts = Matrix("INT64", lower.nrows, lower.ncols)
        counts(lower.S) << plus_pair(lower @ upper.T)
        return int(counts.reduce_scalar("plus").get(0))

    return Ready(call, lambda total: Answer(np.int64(total)))


def _betweenness(task: Task) -> Ready:
    from graphblas import Vector, binary
    from graphblas.semiring import plus_first, plus_second

    out, into = _matrix(task, weights=1.0), _matrix(task, weights=1.0, incoming=True)
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


OFFERS: dict[str, Prepare] = {
    "bfs": _bfs,
    "sssp": _sssp,
    "pagerank": partial(_pagerank, ROUNDS, 0.0),
    "pagerank_converged": partial(_pagerank, 100, TOLERANCE),
    "connected_components": _components,
    "triangles": _triangles,
    "betweenness": _betweenness,
}
