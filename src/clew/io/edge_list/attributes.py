"""Edge lists as ``networkx.write_edgelist`` writes them: a dictionary of attributes after the ends of every edge.

The text is written again with the weight in the place of the dictionary, line by line, so that everything else is read
as in any other edge list and errors keep their lines.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from clew.io.edge_list.sample import COMMENTS, Sample, delimiter_of, split
from clew.io.options import ReadOptions
from clew.io.source import Source
from clew.io.tables.columns import Field, choose_weight
from clew.io.text.lines import shown

_EDGE = re.compile(rb"([^{]*[^\s{,;|])([ \t]*[,;|\t ][ \t]*)(\{.*\})\s*")
_NUMPY = re.compile(rb"\bnp\.\w+\(([^()]*)\)")
_ENDS = (Field("source", "text"), Field("target", "text"))


class Rewritten(NamedTuple):
    """An edge list without dictionaries, the options to read it with, and what became of the attributes."""

    source: Source
    options: ReadOptions
    weight: str | None
    ignored: list[str]
    decisions: tuple[str, ...]


def without_attributes(source: Source, options: ReadOptions) -> Rewritten | None:
    """The same edges with the attribute that is the weight as their last column; None where there are no attributes."""
    sample = Sample.of(source)
    if not sample.lines or not all(_EDGE.fullmatch(line.text) for line in sample.lines):
        return None
    lines = source.whole().tobytes().splitlines()
    edges = [_EDGE.fullmatch(line) for line in lines]
    attributes = [None if edge is None else _attributes(source, edge, number) for number, edge in enumerate(edges, 1)]
    fields = _fields(attributes)
    place, decisions = choose_weight(fields, list(range(2, len(fields))), options)
    weight = None if place is None else fields[place].name
    for number, edge in enumerate(edges):
        if edge is not None:
            end = b"" if weight is None else edge[2] + _weight(source, attributes[number], weight, number + 1)
            lines[number] = edge[1] + end
        elif lines[number].strip()[:1] not in (b"", *(bytes([mark]) for mark in COMMENTS)):
            raise source.error("the line has no attributes in {…} at its end, as the others have.", line=number + 1)
    plain = Source(b"\n".join(lines) + b"\n")
    plain.path, plain.name = source.path, source.name
    first = Sample.of(plain).lines
    asked = None if weight is None else len(split(first[0].text, delimiter_of(first)))
    ignored = [field.name or "" for field in fields[2:] if field.name != weight]
    return Rewritten(plain, replace(options, weight=asked, header=False), weight, ignored, decisions)


def _fields(attributes: list[dict[str, Any] | None]) -> list[Field]:
    """The attributes that there are, each as a column would be."""
    kinds: dict[str, Field] = {}
    for found in attributes:
        for name, value in (found or {}).items():
            if name not in kinds or isinstance(value, (int, float)):
                kinds[name] = Field(name, "number" if isinstance(value, (int, float)) else "text")
    return [*_ENDS, *kinds.values()]


def _attributes(source: Source, edge: re.Match[bytes], line: int) -> dict[str, Any]:
    found = _parsed(edge[3])
    if found is None:
        raise source.error(
            f"the attributes are {shown(edge[3])}; expected a dictionary of numbers and strings.",
            line=line,
            remedy="Write the edges with networkx.write_edgelist(graph, path, data=['weight']).",
        )
    return found


@lru_cache(maxsize=1 << 16)
def _parsed(text: bytes) -> dict[str, Any] | None:
    if text == b"{}":
        return {}
    try:
        found = ast.literal_eval(_NUMPY.sub(rb"\1", text).decode())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return {str(name): value for name, value in found.items()} if isinstance(found, dict) else None


def _weight(source: Source, attributes: dict[str, Any] | None, name: str, line: int) -> bytes:
    value = (attributes or {}).get(name)
    if not isinstance(value, (int, float)):
        what = "no attribute" if value is None else f"the value {value!r} as attribute"
        raise source.error(
            f"the edge has {what} {name!r}; expected a number, as other edges have.",
            line=line,
            remedy="Pass weights=False for a graph without weights.",
            option="Pass --weights none for a graph without weights.",
        )
    return repr(+value).encode()
