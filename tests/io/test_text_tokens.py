"""Tokens out of text: numbers in lines of any length."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import FormatError
from clew.io.source import Source
from clew.io.text import Layout, leading_lines
from clew.io.text.tokens import IDS, read_tokens
from tests.io.texts import SmallBlocks, gaps

NUMBERS = ("number",)
pytestmark = pytest.mark.usefixtures("small_pieces")


def lines_of(text: bytes) -> list[list[int]]:
    lines = re.split(rb"\r\n|\n|\r", text)
    if not lines[-1]:
        lines.pop()
    return [list(map(int, line.split())) for line in lines if not line.strip().startswith(b"%")]


@given(
    st.lists(st.lists(st.integers(-5, 10**6) | st.just(10**10), max_size=5), max_size=20),
    st.sampled_from([b"\n", b"\r\n", b"\r", b"\n% 1 2\n", b" \n"]),
    gaps,
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_tokens_and_their_lines(rows: list[list[int]], end: bytes, gap: bytes, small: bool, last: bool) -> None:
    text = end.join(gap.join(str(value).encode() for value in row) for row in rows) + (end if last else b"")
    expected = lines_of(text)
    tokens = read_tokens((SmallBlocks if small else Source)(text))
    assert tokens.line_starts is not None
    assert tokens.line_starts.dtype == np.int64
    bounds = tokens.line_starts.tolist()
    assert [tokens.values[a:b].tolist() for a, b in pairwise(bounds)] == expected
    flat = [value for row in expected for value in row]
    assert read_tokens(Source(text), lines=False).values.tolist() == flat
    assert read_tokens(Source(text), lines=False).line_starts is None
    doubles = read_tokens(Source(text + b" 0.5"), Layout(("number",)), lines=False).values
    if not text.rstrip(b" \t").endswith(b"2") and b"%" not in text[-8:]:
        assert doubles.tolist() == [*flat, 0.5]


@pytest.mark.parametrize(
    ("text", "options", "line", "column", "says"),
    [
        (b"1 2\n3 x\n", {}, 2, 3, "the vertex is 'x'; expected an integer."),
        (b"1 2\n\x01\n", {}, 2, 1, "expected an integer."),
        (b"1 2\n\n 3 1.5\n", {"names": ("neighbour",)}, 3, 4, "the neighbour is '1.5'; expected an integer."),
        (b"% 9\n1 2\n\n 3 7\n", {"ranges": ((1, 6),)}, 4, 4, "the vertex is '7'; expected an integer from 1 to 6."),
        (b"1 2\n3 1.5z\n", {"columns": NUMBERS}, 2, 3, "the weight is '1.5z'; expected a number."),
        (
            b"1 2\n3 1.5\n",
            {"columns": NUMBERS, "number_dtype": "int32"},
            2,
            3,
            "expected an integer, since its dtype is",
        ),
        (
            b"1 2\n3 1e50\n",
            {"columns": NUMBERS, "number_dtype": "float32"},
            2,
            3,
            "does not fit its dtype, float32",
        ),
        (b"1 184467440737095516160\n", {}, 1, 3, "expected an integer of at most 64 bits"),
    ],
)
def test_errors_in_tokens(text: bytes, options: dict[str, Any], line: int, column: int, says: str) -> None:
    padding = b"1 2\n1\n" * 10
    with pytest.raises(FormatError) as caught:
        read_tokens(SmallBlocks(padding + text), replace(IDS, **options))
    assert (caught.value.line, caught.value.column) == (line + 20, column)
    assert says in caught.value.problem


def test_tokens_can_be_placed_afterwards() -> None:
    text = b"head\n1 2 3\n%\n\n" + b"4  5\n" * 20
    tokens = read_tokens(SmallBlocks(text), replace(IDS, base=1), after=next(leading_lines(Source(text))))
    assert tokens.values[:5].tolist() == [0, 1, 2, 3, 4]
    assert (tokens.error_at(2, "odd").line, tokens.error_at(2, "odd").column) == (2, 5)
    assert (tokens.error_at(24, "odd").line, tokens.error_at(24, "odd").column) == (15, 4)
    assert tokens.error_at(1, "odd", by_line=True).line == 4
    assert tokens.error_at(11, "odd", by_line=True).line == 14


def test_tokens_widen() -> None:
    text = b"1 2 3\n" * 20 + b"5000000000\n18446744073709551615\n"
    values = read_tokens(SmallBlocks(text)).values
    assert values.dtype == np.uint64
    assert values.tolist() == [1, 2, 3] * 20 + [5_000_000_000, 2**64 - 1]
