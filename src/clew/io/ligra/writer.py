"""Ligra files written: a word, then a number to a line."""

from __future__ import annotations

import numpy as np

from clew.errors import FormatError
from clew.graph import Graph
from clew.io.options import WriteOptions
from clew.io.sink import Sink
from clew.io.text.writer import write_table

PLAIN, WEIGHTED = b"AdjacencyGraph", b"WeightedAdjacencyGraph"
BOUNDARY = "placement_boundary"


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a graph, an undirected one with both directions; ``placement_boundary`` of its metadata as D."""
    header = [graph.num_vertices, graph.num_arcs]
    boundary = graph.metadata.get(BOUNDARY)
    if boundary is not None:
        header.insert(0, _checked_boundary(boundary, graph, sink))
    sink.write(WEIGHTED if graph.weighted else PLAIN)
    sink.write("".join(f"\n{number}" for number in header).encode() + b"\n")
    for column in (graph.indptr[:-1], graph.indices, graph.weights):
        if column is not None:
            write_table(sink, [column], progress=options.progress)


def _checked_boundary(boundary: object, graph: Graph, sink: Sink) -> int:
    if not isinstance(boundary, (int, np.integer)) or not 0 <= boundary <= graph.num_vertices:
        raise FormatError(
            f"metadata[{BOUNDARY!r}] is {boundary!r}; expected an integer from 0 to {graph.num_vertices}, the number "
            "of vertices.",
            path=sink.path,
        )
    if boundary == 1 and not graph.num_arcs and not graph.weighted:
        raise FormatError(
            f"metadata[{BOUNDARY!r}] is 1 and there are no edges: the file would read like a graph of one vertex with "
            "self-loops. Leave the boundary out of the metadata.",
            path=sink.path,
        )
    return int(boundary)
