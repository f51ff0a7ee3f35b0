"""LDBC Graphalytics: ``NAME.v`` lists the vertices, ``NAME.e`` the edges, ``NAME.properties`` says what they mean.

Naming any of the three reads all of them. They are in one folder, compressed or not. File names from the properties are
used only if ``NAME.v`` or ``NAME.e`` does not exist. Without properties, edges are directed and a third column is their
weight. Further columns of vertices are ignored.

Ids are integers from 0 to 2^63-1, without a plus sign or leading zeros. They become the names of the vertices, in
ascending order, unless they are exactly 0…n-1. Vertices without edges are kept. Columns are separated by blanks or by
``|``. An undirected edge is listed once. The weight is the edge property that the caller or ``sssp.weight-property``
names, else the one called "weight", else the first. Parameters of algorithms are kept as strings in
``metadata["ldbc"]``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.dtypes import Array, OffsetArray, id_dtype
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.options import Progress, ReadOptions, WriteOptions, graph_from_edges
from clew.io.registry import PROPERTY
from clew.io.sink import Sink
from clew.io.source import Match, Source, packed_or_not, without_compression
from clew.io.text import Kind, Layout, first_rows, leading_lines, shown
from clew.io.text.tables import Table, read_table
from clew.io.text.writer import write_table
from clew.names import VertexNames

SUFFIXES = (".e", ".v", ".properties")
#: Keys that the graph itself represents; all others are kept unchanged.
STRUCTURE = (
    *("vertex-file", "edge-file", "meta.vertices", "meta.edges", "directed"),
    *(f"{what}-properties.{part}" for what in ("vertex", "edge") for part in ("names", "types")),
)
SPREAD = 8  # the most slots per id in a lookup table, which is still smaller than the edges
COMMENTS = b"#"
_ANY_ID = (0, (1 << 63) - 1)
_ROW = re.compile(rb"\s*[0-9]+(\s*[ \t|].*)?")
_PAIR = re.compile(rb"([^=:\s]+)\s*[=:](.*)", re.DOTALL)
_NAMED = re.compile(r"graph\.(.+)\.(?:directed|vertex-file|edge-file|meta\.vertices|meta\.edges)")
_EDGES_ALONE = "Edges alone are read with format='edge-list'."


def sniff(head: bytes) -> Match:
    """Sure of properties; maybe where the first row starts with an integer, as those of vertices and edges do."""
    if PROPERTY.search(head):
        return Match.SURE
    return Match.MAYBE if _ROW.fullmatch(next(first_rows(head, COMMENTS), b"")) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the graph that ``source``, one of its three files, belongs to."""
    return graph_of(find_files(source, options.max_expanded_bytes), options)


def graph_of(files: Files, options: ReadOptions) -> Graph:
    """The graph that three open files make."""
    vertices, edges, properties = files
    known = KnownIds(vertex_ids(vertices, properties))
    table = edge_table(edges, properties, options)
    ends = []
    for column, ids in enumerate(table.ids):
        places, unknown = known.places_of(ids)
        if unknown is not None:
            problem = f"there is no vertex {ids[unknown]}; expected one of those listed in {vertices.name}."
            raise table.error_at(unknown, column, problem)
        ends.append(places)
    (source, target), weights = ends, table.numbers
    del table, ids  # its ids take more memory than the graph
    count = known.ids.size
    numbered = not count or (known.ids[0] == 0 and known.ids[-1] == count - 1)
    names = None if numbered else VertexNames(known.ids)
    metadata = {"ldbc": properties.parameters} if properties.parameters else None
    more: dict[str, Any] = {"directed": properties.directed, "num_vertices": count, "names": names}
    return graph_from_edges(source, target, weights, replace(options, ids="keep"), metadata=metadata, **more)


class KnownIds:
    """Distinct ids of 0 or more in ascending order, with a lookup of their positions."""

    def __init__(self, ids: OffsetArray) -> None:
        self.ids = ids
        self._first = int(ids[0]) if ids.size else 0
        self._span = int(ids[-1]) - self._first + 1 if ids.size else 0
        self._places: Array | None = None
        if ids.size < self._span <= SPREAD * ids.size:
            self._places = np.full(self._span, -1, dtype=id_dtype(ids.size))
            self._places[ids - self._first] = np.arange(ids.size)

    def places_of(self, ids: Array) -> tuple[Array, int | None]:
        """The place of every id, and the index of the first that does not exist, or None."""
        places = np.empty(ids.size, dtype=id_dtype(self.ids.size))
        unknown = threads.in_pieces(self._look_up, ids.size, ids, places)
        return places, next((index for index in unknown if index is not None), None)

    def _look_up(self, part: int, parts: int, ids: Array, places: Array) -> int | None:
        start, stop = part * ids.size // parts, (part + 1) * ids.size // parts
        mine, found = ids[start:stop].astype(np.int64, copy=False), places[start:stop]
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


