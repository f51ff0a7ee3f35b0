"""The vertices of an edge list: which ids they get, what they are called, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clew.counts import counted
from clew.dtypes import MAX_INT32_VERTICES, Array
from clew.io.header import Word, check_vertices
from clew.io.numbering import numbered
from clew.io.options import ReadOptions
from clew.io.source import Source
from clew.io.text import Line


@dataclass(frozen=True, slots=True)
class Vertices:
    """The columns of ids 0…n-1, how many vertices there are (None: as many as occur), their names, what else is known.

    ``decisions`` says what was decided about them.
    """

    columns: tuple[Array, ...]
    count: int | None
    names: Any = None
    metadata: dict[str, Any] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()


def numbered_vertices(columns: tuple[Array, ...], options: ReadOptions) -> Vertices:
    """Integers that are 0…n-1 are ids, others are names."""
    return Vertices(*numbered(*columns, always=options.ids == "map"))


def two_sides(left: Array, right: Array) -> Vertices:
    """The vertices of the first column, then those of the second, though both count from 1."""
    (left,), lefts, left_ids = numbered(left, always=True)
    (right,), rights, right_ids = numbered(right, always=True)
    if lefts + rights > MAX_INT32_VERTICES:
        right = right.astype(np.int64, copy=False)
    right += right.dtype.type(lefts)
    sides = (("left_ids", left_ids), ("right_ids", right_ids))
    kept = {side: np.asarray(ids) for side, ids in sides if not _counts_from_1(ids)}
    return Vertices((left, right), lefts + rights, None, {"bipartite": [lefts, rights], **kept})


def _counts_from_1(ids: Any) -> bool:
    return ids is None or np.array_equal(ids, np.arange(1, len(ids) + 1))


def counted_vertices(
    source: Source, line: Line, columns: tuple[Array, ...], names: Any, options: ReadOptions, *, keep: bool
) -> Vertices:
    """The vertices of a file whose first line is a single number, and what that number is taken for.

    It is the number of vertices where ids are below it, or count from 1 up to it. It is skipped where it is the number
    of edges or of the vertices that occur; anything else is refused.
    """
    text = line.text.strip()
    number, edges = int(text), columns[0].size
    first = f"The first line ({text.decode()})"
    if names is None and edges and options.ids != "map":
        low, high = (int(each([each(column) for column in columns])) for each in (np.min, np.max))
        if (low >= 0 and high < number) or (low >= 1 and high == number and not keep):
            check_vertices(source, Word(text, line, 1), number, edges)
            said = f"{first} was read as the number of vertices. Pass ids='map' (--ids map) for those alone that occur."
            if high < number:
                return Vertices(columns, number, None, {}, (said,))
            return Vertices(tuple(column - 1 for column in columns), number, np.arange(1, number + 1), {}, (said,))
    found = Vertices(columns, None if names is None else len(names), names)
    if names is None and not keep:
        found = numbered_vertices(columns, options)
    occurring = found.count if found.count is not None else max(int(column.max()) for column in columns) + 1
    meaning = {occurring: "vertices that occur", edges: "edges"}.get(number)
    if meaning is None and options.ids != "map":
        raise source.error(
            f"the first line is {text.decode()}, but there are {counted(edges, 'edge')} among "
            f"{counted(occurring, 'vertex')}; expected the number of vertices or of edges.",
            line=line.number,
            remedy="Delete the line, or pass ids='map' to skip it.",
            option="Delete the line, or pass --ids map to skip it.",
        )
    why = "" if meaning is None else f": it is the number of {meaning}"
    return replace(found, decisions=(f"{first} was skipped{why}.",))
