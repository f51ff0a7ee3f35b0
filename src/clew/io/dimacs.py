"""DIMACS: shortest path problems (``.gr``, coordinates in ``.co``) and graphs to colour (``.col``, ``.clq``).

Vertices count from 1 in the files and from 0 in the graph; lines that start with ``c`` are comments.

``p sp N M`` and M lines ``a FROM TO WEIGHT`` are a directed graph. An undirected one is customarily stored with both
arcs of every edge: ``directed=False`` reads it as such, and that both are there is checked. Weights may be negative
or fractions, although the challenge had neither. If ``X.gr`` has an ``X.co`` beside it (either may be compressed),
its coordinates go to ``metadata["coordinates"]``, n × 2. A graph is written with all its arcs; weights of 1 where
there are none, since other readers insist on a weight. Coordinates are written by ``write_coordinates``, into a file
of their own.

``p edge N M`` (``p col`` and ``p edges`` occur too) and lines ``e FROM TO`` are an undirected graph. M is the number
of these lines in most published instances; in some, edges are counted twice but listed once, and these are read as
well, as is the opposite. Instances that list both directions (``queen*``, ``miles*``, the books of the Stanford
GraphBase) so have every edge twice: pass ``duplicates="drop"``. ``directed=True`` makes two arcs of every edge. Lines
``n VERTEX VALUE`` go to ``metadata["vertex_weights"]`` if they begin before the edges do, and are refused otherwise;
lines ``d``, ``v`` and ``x``, which describe how an instance was made, are skipped. Written are only undirected graphs
without edge weights: the format has no room for more.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew import transform
from clew.checks import counted
from clew.dtypes import Array
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io.foreign import IF_EDGES
from clew.io.options import Progress, ReadOptions, WriteOptions, graph_from_edges, wanted_weights, weight_dtype
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import COMPRESSION_SUFFIXES, HEAD_BYTES, Source, packed_or_not
from clew.io.text import (
    Layout,
    Line,
    Word,
    as_count,
    check_vertices,
    error_about,
    leading_lines,
    missing_word,
    shown,
    words,
)
from clew.io.text.tables import Table, read_table
from clew.io.text.writer import write_table

#: The words after ``p`` for every kind of file that is read, and where such a file goes.
KINDS: dict[str, tuple[str, ...]] = {
    "shortest path": ("sp",),
    "graph": ("edge", "edges", "col"),
    "coordinates": ("aux sp co",),
}
#: What to do with a file of each kind: in Python, and on the command line.
READERS = {
    "shortest path": ("Read it with format='dimacs'.", "Read it with --format dimacs."),
    "graph": ("Read it with format='dimacs-col'.", "Read it with --format dimacs-col."),
    "coordinates": (
        "It holds coordinates: read the .gr file beside it, or call clew.io.dimacs.read_coordinates.",
        "It holds coordinates: read the .gr file beside it.",
    ),
}


def sniff_paths(head: bytes) -> Match:
    """Sure of shortest path problems, and of their coordinates, so that these can be refused with good advice."""
    return _sniff(head, "shortest path", "coordinates")


def sniff_graph(head: bytes) -> Match:
    """Sure of graphs to colour."""
    return _sniff(head, "graph")


def read_paths(source: Source, options: ReadOptions) -> Graph:
    """Read a shortest path problem."""
    problem = read_problem(source, "shortest path", ("vertices", "arcs"))
    num_vertices, num_arcs = problem.counts
    layout = Layout(
        ("id", "id", "skip" if options.weights is False else "number"),
        ("source", "target", "weight"),
        ((1, num_vertices),) * 2,
        base=1,
        number_dtype=None if options.weight_dtype is None else weight_dtype(options.weight_dtype),
        comments=b"c",
        prefix=b"a",
    )
    table = read_table(source, layout, after=problem.line, progress=options.progress)
    table.check_rows(num_arcs, "arcs", problem.words[1].place)
    check_vertices(source, problem.words[0], num_vertices, num_arcs)
    source_ids, target_ids = table.ids
    return Graph.from_edges(
        source_ids,
        target_ids,
        wanted_weights(table.numbers, options),
        num_vertices,
        options.directed is not False,
        options.duplicates,
        options.loops,
        both_directions=True,
        consume=True,
        metadata=_coordinates(source, num_vertices, options),
    )


def read_graph(source: Source, options: ReadOptions) -> Graph:
    """Read a graph to colour."""
    problem = read_problem(source, "graph", ("vertices", "edges"))
    num_vertices, promised = problem.counts
    valued = _has_values(source, problem.line)
    layout = Layout(
        ("id", "id"),
        ("source", "target"),
        ((1, num_vertices),) * 2,
        base=1,
        comments=b"cdvxn" if valued else b"cdvx",
        prefix=b"e",
    )
    table = read_table(source, layout, after=problem.line, progress=options.progress)
    if promised not in (2 * table.num_rows, table.num_rows / 2):
        table.check_rows(promised, "edges", problem.words[1].place)
    check_vertices(source, problem.words[0], num_vertices, table.num_rows)
    metadata = {"vertex_weights": read_values(source, problem.line, num_vertices)} if valued else None
    source_ids, target_ids = table.ids
    options = replace(options, ids="keep")  # names are for edge lists; here they would part vertices from their values
    return graph_from_edges(
        source_ids, target_ids, None, options, directed=False, num_vertices=num_vertices, metadata=metadata
    )


def write_paths(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a shortest path problem."""
    source, target, weights = transform.edges(graph.outgoing, once=False)
    sink.write(f"p sp {graph.num_vertices} {graph.num_arcs}\n".encode())
    lengths: Array = np.ones(graph.num_arcs, dtype=np.int8) if weights is None else weights
    write_table(sink, [source, target, lengths], bases=(1, 1, 0), prefix=b"a ", progress=options.progress)


