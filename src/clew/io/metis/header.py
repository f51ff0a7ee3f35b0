"""The header of a METIS file: how many vertices and edges there are, and what stands on the lines of the vertices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.io.header import Word, as_count, error_about, words
from clew.io.source import Source
from clew.io.text import Line, leading_lines

NAMES = ("number of vertices", "number of edges", "format", "number of weights per vertex")
_FMT = re.compile(rb"[01]{1,3}")


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says.

    Parameters
    ----------
    num_vertices, num_edges
        What it promises.
    sizes
        Whether the hundreds digit of the format is set: each line starts with the vertex's size, if METIS is meant.
    num_vertex_weights
        How many weights each vertex has.
    edge_weights
        Whether a weight follows each neighbour.
    words
        The words it consists of, for errors about it.
    line
        The line it stands on.
    """

    num_vertices: int
    num_edges: int
    sizes: bool
    num_vertex_weights: int
    edge_weights: bool
    words: Sequence[Word]
    line: Line


def read_header(source: Source) -> Header:
    """Read the first line that is neither blank nor a comment."""
    for line in leading_lines(source):
        found = words(line)
        if found and not found[0].text.startswith(b"%"):
            return _parsed(source, line, found)
    raise source.error("the file has no header; expected the numbers of vertices and edges, such as '7 11'.")


def looks_like_header(line: bytes) -> bool:
    """Whether a line could be a header."""
    found = line.split()
    return 2 <= len(found) <= len(NAMES) and all(map(bytes.isdigit, found)) and all(map(_FMT.fullmatch, found[2:3]))


def _parsed(source: Source, line: Line, found: Sequence[Word]) -> Header:
    if not 2 <= len(found) <= len(NAMES):
        odd = found[-1] if len(found) < 2 else found[len(NAMES)]
        raise error_about(source, odd, f"the header has {len(found)} words; expected 2 to 4: {', '.join(NAMES)}.")
    num_vertices, num_edges = (as_count(source, found[i], NAMES[i]) for i in range(2))
    digits = b"000"
    if len(found) > 2:
        if not _FMT.fullmatch(found[2].text):
            raise error_about(
                source, found[2], f"the format is {found[2]}; expected up to three digits 0 or 1, such as '011'."
            )
        digits = found[2].text.zfill(3)
    sizes, weighted_vertices, edge_weights = (digit == ord("1") for digit in digits)
    num_weights = as_count(source, found[3], NAMES[3]) if len(found) > 3 else 1
    if num_weights > 1 and not weighted_vertices:
        raise error_about(
            source,
            found[3],
            f"there are {num_weights} weights per vertex, but the format, {found[2]}, says there are none; expected "
            "a format whose second digit from the right is 1.",
        )
    num_vertex_weights = max(1, num_weights) if weighted_vertices else 0
    return Header(num_vertices, num_edges, sizes, num_vertex_weights, edge_weights, found, line)
