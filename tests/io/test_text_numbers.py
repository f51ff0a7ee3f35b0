"""Numbers out of text: doubles that are exactly what Python reads, and columns that lose no digit."""

from __future__ import annotations

import math
import re
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clew.errors import FormatError, GraphError
from clew.io.source import Source
from clew.io.text import Layout
from clew.io.text.tables import read_table
from tests.io.texts import SmallBlocks, same

pytestmark = pytest.mark.usefixtures("small_pieces")


def numbers_of(*texts: str, dtype: Any = None) -> np.ndarray[Any, Any]:
    data = "\n".join(texts).encode()
    table = read_table(Source(data), Layout(("number",), number_dtype=dtype))
    assert table.numbers is not None
    return table.numbers


# ---------------------------------------------------------------- doubles


decimals = st.one_of(
    st.floats().map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.30e}"),
    st.floats(-1e15, 1e15).map(lambda x: f"{x:.25f}"),
    st.integers(-(10**25), 10**25).map(lambda x: f"{x}.0"),
    st.from_regex(r"[+-]?([0-9]{1,30}\.[0-9]{0,30}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.tuples(st.integers(0, 10**20), st.integers(-360, 330)).map(lambda pair: f"{pair[0]}e{pair[1]}"),
)


@given(st.lists(decimals, min_size=1, max_size=40))
@settings(max_examples=80, deadline=None)
def test_doubles_are_what_python_reads(texts: list[str]) -> None:
    for found, text in zip(numbers_of("0.5", *texts)[1:], texts, strict=True):
        assert same(found, float(text)), text


@given(st.integers(1, 2**62), st.integers(-1, 1))
@settings(max_examples=80, deadline=None)
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
@settings(max_examples=40, deadline=None)
def test_a_column_of_integers_is_exact_or_refused(texts: list[str], small: bool) -> None:
    data = "\n".join(texts).encode()
    values = list(map(int, texts))
    try:
        found = read_table((SmallBlocks if small else Source)(data), Layout(("number",))).numbers
    except FormatError:
        assert min(values) < 0
        assert max(values) >= 2**63
        return
    assert found is not None
    assert list(map(int, found.tolist())) == values
