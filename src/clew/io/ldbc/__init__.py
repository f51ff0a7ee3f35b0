"""LDBC Graphalytics: ``NAME.v`` lists the vertices, ``NAME.e`` the edges, ``NAME.properties`` says what they mean.

Naming any of the three reads all of them. They lie in one folder, compressed or not; the files that the properties name
are looked for only where there are none called ``NAME.v`` and ``NAME.e``. Without properties, edges are directed and a
third column is their weight; whatever stands after the ids of vertices is ignored.

Ids are integers from 0 to 2^63-1, without a plus sign or leading zeros, and become the names of the vertices, in
ascending order, unless they are 0…n-1 anyway. Vertices without edges are kept. Columns are separated by blanks or by
``|``. An undirected edge stands once. Of several edge properties, the weight is the one that the caller or
``sssp.weight-property`` names, else the one called "weight", else the first. What the properties say about algorithms
is kept as strings in ``metadata["ldbc"]``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clew.dtypes import Array
from clew.graph import Graph
from clew.io.apply import graph_from_edges
from clew.io.ldbc.files import SUFFIXES, Files, find_files
from clew.io.ldbc.known_ids import KnownIds
from clew.io.ldbc.tables import COMMENTS, edge_table, vertex_ids
from clew.io.ldbc.writer import write
from clew.io.options import ReadOptions
from clew.io.registry import Format, Match
from clew.io.source import Source
from clew.io.text import Table
from clew.names import VertexNames

_PROPERTY = re.compile(rb"^[ \t]*graph\.\S+\.(directed|vertex-file|edge-file)[ \t]*[=:]", re.MULTILINE)
_ROW = re.compile(rb"\s*[0-9]+(\s*[ \t|].*)?")


def sniff(head: bytes) -> Match:
    """Sure of properties; maybe where the first row starts with an integer, as those of vertices and edges do."""
    if _PROPERTY.search(head):
        return Match.SURE
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith(COMMENTS)), b"")
    return Match.MAYBE if _ROW.fullmatch(first) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the graph that ``source``, one of its three files, belongs to."""
    return graph_of(find_files(source, options.max_expanded_bytes), options)


def graph_of(files: Files, options: ReadOptions) -> Graph:
    """The graph that three open files make."""
    vertices, edges, properties = files
    known = KnownIds(vertex_ids(vertices, properties))
    table = edge_table(edges, properties, options)
    source, target = (_places(table, column, known, vertices) for column in (0, 1))
    weights = table.numbers
    del table  # the ids in it take more memory than the graph, and have done their work
    options = replace(options, ids="keep")
    metadata = {"ldbc": properties.parameters} if properties.parameters else None
    count = known.ids.size
    numbered = not count or (known.ids[0] == 0 and known.ids[-1] == count - 1)
    return graph_from_edges(
        source,
        target,
        weights,
        options,
        directed=properties.directed,
        num_vertices=count,
        names=None if numbered else VertexNames(known.ids),
        metadata=metadata,
    )


def _places(table: Table, column: int, known: KnownIds, vertices: Source) -> Array:
    """One end of every edge as a vertex 0…n-1."""
    ids = table.ids[column]
    places, unknown = known.places_of(ids)
    if unknown is not None:
        raise table.error_at(
            unknown, column, f"there is no vertex {ids[unknown]}; expected one of those listed in {vertices.name}."
        )
    return places


FORMAT = Format(
    "ldbc",
    "LDBC Graphalytics graph (.v, .e, .properties)",
    SUFFIXES,
    sniff,
    read,
    write,
    keeps_names=True,
    keeps_metadata=("ldbc",),
    needs_suffix=True,  # the other files are found by it
    may_be_empty=True,  # a graph without edges has no line in its .e file
)
