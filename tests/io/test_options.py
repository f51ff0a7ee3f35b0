"""Options of readers and writers: of the right kind, or refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
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
