"""The machinery under all text formats: exact numbers, rows in place whatever the blocks, errors at their place."""

from __future__ import annotations

import io
import math
import re
import struct
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from clew import threads
from clew.errors import FormatError, GraphError
from clew.io.sink import Sink
from clew.io.source import Block, Source
from clew.io.text import (
    Labels,
    Layout,
    NotAnInteger,
    leading_lines,
    pieces,
    read_table,
    read_tokens,
    write_lines,
    write_table,
)
from clew.io.text.growing import GrowingArray

EDGES = Layout(("id", "id"))
WEIGHTED = Layout(("id", "id", "number"))
NUMBERS = Layout(("number",))


class SmallBlocks(Source):
    """A source whose blocks hold a few lines only, so that little text shows what much text does."""

    def blocks(self, size: int = 0, start: int = 0) -> Iterator[Block]:  # type: ignore[override]  # noqa: ARG002
        return super().blocks(24, start)


@pytest.fixture(autouse=True)
def _many_small_pieces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 6)
    threads.set_count(3)
    yield
    threads.set_count(None)


def numbers_of(*texts: str, dtype: Any = None) -> np.ndarray[Any, Any]:
    data = "\n".join(texts).encode()
    table = read_table(Source(data), Layout(("number",), number_dtype=dtype))
    assert table.numbers is not None
    return table.numbers


# ---------------------------------------------------------------- doubles


def same(found: float, expected: float) -> bool:
    return struct.pack("d", found) == struct.pack("d", expected) or (math.isnan(found) and math.isnan(expected))


decimals = st.one_of(
    st.floats().map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.30e}"),
    st.floats(-1e15, 1e15).map(lambda x: f"{x:.25f}"),
    st.integers(-(10**25), 10**25).map(lambda x: f"{x}.0"),
    st.from_regex(r"[+-]?([0-9]{1,30}\.[0-9]{0,30}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.tuples(st.integers(0, 10**20), st.integers(-360, 330)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
)


@given(st.lists(decimals, min_size=1, max_size=40))
@settings(max_examples=200, deadline=None)
def test_doubles_are_what_python_reads(texts: list[str]) -> None:
    for found, text in zip(numbers_of("0.5", *texts)[1:], texts, strict=True):
        assert same(found, float(text)), text


@given(st.integers(1, 2**62), st.integers(-1, 1))
@settings(max_examples=200, deadline=None)
def test_doubles_near_a_tie(bits: int, nudge: int) -> None:
    """Half way between two doubles, and just beside it, with more digits than fit 64 bits."""
    low = struct.unpack("d", struct.pack("Q", bits))[0]
    high = math.nextafter(low, math.inf)
    assume(math.isfinite(high))
    middle = (Fraction(low) + Fraction(high)) / 2
    digits = 40
    scale = 10 ** (digits - math.floor(math.log10(low)) - 1) if low > 1e-290 else 10**400
    text = f"{round(middle * scale) + nudge}e-{len(str(scale)) - 1}" if scale >= 1 else f"{round(middle) + nudge}.0"
    assert same(numbers_of("0.5", text)[1], float(text)), text


@pytest.mark.parametrize(
    "text",
    [
        "0.0",
        "-0.0",
        "1e400",
        "-1e400",
        "1e-400",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "9007199254740993.0",
        "9007199254740992.5",
        "123456789012345678901234567890",
        ".5",
        "5.",
        "+5.5",
        "1.e5",
        "1E5",
        "1e+5",
        "1e-0",
        "nan",
        "NaN",
        "-nan",
        "inf",
        "-Infinity",
        "INF",
        "+inf",
    ],
)
def test_unusual_doubles(text: str) -> None:
    assert same(numbers_of("0.5", text)[1], float(text))