def vertex_ids(source: Source, properties: Properties) -> OffsetArray:
    """The ids of all vertices in ascending order."""
    _, delimiter, fields = _first_row(source)
    names = ["property"] * (fields - 1) if properties.source is None else list(properties.columns("vertex"))
    skipped: list[Kind] = ["skip"] * len(names)
    # 007 and 7 are different names, here and in edges.
    columns, names = ("id", *skipped), ["vertex", *names]
    layout = Layout(columns, tuple(names), (_ANY_ID,), comments=COMMENTS, delimiter=delimiter, canonical=True)
    table = _table(source, layout, properties, "vertices")
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
    line, delimiter, fields = _first_row(source)
    types = properties.columns("edge")
    if properties.source is None and line is not None:
        if fields not in (2, 3):
            raise source.error(
                f"the line has {fields} columns; expected source, target and, if there are weights, a weight. "
                "More columns have to be named in a .properties file.",
                line=line,
            )
        types = {"weight": ""} if fields == 3 else {}
    weight = _weight_column(types, properties, options)
    dtype = options.weight_dtype
    if dtype is None and weight is not None and types[weight] == "real":
        dtype = np.float64
    kinds: list[Kind] = ["id", "id", *("number" if name == weight else "skip" for name in types)]
    names = ("source", "target", *types)
    layout = Layout(tuple(kinds), names, (_ANY_ID, _ANY_ID), 0, dtype, COMMENTS, b"", delimiter, canonical=True)
    return _table(source, layout, properties, "edges", options.progress)


def _table(
    source: Source, layout: Layout, properties: Properties, what: str, progress: Progress | None = None
) -> Table:
    """All rows, as many as the properties say."""
    table = read_table(source, layout, progress=progress)
    promised = properties.count(what)
    if promised is not None and properties.source is not None:
        table.check_rows(promised, what, by=properties.source.name)
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


def _first_row(source: Source) -> tuple[int | None, bytes, int]:
    """The number of the line with the first row (None: there is none), its delimiter, and how many fields it has."""
    line = next(leading_lines(source, COMMENTS), None)
    if line is None:
        return None, b"", 1
    delimiter = b"|" if b"|" in line.text else b""
    return line.number, delimiter, len(line.text.strip().split(delimiter or None))


