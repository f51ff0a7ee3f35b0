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
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray, id_dtype
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.ldbc.properties import STRUCTURE, SUFFIXES, Files, Properties, find_files, properties_text, stem_of
from clew.io.options import ReadOptions, WriteOptions, graph_from_edges
from clew.io.registry import PROPERTY, Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.text import Kind, Layout, leading_lines
from clew.io.text.tables import Table, read_table
from clew.io.text.writer import write_table
from clew.names import VertexNames

_ROW = re.compile(rb"\s*[0-9]+(\s*[ \t|].*)?")
SPREAD = 8  # a table may have so many slots for each id: that is still less memory than the edges take
COMMENTS = b"#"
_ANY_ID = (0, (1 << 63) - 1)


def sniff(head: bytes) -> Match:
    """Sure of properties; maybe where the first row starts with an integer, as those of vertices and edges do."""
    if PROPERTY.search(head):
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


class KnownIds:
    """Distinct ids in ascending order, none of them negative; looking one up gives its place among them."""

    def __init__(self, ids: OffsetArray) -> None:
        self.ids = ids
        self._first = int(ids[0]) if ids.size else 0
        self._span = int(ids[-1]) - self._first + 1 if ids.size else 0
        self._places: Array | None = None
        if ids.size < self._span <= SPREAD * ids.size:
            self._places = np.full(self._span, -1, dtype=id_dtype(ids.size))
            self._places[ids - self._first] = np.arange(ids.size)

    def places_of(self, wanted: Array) -> tuple[Array, int | None]:
        """The place of every one of ``wanted``, and the index of the first that does not exist, or None."""
        places = np.empty(wanted.size, dtype=id_dtype(self.ids.size))
        parts = threads.pieces(wanted.size)
        unknown = threads.each(self._look_up, parts, parts, wanted, places)
        return places, next((index for index in unknown if index is not None), None)

    def _look_up(self, part: int, parts: int, wanted: Array, places: Array) -> int | None:
        start, stop = part * wanted.size // parts, (part + 1) * wanted.size // parts
        mine, found = wanted[start:stop].astype(np.int64, copy=False), places[start:stop]
        if not self.ids.size:
            return start if mine.size else None
        known = (mine >= self._first) & (mine <= self.ids[-1])
        slots = np.where(known, mine - self._first, 0)
        if self._span == self.ids.size:  # no gaps between them
            found[:] = slots
        elif self._places is not None:
            found[:] = self._places[slots]
            known &= found >= 0
        else:
            found[:] = np.minimum(np.searchsorted(self.ids, mine), self.ids.size - 1)
            known &= self.ids[found] == mine
        return None if known.all() else start + int(known.argmin())


class _FirstRow(NamedTuple):
    """What the first row of a file tells about all of them."""

    line: int
    delimiter: bytes
    fields: int


def vertex_ids(source: Source, properties: Properties) -> OffsetArray:
    """The ids of all vertices in ascending order."""
    first = _first_row(source)
    others = list(properties.columns("vertex"))
    if properties.source is None and first is not None:
        others = ["property"] * (first.fields - 1)
    skipped: Kind = "skip"
    delimiter = b"" if first is None else first.delimiter
    layout = Layout(
        ("id", *[skipped] * len(others)),
        ("vertex", *others),
        (_ANY_ID,),
        comments=COMMENTS,
        delimiter=delimiter,
        canonical=True,  # 007 and 7 are different names
    )
    table = read_table(source, layout)
    _check_count(table, properties, "vertices")
    ids = table.ids[0].astype(np.int64, copy=False)
    if bool((ids[1:] > ids[:-1]).all()):
        return ids
    order = np.argsort(ids, kind="stable")
    ascending = ids[order]
    again = order[1:][ascending[1:] == ascending[:-1]]
    if again.size:
        row = int(again.min())
        raise table.error_at(row, 0, f"vertex {ids[row]} is listed a second time; expected every vertex once.")
    return ascending


def edge_table(source: Source, properties: Properties, options: ReadOptions) -> Table:
    """The ends of all edges and, where there are any, their weights."""
    first = _first_row(source)
    types = properties.columns("edge")
    if properties.source is None and first is not None:
        if first.fields not in (2, 3):
            raise source.error(
                f"the line has {first.fields} columns; expected source, target and, if there are weights, a weight. "
                "More columns have to be named in a .properties file.",
                line=first.line,
            )
        types = {"weight": ""} if first.fields == 3 else {}
    weight = _weight_column(types, properties, options)
    dtype = options.weight_dtype
    if dtype is None and weight is not None and types[weight] == "real":
        dtype = np.float64
    kinds: list[Kind] = ["id", "id", *("number" if name == weight else "skip" for name in types)]
    layout = Layout(
        tuple(kinds),
        ("source", "target", *types),
        (_ANY_ID, _ANY_ID),
        number_dtype=dtype,
        comments=COMMENTS,
        delimiter=b"" if first is None else first.delimiter,
        canonical=True,
    )
    table = read_table(source, layout, progress=options.progress)
    _check_count(table, properties, "edges")
    return table


