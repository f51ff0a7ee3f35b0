"""``clew.read(path, packed=True)``: the same graph as one that is packed after it was read, from several pieces."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pytest

import clew
from clew.io import packed
from tests.graph.test_packed_build import assert_same_bits

RANDOM = np.random.default_rng(5)
SOURCE, TARGET = (np.concatenate([np.arange(300), RANDOM.integers(0, 300, 4000)]) for _ in range(2))
LINES = [f"{u},{v}" for u, v in zip(SOURCE.tolist(), TARGET.tolist(), strict=True)]
MIDDLE = len(LINES) // 2


def text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def weighted(values: Any) -> list[str]:
    return [f"{line},{value}" for line, value in zip(LINES, values, strict=True)]


def changed(place: int, line: str) -> list[str]:
    return [*LINES[:place], line, *LINES[place + 1 :]]


CASES: dict[str, tuple[str, bytes, dict[str, Any], bool]] = {  # name, bytes, options, whether pieces are enough
    "ids": ("a.csv", text(LINES), {}, True),
    "undirected": ("a.csv", text(LINES), {"directed": False, "duplicates": "drop", "loops": "drop"}, True),
    "a header": ("a.csv", text(["source,target", *LINES]), {}, True),
    "comments": ("a.txt", text(["# sym", *[line.replace(",", " ") for line in LINES]]), {}, True),
    "read as directed": ("a.txt", text(["% sym", *[x.replace(",", " ") for x in LINES]]), {"directed": True}, False),
    "integer weights": ("a.csv", text(weighted(np.arange(len(LINES)) % 200)), {"duplicates": "sum"}, True),
    "fractions late": ("a.csv", text(weighted([*[7] * MIDDLE, *[0.5] * (len(LINES) - MIDDLE)])), {}, True),
    "wide late": ("a.csv", text(weighted([*[7] * MIDDLE, *[2**40] * (len(LINES) - MIDDLE)])), {}, True),
    "a comma late": (
        "a.csv",
        text([x.replace(",", ";") + (";7" if k < MIDDLE else ";0,5") for k, x in enumerate(LINES)]),
        {},
        True,
    ),
    "no weights": ("a.csv", text(weighted([5] * len(LINES))), {"weights": False}, True),
    "ids of gap": ("a.el", text([line.replace(",", " ") for line in [*LINES, "900,3"]]), {}, True),
    "kept ids": ("a.csv", text([*LINES, "900,3"]), {"ids": "keep"}, True),
    "numbers as names": ("a.csv", text([*LINES, "900,3"]), {}, False),
    "negative": ("a.csv", text([*LINES, "-9,3"]), {}, False),
    "names late": ("a.csv", text(changed(MIDDLE, "ann,bob")), {}, False),
    "mapped ids": ("a.csv", text(LINES), {"ids": "map"}, False),
    "a count": ("a.txt", text(["300", *[line.replace(",", " ") for line in LINES]]), {}, False),
    "compressed": ("a.csv.gz", gzip.compress(text(LINES)), {}, False),
    "a single edge": ("a.csv", b"0,1\n", {}, True),
}


def assert_same_graph(found: clew.Graph, expected: clew.Graph) -> None:
    assert found.is_packed
    assert found.directed == expected.directed
    assert found.names == expected.names
    assert found.report == expected.report
    assert_same_bits(found.outgoing, expected.packed().outgoing)  # type: ignore[arg-type]


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Files are cut into pieces of 2 kB, and rows into ranges of 9 kB; what could not be read so is noted."""
    made: list[Any] = []
    read = packed.read_packed
    monkeypatch.setattr(packed, "SMALLEST", 2000)
    monkeypatch.setattr(packed, "LARGEST", 2000)
    monkeypatch.setattr(packed, "read_packed", lambda *args: made.append(read(*args, 9000)) or made[-1])
    return made


@pytest.mark.parametrize("name", CASES)
def test_the_same_graph_as_of_a_file_that_is_read_at_once(name, tmp_path, in_pieces) -> None:
    suffix, content, options, enough = CASES[name]
    path = tmp_path / suffix
    path.write_bytes(content)
    assert_same_graph(clew.read(path, packed=True, **options), clew.read(path, **options))
    assert [graph is not None for graph in in_pieces] == [enough]


@pytest.mark.parametrize("options", [{}, {"directed": False}, {"loops": "drop", "weights": False}], ids=str)
def test_parquet_in_row_groups(options, tmp_path, in_pieces) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "edges.parquet"
    columns = {"source": SOURCE, "target": TARGET.astype(np.int32), "weight": SOURCE % 7}
    pq.write_table(pa.table(columns), path, row_group_size=500)
    assert_same_graph(clew.read(path, packed=True, **options), clew.read(path, **options))
    assert in_pieces[0] is not None


def test_parquet_that_clew_wrote(tmp_path, in_pieces) -> None:
    graph = clew.Graph.from_edges(SOURCE, TARGET, SOURCE % 9, num_vertices=500, directed=False)
    for name, enough in (("plain", True), ("named", False), ("columns", False)):
        path = tmp_path / f"{name}.parquet"
        written = graph if name != "named" else graph.subgraph(np.arange(5, 300))
        written = written.with_edge_columns({"day": np.arange(graph.num_edges)}) if name == "columns" else written
        clew.write(written, path)
        assert_same_graph(clew.read(path, packed=True), clew.read(path))
        assert (in_pieces.pop() is not None) == enough
    assert clew.read(path, packed=True).edge_columns.column_names == ["day"]


def test_an_error_in_a_piece_has_its_line(tmp_path, in_pieces) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(text(changed(MIDDLE, "5")))
    with pytest.raises(clew.FormatError) as error:
        clew.read(path, packed=True)
    assert error.value.line == MIDDLE + 1


def test_other_formats_are_packed_when_they_are_read(tmp_path) -> None:
    graph = clew.generate.grid(20, 30)
    for suffix in (".mtx", ".clew", ".npz"):
        path = tmp_path / f"g{suffix}"
        clew.write(graph, path)
        found = clew.read(path, packed=True)
        assert found.is_packed
        assert found == clew.read(path)
    with pytest.raises(clew.GraphError, match="packed"):
        clew.read(path, packed="yes")


def test_large_pieces_are_given_to_all_threads(tmp_path) -> None:
    path = tmp_path / "a.csv"
    many = text([line for line in LINES for _ in range(120)])
    path.write_bytes(many)
    found = clew.read(path, packed=True, duplicates="drop")
    assert_same_graph(found, clew.read(path, duplicates="drop"))
