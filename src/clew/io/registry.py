"""Which formats there are and which one a file is in: content without doubt decides first, the suffix second.

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
from clew.io import foreign

if TYPE_CHECKING:
    from clew.graph import Graph
    from clew.io.options import ReadOptions, WriteOptions
    from clew.io.sink import Sink
    from clew.io.source import Source

#: In the order they are tried: the first that is sure wins, then the first that a suffix speaks for, then the first
#: that is possible. Formats that edge lists can be taken for stand after those, binary ones after text of their suffix.
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


EDGE_LIST = "edge-list"  # its suffixes, such as .txt, say little: any other format may be in such a file


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
    keeps_direction
        Whether a file says that a graph is undirected, or holds no others.
    keeps_metadata
        Which keys of a graph's metadata a file has a place for; None: all.
    needs_suffix
        Whether ``Match.MAYBE`` is not enough without one of the suffixes.
    may_be_empty
        Whether a file without a byte is one of this format.
    misnamed
        From the first bytes of a file that has one of the suffixes to the name of the format that it is in
        nevertheless, or None.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    sniff: Callable[[bytes], Match]
    read: Callable[[Source, ReadOptions], Graph] | None = None
    write: Callable[[Graph, Sink, WriteOptions], None] | None = None
    keeps_names: bool = False
    keeps_direction: bool = True
    keeps_metadata: tuple[str, ...] | None = ()
    needs_suffix: bool = False
    may_be_empty: bool = False
    misnamed: Callable[[bytes], str | None] | None = None


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

    Content that leaves no doubt decides, whatever the suffix is. Otherwise a suffix that stands for a format decides,
    be it one that clew does not read. Only where the suffix stands for none, or for edge lists, which have no mark, is
    the content guessed at. ``otherwise`` names the format to take where the content speaks for none.
    """
    possible: list[Format] = []
    for one in formats():
        match = one.sniff(head) if one.read is not None else Match.NO
        if match == Match.SURE:
            return one
        if match == Match.MAYBE:
            possible.append(one)
    if (strange := foreign.by_content(head)) is not None:
        raise foreign.refusal(strange, name)
    own = [one for one in formats() if suffix in one.suffixes and one.read is not None]
    if not head:
        return _of_nothing(own, suffix, name)
    if fitting := [one for one in possible if one in own]:
        return fitting[0]
    if otherwise is not None:
        return named(otherwise)
    if (strange := foreign.by_suffix(suffix)) is not None:
        raise foreign.refusal(strange, name, suffix)
    if own and own[0].name != EDGE_LIST:
        return _promised(own, head)
    if guessed := [one for one in possible if not one.needs_suffix]:
        return guessed[0]
    if own and (mistake := _first_mistake(own[0], head, name)) is not None:
        raise mistake
    raise FormatError(
        f"the content is in no known graph format (it starts with {head[:24]!r}); expected {_expected(own, suffix)}.",
        path=name,
        remedy="If you know the format, name it with format=…; `clew formats` lists them.",
        option="If you know the format, name it with --format; `clew formats` lists them.",
    )


def contradiction(one: Format, suffix: str) -> str | None:
    """What to say about a file that is in another format than its suffix stands for; None where it is not."""
    own = _by_suffix(suffix)
    if own is None or own.name == EDGE_LIST or suffix in one.suffixes:
        return None
    return (
        f"The suffix {suffix!r} stands for {own.title}, but the content was read as {one.name}. "
        f"Pass format={own.name!r} (--format {own.name}) to override it."
    )


def _of_nothing(own: list[Format], suffix: str, name: str) -> Format:
    """The format of an empty file, where its suffix stands for one that has such files."""
    if own and own[0].may_be_empty:
        return own[0]
    raise FormatError(f"the file is empty; expected {_expected(own, suffix)}.", path=name)


def _promised(own: list[Format], head: bytes) -> Format:
    """The format that a suffix stands for, although the first bytes do not look like it: its reader says what is wrong.

    Where there are several, as for ``.gr``, the one for text stands before the other in ``MODULES``.
    """
    other = next((found for one in own if one.misnamed and (found := one.misnamed(head))), None)
    if other is not None:
        return named(other)
    return own[-1] if b"\0" in head else own[0]


def _expected(own: list[Format], suffix: str) -> str:
    return f"what {suffix!r} promises ({own[0].title})" if own else "a graph in a known format"


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
        strange = foreign.by_suffix(suffix)
        problem = f"cannot tell the format from the suffix {suffix!r}"
        if strange is not None:
            problem = f"the suffix {suffix!r} stands for {strange.title}, which clew does not write"
        known = ", ".join(sorted({end for one in formats() if one.write for end in one.suffixes}))
        raise FormatError(
            f"{problem}; expected one of {known}.",
            path=name,
            remedy="Or name it with format=…; `clew formats` lists them.",
            option="Or name it with --to; `clew formats` lists them.",
        )
    return found


def _by_suffix(suffix: str) -> Format | None:
    fitting = [one for one in formats() if suffix in one.suffixes]
    writable = [one for one in fitting if one.write is not None]
    return next(iter(writable or fitting), None)
