"""DIMACS: shortest path problems (``.gr``, coordinates in ``.co``) and graphs to colour (``.col``, ``.clq``).

Vertices count from 1 in the files and from 0 in the graph; lines that start with ``c`` are comments.

``p sp N M`` and M lines ``a FROM TO WEIGHT`` are a directed graph. An undirected one usually stores both arcs of every
edge: ``directed=False`` reads it as such and checks it. Weights may be negative or fractions, although the challenge
had neither. If there is an ``X.co`` next to ``X.gr`` (either may be compressed), its coordinates become
``metadata["coordinates"]``, n × 2. A graph is written with all its arcs. Unweighted edges get weight 1, because other
readers require a weight. ``write_coordinates`` writes coordinates to a separate file.

``p edge N M`` (``p col`` and ``p edges`` occur too) and lines ``e FROM TO`` are an undirected graph. M is the number of
these lines in most published instances. Some count edges twice but list them once, or the opposite; clew reads both.
Instances that list both directions (``queen*``, ``miles*``, the books of the Stanford GraphBase) have every edge twice:
pass ``duplicates="drop"``. ``directed=True`` makes two arcs of every edge. Lines ``n VERTEX VALUE`` before the edges
become ``metadata["vertex_weights"]``; after them they are an error. Lines ``d``, ``v`` and ``x`` describe how an
instance was generated and are skipped. Only undirected graphs without edge weights can be written.
"""

from __future__ import annotations

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
from clew.io.options import Progress, ReadOptions, WriteOptions, graph_from_edges
from clew.io.sink import Sink
from clew.io.source import HEAD_BYTES, Match, Source, packed_or_not, without_compression
from clew.io.text import Kind, Layout, Line, Word, first_rows, has_content, leading_lines, shown
from clew.io.text.tables import Table, read_table
from clew.io.text.writer import write_table


class Problem(NamedTuple):
    """A file type: the words after ``p``, and how to read such a file."""

    words: tuple[str, ...]
    remedy: str


PATHS = Problem(("sp",), "Read it with format='dimacs'.")
GRAPH = Problem(("edge", "edges", "col"), "Read it with format='dimacs-col'.")
MAX = Problem(("max",), "Read it with format='dimacs-max'.")
MIN = Problem(("min",), "Read it with format='dimacs-min'.")
COORDINATES = Problem(
    ("aux sp co",),
    "It holds coordinates: read the .gr file that belongs to it, or in Python call clew.io.dimacs.read_coordinates.",
)


def sniff_paths(head: bytes) -> Match:
    """Sure of shortest path problems, and of coordinates, which get an error with advice."""
    return sniff_problem(head, PATHS, COORDINATES)


def sniff_graph(head: bytes) -> Match:
    """Sure of graphs to colour."""
    return sniff_problem(head, GRAPH)


def sniff_problem(head: bytes, *problems: Problem) -> Match:
    """Sure of files whose problem line announces one of these."""
    line = next(first_rows(head, b"c"), None)
    if line is None:  # only comments in the head
        return Match.MAYBE if len(head) == HEAD_BYTES else Match.NO
    return Match.SURE if line.startswith((b"p ", b"p\t")) and _problem_of(line) in problems else Match.NO


def read_paths(source: Source, options: ReadOptions) -> Graph:
    """Read a shortest path problem."""
    (num_vertices, num_arcs), words = read_header(source, PATHS, "vertices", "arcs")
    value: Kind = "skip" if options.weights is False else "number"
    names, ranges = ("source", "target", "weight"), ((1, num_vertices),) * 2
    layout = Layout(("id", "id", value), names, ranges, 1, options.weight_dtype, comments=b"c", prefix=b"a")
    table = read_table(source, layout, after=words[0].line, progress=options.progress)
    table.check_rows(num_arcs, "arcs", words[1].place)
    words[0].check_vertices(num_vertices, num_arcs)
    metadata = _coordinates(source, num_vertices, options)
    known: dict[str, Any] = {"directed": True, "num_vertices": num_vertices, "metadata": metadata}
    options = replace(options, ids="keep")  # as in read_graph
    source_ids, target_ids = table.ids
    return graph_from_edges(source_ids, target_ids, table.numbers, options, both_directions=True, **known)


