"""NetworkX graphs of every kind, and outcomes that can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import networkx as nx
from hypothesis import strategies as st

KINDS = {
    (False, False): nx.Graph,
    (True, False): nx.DiGraph,
    (False, True): nx.MultiGraph,
    (True, True): nx.MultiDiGraph,
}
NAMES = {
    "counted": lambda vertex: vertex,
    "backwards": lambda vertex: 20 - vertex,
    "strings": "v{}".format,
    "mixed": lambda vertex: (vertex, "odd") if vertex % 2 else frozenset([vertex]),
}


@st.composite
def nx_graphs(
    draw: st.DrawFn, *, directed: bool | None = None, multigraph: bool | None = False, negative: bool = False
) -> nx.Graph:
    """Small graphs with self-loops, isolated nodes, several components, any names and some weights."""
    kind = (draw(st.booleans()) if wanted is None else wanted for wanted in (directed, multigraph))
    graph = KINDS[tuple(kind)]()
    count = draw(st.integers(1, 9))
    name = NAMES[draw(st.sampled_from(sorted(NAMES)))]
    graph.add_nodes_from(map(name, range(count)))
    vertex = st.integers(0, count - 1)
    weight = draw(
        st.sampled_from(
            [
                st.none(),
                st.integers(-2 if negative else 0, 5),
                st.sampled_from([-0.25, 1.5, 0.1] if negative else [0.0, 0.1, 0.2, 1.5]),
                st.one_of(st.none(), st.integers(1, 3), st.sampled_from([0.5, 2.0])),
            ]
        )
    )
    for source, target, value in draw(st.lists(st.tuples(vertex, vertex, weight), max_size=20)):
        graph.add_edge(name(source), name(target), **({} if value is None else {"weight": value}))
    return graph


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or the kind of error it raises."""
    try:
        return call()
    except (nx.NetworkXException, ZeroDivisionError, ValueError, KeyError, IndexError) as error:
        return type(error)


def same(ours: Any, theirs: Any) -> bool:
    """Equal, but for the last digits of floats."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], value) for key, value in theirs.items())
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-6) or (math.isnan(ours) and math.isnan(theirs))
    return bool(ours == theirs)