@pytest.mark.parametrize(
    "text",
    [
        "1_000",
        "0x10",
        "1e",
        "1e+",
        "e5",
        ".",
        "-",
        "+",
        "-.",
        "nanx",
        "infi",
        "in",
        "na",
        "1.5.2",
        "1,5",
        "½",
        "1f",
        "1.0d5",
        "--1",
        "+-1",
        "1e5.5",
    ],
)
def test_junk_is_no_number(text: str) -> None:
    with pytest.raises(FormatError, match=re.escape(repr(text))) as caught:
        numbers_of("1", text)
    assert (caught.value.line, caught.value.column) == (2, 1)


def test_very_long_numbers() -> None:
    long = "1" + "0" * 5000 + "1." + "0" * 5000 + "1e-4990"
    assert same(numbers_of("0.5", long)[1], float(long))
    assert numbers_of("0" * 100 + "7").tolist() == [7]


# ---------------------------------------------------------------- columns of numbers


def test_integers_stay_integers() -> None:
    found = numbers_of("1", "-9223372036854775808", "9223372036854775807")
    assert found.dtype == np.int64
    assert found.tolist() == [1, -(2**63), 2**63 - 1]
    found = numbers_of("1", "18446744073709551615")
    assert found.dtype == np.uint64
    assert found.tolist() == [1, 2**64 - 1]
    assert numbers_of("-1", "2").dtype == np.int64
    assert numbers_of("-1", "2.0").dtype == np.float64


def test_an_exact_integer_is_never_rounded_in_silence() -> None:
    assert numbers_of(str(2**53), "0.5").tolist() == [2.0**53, 0.5]
    assert numbers_of("0.5", str(2**60)).tolist() == [0.5, 2.0**60]
    for texts in (["9007199254740993", "0.5"], ["0.5", "9007199254740993"], ["-9007199254740993", "1", "0.5"]):
        with pytest.raises(FormatError, match="no dtype holds both exactly"):
            numbers_of(*texts)
        assert numbers_of(*texts, dtype="float64").dtype == np.float64
    with pytest.raises(FormatError, match="no dtype holds both exactly"):
        numbers_of("-1", "18446744073709551615")


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_requested_integers(name: str) -> None:
    limits = np.iinfo(name)
    texts = [str(limits.min), str(limits.max), "1e1", "20.0", "0.00"]
    found = numbers_of(*texts, dtype=name)
    assert found.dtype == name
    assert found.tolist() == [limits.min, limits.max, 10, 20, 0]
    for text in (str(limits.max + 1), str(limits.min - 1), "1e30", "nan", "inf", "0.5", "1e-1"):
        with pytest.raises(FormatError, match=f"the weight is {text!r}.*{name}") as caught:
            numbers_of("1", "2", text, dtype=name)
        assert (caught.value.line, caught.value.column) == (3, 1)


def test_requested_booleans_and_floats() -> None:
    assert numbers_of("0", "1", "1.0", dtype="bool").tolist() == [False, True, True]
    with pytest.raises(FormatError, match="does not fit its dtype, bool"):
        numbers_of("2", dtype="bool")
    found = numbers_of("1", "0.1", "inf", "nan", "1e-60", dtype="float32")
    assert found.dtype == np.float32
    assert found[:3].tolist() == [1, float(np.float32(0.1)), math.inf]
    with pytest.raises(FormatError, match="the weight is '1e39', which does not fit its dtype, float32") as caught:
        numbers_of("1", "# no row", "2", "1e39", dtype="float32")
    assert (caught.value.line, caught.value.column) == (4, 1)
    assert numbers_of("1", "9007199254740993", dtype="float64").tolist() == [1, 2.0**53]
    with pytest.raises(GraphError, match="weight_dtype"):
        numbers_of("1", dtype="complex128")


