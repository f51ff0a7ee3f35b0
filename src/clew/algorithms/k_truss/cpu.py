"""Truss numbers on the CPU."""

from __future__ import annotations

import numpy as np

from clew import transform
from clew.algorithms.k_truss import kernels, of_pairs
from clew.algorithms.registry import Answer
from clew.algorithms.triangles.cpu import Lists, ranked, shown
from clew.dtypes import as_bits, id_dtype
from clew.engines.cpu import team
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The arrays of a run, if no edges are merged."""
    n, m, ids = graph.num_vertices, graph.num_edges, graph.indices.dtype
    numbers, arcs = id_dtype(m), 2 * m
    return Workspace(
        truss=result(m, np.int32),
        rank=scratch(n, f"u{ids.itemsize}"),
        start=scratch(n, np.uint64),
        stop=scratch(n, np.uint64),
        items=scratch(arcs, f"u{ids.itemsize}"),
        times=scratch(arcs, f"u{numbers.itemsize}"),
        number=scratch(arcs, numbers, later=True),
        ends=scratch(2 * m, ids, later=True),
        rows=scratch(arcs, ids, later=True),
        support=scratch(m, np.int32, later=True),
        left_and_queue=scratch(2 * m, numbers, later=True),
    )


def k_truss(graph: Graph) -> Answer:
    """The largest truss of every edge; see ``clew.k_truss``."""
    simple = _simple(graph)
    work, rows = workspace(simple).allocate(), simple.outgoing
    source, target, _ = simple.edges()
    number = as_bits(transform.of_arcs(rows, np.arange(source.size, dtype=id_dtype(source.size)), directed=False))
    indptr, indices = rows.unsigned()
    lists = ranked(simple, Lists(indptr[:-1], indptr[1:], indices, number), work)
    support = np.zeros(source.size, dtype=np.int32)
    team.run(kernels.supports, rows.num_arcs, *lists, support, **shown(simple))
    kernels.peel(indptr, indices.copy(), number, as_bits(source), as_bits(target), support, work.truss)
    keys = source.astype(np.int64) * graph.num_vertices + target
    return of_pairs(graph, keys, work.truss)


def _simple(graph: Graph) -> Graph:
    """The undirected graph without loops and parallel edges; the graph itself if it has none."""
    same = graph.indices[1:] == graph.indices[:-1]
    starts = graph.indptr[(graph.indptr > 0) & (graph.indptr < graph.num_arcs)]
    same[starts - 1] = False  # the last of a row and the first of another
    if not (graph.directed or graph.num_loops or same.any()):
        return graph
    source, target, _ = graph.edges()
    return Graph.from_edges(source, target, None, graph.num_vertices, False, "drop", "drop")