@dataclass(frozen=True, slots=True)
class Properties:
    """The properties of a graph.

    Parameters
    ----------
    values
        Keys, without ``graph.NAME.``, and values.
    lines
        The line of each key.
    source
        The file, or None where there is none: then nothing is known.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    source: Source | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """Everything that does not describe the files, such as the source vertices of algorithms."""
        return {key: value for key, value in self.values.items() if key not in STRUCTURE}

    @property
    def directed(self) -> bool:
        """Whether edges are directed, which is the default."""
        directed = self.values.get("directed", "true").lower()
        if directed not in ("true", "false"):
            raise self._error("directed", "expected 'true' or 'false'")
        return directed == "true"

    def count(self, what: str) -> int | None:
        """The number of "vertices" or "edges", or None."""
        count = self.values.get(f"meta.{what}")
        if count is None:
            return None
        if not re.fullmatch("[0-9]{1,18}", count):
            raise self._error(f"meta.{what}", "expected an integer of at most 18 digits")
        return int(count)

    def columns(self, what: str) -> dict[str, str]:
        """The names and types of the columns that "vertex" or "edge" lines have after their ids."""
        names, types = (self._listed(f"{what}-properties.{part}") for part in ("names", "types"))
        if types and len(types) != len(names):
            raise self._error(f"{what}-properties.types", f"expected as many types as there are names, {len(names)}")
        return dict(zip(names, types or [""] * len(names), strict=True))

    def _listed(self, key: str) -> list[str]:
        return [word.strip() for word in self.values.get(key, "").split(",") if word.strip()]

    def _error(self, key: str, expected: str) -> FormatError:
        assert self.source is not None
        return self.source.error(f"{key} is {self.values[key]!r}; {expected}.", line=self.lines[key])


def read_properties(source: Source, stem: str) -> Properties:
    """Read the properties of the graph that is called like the file, or else of the first one that the file names."""
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line in leading_lines(source, b"#!"):
        text = line.text.strip()
        pair = _PAIR.fullmatch(text)
        if pair is None:
            problem = f"the line starts with {shown(text)}; expected 'key = value' or a comment."
            raise source.error(problem, line=line.number)
        key = pair[1].decode("utf-8", "replace")
        values[key], lines[key] = pair[2].strip().decode("utf-8", "replace"), line.number
    prefix = f"graph.{stem}."
    if not any(key.startswith(prefix) for key in values):
        named = next(filter(None, map(_NAMED.fullmatch, values)), None)
        if named is None:
            raise source.error(
                f"no property describes a graph; expected keys such as '{prefix}directed' and '{prefix}edge-file'."
            )
        prefix = f"graph.{named[1]}."
    own = {key.removeprefix(prefix): key for key in values if key.startswith(prefix)}
    return Properties(
        {short: values[key] for short, key in own.items()}, {short: lines[key] for short, key in own.items()}, source
    )


class Files(NamedTuple):
    """Vertices and edges, open, and what is known about them."""

    vertices: Source
    edges: Source
    properties: Properties


def find_files(source: Source, max_expanded_bytes: int | None) -> Files:
    """Open the other two files of ``source``."""
    if source.path is None:
        raise source.error(
            "an LDBC graph consists of several files, and these are the bytes of one; pass the path of its .e, .v or "
            ".properties file.",
            remedy="The bytes of the edges alone are read with format='edge-list'.",
        )
    if source.suffix not in SUFFIXES:
        raise source.error(
            f"the file's name ends in {source.suffix!r}; expected NAME.e, NAME.v or NAME.properties, which are the "
            "files of an LDBC graph."
        ).advised(_EDGES_ALONE)
    folder, stem = source.path.parent, without_compression(source.path).stem

    def opened(suffix: str, named: str | None = None) -> Source | None:
        if source.suffix == suffix:
            return source
        found = packed_or_not(folder, stem + suffix) or (packed_or_not(folder, Path(named).name) if named else None)
        return None if found is None else Source(found, max_expanded_bytes=max_expanded_bytes)

    described = opened(".properties")
    properties = Properties() if described is None else read_properties(described, stem)
    vertices = opened(".v", properties.values.get("vertex-file"))
    if vertices is None:
        raise source.error(
            f"there is no '{stem}.v' in its folder, which lists the vertices of an LDBC graph.",
            remedy="If there are only edges, read them with format='edge-list'.",
        )
    edges = opened(".e", properties.values.get("edge-file"))
    if edges is None:
        raise source.error(f"there is no '{stem}.e' in its folder, which lists the edges of an LDBC graph.")
    return Files(vertices, edges, properties)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write the graph's vertices, edges and properties; ``sink`` is one of the three files.

    Ids are the names of the vertices, which have to be integers, or 0…n-1 where they have none. Vertices and edges are
    both compressed like the file that the caller named, the properties only if they are that file.

    All three are written under temporary names before the first is renamed. They are renamed in the order properties,
    vertices, edges. The file that the caller named is last, so that it never exists without the others.
    """
    if sink.suffix not in SUFFIXES:
        expected = "expected NAME.e, NAME.v or NAME.properties, which are the files of an LDBC graph."
        raise sink.error(f"the name ends in {sink.suffix!r}; {expected}")
    ids = _ids(graph, sink)
    stem = without_compression(sink.path).stem
    source, target, weights = graph.edges()
    graph_name = re.sub(r"[=:#!\s]", "_", stem)
    lines = (f"graph.{graph_name}.{key} = {value}\n" for key, value in _properties(graph, stem, sink).items())
    text = "".join(lines).encode()
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
        raise sink.error(
            f"ids of an LDBC graph are integers, but the vertices have names such as {graph.names[0]!r}; write another "
            "format, or a graph without names."
        )
    ids: Array = graph.names.array.to_numpy(zero_copy_only=False)
    if ids.size and (ids.min() < 0 or ids.max() > np.iinfo(np.int64).max):
        wrong = ids.min() if ids.min() < 0 else ids.max()
        raise sink.error(f"the name of a vertex is {wrong}; ids of an LDBC graph go from 0 to 2^63-1.")
    return ids


def _properties(graph: Graph, stem: str, sink: Sink) -> dict[str, str]:
    """The description of the files, and the parameters of algorithms in the metadata."""
    stored = graph.metadata.get("ldbc", {})
    if not isinstance(stored, Mapping):
        raise sink.error(f"metadata['ldbc'] is {stored!r}; expected a dictionary of strings.")
    parameters = {str(key): str(value) for key, value in stored.items() if key not in STRUCTURE}
    for key, value in parameters.items():
        if not key or set(key) & set("=: \t\r\n#!") or set(value) & set("\r\n") or value != value.strip():
            raise sink.error(
                f"metadata['ldbc'] has {key!r}: {value!r}, which is no property of one line; change or remove it."
            )
    structure = {
        "vertex-file": f"{stem}.v",
        "edge-file": f"{stem}.e",
        "meta.vertices": str(graph.num_vertices),
        "meta.edges": str(graph.num_edges),
        "directed": str(graph.directed).lower(),
    }
    if graph.weights is not None:
        name = parameters.get("sssp.weight-property", "weight")
        structure["edge-properties.names"] = name if re.fullmatch(r"[^,\s]+", name) else "weight"
        structure["edge-properties.types"] = "real" if graph.weights.dtype.kind == "f" else "integer"
    return structure | parameters