@given(st.lists(st.integers(-(2**63), 2**64 - 1).map(str) | st.integers(-9, 9).map(str), min_size=1), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_column_of_integers_is_exact_or_refused(texts: list[str], small: bool) -> None:
    data = "\n".join(texts).encode()
    values = list(map(int, texts))
    try:
        found = read_table((SmallBlocks if small else Source)(data), NUMBERS).numbers
    except FormatError:
        assert min(values) < 0
        assert max(values) >= 2**63
        return
    assert found is not None
    assert list(map(int, found.tolist())) == values


# ---------------------------------------------------------------- tables


gaps = st.sampled_from([b" ", b"\t", b"  ", b" \t "])
ends = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b" \n", b"\n# 1 2\n", b"\n  % x\r\n"])
ids = st.integers(-9, 99) | st.sampled_from([2**31 - 1, -(2**31), 2**31, 10**12, 2**63 - 1, -(2**63)])


@given(
    st.lists(st.tuples(ids, ids, gaps, ends), max_size=40), st.binary(max_size=0) | gaps, st.booleans(), st.booleans()
)
@settings(max_examples=200, deadline=None)
def test_rows_are_found_whatever_is_around_them(
    rows: list[tuple[int, int, bytes, bytes]], lead: bytes, small: bool, cut: bool
) -> None:
    text = b"".join(lead + str(u).encode() + gap + str(v).encode() + end for u, v, gap, end in rows)
    text = text.rstrip() if cut else text
    table = read_table((SmallBlocks if small else Source)(text), EDGES)
    assert table.num_rows == len(rows)
    assert table.ids[0].tolist() == [row[0] for row in rows]
    assert table.ids[1].tolist() == [row[1] for row in rows]
    narrow = all(-(2**31) <= value < 2**31 for row in rows for value in row[:2])
    assert {column.dtype for column in table.ids} == {np.dtype(np.int32 if narrow else np.int64)}


def test_wide_rows_of_every_kind() -> None:
    text = b'a;1; x y ;2.5;"q;""r"\n# no\n b ; 2 ;; -3 ;\n'
    layout = Layout(("skip", "id", "skip", "number", "skip"), delimiter=b";")
    table = read_table(Source(text), layout)
    assert table.ids[0].tolist() == [1, 2]
    assert table.numbers is not None
    assert table.numbers.tolist() == [2.5, -3]


