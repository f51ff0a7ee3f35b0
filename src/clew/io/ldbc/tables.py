"""The lists of vertices and edges of an LDBC Graphalytics graph, read and held against its properties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clew.dtypes import OffsetArray
from clew.errors import GraphError
from clew.io.ldbc.properties import Properties
from clew.io.options import ReadOptions
from clew.io.source import Source
from clew.io.text import Layout, Table, leading_lines, read_table
from clew.io.text.layout import Kind

COMMENTS = b"#"
_ANY_ID = (0, (1 << 63) - 1)


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
    if promised is None or promised == table.num_rows:
        return
    assert properties.source is not None
    problem = f"{properties.source.name} promises {promised:,} {what}, but there are {table.num_rows:,}"
    if table.num_rows > promised:
        raise table.error_at(promised, 0, f"{problem}; this is the first one too many.")
    raise table.source.error(f"{problem}; is the file cut short?")


def _first_row(source: Source) -> _FirstRow | None:
    for line in leading_lines(source):
        text = line.text.strip()
        if text and not text.startswith(COMMENTS):
            delimiter = b"|" if b"|" in text else b""
            return _FirstRow(line.number, delimiter, len(text.split(delimiter or None)))
    return None