def _weight_column(types: dict[str, str], properties: Properties, options: ReadOptions) -> str | None:
    """Which of the edge properties is the weight."""
    if options.weights is False:
        return None
    if options.weight is not None and options.weight not in types:
        listed = ", ".join(types) or "there are none"
        raise GraphError(f"no edge property is called {options.weight!r}; expected one of those there are: {listed}.")
    preferred = (options.weight, properties.values.get("sssp.weight-property"), "weight", *types)
    return next((name for name in preferred if name in types), None)


def _check_count(table: Table, properties: Properties, what: str) -> None:
    promised = properties.count(what)
    if promised is not None and properties.source is not None:
        table.check_rows(promised, what, by=properties.source.name)


def _first_row(source: Source) -> _FirstRow | None:
    for line in leading_lines(source):
        text = line.text.strip()
        if text and not text.startswith(COMMENTS):
            delimiter = b"|" if b"|" in text else b""
            return _FirstRow(line.number, delimiter, len(text.split(delimiter or None)))
    return None


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write the graph's vertices, edges and properties; ``sink`` is one of the three files.

    Ids are the names of the vertices, which have to be integers, or 0…n-1 where they have none. Vertices and edges are
    both compressed like the file that the caller named, the properties only if they are that file.

    All three are written under temporary names before the first takes its place: properties, vertices and edges in that
    order, but the one that the caller named last, so that whoever waits for it finds the others.
    """
    if sink.suffix not in SUFFIXES:
        raise FormatError(
            f"the name ends in {sink.suffix!r}; expected NAME.e, NAME.v or NAME.properties, which are the files of an "
            "LDBC graph.",
            path=sink.path,
        )
    ids = _ids(graph, sink)
    stem = stem_of(sink.path)
    source, target, weights = graph.edges()
    text = properties_text(stem, _properties(graph, stem, sink))
    with ExitStack() as others:

        def opened(suffix: str) -> Sink:
            if sink.suffix == suffix:
                return sink
            compression = "" if suffix == ".properties" else sink.compression or ""
            return others.enter_context(Sink(sink.path.with_name(stem + suffix + compression)))

        edges, vertices, properties = (opened(suffix) for suffix in SUFFIXES)
        properties.write(text)
        write_table(vertices, [ids])
        columns = [ids[source], ids[target]] if graph.names is not None else [source, target]
        write_table(edges, columns if weights is None else [*columns, weights], progress=options.progress)


def _ids(graph: Graph, sink: Sink) -> Array:
    if graph.names is None:
        return np.arange(graph.num_vertices)
    if not graph.names.are_integers:
        raise FormatError(
            f"ids of an LDBC graph are integers, but the vertices have names such as {graph.names[0]!r}; write another "
            "format, or a graph without names.",
            path=sink.path,
        )
    ids: Array = graph.names.array.to_numpy(zero_copy_only=False)
    if ids.size and (ids.min() < 0 or ids.max() > np.iinfo(np.int64).max):
        wrong = ids.min() if ids.min() < 0 else ids.max()
        raise FormatError(f"the name of a vertex is {wrong}; ids of an LDBC graph go from 0 to 2^63-1.", path=sink.path)
    return ids


def _properties(graph: Graph, stem: str, sink: Sink) -> dict[str, str]:
    """What describes the files, and the parameters of algorithms that the graph came with."""
    given = graph.metadata.get("ldbc", {})
    if not isinstance(given, Mapping):
        raise FormatError(f"metadata['ldbc'] is {given!r}; expected a dictionary of strings.", path=sink.path)
    parameters = {str(key): str(value) for key, value in given.items() if key not in STRUCTURE}
    for key, value in parameters.items():
        if not key or set(key) & set("=: \t\r\n#!") or set(value) & set("\r\n") or value != value.strip():
            raise FormatError(
                f"metadata['ldbc'] has {key!r}: {value!r}, which is no property of one line; change or remove it.",
                path=sink.path,
            )
    found = {
        "vertex-file": f"{stem}.v",
        "edge-file": f"{stem}.e",
        "meta.vertices": str(graph.num_vertices),
        "meta.edges": str(graph.num_edges),
        "directed": str(graph.directed).lower(),
    }
    if graph.weights is not None:
        name = parameters.get("sssp.weight-property", "weight")
        found["edge-properties.names"] = name if re.fullmatch(r"[^,\s]+", name) else "weight"
        found["edge-properties.types"] = "real" if graph.weights.dtype.kind == "f" else "integer"
    return found | parameters