def test_prefixes() -> None:
    text = b"c x\nc\na 1 2 3\n a  2\t3 4\nc foo\nn 1 2\r\na 10000000 1 7\na 1 2 3\n" + b"a 1 2 5\n" * 20
    layout = Layout(("id", "id", "number"), ranges=((1, 10**8), (1, 3)), base=1, comments=b"cn", prefix=b"a")
    table = read_table(SmallBlocks(text), layout)
    assert table.ids[0].tolist() == [0, 1, 9999999, 0] + [0] * 20
    assert table.ids[1].tolist() == [1, 2, 0, 1] + [1] * 20
    for bad, found in ((b"b 1 2 3\n", "'b'"), (b"a1 2 3\n", "'a1'"), (b"1 2 3\n", "'1'")):
        with pytest.raises(FormatError, match=f"the line starts with {found}; expected 'a'") as caught:
            read_table(Source(text + bad), layout)
        assert caught.value.line == 29
    with pytest.raises(FormatError, match="the line ends after 0 columns"):
        read_table(Source(b"a\n"), layout)


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize(
    ("line", "layout", "column", "says"),
    [
        (b"1 x 3", WEIGHTED, 3, "the vertex is 'x'; expected an integer."),
        (b"1 2x 3", WEIGHTED, 3, "the vertex is '2x'; expected an integer."),
        (b"1 - 3", WEIGHTED, 3, "the vertex is '-'; expected an integer."),
        (b"  1.5 2 3", WEIGHTED, 3, "the vertex is '1.5'; expected an integer."),
        (b"1 2\x003", WEIGHTED, 3, "the vertex is '2\\x003'; expected an integer."),
        (b"1 2 x", WEIGHTED, 5, "the weight is 'x'; expected a number."),
        (b"1 2 3x", WEIGHTED, 5, "the weight is '3x'; expected a number."),
        (b"1  2 ", WEIGHTED, 6, "the line ends after 2 columns; expected 3: vertex, vertex, weight."),
        (b"1", WEIGHTED, 2, "the line ends after 1 column; expected 3: vertex, vertex, weight."),
        (b"1 2 3 4 5", WEIGHTED, 7, "'4' is one column too many; expected 3 columns: vertex, vertex, weight."),
        (b"1 2 #3", EDGES, 5, "'#3' is one column too many; expected 2 columns: vertex, vertex."),
        (b"1 18446744073709551616", EDGES, 3, "the vertex is '18446744073709551616'; expected an integer of at most"),
        (
            b"1 4",
            Layout(("id", "id"), ranges=((1, 9), (1, 3))),
            3,
            "the vertex is '4'; expected an integer from 1 to 3.",
        ),
        (
            b"-1 2",
            Layout(("id", "id"), ranges=((0, 9), (1, 3))),
            1,
            "the vertex is '-1'; expected an integer from 0 to 9.",
        ),
        (b"1;2 3", Layout(("id", "id"), delimiter=b";"), 3, "the vertex is '2 3'; expected an integer."),
        (b"1;;3", Layout(("id", "id"), delimiter=b";"), 3, "the vertex is nothing; expected an integer."),
        (b"1;2;", Layout(("id", "id"), delimiter=b";"), 4, "nothing is one column too many"),
        (b'1;"2', Layout(("id", "skip"), delimiter=b";"), 3, "the quoted column '\"2' does not end on its line"),
        (b'1;"2"3', Layout(("id", "skip"), delimiter=b";"), 3, "there is text after the quoted column '\"2\"3'"),
        ("ä;1 2".encode(), Layout(("skip", "id"), ("label", "end"), delimiter=b";"), 3, "the end is '1 2'; expected"),
        (b"1 " + b"9" * 100 + b"x", EDGES, 3, "the vertex is '" + "9" * 40 + "…'; expected an integer."),
    ],
)
def test_errors_know_their_place(line: bytes, layout: Layout, column: int, says: str, end: bytes, small: bool) -> None:
    good = (layout.delimiter or b" ").join([b"2"] * len(layout.columns))
    lines = [b"# comment", good, b"", *[good] * 20, line, good, good]
    with pytest.raises(FormatError) as caught:
        read_table((SmallBlocks if small else Source)(end.join(lines)), layout)
    assert (caught.value.line, caught.value.column) == (24, column)
    assert says in caught.value.problem


def test_the_first_of_many_errors_is_reported() -> None:
    text = b"1 2\n" * 50 + b"1 x\n" + b"1 2\n" * 50 + b"y 2\n" * 50
    for threads_in_use in (1, 4):
        threads.set_count(threads_in_use)
        with pytest.raises(FormatError) as caught:
            read_table(Source(text), EDGES)
        assert (caught.value.line, caught.value.column) == (51, 3)


def test_ids_that_are_no_integers_have_an_error_of_their_own() -> None:
    for text in (b"1 x\n", b"1 18446744073709551616\n", b"-1 9223372036854775808\n", b'1 "2"\n'):
        with pytest.raises(NotAnInteger):
            read_table(Source(text), EDGES)
    with pytest.raises(FormatError) as caught:
        read_table(Source(b"1 5\n"), Layout(("id", "id"), ranges=((0, 3), (0, 3))))
    assert not isinstance(caught.value, NotAnInteger)


def test_columns_widen_as_late_as_possible() -> None:
    text = b"1 2\n" * 30 + b"1 3000000000\n" + b"1 2\n" * 30
    table = read_table(SmallBlocks(text), EDGES)
    assert {column.dtype for column in table.ids} == {np.dtype(np.int64)}
    assert table.ids[1].tolist() == [2] * 30 + [3_000_000_000] + [2] * 30
    table = read_table(SmallBlocks(text + b"1 9223372036854775808\n"), EDGES)
    assert table.ids[1].dtype == np.uint64
    assert table.ids[1][-1] == 2**63
    assert table.ids[0].flags.owndata
    assert table.ids[0].flags.writeable


