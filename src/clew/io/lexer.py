"""Words and marks of a text with their positions, and words that are numbers: what GML, DOT and Pajek share."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from clew.errors import FormatError
from clew.io.source import Source

SHOWN = 40  # letters of a token in an error
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,38}")
_REAL = re.compile(r"-?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][+-]?[0-9]+)?|-?(?:0|[1-9][0-9]*)\.?")
_FLAGS = {"true": True, "false": False}


class Token(NamedTuple):
    """A piece of a text; ``kind`` is the group of the pattern that it matched, empty at the end of the text."""

    kind: str
    text: str
    place: int


def decoded(source: Source) -> str:
    """The whole text of a file."""
    data = source.whole().tobytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise source.error(
            "the text is not UTF-8; convert it, for example with `iconv -f latin1 -t utf-8`.", line=line
        ) from None


def literal(text: str) -> Any:
    """What a word without quotes stands for: a number, a truth value, or text."""
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else _FLAGS.get(text, text)


def plain_number(value: Any) -> str | None:
    """A number or a truth value as a word without quotes; None for text, and for what is no finite number."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return np.format_float_positional(value, trim="0") if math.isfinite(value) else None
    return str(value) if isinstance(value, int) else None


class Lexer:
    """The tokens of a text, one after the other.

    Parameters
    ----------
    source
        The file.
    pattern
        Blanks, and then a group per kind of token, or nothing. Tokens of the kind "skip" are dropped.
    """

    def __init__(self, source: Source, pattern: re.Pattern[str]) -> None:
        self._source, self._text = source, decoded(source)
        self._tokens = self._all(pattern)
        self.token = next(self._tokens)

    def _all(self, pattern: re.Pattern[str]) -> Iterator[Token]:
        place, text, match = 0, self._text, pattern.match
        while found := match(text, place):
            kind = found.lastgroup
            if kind is None:  # blanks up to the end, or before something that is no token
                break
            place = found.end()
            if kind != "skip":
                yield Token(kind, found[kind], found.start(kind))
        if found is not None and found.end() < len(text):
            raise self.error(f"unexpected {text[found.end()]!r}.", found.end())
        while True:
            yield Token("", "", len(text))

    def take(self, *kinds: str) -> Token:
        """The next token, which must be of one of these kinds, or one of these words or marks, if there are any."""
        token = self.token
        if kinds and token.kind not in kinds and token.text.lower() not in kinds:
            raise self.unexpected(f"expected {' or '.join(kinds)}")
        self.token = next(self._tokens)
        return token

    def skips(self, text: str) -> bool:
        """Whether the next token is this word or mark, which is then taken."""
        found = self.token.text.lower() == text and bool(self.token.kind)
        if found:
            self.take()
        return found

    def unexpected(self, expected: str) -> FormatError:
        """An error about the next token, for the caller to raise."""
        what = repr(self.token.text[:SHOWN]) if self.token.kind else "the end of the file"
        return self.error(f"found {what}; {expected}.")

    def error(self, problem: str, place: int | None = None) -> FormatError:
        """An error at a place, by default at the next token."""
        place = self.token.place if place is None else place
        line, start = self._text.count("\n", 0, place) + 1, self._text.rfind("\n", 0, place)
        return self._source.error(problem, line=line, column=place - start)
