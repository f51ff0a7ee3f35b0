"""Numbers and names to text: what is written reads back."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.io.sink import Sink
from clew.io.source import Source
from clew.io.text import Layout
from clew.io.text.tables import read_table
from clew.io.text.writer import Labels, write_lines, write_table
from tests.io.texts import same


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
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