def test_expected_rows() -> None:
    text = b"header\n1 2\n# x\n3 4\n5 6\n"
    after = next(leading_lines(Source(text)))
    assert read_table(Source(text), EDGES, after=after, expected_rows=3).num_rows == 3
    with pytest.raises(FormatError, match="the header promises 4 rows, but there are 3; is the file cut short"):
        read_table(SmallBlocks(text), EDGES, after=after, expected_rows=4)
    with pytest.raises(FormatError, match="promises 2 rows, but there are 3; this is the first one too many") as caught:
        read_table(SmallBlocks(text), EDGES, after=after, expected_rows=2)
    assert (caught.value.line, caught.value.column) == (5, 1)


def test_errors_can_be_placed_afterwards() -> None:
    text = b"head\r\n\r\n1 2 3\r\n# x\r\n" + b"4  5   6\r\n" * 20
    after = next(leading_lines(Source(text)))
    table = read_table(SmallBlocks(text), WEIGHTED, after=after)
    error = table.error_at(15, 2, "odd")
    assert str(error) == "<bytes>, line 19, column 8: odd"
    assert (table.error_at(0, 1, "odd").line, table.error_at(0, 1, "odd").column) == (3, 3)


def test_progress_is_told_after_every_block() -> None:
    told: list[tuple[int, int | None]] = []
    text = b"1 2\n" * 100
    read_table(SmallBlocks(text), EDGES, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (400, 400)
    assert len(told) > 10
    read_tokens(SmallBlocks(text), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (400, 400)


def test_results_do_not_depend_on_threads_or_blocks() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 10 ** rng.integers(1, 12, (3000, 1)), (3000, 2))
    text = b"".join(b"%d %d %r\n" % (u, v, float(u) / 7) for u, v in pairs.tolist())
    found = []
    for count in (1, 2, 7):
        threads.set_count(count)
        found += [read_table(kind(text), WEIGHTED) for kind in (Source, SmallBlocks)]
    for table in found:
        assert np.array_equal(table.ids[0], pairs[:, 0])
        assert np.array_equal(table.ids[1], pairs[:, 1])
        assert np.array_equal(table.numbers, pairs[:, 0] / 7)


# ---------------------------------------------------------------- names


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)


@given(st.lists(st.tuples(names, names), max_size=30), st.booleans(), st.sampled_from([b",", b"\t", b""]))
@settings(max_examples=150, deadline=None)
def test_names_are_numbered_in_the_order_of_reading(
    pairs: list[tuple[str, str]], small: bool, delimiter: bytes
) -> None:
    def quoted(name: str) -> bytes:
        return b'"' + name.replace('"', '""').encode() + b'"'

    text = b"".join(quoted(u) + (delimiter or b" ") + quoted(v) + b"\n" for u, v in pairs)
    table = read_table((SmallBlocks if small else Source)(text), Layout(("id", "id"), delimiter=delimiter), named=True)
    order = list(dict.fromkeys(name for pair in pairs for name in pair))
    assert table.names is not None
    assert table.names.to_pylist() == order
    assert [order[i] for i in table.ids[0]] == [pair[0] for pair in pairs]
    assert [order[i] for i in table.ids[1]] == [pair[1] for pair in pairs]


def test_names_without_quotes() -> None:
    text = '# x\nNew York , Köln,3\n a"b,New York,4\n'.encode()
    table = read_table(Source(text), Layout(("id", "id", "number"), delimiter=b","), named=True)
    assert table.names is not None
    assert table.names.to_pylist() == ["New York", "Köln", 'a"b']
    assert table.numbers is not None
    assert table.numbers.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [
        (b"a \xff", 3, "is not valid UTF-8"),
        (b'a "\xc3"', 4, "is not valid UTF-8"),
        (b"a \x01b", 3, "no control characters"),
        (b'a "b', 3, "does not end on its line"),
        (b'a "b"c', 3, "there is text after"),
        (b"a", 2, "the line ends after 1 column"),
        (b"a b c", 5, "one column too many"),
    ],
)
def test_errors_in_names(line: bytes, column: int, says: str) -> None:
    text = b"x y\n" * 20 + line + b"\nx y\n"
    with pytest.raises(FormatError, match=says) as caught:
        read_table(SmallBlocks(text), EDGES, named=True)
    assert (caught.value.line, caught.value.column) == (21, column)


