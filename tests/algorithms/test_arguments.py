"""What every algorithm refuses in the same words."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

import clew
from clew.algorithms.registry import ALGORITHMS


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("graph.mtx", "of type str; expected a clew.Graph: read the file with clew.read"),
        (Path("graph.mtx"), "read the file with clew.read"),
        (nx.path_graph(3), "of type networkx.Graph; expected a clew.Graph: convert it with clew.Graph.from_networkx"),
        (None, "of type NoneType; expected a clew.Graph"),
    ],
)
def test_what_is_no_graph(name, wrong, message):
    for ask in (lambda: getattr(clew, name)(wrong), lambda: getattr(clew, name)(graph=wrong)):
        with pytest.raises(clew.GraphError, match=message):
            ask()
    with pytest.raises(clew.GraphError, match=message):
        clew.explain(wrong, name)
