"""TSPLIB: complete graphs of distances, given as a matrix or by coordinates, and lists of edges (``.hcp``).

Coordinates become the vertex columns ``x``, ``y`` and ``z``, and every pair of cities an edge. Vertices count from 1 in
the files and from 0 in the graph. Distances are integers, rounded as TSPLIB's rules say (Reinelt 1995).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.binary import refuse_rows, whole_numbers
from clew.io.lexer import decoded
from clew.io.options import ReadOptions, about_direction, graph_from_edges, noted
from clew.io.source import Match, Source

EDGE_BYTES = 16  # ids and a distance
DIRECTED = ("ATSP", "SOP")
COORDINATES, MATRIX, LIST = "NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "EDGE_DATA_SECTION"
_ENTRY = re.compile(r"\s*([A-Za-z][A-Za-z_0-9]*)\s*(?::\s*(.*?))?\s*$")
_START = re.compile(rb"(?m)^[ \t]*(DIMENSION)[ \t]*:[ \t]*[0-9]+")


def sniff(head: bytes) -> Match:
    """A line with the dimension, and one that starts a section."""
    known = _START.search(head) and re.search(rb"(?m)^[ \t]*(TYPE|EDGE_WEIGHT_TYPE|EDGE_DATA_FORMAT)[ \t]*:", head)
    return Match.SURE if known else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read the graph of all distances, or the list of edges."""
    entries, sections = _parsed(source)
    text = entries.get("DIMENSION", "")
    if not text.isdecimal() or len(text) > 12:
        raise source.error(f"DIMENSION is {text!r}; expected the number of cities.")
    n, kind = int(text), entries.get("EDGE_WEIGHT_TYPE", "")
    directed = entries.get("TYPE", "").split()[:1] in ([name] for name in DIRECTED)
    if LIST not in sections:
        _refuse_many(source, n, n * (n - 1) // (1 if directed else 2))
    points = _points(source, sections[COORDINATES], n) if COORDINATES in sections else None
    weights: Array | None = None
    if LIST in sections:
        refuse_rows(source, n)
        first, second = _listed(source, sections[LIST], entries.get("EDGE_DATA_FORMAT", ""), n)
    else:
        distances = _distances(source, entries, sections, kind, n, points)
        rows = [np.delete(row, i) if directed else row[i + 1 :] for i, row in enumerate(distances)]
        weights = np.concatenate([*rows, np.empty(0, np.int64)]).astype(rows[0].dtype if rows else np.int64)
        ids = np.arange(n, dtype=np.int64)
        second = np.concatenate([*(np.delete(ids, i) if directed else ids[i + 1 :] for i in range(n)), ids[:0]])
        first = np.repeat(ids, [row.size for row in rows])
    graph = graph_from_edges(first, second, weights, options, directed=directed, num_vertices=n)
    if points is not None:
        graph = graph.with_vertex_columns(
            {name: points[:, k].copy() for k, name in enumerate("xyz"[: points.shape[1]])}
        )
    return noted(graph, *about_direction(directed, options, by=f"'TYPE: {entries.get('TYPE', '')}'"))


def _refuse_many(source: Source, n: int, distances: int) -> None:
    """Refuse a complete graph that is far larger than its file."""
    if EDGE_BYTES * distances > source.expansion_limit:
        raise source.error(
            f"{n:,} cities have {distances:,} distances, which take {EDGE_BYTES * distances:,} bytes; clew "
            f"stops at {source.expansion_limit:,}. If that is right, raise the cap with max_expanded_bytes=…"
        )


def _parsed(source: Source) -> tuple[dict[str, str], dict[str, list[tuple[int, str]]]]:
    """The entries by their keywords, and the lines of every section with their numbers."""
    entries: dict[str, str] = {}
    sections: dict[str, list[tuple[int, str]]] = {}
    current: list[tuple[int, str]] | None = None
    for number, line in enumerate(decoded(source).splitlines(), 1):
        entry = _ENTRY.match(line)
        if entry is None:
            if line.strip() and current is None:
                raise source.error(f"found {line.strip()[:40]!r}; expected 'KEYWORD: value'.", line=number, column=1)
            if current is not None:
                current.append((number, line))
        elif entry[1] == "EOF":
            break
        elif entry[1].endswith("_SECTION"):
            current = sections.setdefault(entry[1], [])
        else:
            entries[entry[1]], current = (entry[2] or "").strip(), None
    return entries, sections


def _numbers(source: Source, lines: list[tuple[int, str]]) -> Array:
    """All numbers of a section."""
    words = [(number, word) for number, line in lines for word in line.split()]
    try:
        values = np.array([float(word) for _, word in words])
    except ValueError:
        raise _first_wrong(source, words) from None
    if not np.isfinite(values).all():
        raise _first_wrong(source, words)
    return values


def _first_wrong(source: Source, words: list[tuple[int, str]]) -> FormatError:
    for number, word in words:
        try:
            if np.isfinite(float(word)):
                continue
        except ValueError:
            pass
        return source.error(f"found {word[:40]!r}; expected a number.", line=number)
    return source.error("expected numbers.")


def _points(source: Source, lines: list[tuple[int, str]], n: int) -> Array:
    """The coordinates of every city, in the order of their numbers."""
    values = _numbers(source, lines)
    width = values.size // n if n else 3
    if width not in (3, 4) or values.size != width * n:
        raise source.error(f"{COORDINATES} has {values.size:,} numbers; expected 3 or 4 for each of {n:,} cities.")
    rows = values.reshape(n, width)
    order, wrong = whole_numbers(rows[:, 0])
    if wrong.any() or not np.array_equal(np.sort(order), np.arange(1, n + 1)):
        raise source.error(f"{COORDINATES} does not name every city from 1 to {n:,} once.")
    return rows[np.argsort(order), 1:]


def _listed(source: Source, lines: list[tuple[int, str]], form: str, n: int) -> tuple[Array, Array]:
    """The ends of the edges of an ``EDGE_LIST`` or an ``ADJ_LIST``, which -1 ends."""
    values = _numbers(source, lines)
    ids, wrong = whole_numbers(values)
    if (wrong := wrong | ((ids != -1) & ((ids < 1) | (ids > n)))).any():
        raise source.error(f"{LIST} has {values[wrong][0]:g}; expected cities from 1 to {n:,}, and -1 at the end.")
    if form == "EDGE_LIST":
        ends = ids[: int(np.argmax(ids == -1)) if -1 in ids else ids.size]
        if ends.size % 2:
            raise source.error(f"{LIST} has {ends.size:,} cities; expected pairs.")
        return ends[::2] - 1, ends[1::2] - 1
    if form == "ADJ_LIST":
        rows = [row[row > 0] - 1 for row in np.split(ids, np.flatnonzero(ids == -1) + 1)]
        starts = [np.repeat(row[:1], max(0, row.size - 1)) for row in rows]
        return np.concatenate(starts), np.concatenate([row[1:] for row in rows])
    raise source.error(f"EDGE_DATA_FORMAT is {form!r}; expected EDGE_LIST or ADJ_LIST.")


def _distances(
    source: Source, entries: dict[str, str], sections: dict[str, Any], kind: str, n: int, points: Array | None
) -> Iterator[Array]:
    """The distances from each city to all others."""
    if kind == "EXPLICIT":
        if MATRIX not in sections:
            raise source.error(f"EDGE_WEIGHT_TYPE is EXPLICIT, but there is no {MATRIX}.")
        yield from _matrix(source, _numbers(source, sections[MATRIX]), entries.get("EDGE_WEIGHT_FORMAT", ""), n)
        return
    if kind not in RULES or points is None or points.shape[1] != (3 if kind.endswith("3D") else 2):
        raise source.error(
            f"EDGE_WEIGHT_TYPE is {kind!r} with {'no' if points is None else points.shape[1]} coordinates for a city; "
            f"expected EXPLICIT, or one of {', '.join(RULES)} with coordinates."
        )
    for i in range(n):
        with np.errstate(over="ignore", invalid="ignore"):
            whole, wrong = whole_numbers(RULES[kind](points[i], points))
        if wrong.any():
            raise source.error(f"the distances of city {i + 1:,} are too large for integers.")
        yield whole


def _matrix(source: Source, values: Array, form: str, n: int) -> Array:
    """The matrix that a section of numbers stands for."""
    parts = re.fullmatch(r"(UPPER|LOWER)(_DIAG)?_(ROW|COL)", form)
    if form != "FULL_MATRIX" and parts is None:
        raise source.error(f"EDGE_WEIGHT_FORMAT is {form!r}; expected FULL_MATRIX, or UPPER_ROW and the like.")
    diagonal = 0 if parts is None or parts[2] else 1
    expected = n * n if parts is None else n * (n + 1) // 2 - diagonal * n
    if values.size != expected:
        raise source.error(f"{MATRIX} has {values.size:,} numbers; expected {expected:,} for {form}.")
    whole, wrong = whole_numbers(values)
    values = values if wrong.any() else whole
    if parts is None:
        return values.reshape(n, n)
    matrix = np.zeros((n, n), dtype=values.dtype)
    # Columns of one half are rows of the other.
    upper = (parts[1] == "UPPER") == (parts[3] == "ROW")
    i, j = np.triu_indices(n, diagonal) if upper else np.tril_indices(n, -diagonal)
    matrix[i, j] = matrix[j, i] = values
    return matrix


def _rounded(values: Array) -> Array:
    rounded: Array = np.floor(values + 0.5)
    return rounded


def _att(one: Array, all_: Array) -> Array:
    length = _euclidean(one, all_) / 10**0.5
    return np.where(_rounded(length) < length, _rounded(length) + 1, _rounded(length))


def _geographical(one: Array, all_: Array) -> Array:
    def radians(degrees: Array) -> Array:  # degrees and minutes, with the pi and the radius of the rules
        whole = np.trunc(degrees)
        return 3.141592 * (whole + 5 * (degrees - whole) / 3) / 180

    (latitude, longitude), points = radians(one), radians(all_)
    q1, q2, q3 = (
        np.cos(longitude - points[:, 1]),
        np.cos(latitude - points[:, 0]),
        np.cos(latitude + points[:, 0]),
    )
    angles: Array = np.arccos(np.clip(0.5 * ((1 + q1) * q2 - (1 - q1) * q3), -1, 1))
    return _rounded(6378.388 * angles + 0.5)


def _euclidean(one: Array, all_: Array) -> Array:
    length: Array = np.sqrt(((all_ - one) ** 2).sum(axis=1))
    return length


RULES: dict[str, Callable[[Array, Array], Array]] = {
    "EUC_2D": lambda one, all_: _rounded(_euclidean(one, all_)),
    "EUC_3D": lambda one, all_: _rounded(_euclidean(one, all_)),
    "CEIL_2D": lambda one, all_: np.ceil(_euclidean(one, all_)),
    "MAN_2D": lambda one, all_: _rounded(np.abs(all_ - one).sum(axis=1)),
    "MAN_3D": lambda one, all_: _rounded(np.abs(all_ - one).sum(axis=1)),
    "MAX_2D": lambda one, all_: _rounded(np.abs(all_ - one)).max(axis=1),
    "MAX_3D": lambda one, all_: _rounded(np.abs(all_ - one)).max(axis=1),
    "ATT": _att,
    "GEO": _geographical,
}
