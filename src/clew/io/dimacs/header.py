"""The problem line of a DIMACS file, which says what its lines are about and how many there are."""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.io.foreign import IF_EDGES
from clew.io.header import Word, as_count, error_about, missing_word, words
from clew.io.source import Source
from clew.io.text import Line, leading_lines
from clew.io.text.lines import shown

#: The words after ``p`` for every kind of file that is read, and where such a file goes.
KINDS: dict[str, tuple[str, ...]] = {
    "shortest path": ("sp",),
    "graph": ("edge", "edges", "col"),
    "coordinates": ("aux sp co",),
}
#: What to do with a file of each kind: in Python, and on the command line.
READERS = {
    "shortest path": ("Read it with format='dimacs'.", "Read it with --format dimacs."),
    "graph": ("Read it with format='dimacs-col'.", "Read it with --format dimacs-col."),
    "coordinates": (
        "It holds coordinates: read the .gr file beside it, or call clew.io.dimacs.read_coordinates.",
        "It holds coordinates: read the .gr file beside it.",
    ),
}


class Problem(NamedTuple):
    """The problem line: its counts, and the words that they come from."""

    counts: list[int]
    words: list[Word]

    @property
    def line(self) -> Line:
        """The line after which the rows begin."""
        return self.words[0].line


def kind_of(text: bytes) -> str | None:
    """Which of ``KINDS`` a problem line announces."""
    said = b" ".join(text.split()[1:]).decode("latin-1") + " "
    return next((kind for kind, names in KINDS.items() for name in names if said.startswith(name + " ")), None)


def first_line(head: bytes) -> bytes | None:
    """The first line of a text that is neither blank nor a comment."""
    lines = (line.strip() for line in re.split(rb"[\r\n]", head))
    return next((line for line in lines if line and not line.startswith(b"c")), None)


def read_problem(source: Source, kind: str, counted: tuple[str, ...]) -> Problem:
    """Read up to the problem line, which must be of the given kind and count these things."""
    name = KINDS[kind][0]
    expected = f"expected 'p {name} {' '.join(thing.upper() for thing in counted)}'"
    last: Line | None = None
    for last in leading_lines(source):
        text = last.text.strip()
        if not text or text.startswith(b"c"):
            continue
        found = words(last)
        if found[0].text != b"p":
            problem = f"the line starts with {found[0]}, but no problem line came before; {expected}."
            error = error_about(source, found[0], problem)
            raise error.advised(*IF_EDGES) if found[0].text.isdigit() else error
        announced = kind_of(text)
        if announced != kind:
            what = found[1] if found[1:] else missing_word(last)
            error = error_about(source, what, f"the problem line is {shown(text)}; {expected}.")
            raise error.advised(*READERS[announced]) if announced else error
        start = 1 + len(name.split())
        numbers = found[start:]
        if len(numbers) != len(counted):
            wrong = numbers[len(counted)] if len(numbers) > len(counted) else missing_word(last)
            raise error_about(source, wrong, f"the problem line is {shown(text)}; {expected}.")
        named = zip(numbers, counted, strict=True)
        return Problem([as_count(source, word, f"number of {thing}") for word, thing in named], numbers)
    raise source.error(f"the file ends before its problem line; {expected}.", line=last.number if last else None)