def test_halves_of_a_character_do_not_meet() -> None:
    with pytest.raises(FormatError, match="is not valid UTF-8"):
        read_table(Source(b"a\xc3 \xa9b\n"), EDGES, named=True)


# ---------------------------------------------------------------- tokens


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
@settings(max_examples=200, deadline=None)
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
    doubles = read_tokens(Source(text + b" 0.5"), kind="number", lines=False).values
    if not text.rstrip(b" \t").endswith(b"2") and b"%" not in text[-8:]:
        assert doubles.tolist() == [*flat, 0.5]


@pytest.mark.parametrize(
    ("text", "options", "line", "column", "says"),
    [
        (b"1 2\n3 x\n", {}, 2, 3, "the vertex is 'x'; expected an integer."),
        (b"1 2\n\x01\n", {}, 2, 1, "expected an integer."),
        (b"1 2\n\n 3 1.5\n", {"name": "neighbour"}, 3, 4, "the neighbour is '1.5'; expected an integer."),
        (b"% 9\n1 2\n\n 3 7\n", {"range": (1, 6)}, 4, 4, "the vertex is '7'; expected an integer from 1 to 6."),
        (b"1 2\n3 1.5z\n", {"kind": "number"}, 2, 3, "the weight is '1.5z'; expected a number."),
        (b"1 2\n3 1.5\n", {"kind": "number", "number_dtype": "int32"}, 2, 3, "expected an integer, since its dtype is"),
        (b"1 2\n3 1e50\n", {"kind": "number", "number_dtype": "float32"}, 2, 3, "does not fit its dtype, float32"),
        (b"1 184467440737095516160\n", {}, 1, 3, "expected an integer of at most 64 bits"),
    ],
)
def test_errors_in_tokens(text: bytes, options: dict[str, Any], line: int, column: int, says: str) -> None:
    padding = b"1 2\n1\n" * 10
    with pytest.raises(FormatError) as caught:
        read_tokens(SmallBlocks(padding + text), **options)
    assert (caught.value.line, caught.value.column) == (line + 20, column)
    assert says in caught.value.problem


def test_tokens_can_be_placed_afterwards() -> None:
    text = b"head\n1 2 3\n%\n\n" + b"4  5\n" * 20
    tokens = read_tokens(SmallBlocks(text), after=next(leading_lines(Source(text))), base=1)
    assert tokens.values[:5].tolist() == [0, 1, 2, 3, 4]
    assert (tokens.error_at(2, "odd").line, tokens.error_at(2, "odd").column) == (2, 5)
    assert (tokens.error_at(24, "odd").line, tokens.error_at(24, "odd").column) == (15, 4)
    assert tokens.error_in_line(1, "odd").line == 4
    assert tokens.error_in_line(11, "odd").line == 14


def test_tokens_widen() -> None:
    text = b"1 2 3\n" * 20 + b"5000000000\n18446744073709551615\n"
    values = read_tokens(SmallBlocks(text)).values
    assert values.dtype == np.uint64
    assert values.tolist() == [1, 2, 3] * 20 + [5_000_000_000, 2**64 - 1]


# ---------------------------------------------------------------- lines and arrays


def test_leading_lines() -> None:
    lines = list(leading_lines(Source("ä b\r\n\rx\ny".encode())))
    assert [line.text for line in lines] == ["ä b".encode(), b"", b"x", b"y"]
    assert [line.number for line in lines] == [1, 2, 3, 4]
    assert [line.offset for line in lines] == [0, 6, 7, 9]
    assert [line.end for line in lines[:3]] == [6, 7, 9]
    assert lines[0].column(b"b") == 3
    assert lines[0].column(b"missing") == 1


