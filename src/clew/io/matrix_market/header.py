"""What stands above the numbers of a Matrix Market file: the banner, the comments and the size line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, cast

import numpy as np

from clew.io.foreign import IF_EDGES
from clew.io.header import Word, as_count, error_about, missing_word, words
from clew.io.source import HEAD_BYTES, Source
from clew.io.text import Line, leading_lines
from clew.io.text.lines import shown

Symmetry = Literal["general", "symmetric", "skew-symmetric"]

#: One % too few is a slip that some writers made; other readers forgive it as well.
BANNER = re.compile(rb"\s*%%?matrixmarket(?![^ \t\r\n])", re.IGNORECASE)
_SIZE = re.compile(rb"\+?[0-9]+([ \t]+\+?[0-9]+){2}")
_PAIR = re.compile(rb"\+?[0-9]+[ \t]+\+?[0-9]+")
SAMPLE_ROWS = 20
FIELDS: dict[str, np.dtype[Any] | None] = {
    "pattern": None,
    "integer": np.dtype(np.int64),
    "real": np.dtype(np.float64),
    "double": np.dtype(np.float64),
    "unsigned-integer": np.dtype(np.uint64),
}
#: The types of the ``%%GraphBLAS type`` line.
TYPES: dict[str, np.dtype[Any]] = {
    "bool": np.dtype(np.bool_),
    **{f"{kind}{bits}_t": np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}


@dataclass(frozen=True, slots=True)
class Header:
    """What the header says.

    Parameters
    ----------
    dense
        Whether all entries are listed, column by column, rather than those that are there with their row and column.
    dtype
        The dtype of the values; None in a pattern, which has none.
    symmetry
        Which entries are implied by others.
    rows, columns
        The shape of the matrix.
    entries
        How many entries the file lists.
    size
        The words of the size line, which is the last line of the header.
    bare
        Whether the banner is missing, so that form, values and symmetry are LAGraph's defaults.
    """

    dense: bool
    dtype: np.dtype[Any] | None
    symmetry: Symmetry
    rows: int
    columns: int
    entries: int
    size: list[Word]
    bare: bool = False

    @property
    def square(self) -> bool:
        """Whether rows and columns are the same vertices."""
        return self.rows == self.columns

    @property
    def num_vertices(self) -> int:
        """One vertex per row; of a matrix that is not square, one per row and one per column."""
        return self.rows if self.square else self.rows + self.columns

    @property
    def last_line(self) -> Line:
        """The line after which the entries begin."""
        return self.size[0].line


def read_header(source: Source) -> Header:
    """Read and check everything up to the size line."""
    lines = leading_lines(source)
    banner = next((line for line in lines if line.text.strip()), None)
    if banner is None:
        raise source.error("the file is empty; expected the banner '%%MatrixMarket matrix …'.")
    if not BANNER.match(banner.text) and has_bare_size(source.head()):
        return _bare_header(source)
    dense, dtype, symmetry = _parse_banner(source, banner)
    line = banner
    for line in lines:
        text = line.text.strip()
        if text.startswith(b"%"):
            declared = _declared_type(source, line)
            dtype = dtype if dtype is None or declared is None else declared
        elif text:
            return _with_size(source, line, dense, dtype, symmetry)
    raise source.error(
        "the file ends before its size line; expected the numbers of rows and columns.", line=line.number
    )


def has_bare_size(head: bytes) -> bool:
    """Whether a file without a banner starts with a size line: three integers, the first line that is no comment."""
    return _SIZE.fullmatch(next(_rows(head), b"")) is not None


def has_bare_edges(head: bytes) -> bool:
    """Whether a file without a banner is a list of edges: two integers on its first lines, and no size line."""
    return all(map(_PAIR.fullmatch, [*islice(_rows(head), SAMPLE_ROWS)] or [b""]))


def _rows(head: bytes) -> Iterator[bytes]:
    """The first lines that are neither blank nor comments."""
    if len(head) == HEAD_BYTES:
        head = head[: head.rfind(b"\n") + 1]  # the last line may have been cut
    lines = (line.strip() for line in re.split(rb"[\r\n]", head))
    return (line for line in lines if line and not line.startswith(b"%"))


def _bare_header(source: Source) -> Header:
    """The header of a file that starts with its size line, as LAGraph reads it: coordinate, real and general."""
    dtype: np.dtype[Any] | None = FIELDS["real"]
    for line in leading_lines(source):
        text = line.text.strip()
        if text.startswith(b"%"):
            dtype = _declared_type(source, line) or dtype
        elif text:
            break
    rows = _rows(source.head())
    next(rows)
    if len(next(rows, b"").split()) == 2:  # a pattern: without values, there are no weights
        dtype = None
    return replace(_with_size(source, line, dense=False, dtype=dtype, symmetry="general"), bare=True)


def _parse_banner(source: Source, line: Line) -> tuple[bool, np.dtype[Any] | None, Symmetry]:
    if not BANNER.match(line.text):
        raise source.error(
            f"the first line is {shown(line.text)}; expected the banner '%%MatrixMarket matrix …', without which "
            "nothing says what the numbers are.",
            line=line.number,
            column=1,
        ).advised(*IF_EDGES)
    _choice(source, line, 1, "object", ["matrix"])
    form = _choice(source, line, 2, "format", ["coordinate", "array"])
    field = _choice(source, line, 3, "field", list(FIELDS), {"complex": _NO_COMPLEX})
    symmetry = _choice(
        source, line, 4, "symmetry", ["general", "symmetric", "skew-symmetric"], {"hermitian": _NO_COMPLEX}
    )
    if field == "pattern" and (form == "array" or symmetry == "skew-symmetric"):
        found = form if form == "array" else symmetry
        problem = f"a pattern has no values, so it cannot be {found!r}; expected coordinate, general or symmetric."
        raise error_about(source, words(line)[3], problem)
    return form == "array", FIELDS[field], cast(Symmetry, symmetry)


_NO_COMPLEX = "complex numbers cannot be the weights of a graph"


def _choice(
    source: Source, line: Line, place: int, name: str, known: list[str], refused: dict[str, str] | None = None
) -> str:
    """One word of the banner, in lower case."""
    found = words(line)
    word = found[place] if place < len(found) else missing_word(line)
    text = word.text.decode("latin-1").lower()
    if text in known:
        return text
    expected = f"expected {', '.join(known[:-1])}{' or ' if known[1:] else ''}{known[-1]}."
    reason = (refused or {}).get(text)
    stated = f"the {name} of the banner is {word if word.text else 'missing'}"
    raise error_about(source, word, f"{stated}; {reason + ': ' if reason else ''}{expected}")


def _declared_type(source: Source, line: Line) -> np.dtype[Any] | None:
    """The dtype on a line ``%%GraphBLAS type …``; any other comment says nothing."""
    found = words(line)
    if len(found) < 2 or found[0].text.lower() != b"%%graphblas" or found[1].text.lower() != b"type":
        return None
    name = b" ".join(word.text for word in found[2:])
    dtype = TYPES.get(name.decode("latin-1").lower())
    if dtype is None:
        word = found[2] if found[2:] else missing_word(line)
        raise error_about(source, word, f"the type of the values is {shown(name)}; expected one of {', '.join(TYPES)}.")
    return dtype


def _with_size(source: Source, line: Line, dense: bool, dtype: np.dtype[Any] | None, symmetry: Symmetry) -> Header:
    size, names = words(line), ["rows", "columns", "entries"][: 2 if dense else 3]
    if len(size) != len(names):
        problem = f"the size line is {shown(line.text)}; expected the numbers of {', '.join(names)}."
        raise error_about(source, size[len(names)] if len(size) > len(names) else missing_word(line), problem)
    counts = [as_count(source, word, f"number of {name}") for word, name in zip(size, names, strict=True)]
    rows, columns = counts[:2]
    if rows != columns and symmetry != "general":
        problem = f"the matrix is {symmetry} but has {rows:,} rows and {columns:,} columns; expected as many."
        raise error_about(source, size[1], problem)
    if rows + columns >= 1 << 63:
        raise error_about(
            source, size[1], f"the number of columns is {size[1]}; expected less than 2^63 with the rows."
        )
    if not dense:
        return Header(dense, dtype, symmetry, rows, columns, counts[2], size)
    triangle = {
        "general": rows * columns,
        "symmetric": rows * (rows + 1) // 2,
        "skew-symmetric": rows * (rows - 1) // 2,
    }
    return Header(dense, dtype, symmetry, rows, columns, triangle[symmetry], size)
