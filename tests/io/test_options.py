"""Options of readers and writers: of the right kind, or refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import clew
from clew import GraphError

pytestmark = pytest.mark.quick

EDGES = b"0 1 5\n1 2 7\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": 1}, "weights is 1; expected True or False"),
        ({"directed": 1}, "directed is 1; expected True or False"),
        ({"header": "yes"}, "header is 'yes'; expected True or False"),
        ({"check": "all"}, "check is 'all'; expected True or False"),
        ({"delimiter": 5}, "delimiter is 5; expected a string"),
        ({"delimiter": b","}, "delimiter is b','; expected a string"),
        ({"source": 0}, "source is 0; expected the name of a column, or its position counted from 1"),
        ({"duplicates": None}, "duplicates is None; expected 'keep', 'drop', 'first', 'min', 'max' or 'sum'"),
        ({"loops": False}, "loops is False; expected 'keep' or 'drop'"),
        ({"ids": ["map"]}, r"ids is \['map'\]; expected 'auto', 'keep', 'map' or 'text'"),
        ({"ids": "some"}, "ids is 'some'; expected 'auto', 'keep', 'map' or 'text'"),
        ({"duplicates": "some"}, "duplicates is 'some'; expected 'keep'"),
        ({"weight_dtype": "complex64"}, "weight_dtype is 'complex64'; expected bool, an integer"),
        ({"weight_dtype": "heavy"}, "weight_dtype is 'heavy'; expected bool, an integer"),
        ({"max_expanded_bytes": "1GiB"}, "max_expanded_bytes is '1GiB'; expected an integer"),
        ({"max_expanded_bytes": -1}, "max_expanded_bytes is -1; expected 0 or more"),
        ({"progress": True}, "progress is True; expected a function"),
        ({"colour": 1}, "there is no option 'colour'; expected one of directed"),
    ],
)
def test_wrong_options_of_reading_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        clew.read(EDGES, **options)


def test_truth_values_of_numpy_are_as_good() -> None:
    assert not clew.read(EDGES, weights=np.False_, directed=np.False_).weighted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"header": "no"}, "header is 'no'; expected True or False"),
        ({"delimiter": 5}, "delimiter is 5; expected a string"),
        ({"progress": 5}, "progress is 5; expected a function"),
        ({"weights": True}, "there is no option 'weights'; expected one of delimiter"),
    ],
)
def test_wrong_options_of_writing_are_named(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match=message):
        clew.write(clew.read(EDGES), tmp_path / "out.csv", **options)
    assert not list(tmp_path.iterdir())


def test_what_is_no_graph_and_no_path_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with pytest.raises(GraphError, match=r"of type networkx.Graph; expected a clew.Graph: .*from_networkx"):
        clew.write(nx.path_graph(3), path)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match=r"of type str; expected a clew.Graph"):
        clew.write(str(path), clew.read(EDGES))  # type: ignore[arg-type]
    for wrong in (None, 5):
        with pytest.raises(GraphError, match="expected the name of a file"):
            clew.write(clew.read(EDGES), wrong)  # type: ignore[arg-type]


def test_contradictions_are_refused():
    text = b"source,target,x\na,b,1\n"
    with pytest.raises(GraphError, match="weight is 'x', and weights=False ignores all weights"):
        clew.read(text, weight="x", weights=False)
    with pytest.raises(GraphError, match="weight is 'x', and weights=False ignores all weights"):
        clew.Graph.from_arrow(pa.table({"source": ["a"], "target": ["b"], "x": [1]}), weight="x", weights=False)
    for options in ({"source": "source", "target": "source"}, {"source": 2, "target": "target"}):
        with pytest.raises(
            clew.FormatError, match=r"both ends would come from the column '(source|target)'; name another"
        ):
            clew.read(text, **options)


def test_a_file_of_comments_says_so():
    (said,) = [
        one for one in clew.read(b"# only\n% comments\n", format="edge-list").report.decisions if "comments" in one
    ]
    assert said == "All lines are comments, so the graph has no edges."
    assert "comments" not in str(clew.read(b"# a comment\na b\n").report)


def test_what_is_no_file_and_what_is_no_graph(tmp_path):
    frame = pd.DataFrame({"source": ["a"], "target": ["b"]})
    with pytest.raises(clew.FormatError, match=r"bytes: convert it with clew.Graph.from_pandas\.$"):
        clew.read(frame)
    result = clew.connected_components(clew.Graph.from_pandas(frame))
    with pytest.raises(
        GraphError, match=r"this is the result of connected_components; .*\.to_csv\('r.csv', index=False\)\.$"
    ):
        clew.write(result, "r.csv")
    with pytest.raises(GraphError, match=r"\.to_parquet\("):
        clew.write(result, tmp_path / "r.parquet")