def test_growing_arrays_keep_what_they_hold() -> None:
    array = GrowingArray(np.int32)
    array.make_room(3, likely=10)
    assert array.values.size == 10
    array.values[:3] = [1, 2, 3]
    array.size = 3
    array.make_room(20)
    array.widen(np.int64)
    array.append(2**40)
    found = array.finished()
    assert found.tolist() == [1, 2, 3, 2**40]
    assert found.flags.owndata


# ---------------------------------------------------------------- writing


def written(path: Path, write: Any, *args: Any, **options: Any) -> bytes:
    with Sink(path) as sink:
        write(sink, *args, **options)
    return path.read_bytes()


@given(
    st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1) | st.integers(-1000, 1000),
            st.integers(0, 2**64 - 1),
            st.floats(),
            st.floats(width=32),
            st.booleans(),
        ),
        max_size=20,
    )
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_written_numbers_read_back(tmp_path: Path, rows: list[tuple[int, int, float, float, bool]]) -> None:
    kinds = [np.int64, np.uint64, np.float64, np.float32, np.bool_]
    columns = [np.array([row[i] for row in rows], dtype=kind) for i, kind in enumerate(kinds)]
    text = written(tmp_path / "file", write_table, columns, delimiter=b";", prefix=b"a ")
    lines = text.decode().splitlines()
    assert len(lines) == len(rows)
    for line, row in zip(lines, rows, strict=True):
        fields = line.removeprefix("a ").split(";")
        assert [int(fields[0]), int(fields[1]), int(fields[4])] == [row[0], row[1], row[4]]
        assert same(float(fields[2]), row[2])
        assert same(float(np.float32(fields[3])), row[3])
        assert re.search(r"[.en]", fields[2])
        assert re.search(r"[.en]", fields[3])
    layout = Layout(("id", "skip", "number", "skip", "skip"), prefix=b"a", delimiter=b";")
    table = read_table(Source(text), layout)
    assert table.ids[0].tolist() == [row[0] for row in rows]
    assert table.numbers is not None
    assert all(same(float(a), row[2]) for a, row in zip(table.numbers, rows, strict=True))


def test_tables_of_many_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.io.text.writer.PIECE_VALUES", 7)
    told: list[int] = []
    labels = pa.array(["x", "yy", "ü"], pa.large_string())
    columns = [
        np.arange(100, dtype=np.int32),
        Labels(np.arange(100) % 3, labels),
        Labels(np.arange(100) % 2, pa.array([7, 8])),
    ]
    text = written(tmp_path / "file", write_table, columns, bases=(1, 0, 0), progress=lambda done, _: told.append(done))
    assert text.decode() == "".join(f"{i + 1} {labels[i % 3]} {7 + i % 2}\n" for i in range(100))
    assert told[-1] == len(text)


@given(st.lists(st.lists(st.integers(0, 10**9), max_size=6), max_size=12), st.booleans(), st.booleans())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_written_lines_read_back(tmp_path: Path, rows: list[list[int]], weighted: bool, led: bool) -> None:
    starts = np.cumsum([0, *map(len, rows)])
    values = np.array([value for row in rows for value in row], dtype=np.int64)
    columns = [values, values * 2] if weighted else [values]
    leads = [np.arange(len(rows)), np.arange(len(rows)) * 3] if led else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clew.io.text.writer.PIECE_VALUES", 5)
        text = written(tmp_path / "file", write_lines, starts, columns, leads=leads, bases=(1, 0)[: len(columns)])
    expected = io.StringIO()
    for i, row in enumerate(rows):
        fields = [i, i * 3] if led else []
        for value in row:
            fields += [value + 1, value * 2] if weighted else [value + 1]
        expected.write(" ".join(map(str, fields)) + "\n")
    assert text.decode() == expected.getvalue()