def write_graph(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a graph to colour."""
    if graph.directed or graph.weighted:
        what, remedy = (
            ("directed", "graph.symmetrized()") if graph.directed else ("weighted", "graph.with_weights(None)")
        )
        raise FormatError(
            f"the graph is {what}, and this format holds only undirected graphs without edge weights; write {remedy} "
            "instead, or choose another format.",
            path=sink.path,
        )
    source, target, _ = graph.edges()
    sink.write(f"p edge {graph.num_vertices} {source.size}\n".encode())
    values: Any = graph.metadata.get("vertex_weights")
    if isinstance(values, np.ndarray) and values.shape == (graph.num_vertices,) and values.dtype.kind in "iuf":
        write_table(sink, [np.arange(1, graph.num_vertices + 1), values], prefix=b"n ")
    write_table(sink, [source, target], bases=(1, 1), prefix=b"e ", progress=options.progress)


def _sniff(head: bytes, *kinds: str) -> Match:
    line = first_line(head)
    if line is None:  # nothing but comments as far as can be seen
        return Match.MAYBE if len(head) == HEAD_BYTES else Match.NO
    return Match.SURE if line.startswith((b"p ", b"p\t")) and kind_of(line) in kinds else Match.NO


def _coordinates(source: Source, num_vertices: int, options: ReadOptions) -> dict[str, Any]:
    """What the file of coordinates beside the graph says, if there is one."""
    path = coordinates_beside(source.path)
    if path is None:
        return {}
    found = read_coordinates(path, max_expanded_bytes=options.max_expanded_bytes)
    if len(found) != num_vertices:
        raise FormatError(
            f"there are coordinates of {counted(len(found), 'vertex')}, but {source.name} has {num_vertices:,}; "
            "if they are of "
            "another graph, give this file another name.",
            path=path,
        )
    return {"coordinates": found}


def _has_values(source: Source, after: Line) -> bool:
    """Whether the first line after the problem line that is no comment is about a vertex."""
    lines = (line.text.strip() for line in leading_lines(source) if line.number > after.number)
    return next((text for text in lines if text and not text.startswith(b"c")), b"").startswith(b"n")


class Problem(NamedTuple):
    """The problem line: its counts, and the words that they come from."""

    counts: list[int]
    words: list[Word]

    @property
    def line(self) -> Line:
        """The line after which the rows begin."""
        return self.words[0].line


def kind_of(text: bytes) -> str | None:
    """Which of ``KINDS`` a problem line announces."""
    said = b" ".join(text.split()[1:]).decode("latin-1") + " "
    return next((kind for kind, names in KINDS.items() for name in names if said.startswith(name + " ")), None)


def first_line(head: bytes) -> bytes | None:
    """The first line of a text that is neither blank nor a comment."""
    lines = (line.strip() for line in re.split(rb"[\r\n]", head))
    return next((line for line in lines if line and not line.startswith(b"c")), None)


def read_problem(source: Source, kind: str, counted: tuple[str, ...]) -> Problem:
    """Read up to the problem line, which must be of the given kind and count these things."""
    name = KINDS[kind][0]
    expected = f"expected 'p {name} {' '.join(thing.upper() for thing in counted)}'"
    last: Line | None = None
    for last in leading_lines(source):
        text = last.text.strip()
        if not text or text.startswith(b"c"):
            continue
        found = words(last)
        if found[0].text != b"p":
            problem = f"the line starts with {found[0]}, but no problem line came before; {expected}."
            error = error_about(source, found[0], problem)
            raise error.advised(*IF_EDGES) if found[0].text.isdigit() else error
        announced = kind_of(text)
        if announced != kind:
            what = found[1] if found[1:] else missing_word(last)
            error = error_about(source, what, f"the problem line is {shown(text)}; {expected}.")
            raise error.advised(*READERS[announced]) if announced else error
        start = 1 + len(name.split())
        numbers = found[start:]
        if len(numbers) != len(counted):
            wrong = numbers[len(counted)] if len(numbers) > len(counted) else missing_word(last)
            raise error_about(source, wrong, f"the problem line is {shown(text)}; {expected}.")
        named = zip(numbers, counted, strict=True)
        return Problem([as_count(source, word, f"number of {thing}") for word, thing in named], numbers)
    raise source.error(f"the file ends before its problem line; {expected}.", line=last.number if last else None)


def read_coordinates(
    origin: str | Path | bytes | memoryview,
    *,
    max_expanded_bytes: int | None = None,
    progress: Progress | None = None,
) -> Array:
    """Read the coordinates of vertices from a DIMACS ``.co`` file.

    Parameters
    ----------
    origin
        A path, or the bytes themselves; either may be compressed.
    max_expanded_bytes
        Stop decompressing after this many bytes; None is the larger of 1 GiB and 200 times the compressed size.
    progress
        Called between blocks.

    Returns
    -------
    Array
        A row (x, y) for every vertex: int64, or float64 where there are fractions. The road networks of the ninth
        challenge give longitude and latitude in millionths of a degree.

    Raises
    ------
    FormatError
        Where the file is damaged, or leaves a vertex out.
    """
    source = Source(origin, max_expanded_bytes=max_expanded_bytes)
    problem = read_problem(source, "coordinates", ("vertices",))
    count, names = problem.counts[0], ("vertex", "x", "y")
    one = Layout(("id", "number", "skip"), names, ((1, count),), base=1, comments=b"c", prefix=b"v")
    other = Layout(("id", "skip", "number"), names, ((1, count),), base=1, comments=b"c", prefix=b"v")
    across = read_table(source, one, after=problem.line, progress=progress)
    across.check_rows(count, "vertices", problem.words[0].place)
    check_distinct(across, "coordinates")
    up = read_table(source, other, after=problem.line)
    assert across.numbers is not None
    assert up.numbers is not None
    coordinates = np.empty((count, 2), dtype=np.result_type(across.numbers, up.numbers))
    coordinates[across.ids[0], 0] = across.numbers
    coordinates[across.ids[0], 1] = up.numbers
    return coordinates


def write_coordinates(coordinates: npt.ArrayLike, path: str | Path) -> None:
    """Write a DIMACS ``.co`` file; ``coordinates`` has a row (x, y) for every vertex."""
    array = np.asarray(coordinates)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iuf":
        raise GraphError(
            f"coordinates have shape {array.shape} and dtype {array.dtype}; expected two numbers for every vertex."
        )
    with Sink(path) as sink:
        sink.write(f"p aux sp co {len(array)}\n".encode())
        columns = [np.arange(1, len(array) + 1), *np.ascontiguousarray(array.T)]
        write_table(sink, columns, prefix=b"v ")


def coordinates_beside(path: Path | None) -> Path | None:
    """The file of coordinates beside a ``.gr`` file: of the same name but for the suffix, compressed or not."""
    if path is None:
        return None
    name = path.name
    if path.suffix.lower() in COMPRESSION_SUFFIXES:
        name = name[: -len(path.suffix)]
    if not name.lower().endswith(".gr"):
        return None
    return packed_or_not(path.parent, name[: -len(".gr")] + ".co")


def read_values(source: Source, after: Line, num_vertices: int) -> Array:
    """The numbers of the lines ``n VERTEX VALUE``; a vertex without one has 1."""
    layout = Layout(("id", "number"), ("vertex", "value"), ((1, num_vertices),), base=1, comments=b"cedvx", prefix=b"n")
    table = read_table(source, layout, after=after)
    check_distinct(table, "a value")
    assert table.numbers is not None
    values = np.ones(num_vertices, dtype=table.numbers.dtype)
    values[table.ids[0]] = table.numbers
    return values


def check_distinct(table: Table, what: str) -> None:
    """Refuse a table in which a vertex occurs twice."""
    vertices, rows = np.unique(table.ids[0], return_index=True)
    if vertices.size == table.num_rows:
        return
    again = np.ones(table.num_rows, dtype=np.bool_)
    again[rows] = False
    row = int(np.argmax(again))
    raise table.error_at(row, 0, f"vertex {table.ids[0][row] + 1} has {what} already; expected every vertex once.")
