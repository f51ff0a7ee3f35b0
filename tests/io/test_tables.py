"""Edge tables: Parquet and Arrow IPC, which share everything but the bytes."""

from __future__ import annotations

import datetime
import decimal
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import clew
from clew.io import tables
from clew.io.source import Match
from tests.io.fuzzing import fuzz
from tests.io.graphs import graphs, prefixes, refused, small, stored

Store = Callable[[pa.Table], bytes]


def as_parquet(table: pa.Table, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


def as_file(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return buffer.getvalue()


def as_stream(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return buffer.getvalue()


STORES = pytest.mark.parametrize("store", [as_parquet, as_file, as_stream])


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
def test_round_trip(suffix: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(graphs())
    def check(graph: clew.Graph) -> None:
        assert clew.read(stored(graph, suffix)) == graph

    check()


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("names", [np.array([3, 1, 9, 4, 8, 6], dtype=np.int16), list("fedcba"), [0, 1, 2, 3, 4, 6]])
def test_names_come_back_in_order(suffix: str, names: Any) -> None:
    graph = small(names=names)
    assert clew.read(stored(graph, suffix)) == graph
    far = clew.Graph.from_edges([0], [1], names=[2**63 - 1, -(2**63)])
    assert clew.read(stored(far, suffix)) == far


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_several_batches(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BATCH_ROWS", 2)
    steps: list[tuple[int, int | None]] = []
    graph = small(names=list("abcdef"))
    data = stored(graph, suffix, progress=lambda *step: steps.append(step))
    assert steps == [(2, 5), (4, 5), (5, 5)]
    assert clew.read(data) == graph


def test_other_tools_see_an_edge_table(tmp_path: Path) -> None:
    expected = {"source": ["a", "a", "b", "c"], "target": ["b", "c", "c", "d"], "weight": [0.5, 1.5, 2.5, 3.5]}
    graph = clew.Graph.from_edges(expected["source"], expected["target"], expected["weight"], directed=False)
    clew.write(graph, tmp_path / "edges.parquet")
    clew.write(graph, tmp_path / "edges.arrow")
    for frame in (pl.read_parquet(tmp_path / "edges.parquet"), pl.read_ipc(tmp_path / "edges.arrow")):
        assert frame.to_dict(as_series=False) == expected
    assert pd.read_parquet(tmp_path / "edges.parquet").to_dict("list") == expected
    assert pd.read_feather(tmp_path / "edges.arrow").to_dict("list") == expected
    found = duckdb.sql(f"select sum(weight), count(distinct source) from '{tmp_path / 'edges.parquet'}'").fetchall()
    assert found == [(8.0, 3)]


def test_tables_of_other_tools(tmp_path: Path) -> None:
    expected = clew.Graph.from_edges(["x", "y", "x"], ["y", "z", "z"], [1, 2, 3])
    columns = {"src": ["x", "y", "x"], "dst": ["y", "z", "z"], "weight": [1, 2, 3]}
    pl.DataFrame(columns).write_parquet(tmp_path / "polars.parquet")
    pl.DataFrame(columns).write_ipc(tmp_path / "polars.arrow")
    pl.DataFrame(columns).with_columns(pl.col("src").cast(pl.Categorical)).write_ipc(tmp_path / "category.arrow")
    pd.DataFrame(columns).to_parquet(tmp_path / "pandas.parquet")
    pd.DataFrame(columns).to_feather(tmp_path / "pandas.feather")
    frame = pd.DataFrame(columns)  # noqa: F841
    duckdb.sql(f"copy (select * from frame) to '{tmp_path / 'duckdb.parquet'}' (format parquet)")
    files = sorted(tmp_path.iterdir())
    assert len(files) == 6
    for path in files:
        assert clew.read(path) == expected, path.name


@pytest.mark.quick
@STORES
def test_choice_of_columns(store: Store) -> None:
    def read(columns: dict[str, list[Any]], **options: Any) -> list[Any]:
        return [
            part if part is None else part.tolist() for part in clew.read(store(pa.table(columns)), **options).edges()
        ]

    edges = [[0, 1], [1, 0], [5, 6]]
    assert read({"x": [9, 9], "Source": [0, 1], "TARGET": [1, 0], "w": [5, 6]}) == edges
    assert read({"year": [1, 2], "to": [1, 0], "from": [0, 1], "cost": [5, 6]}) == edges
    assert read({"a": [0, 1], "b": [1, 0], "c": [5, 6]}) == edges
    assert read({"a": [0, 1], "b": [1, 0], "c": ["5", "6"]}) == [*edges[:2], None]
    assert read({"a": [0, 1], "b": [1, 0]}) == [*edges[:2], None]
    assert read({"u": [0, 1], "v": [1, 0], "year": [5, 6]}) == [*edges[:2], None]
    assert read({"u": [0, 1], "v": [1, 0], "year": [5, 6]}, weight="year") == edges
    assert read({"u": [9, 9], "v": [9, 9], "p": [0, 1], "q": [1, 0]}, source="p", target="q") == [*edges[:2], None]
    assert read({"u": [0, 1], "v": [1, 0], "weight": [5, 6]}, weights=False) == [*edges[:2], None]
    assert read({"a": [0, 1], "b": [1, 0], "c": [5, 6]}, source="a", target="b") == [*edges[:2], None]
    assert read({"a": [1, 0], "b": [0, 1]}, source="b", target="a") == [*edges[:2], None]
    assert read({"only": [0, 1]}, source="only", target="only") == [[0, 1], [0, 1], None]


@STORES
def test_every_column_is_in_the_report(store: Store) -> None:
    table = pa.table({"day": [1, 2], "src": [0, 1], "dst": [1, 0], "length": [5, 6], "at": [[1], [2]]})
    graph = clew.read(store(table))
    assert graph.report.columns == {
        "day": "ignored",
        "src": "source",
        "dst": "target",
        "length": "weight",
        "at": "ignored",
    }
    assert graph.report.decisions == (
        "Ignored: 'day', 'at'. Pass columns=True (--columns all) to keep other columns of the edges.",
        "Edges were read as directed. Pass directed=False (--undirected) if they go both ways.",
    )
    assert clew.read(store(pa.table({"a": [0, 1], "b": [1, 0], "dist": [5, 6]}))).weighted
    assert clew.read(store(pa.table({"src": [0, 1], "dst": [1, 0], "dist": [5, 6]}))).weighted


@STORES
def test_questions(store: Store) -> None:
    name = name_of(store)
    people = {"a": ["x", "y"], "b": ["y", "z"]}
    said = refused(store(pa.table({"id": [1, 2], **people})), name, "'id' holds integers and column 'a' holds text")
    assert "The columns are 'id', 'a', 'b'. Say which columns to take with source= and target=." in said
    assert "dictionary" not in refused(
        store(pa.table({"a": ["x"], "b": [1]})), name, "'a' holds text and 'b' holds int"
    )
    refused(store(pa.table({"id": [1, 2], "a": [1, 2], "b": [1, 2]})), name, "'id', seems to number the rows")
    refused(store(pa.table({**people, "invoice": [1, 2]})), name, "'invoice' holds the weights is not clear")
    refused(store(pa.table({"a": [1], "b": [2], "invoice": [1]})), name, "weight='invoice', or weights=False")
    refused(store(pa.table({**people, "x": [1, 2], "y": [1, 2]})), name, "'x' or 'y' holds the weights is not clear")
    graph = clew.read(store(pa.table({**people, "invoice": [1, 2]})), weights=False)
    assert graph.report.columns["invoice"] == "ignored"
    assert clew.read(store(pa.table({**people, "invoice": [1, 2]})), weight=3).weights.tolist() == [1, 2]


@STORES
def test_columns_of_one_name_by_position(store: Store) -> None:
    twins = pa.table([["p", "q"], [1, 2], ["q", "r"]], names=["Person.id", "n", "Person.id"])
    graph = clew.read(store(twins), source=3, target=1)
    assert graph == clew.Graph.from_edges(["q", "r"], ["p", "q"])
    assert graph.report.columns["Person.id (column 3)"] == "source"
    plain = pa.table([["p", "q"], ["q", "r"]], names=["Person.id", "Person.id"])
    assert clew.read(store(plain)) == clew.Graph.from_edges(["p", "q"], ["q", "r"])


@STORES
def test_ids_as_text(store: Store) -> None:
    graph = clew.read(store(pa.table({"u": [10, 30], "v": [20, 10]})), ids="text")
    assert graph.names.array.to_pylist() == ["10", "30", "20"]
    texts = store(pa.table({"u": ["01234", "1234"], "v": ["1", "+1"]}))
    for ids in ("auto", "map", "text"):
        assert clew.read(texts, ids=ids).num_vertices == 4


@STORES
def test_ids(store: Store) -> None:
    dense = store(pa.table({"u": [0, 2], "v": [1, 0]}))
    sparse = store(pa.table({"u": [10, 30], "v": [20, 10]}))
    assert clew.read(dense).names is None
    assert clew.read(dense, ids="map").names.array.to_pylist() == [0, 1, 2]
    assert clew.read(sparse).names.array.to_pylist() == [10, 20, 30]
    assert clew.read(sparse, ids="keep").num_vertices == 31
    assert clew.read(store(pa.table({"u": pa.array([], pa.int64()), "v": pa.array([], pa.int64())}))).num_vertices == 0
    assert (
        clew.read(store(pa.table({"u": pa.array([], pa.string()), "v": pa.array([], pa.string())}))).num_vertices == 0
    )
    refused(store(pa.table({"u": [-1], "v": [2**62]})), name_of(store), "negative", ids="keep")
    refused(store(pa.table({"u": [1], "v": [2**62]})), name_of(store), "largest id", ids="keep")


def name_of(store: Store) -> str:
    return "parquet" if store is as_parquet else "arrow"


@STORES
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_kinds_of_strings(store: Store, kind: pa.DataType) -> None:
    columns = {"u": pa.array(["p", "q", "p", "r"]).cast(kind), "v": pa.array(["q", "r", "q", "s"]).cast(kind)}
    expected = clew.Graph.from_edges(["p", "q", "p", "r"], ["q", "r", "q", "s"])
    assert clew.read(store(pa.table(columns))) == expected


def test_dictionaries_that_differ_and_hold_what_is_not_used() -> None:
    first = pa.DictionaryArray.from_arrays(pa.array([2, 0]), pa.array(["b", "unused", "a"]))
    second = pa.DictionaryArray.from_arrays(pa.array([1, 1]), pa.array(["nor this", "c"]))
    graph = clew.read(as_stream(pa.table({"u": first, "v": second})))
    assert graph == clew.Graph.from_edges(["a", "b"], ["c", "c"])
    numbers = pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array([0, 1]))
    assert clew.read(as_stream(pa.table({"u": numbers, "v": numbers}))).num_loops == 2


ODD = {
    "decimal": [decimal.Decimal("1.5")] * 2,
    "timestamp": [datetime.datetime(2020, 1, 1)] * 2,
    "nested": [[1], [2]],
    "struct": [{"a": 1}, {"a": 2}],
    "float": [1.0, 2.0],
    "boolean": [True, False],
    "binary": [b"a", b"b"],
    "null": [None, None],
}


@STORES
@pytest.mark.parametrize("kind", ODD)
def test_columns_that_cannot_name_vertices(store: Store, kind: str) -> None:
    refused(store(pa.table({"u": ODD[kind], "v": [0, 1]})), name_of(store), "'u' holds .* cannot name vertices")
    refused(store(pa.table({"u": ["a", "b"], "v": ODD[kind]})), name_of(store), "'v' holds .* cannot name vertices")


@STORES
def test_refusals(store: Store) -> None:
    name = name_of(store)
    refused(store(pa.table({"u": [0, None], "v": [0, 1]})), name, "'u' has 1 null")
    refused(store(pa.table({"u": ["a", "b"], "v": ["a", None]})), name, "'v' has 1 null")
    refused(store(pa.table({"u": ["a", "b"], "v": [0, 1]})), name, "integers in both or strings in both")
    refused(store(pa.table({"u": [0], "v": [0], "w": [None]})), name, "'w'")
    refused(store(pa.table({"u": [0], "v": [0], "w": ["heavy"]})), name, "'w' has type string")
    refused(store(pa.table({"u": [0], "v": [0], "w": [decimal.Decimal(1)]})), name, "'w' has type decimal")
    refused(store(pa.table({"u": [0], "v": [0]})), name, "no column 'x'", source="x")
    refused(store(pa.table({"u": [0], "v": [0]})), name, "weights=True", weights=True)
    refused(store(pa.table({"u": [0]})), name, "1 column;")
    refused(store(pa.table({"a": [0], "b": [0]})), name, "both ends", source="b")
    refused(store(pa.table([[0], [0], [0]], names=["u", "v", "v"])), name, "2 columns called 'v'")


@STORES
def test_notes_that_lie(store: Store) -> None:
    def noted(note: Any) -> bytes:
        text = note if isinstance(note, bytes) else json.dumps(note).encode()
        return store(pa.table({"u": [0, 1], "v": [1, 0]}).replace_schema_metadata({b"clew": text}))

    good = {"directed": False, "num_vertices": 3, "named": False}
    assert clew.read(noted(good)).num_vertices == 3
    assert clew.read(noted(good), directed=True).num_edges == 4
    for wrong in (b"x", b"[]", b"[" * 5000, b"\xff", [], {}, good | {"directed": 1}, good | {"named": None}):
        refused(noted(wrong), name_of(store), "clew did not write")
    for number in (-1, 2**63, 2**64, 1.5, None, "3", True):
        refused(noted(good | {"num_vertices": number}), name_of(store), "clew did not write")
    refused(noted(good | {"num_vertices": 1}), name_of(store), "num_vertices is 1")
    refused(noted(good | {"num_vertices": 2**40}), name_of(store), "max_expanded_bytes")
    refused(noted(good | {"names": [5, 6]}), name_of(store), "clew did not write")
    refused(noted(good | {"names": [5, 6, 7]}), name_of(store), "no vertex is called 0")
    refused(noted(good | {"names": [0, 1, 1]}), name_of(store), "more than once")
    refused(noted(good | {"names": [0, 1, None]}), name_of(store), "null")
    refused(noted(good | {"names": [0, 1, "x"]}), name_of(store), "not those of the table")


def test_long_lists_of_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tables, "MAX_NOTE_BYTES", 100)
    isolated = small(names=[f"vertex {v}" for v in range(6)])
    with pytest.raises(clew.FormatError, match="1 vertices have no edges"):
        clew.write(isolated, tmp_path / "graph.parquet")
    connected = isolated.subgraph(isolated.names[:5])
    again = clew.read(stored(connected, ".parquet"))
    assert sorted(again.names.array.to_pylist()) == sorted(connected.names.array.to_pylist())
    assert again.num_edges == connected.num_edges


def test_expansion_is_bounded() -> None:
    constant = pa.table({"u": np.zeros(1_000_000, dtype=np.int64), "v": np.zeros(1_000_000, dtype=np.int64)})
    for data, name in ((as_parquet(constant), "parquet"), (as_stream(constant), "arrow")):
        refused(data, name, "max_expanded_bytes", max_expanded_bytes=1_000_000)
    repeated = pa.DictionaryArray.from_arrays(np.zeros(100_000, dtype=np.int32), ["x" * 100_000])
    long = as_parquet(pa.table({"u": repeated, "v": repeated}), store_schema=False)
    assert pq.read_schema(io.BytesIO(long)).field("u").type == pa.string()
    assert clew.read(long).num_vertices == 1  # 10 GB each, were the strings not kept apart


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_every_truncation_is_refused(suffix: str) -> None:
    for cut in prefixes(stored(small(names=list("abcdef")), suffix)):
        refused(cut, "parquet" if suffix == ".parquet" else "arrow")


def test_every_truncation_of_a_stream_is_refused() -> None:
    for cut in prefixes(as_stream(small().to_arrow())):
        refused(cut, "arrow")


def test_wrong_bytes(tmp_path: Path) -> None:
    for name in ("parquet", "arrow"):
        refused(b"", name)
        refused(b"PAR1" + bytes(100) + b"PAR1", name)
        refused(b"ARROW1\0\0" + bytes(100) + b"ARROW1", name)
        refused(stored(small(), ".clew"), name)
        with pytest.raises(clew.FormatError, match="directory"):
            clew.read(tmp_path, format=name)
    refused(b"FEA1" + bytes(40), "arrow", "Feather version 1")
    refused(stored(small(), ".parquet") + b"\0", "parquet")


def test_sniff() -> None:
    table = small().to_arrow()
    assert tables.sniff_parquet(as_parquet(table)) == Match.SURE
    assert tables.sniff_arrow(as_file(table)) == Match.SURE
    assert tables.sniff_arrow(as_stream(table)) == Match.MAYBE
    for data in (as_parquet(table), as_file(table), as_stream(table)):
        assert clew.read(data) == clew.Graph.from_arrow(table, weight="weight")


def test_files_are_small() -> None:
    rng = np.random.default_rng(1)
    graph = clew.Graph.from_edges(rng.integers(0, 2000, 100_000), rng.integers(0, 2000, 100_000), num_vertices=2000)
    assert len(stored(graph, ".parquet")) < 2 * 100_000
    assert len(stored(graph, ".arrow")) < 4 * 100_000


FUZZED = (
    small(),
    small(directed=False, names=list("abcdef")),
    small(weights=None, names=[7, 1, 5, 2, 9, 3]),
)


def test_fuzz_parquet() -> None:
    fuzz(
        [stored(graph, ".parquet") for graph in FUZZED] + [as_parquet(FUZZED[1].to_arrow(), compression="none")],
        "parquet",
    )


def test_fuzz_arrow() -> None:
    plain = [as_file(FUZZED[1].to_arrow()), as_stream(FUZZED[0].to_arrow())]
    fuzz([stored(graph, ".arrow") for graph in FUZZED] + plain, "arrow")
