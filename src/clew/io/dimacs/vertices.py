"""What DIMACS files say about single vertices: coordinates in ``.co`` files, values in ``n`` lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import GraphError
from clew.io.dimacs.header import read_problem
from clew.io.header import check_rows
from clew.io.options import Progress
from clew.io.sink import Sink
from clew.io.source import COMPRESSION_SUFFIXES, Source
from clew.io.text import Layout, Line, Table, read_table, write_table


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
    check_rows(across, problem.words[0], count, "vertices")
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
    plain = path.with_name(name[: -len(".gr")] + ".co")
    candidates = (plain, *(plain.with_name(plain.name + suffix) for suffix in COMPRESSION_SUFFIXES))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


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
