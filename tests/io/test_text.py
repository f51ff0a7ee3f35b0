"""Tables out of text: rows in place whatever the blocks and pieces, names, and errors at their place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew import threads
from clew.errors import FormatError
from clew.io.source import Source
from clew.io.text import Layout, leading_lines
from clew.io.text.columns import GrowingArray
from clew.io.text.tables import NotAnInteger, read_table
from clew.io.text.tokens import read_tokens
from tests.io.texts import SmallBlocks, gaps

EDGES = Layout(("id", "id"))
WEIGHTED = Layout(("id", "id", "number"))

pytestmark = pytest.mark.usefixtures("small_pieces")


# ---------------------------------------------------------------- tables


ends = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b" \n", b"\n# 1 2\n", b"\n  % x\r\n"])
ids = st.integers(-9, 99) | st.sampled_from([2**31 - 1, -(2**31), 2**31, 10**12, 2**63 - 1, -(2**63)])


@given(
    st.lists(st.tuples(ids, ids, gaps, ends), max_size=40), st.binary(max_size=0) | gaps, st.booleans(), st.booleans()
)
@settings(max_examples=80, deadline=None)
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
        (
            b"1;;3",
            Layout(("id", "id"), delimiter=b";"),
            3,
            "the vertex is empty; expected an integer. Fill it, or leave the line out.",
        ),
        (b"1;2;", Layout(("id", "id"), delimiter=b";"), 4, "an empty field is one column too many"),
        (b"1;2;3", Layout(("id", "id"), delimiter=b";"), 4, "'3' is one column too many"),
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
    read_table(Source(text), EDGES, after=after).check_rows(3, "rows")
    with pytest.raises(FormatError, match="the header promises 4 rows, but there are 3; is the file cut short"):
        read_table(SmallBlocks(text), EDGES, after=after).check_rows(4, "rows")
    with pytest.raises(FormatError, match="promises 2 rows, but there are 3; this is the first one too many") as caught:
        read_table(SmallBlocks(text), EDGES, after=after).check_rows(2, "rows")
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
@settings(max_examples=60, deadline=None)
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
