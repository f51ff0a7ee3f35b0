"""METIS files written: every edge on the lines of both its ends, self-loops twice on theirs.

METIS itself knows neither self-loops nor parallel edges; they are written all the same, since other programs read them.
Names of vertices are not written: vertices are 1…n in their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.options import WriteOptions
from clew.io.sink import Sink
from clew.io.text.writer import write_lines


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write an undirected graph, with ``vertex_weights`` and ``vertex_sizes`` of its metadata where they are there."""
    _refuse_what_does_not_fit(graph, sink)
    sizes = _vertex_columns(graph, "vertex_sizes", sink)
    if len(sizes) > 1:
        raise FormatError(f"there are {len(sizes)} sizes per vertex; METIS has one.", path=sink.path)
    vertex_weights = _vertex_columns(graph, "vertex_weights", sink)
    digits = f"{len(sizes)}{int(bool(vertex_weights))}{int(graph.weighted)}"
    header = [str(graph.num_vertices), str(graph.num_edges)]
    if digits != "000":
        header.append(digits)
    if len(vertex_weights) > 1:
        header.append(str(len(vertex_weights)))
    sink.write(" ".join(header).encode() + b"\n")
    rows = graph.outgoing if not graph.num_loops else _with_loops_twice(graph.outgoing)
    columns = [rows.indices] if rows.weights is None else [rows.indices, rows.weights]
    write_lines(
        sink,
        rows.indptr,
        columns,
        leads=[*sizes, *vertex_weights],
        bases=[1, 0][: len(columns)],
        progress=options.progress,
    )


def _refuse_what_does_not_fit(graph: Graph, sink: Sink) -> None:
    if graph.directed:
        raise FormatError(
            "a METIS file holds an undirected graph, and this one is directed.",
            remedy="Write graph.symmetrized().",
            option="Make it undirected with --symmetrize.",
            path=sink.path,
        )
    if graph.weights is None:
        return
    if graph.weights.dtype.kind == "f":
        raise FormatError(
            f"METIS has integers for weights, not {graph.weights.dtype}.",
            remedy="Scale and round them first, for example with graph.with_weights((1000 * graph.weights).round()"
            ".astype('int64')), or drop them with graph.with_weights(None).",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.path,
        )
    if graph.weights.size and graph.weights.min() < 1:
        raise FormatError(
            f"the smallest edge weight is {graph.weights.min()}; METIS has weights of 1 and more.",
            remedy="Shift or drop them first, with graph.with_weights(…).",
            option="Drop them with --weights none, or take others, such as --weights random:1:255.",
            path=sink.path,
        )


def _vertex_columns(graph: Graph, name: str, sink: Sink) -> list[Array]:
    """Sizes or weights of vertices from the metadata: an array each."""
    given: Any = graph.metadata.get(name)
    if given is None:
        return []
    values = np.asarray(given)
    if values.dtype.kind not in "iu" or values.ndim not in (1, 2) or values.shape[0] != graph.num_vertices:
        raise FormatError(
            f"metadata[{name!r}] has shape {values.shape} and dtype {values.dtype}; expected integers, one or a row of "
            f"them for each of the {graph.num_vertices:,} vertices.",
            path=sink.path,
        )
    if values.ndim == 1:
        return [values]
    return [np.ascontiguousarray(values[:, column]) for column in range(values.shape[1])]


def _with_loops_twice(rows: Adjacency) -> Adjacency:
    """Rows in which every edge has two entries, self-loops as well."""
    owners = np.repeat(np.arange(rows.num_vertices, dtype=rows.indices.dtype), rows.degrees())
    loops = np.flatnonzero(rows.indices == owners)
    indices: Array = np.insert(rows.indices, loops, rows.indices[loops])
    return Adjacency(
        rows.indptr + np.searchsorted(loops, rows.indptr),
        indices,
        None if rows.weights is None else np.insert(rows.weights, loops, rows.weights[loops]),
    )
