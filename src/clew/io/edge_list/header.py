"""Whether the first line of an edge list names its columns, and what to say about that.

In ``.csv`` and ``.tsv`` files a first line is a header where it is text above numbers, or where none of its cells
occurs again. A vertex may stand at either end, so both columns of ends are searched for both words. In other files a
first line is an edge unless its words are those that columns are usually called by.
"""

from __future__ import annotations

from typing import NamedTuple

from clew.errors import GraphError
from clew.io.edge_list.sample import is_number, name_of
from clew.io.options import ReadOptions
from clew.io.tables.words import is_known, known_ends, plain

TABLE_SUFFIXES = (".csv", ".tsv")


class Header(NamedTuple):
    """What the first line is.

    Parameters
    ----------
    names
        The names of the columns, or None where it is an edge.
    said
        Whether the caller says so, and nothing was guessed.
    firm
        Whether it stays a header where its words turn out to be vertices too.
    because
        Why it is an edge, though it is text.
    """

    names: list[str] | None
    said: bool = False
    firm: bool = False
    because: str = ""


def find_header(rows: list[list[bytes]], suffix: str, delimiter: bytes, options: ReadOptions) -> Header:
    """The header of a file whose first lines are ``rows``."""
    if not rows:
        return Header(None, said=True)
    names = [name_of(field) for field in rows[0]]
    if options.header is not None:
        return Header(names if options.header else None, said=True)
    if any(_is_name(column) for column in (options.source, options.target, options.weight)):
        return Header(names, firm=True)
    first, rest = rows[0], rows[1:]
    ends = known_ends(names)
    if ends == ("source", "target"):  # as clew writes them
        return Header(names, firm=True)
    if ends is None and any(map(is_number, first)):
        return Header(None)
    known = ends is not None or all(map(is_known, names))
    if not rest:
        return Header(names if known else None)
    if (again := _occurs_again(names, rest)) is not None:
        return Header(None, because=f", since {again!r} occurs again")
    return Header(names) if known or _is_header_by_content(first, rest, suffix, delimiter) else Header(None)


def about_header(header: Header, roles: dict[str, str]) -> tuple[str, ...]:
    """What is said about the first line."""
    if header.said:
        return ()
    if header.names is None:
        return (
            f"The first line was read as an edge{header.because}. Pass header=True (--header) if it names the columns.",
        )
    used = ", ".join(f"{role}: {name}" for name, role in roles.items() if role != "ignored")
    return (f"The first line was read as column names ({used}). Pass header=False (--no-header) if it is an edge.",)


def _is_name(column: str | int | None) -> bool:
    """Whether a caller names a column, rather than giving its position."""
    return isinstance(column, str) and not (column.isascii() and column.isdigit())


def _occurs_again(names: list[str], rest: list[list[bytes]]) -> str | None:
    """The first name that stands in its column again, or in that of the other end."""
    words = known_ends(names)
    places = [plain(name) for name in names]
    ends = [0, 1] if words is None else [places.index(word) for word in words]
    for column, name in enumerate(names):
        columns = ends if column in ends else [column]
        if name and any(len(row) > other and name_of(row[other]) == name for row in rest for other in columns):
            return name
    return None


def _is_header_by_content(first: list[bytes], rest: list[list[bytes]], suffix: str, delimiter: bytes) -> bool:
    """Whether a line none of whose cells occurs again names the columns, though its words are unknown."""
    if suffix in TABLE_SUFFIXES or (not suffix and delimiter):
        return True
    above_numbers = any(
        all(len(row) > column and is_number(row[column]) for row in rest) for column in range(len(first))
    )
    if not above_numbers:
        return False
    if not suffix or any(is_known(name_of(field)) for field in first):
        return True
    raise GraphError(
        f"the first line ({', '.join(repr(name_of(field)) for field in first[:5])}) is text above numbers, so that it "
        "may name the columns or be an edge.",
        remedy="Pass header=True if it names the columns, header=False if it is an edge.",
        option="Pass --header if it names the columns, --no-header if it is an edge.",
    )