def read_graph(source: Source, options: ReadOptions) -> Graph:
    """Read a graph to colour."""
    (num_vertices, promised), words = read_header(source, GRAPH, "vertices", "edges")
    after = words[0].line
    rest = (line.text.strip() for line in leading_lines(source, b"c") if line.number > after.number)
    valued = next(rest, b"").startswith(b"n")
    comments = b"cdvxn" if valued else b"cdvx"
    ranges = ((1, num_vertices),) * 2
    layout = Layout(("id", "id"), ("source", "target"), ranges, base=1, comments=comments, prefix=b"e")
    table = read_table(source, layout, after=after, progress=options.progress)
    if promised not in (2 * table.num_rows, table.num_rows / 2):
        table.check_rows(promised, "edges", words[1].place)
    words[0].check_vertices(num_vertices, table.num_rows)
    metadata = {"vertex_weights": _vertex_values(source, after, num_vertices)} if valued else None
    options = replace(options, ids="keep")  # mapping ids would separate vertices from their values
    known: dict[str, Any] = {"directed": False, "num_vertices": num_vertices, "metadata": metadata}
    source_ids, target_ids = table.ids
    return graph_from_edges(source_ids, target_ids, None, options, **known)


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
        raise sink.error(
            f"the graph is {what}, and this format holds only undirected graphs without edge weights; write {remedy} "
            "instead, or choose another format."
        )
    source, target, _ = graph.edges()
    sink.write(f"p edge {graph.num_vertices} {source.size}\n".encode())
    values: Any = graph.metadata.get("vertex_weights")
    if isinstance(values, np.ndarray) and values.shape == (graph.num_vertices,) and values.dtype.kind in "iuf":
        write_table(sink, [np.arange(1, graph.num_vertices + 1), values], prefix=b"n ")
    write_table(sink, [source, target], bases=(1, 1), prefix=b"e ", progress=options.progress)


def _problem_of(text: bytes) -> Problem | None:
    """The type of file that a problem line announces."""
    words = b" ".join(text.split()[1:]).decode("latin-1") + " "
    known = (PATHS, GRAPH, MAX, MIN, COORDINATES)
    return next((one for one in known if words.startswith(tuple(name + " " for name in one.words))), None)


def read_header(source: Source, problem: Problem, *names: str) -> tuple[list[int], list[Word]]:
    """The counts in the problem line, which must be of the given type, and their words."""
    name = problem.words[0]
    expected = f"expected 'p {name} {' '.join(names).upper()}'"
    line: Line | None = None
    for line in leading_lines(source):
        if not has_content(line.text, b"c"):
            continue
        first, *others = line.words()
        if first.text != b"p":
            error = first.error(f"the line starts with {first}, but no problem line came before; {expected}.")
            raise error.advised(IF_EDGES) if first.text.isdigit() else error
        text = line.text.strip()
        wrong = f"the problem line is {shown(text)}; {expected}."
        announced = _problem_of(text)
        if announced != problem:
            error = (others[0] if others else line.missing_word()).error(wrong)
            raise error.advised(announced.remedy) if announced else error
        return line.counts(names, wrong, 1 + len(name.split()))
    raise source.error(f"the file ends before its problem line; {expected}.", line=line.number if line else None)


def read_coordinates(
    origin: str | Path | bytes | memoryview, *, max_expanded_bytes: int | None = None, progress: Progress | None = None
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
        If the file is damaged or lacks a vertex.
    """
    source = Source(origin, max_expanded_bytes=max_expanded_bytes)
    (count,), words = read_header(source, COORDINATES, "vertices")
    names, after = ("vertex", "x", "y"), words[0].line
    one = Layout(("id", "number", "skip"), names, ((1, count),), base=1, comments=b"c", prefix=b"v")
    across = read_table(source, one, after=after, progress=progress)
    across.check_rows(count, "vertices", words[0].place)
    _check_distinct(across, "coordinates")
    up = read_table(source, replace(one, columns=("id", "skip", "number")), after=after)
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


def _coordinates(source: Source, num_vertices: int, options: ReadOptions) -> dict[str, Any]:
    """The content of the file of coordinates next to ``X.gr``: ``X.co``, compressed or not."""
    plain = Path() if source.path is None else without_compression(source.path)
    path = packed_or_not(plain.parent, plain.stem + ".co") if plain.suffix.lower() == ".gr" else None
    if path is None:
        return {}
    coordinates = read_coordinates(path, max_expanded_bytes=options.max_expanded_bytes)
    if len(coordinates) != num_vertices:
        raise FormatError(
            f"there are coordinates of {counted(len(coordinates), 'vertex')}, but {source.name} has {num_vertices:,}; "
            "if they are of another graph, give this file another name.",
            path=path,
        )
    return {"coordinates": coordinates}


def _vertex_values(source: Source, after: Line, num_vertices: int) -> Array:
    """The numbers of the lines ``n VERTEX VALUE``; a vertex without one has 1."""
    layout = Layout(("id", "number"), ("vertex", "value"), ((1, num_vertices),), base=1, comments=b"cedvx", prefix=b"n")
    table = read_table(source, layout, after=after)
    _check_distinct(table, "a value")
    assert table.numbers is not None
    values = np.ones(num_vertices, dtype=table.numbers.dtype)
    values[table.ids[0]] = table.numbers
    return values


def _check_distinct(table: Table, what: str) -> None:
    """Refuse a table in which a vertex occurs twice."""
    vertices, rows = np.unique(table.ids[0], return_index=True)
    if vertices.size == table.num_rows:
        return
    again = np.ones(table.num_rows, dtype=np.bool_)
    again[rows] = False
    row = int(np.argmax(again))
    raise table.error_at(row, 0, f"vertex {table.ids[0][row] + 1} has {what} already; expected every vertex once.")
