"""Which formats there are and which one a file is in: content decides first, the suffix second.

A new format is one module with a ``FORMAT`` and one line in ``MODULES``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from clew.errors import ClewError, FormatError

if TYPE_CHECKING:
    from clew.graph import Graph
    from clew.io.options import ReadOptions, WriteOptions
    from clew.io.sink import Sink
    from clew.io.source import Source

#: In the order they are tried: the first that is sure wins, then the first that a suffix speaks for, then the first
#: that is possible. Formats that edge lists can be taken for stand after those.
MODULES: tuple[str, ...] = (
    "clew.io.native",
    "clew.io.tables.parquet",
    "clew.io.tables.arrow_ipc",
    "clew.io.npz",
    "clew.io.matrix_market",
    "clew.io.dimacs",
    "clew.io.galois",
    "clew.io.gap",
    "clew.io.ligra",
    "clew.io.edge_list",
    "clew.io.metis",
    "clew.io.ldbc",
)


class Match(IntEnum):
    """How well the first bytes of a file fit a format."""

    NO = 0
    MAYBE = 1
    SURE = 2


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    Parameters
    ----------
    name
        What a caller passes as ``format=``.
    title
        What a person reads in a table.
    suffixes
        File name endings, without a compression suffix.
    sniff
        From the first bytes (decompressed, at most 64 KiB; the whole file if it is shorter) to a ``Match``.
    read, write
        The reader and writer; None where the format goes one way only.
    keeps_names
        Whether a file says what vertices are called, rather than that they are 0…n-1.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], Match]
    read: Callable[[Source, ReadOptions], Graph] | None = None
    write: Callable[[Graph, Sink, WriteOptions], None] | None = None
    keeps_names: bool = False


@cache
def _declared(module: str) -> tuple[Format, ...]:
    declared = import_module(module).FORMAT
    return declared if isinstance(declared, tuple) else (declared,)


def formats() -> Iterator[Format]:
    """Every registered format, each imported when its turn comes: who knows after the first need not load the rest."""
    for module in MODULES:
        yield from _declared(module)


def named(name: str) -> Format:
    """The format called ``name``."""
    for one in formats():
        if one.name == name:
            return one
    known = ", ".join(one.name for one in formats())
    raise FormatError(f"there is no format called {name!r}; expected one of {known}.")


def detect(head: bytes, suffix: str, name: str, otherwise: str | None = None) -> Format:
    """The format of a file that starts with ``head`` and whose name ends in ``suffix``.

    ``otherwise`` names the format to take where the content speaks for none.
    """
    possible: list[Format] = []
    for one in formats():
        match = one.sniff(head) if one.read is not None else Match.NO
        if match == Match.SURE:
            return one
        if match == Match.MAYBE:
            possible.append(one)
    if possible:
        return next((one for one in possible if suffix in one.suffixes), possible[0])
    expected = f"what {suffix!r} promises ({by.title})" if (by := _by_suffix(suffix)) else "a graph in a known format"
    if not head:
        raise FormatError(f"the file is empty; expected {expected}.", path=name)
    if otherwise is not None:
        return named(otherwise)
    if by is not None and (mistake := _first_mistake(by, head, name)) is not None:
        raise mistake
    raise FormatError(
        f"the content is in no known graph format (it starts with {head[:24]!r}); expected {expected}.",
        path=name,
        remedy="If you know the format, name it with format=…; `clew formats` lists them.",
        option="If you know the format, name it with --format; `clew formats` lists them.",
    )


def _first_mistake(one: Format, head: bytes, name: str) -> FormatError | None:
    """Where the first bytes of a file break the rules of the format that its name promises; None if no line does."""
    from clew.io.options import ReadOptions
    from clew.io.source import HEAD_BYTES, Source

    if one.read is None:
        return None
    is_whole = len(head) < HEAD_BYTES
    text = head if is_whole else head[: head.rfind(b"\n") + 1]
    try:
        one.read(Source(text), ReadOptions())
    except FormatError as error:
        lines = text.count(b"\n")
        if error.line is not None and (is_whole or error.line < lines):  # else it may be for want of the rest
            return FormatError(
                error.problem,
                path=name,
                line=error.line,
                column=error.column,
                remedy=error.remedy,
                option=error.option,
            )
    except ClewError:
        pass
    return None


def for_writing(suffix: str, name: str) -> Format:
    """The format that ``suffix`` asks for when a graph is written."""
    found = _by_suffix(suffix)
    if found is None or found.write is None:
        known = ", ".join(sorted({end for one in formats() if one.write for end in one.suffixes}))
        raise FormatError(
            f"cannot tell the format from the suffix {suffix!r}; expected one of {known}.",
            path=name,
            remedy="Or name it with format=…; `clew formats` lists them.",
            option="Or name it with --to; `clew formats` lists them.",
        )
    return found


def _by_suffix(suffix: str) -> Format | None:
    fitting = [one for one in formats() if suffix in one.suffixes]
    writable = [one for one in fitting if one.write is not None]
    return next(iter(writable or fitting), None)
