"""DIMACS flow problems: maximum flow (``.max``) and minimum-cost flow (``.min``). Vertices count from 1 in the files.

``p max N M``, the lines ``n ID s`` and ``n ID t``, and arcs ``a FROM TO CAPACITY`` are a directed graph. Its weights
are capacities, its metadata have the ids ``source`` and ``sink``.

``p min N M``, lines ``n ID FLOW`` and arcs ``a FROM TO LOW CAPACITY COST`` are a directed graph. It has the edge
columns ``low``, ``capacity`` and ``cost``, and the vertex column ``supply``, which is 0 where no line gives it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from clew import transform
from clew.graph import Graph
from clew.io.attributed import weight_among
from clew.io.dimacs import MAX, MIN, read_header, sniff_problem
from clew.io.options import ReadOptions, WriteOptions, graph_from_edges, noted
from clew.io.sink import Sink
from clew.io.source import Match, Source
from clew.io.text import Kind, Layout, leading_lines
from clew.io.text.tables import read_table
from clew.io.text.writer import write_table

ENDS = {b"s": "source", b"t": "sink"}
COLUMNS = ("low", "capacity", "cost")


def sniff_max(head: bytes) -> Match:
    """Sure of maximum flow problems."""
    return sniff_problem(head, MAX)


def sniff_min(head: bytes) -> Match:
    """Sure of minimum-cost flow problems."""
    return sniff_problem(head, MIN)


def read_max(source: Source, options: ReadOptions) -> Graph:
    """Read a maximum flow problem."""
    (n, m), words = read_header(source, MAX, "vertices", "arcs")
    value: Kind = "skip" if options.weights is False else "number"
    names = ("source", "target", "capacity")
    layout = Layout(("id", "id", value), names, ((1, n),) * 2, 1, options.weight_dtype, comments=b"cn", prefix=b"a")
    table = read_table(source, layout, after=words[0].line, progress=options.progress)
    table.check_rows(m, "arcs", words[1].place)
    words[0].check_vertices(n, m)
    metadata: dict[str, int] = {}
    for line in leading_lines(source, b"cp"):
        first, *rest = line.words()
        if first.text != b"n":
            break
        if len(rest) != 2 or rest[1].text not in ENDS or ENDS[rest[1].text] in metadata:
            raise first.error("expected 'n ID s' for the source and 'n ID t' for the sink, once each.")
        vertex = rest[0].as_count("vertex")
        if not 1 <= vertex <= n:
            raise rest[0].error(f"the vertex is {rest[0]}; expected 1 to {n:,}.")
        metadata[ENDS[rest[1].text]] = vertex - 1
    known: dict[str, Any] = {"directed": True, "num_vertices": n, "metadata": metadata, "both_directions": True}
    starts, ends = table.ids
    return graph_from_edges(starts, ends, table.numbers, replace(options, ids="keep"), **known)


def read_min(source: Source, options: ReadOptions) -> Graph:
    """Read a minimum-cost flow problem."""
    (n, m), words = read_header(source, MIN, "vertices", "arcs")
    names, arrays, tables = ("source", "target", *COLUMNS), {}, []
    for place, name in enumerate(COLUMNS):
        kinds: Any = ("id", "id", *("number" if at == place else "skip" for at in range(len(COLUMNS))))
        layout = Layout(kinds, names, ((1, n),) * 2, base=1, comments=b"cn", prefix=b"a")
        tables.append(read_table(source, layout, after=words[0].line))
        tables[0].check_rows(m, "arcs", words[1].place)
        arrays[name] = tables[-1].numbers
    words[0].check_vertices(n, m)
    layout = Layout(("id", "number"), ("vertex", "flow"), ((1, n),), base=1, comments=b"ca", prefix=b"n")
    supplies = read_table(source, layout, after=words[0].line)
    assert supplies.numbers is not None
    supply = np.zeros(n, dtype=supplies.numbers.dtype if supplies.num_rows else np.int64)
    supply[supplies.ids[0]] = supplies.numbers
    weights, columns, said = weight_among(pa.table(arrays), options)
    known: dict[str, Any] = {"directed": True, "num_vertices": n, "edge_columns": columns}
    first, second = tables[0].ids
    graph = graph_from_edges(first, second, weights, replace(options, ids="keep"), **known)
    return noted(graph.with_vertex_columns({"supply": supply}), *said)


def write_max(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a maximum flow problem."""
    ends = [graph.metadata.get(name) for name in ENDS.values()]
    if not all(isinstance(end, int) and 0 <= end < graph.num_vertices for end in ends):
        raise sink.error(
            "the graph's metadata do not name the ids 'source' and 'sink', which a maximum flow problem has. Build the "
            "graph with metadata={'source': 0, 'sink': 5}, or write '.gr'."
        )
    source, target, weights = transform.edges(graph.outgoing, once=False)
    sink.write(f"p max {graph.num_vertices} {graph.num_arcs}\n".encode())
    for end, letter in zip(ends, ENDS, strict=True):
        sink.write(b"n %d %s\n" % (int(end) + 1, letter))  # type: ignore[arg-type]
    capacities = np.ones(graph.num_arcs, dtype=np.int8) if weights is None else weights
    write_table(sink, [source, target, capacities], bases=(1, 1, 0), prefix=b"a ", progress=options.progress)
