"""What ``from_edges`` makes of anything that is not two arrays of integers: a graph, or a sentence."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clew
from clew.convert.libraries import BLOCK
from clew.errors import GraphError

pytestmark = pytest.mark.quick

PAIRS = [(0, 1), (1, 2), (2, 0)]
EXPECTED = clew.Graph.from_edges([0, 1, 2], [1, 2, 0])


@pytest.mark.parametrize(
    "columns",
    [
        ((u for u, _ in PAIRS), (v for _, v in PAIRS)),
        (iter([0, 1, 2]), map(int, ["1", "2", "0"])),
        (dict(PAIRS).keys(), dict(PAIRS).values()),
        (range(3), [1, 2, 0]),
        tuple(zip(*PAIRS, strict=True)),
        (np.ma.array([0, 1, 2]), np.ma.array([1, 2, 0], mask=False)),
    ],
    ids=["generators", "iterators", "views of a dictionary", "a range", "pairs", "nothing masked"],
)
def test_columns_of_ids(columns: tuple[Any, Any]) -> None:
    assert clew.Graph.from_edges(*columns) == EXPECTED


def test_iterators_of_names_and_weights() -> None:
    graph = clew.Graph.from_edges(iter(["ann", "bob"]), iter(["bob", "cy"]), (weight / 2 for weight in (1, 3)))
    assert graph == clew.Graph.from_edges(["ann", "bob"], ["bob", "cy"], [0.5, 1.5])


MANY = [f"user{number % 70}" for number in range(2 * BLOCK + 5)]  # they are looked at in blocks


@pytest.mark.parametrize(
    "column",
    [
        list,
        tuple,
        partial(np.array, dtype=object),
        np.array,
        partial(pd.Series, dtype=object),
        partial(pd.Series, dtype="str"),
        pa.array,
        pl.Series,
    ],
)
def test_columns_of_names(column: Any) -> None:
    graph = clew.Graph.from_edges(column(MANY), column(MANY[::-1]))
    assert graph.names is not None
    source, target, _ = graph.edges()
    assert graph.num_vertices == 70
    found = zip(graph.names.take(source).to_pylist(), graph.names.take(target).to_pylist(), strict=True)
    assert sorted(found) == sorted(zip(MANY, MANY[::-1], strict=True))


@pytest.mark.parametrize("dtype", [object, "str"])
def test_names_in_data_frames(dtype: Any) -> None:
    frame = pd.DataFrame({"target": MANY[::-1], "source": MANY, "kind": MANY}, dtype=dtype).assign(weight=1.5)
    graph = clew.Graph.from_pandas(frame, columns=["kind"])
    assert graph == clew.Graph.from_edges(MANY, MANY[::-1], [1.5] * len(MANY), edge_columns={"kind": MANY})
    frame.loc[BLOCK, "source"] = None
    with pytest.raises(GraphError, match="source has 1 null; expected a vertex in every row"):
        clew.Graph.from_pandas(frame)


MASKED = np.ma.array([0, 1, 2], mask=[False, True, False])
OBJECTS = np.array([1, "a", 2], dtype=object)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((MASKED, [1, 2, 0]), "source is a masked array with 1 masked value; expected a value everywhere"),
        (([1, 2, 0], MASKED), "target is a masked array with 1 masked value"),
        (([*MANY[1:], 7], MANY), "source holds both strings, such as 'user1', and int, such as 7"),
        (([*MANY[1:], b"user"], MANY), "source holds both strings, such as 'user1', and bytes, such as b'user'"),
        ((MANY, [*MANY[1:], None]), "target has 1 null"),
        (([*MANY[1:], "\ud800"], MANY), r"the name '\\ud800' is not valid text: surrogates not allowed"),
        (([0, 1, 2], [1, 2, 0], MASKED * 0.5), "weights is a masked array with 1 masked value"),
        ((PAIRS,), r"target is missing: .* Pass pairs as from_edges\(\*zip\(\*pairs\)\)"),
        (((pair for pair in PAIRS),), "target is missing"),
        ((PAIRS, [1, 2, 0]), r"source has 2 dimensions; expected one\. Pass pairs as"),
        (((pair for pair in PAIRS), [1, 2, 0]), "source has 2 dimensions; expected one"),
        (("abc", "bca"), "source has 0 dimensions; expected one"),
        (({0, 1}, {1, 2}), "source is set, whose values have no order; expected a list or an array"),
        (({0: 1}, [1]), "source is dict, whose values have no order"),
        (
            (pd.Series([0, None, 1]), [1, 2, 0]),
            "source has dtype float64; .* 1 value of it is NaN: remove these rows",
        ),
        ((pd.Series([0, None, None]), [1, 2, 0]), "2 values of it are NaN"),
        ((pd.Series([0, None, 1], dtype="Int64"), [1, 2, 0]), "source has 1 null; expected a vertex in every row"),
        ((pd.Series(["a", None, np.nan], dtype=object), ["a", "b", "c"]), "source has 2 nulls"),
        ((pd.Series(["a", pd.NA, pd.NaT], dtype=object), ["a", "b", "c"]), "source has 2 nulls"),
        (([1, None], [0, 1]), "source has 1 null; expected a vertex in every row. Remove those rows"),
        ((["a", "b"], ["b", None]), "target has 1 null"),
        (([0.0, 1.0], [1, 0]), r"source has dtype float64; .* Convert them, .* ids\.astype\('int64'\)"),
        (([0.5, 1.0], [1, 0]), r"source has dtype float64; expected integers \(vertex ids\) or strings \(names\)\.$"),
        ((["a", 1], ["1", "a"]), "source holds both strings, such as 'a', and int, such as 1; expected only integers"),
        ((OBJECTS, ["1", "a", "2"]), "source holds both strings, such as 'a', and int, such as 1"),
        (([1, 2], ["1", "a"]), "source holds integers and target holds strings; expected integers in both or strings"),
        ((pd.Series(["1", "a"]), pd.Series([1, 2])), "source holds strings and target holds integers"),
        (([(1, 2), (3,)], [1, 2]), "source is a list whose rows differ in length"),
    ],
)
def test_what_makes_no_column_of_vertices(given: tuple[Any, ...], says: str) -> None:
    with pytest.raises(GraphError, match=says):
        clew.Graph.from_edges(*given)


def test_masks_in_other_constructors() -> None:
    matrix = np.ma.array([[0, 1], [1, 0]], mask=[[False, True], [False, False]])
    with pytest.raises(GraphError, match="the matrix is a masked array"):
        clew.Graph.from_numpy(matrix)
    with pytest.raises(GraphError, match="indices is a masked array"):
        clew.Graph.from_csr([0, 1, 2], matrix[0])
    with pytest.raises(GraphError, match="weights is a masked array"):
        EXPECTED.with_weights(MASKED)


# ---------------------------------------------------------------- names out again


@pytest.mark.parametrize(
    ("vertices", "names"),
    [
        (slice(2), ["ann", "bob"]),
        (slice(None, None, -1), ["cy", "bob", "ann"]),
        (slice(7, 9), []),
        ([0, 2], ["ann", "cy"]),
        ((), []),
        (np.array([2, 2]), ["cy", "cy"]),
        (np.array([True, False, True]), ["ann", "cy"]),
        ([False, True, False], ["bob"]),
        (1, "bob"),
        (-1, "cy"),
        (np.int32(1), "bob"),
    ],
)
def test_names_of_several_vertices(vertices: Any, names: Any) -> None:
    graph = clew.Graph.from_edges(["ann", "bob"], ["bob", "cy"])
    assert graph.names[vertices] == names
    assert list(graph.names) == ["ann", "bob", "cy"]


@pytest.mark.parametrize(
    ("vertices", "says"),
    [
        ("ann", r"looked up by vertex, 0 to 2, not by 'ann'\. For the vertex of a name, call names\.id_of\(name\)"),
        (1.5, "not by 1.5"),
        (None, "not by None"),
        (3, "there is no vertex 3; expected 0 to 2"),
        ([0, 3], "there is no vertex 3"),
        ([True, False], r"the mask has shape \(2,\); expected an entry per vertex, that is \(3,\)"),
    ],
)
def test_what_is_no_vertex(vertices: Any, says: str) -> None:
    with pytest.raises(GraphError, match=says):
        clew.Graph.from_edges(["ann", "bob"], ["bob", "cy"]).names[vertices]
