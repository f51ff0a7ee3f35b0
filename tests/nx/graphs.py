"""NetworkX graphs of every kind, and outcomes that can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, ValuesView
from typing import Any

import networkx as nx
import numpy as np
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


#: Values of the edge attribute "weight"; sums of different edges differ, so that shortest paths are unique.
WEIGHTS = {
    "none": lambda power, _: {},
    "ones": lambda _, __: {"weight": 1.0},
    "integers": lambda power, _: {"weight": 3**power},
    "floats": lambda power, _: {"weight": 0.5 * 3**power},
    "mixed": lambda power, pick: {"weight": 3**power if pick % 2 else 3.0**power},
    "missing": lambda power, pick: [{}, {"weight": 3**power}, {"weight": 0.5 * 3**power}][pick % 3],
    "negative": lambda power, pick: {"weight": (-1) ** (pick % 3) * 3**power},
    "negative floats": lambda power, pick: {"weight": (-1.0) ** (pick % 3) * 3**power},
    "not numbers": lambda power, pick: {"weight": math.nan if pick % 3 == 0 else 3.0**power},
    "infinite": lambda power, pick: {"weight": math.inf if pick % 3 == 0 else 3.0**power},
    "truths": lambda _, pick: {"weight": pick % 2 == 0},
    "large": lambda power, pick: {"weight": 2**62 + power if pick % 2 else 1},
    "huge": lambda power, pick: {"weight": 2**63 + power if pick % 2 else 1},
}


@st.composite
def any_graphs(draw: st.DrawFn, weights: Sequence[str] = tuple(WEIGHTS)) -> nx.Graph:
    """Graphs of every kind with 0 to 8 nodes whose names are strings, tuples or a mixture, in any order."""
    graph = KINDS[draw(st.booleans()), draw(st.booleans())]()
    name = NAMES[draw(st.sampled_from(sorted(NAMES)))]
    graph.add_nodes_from(map(name, draw(st.permutations(range(draw(st.integers(0, 8)))))))
    value = WEIGHTS[draw(st.sampled_from(weights))]
    nodes = list(graph)
    ends = st.sampled_from(nodes) if nodes else st.nothing()
    edges = draw(st.lists(st.tuples(ends, ends, st.integers(0, 5)), max_size=18)) if nodes else []
    powers = draw(st.permutations(range(len(edges))))
    for (source, target, pick), power in zip(edges, powers, strict=True):
        graph.add_edge(source, target, **value(power, pick))
    return graph


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or the kind of error it raises."""
    try:
        return call()
    except (nx.NetworkXException, ZeroDivisionError, ValueError, KeyError, IndexError) as error:
        return type(error)


def described(value: Any) -> Any:
    """A value with the types of all its parts, in the order of its parts; sets have none."""
    if isinstance(value, dict):
        return "dict", [(key, described(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [described(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, value
    if isinstance(value, nx.Graph):
        rows = [(node, list(row.items())) for node, row in value.adj.items()]
        return type(value).__name__, list(value.nodes(data=True)), rows
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype), described(value.tolist())
    if isinstance(value, (ValuesView, Iterator)):
        kind = "iterator" if isinstance(value, Iterator) else "values"
        return kind, [described(item) for item in value]
    return type(value).__name__, value


def told(call: Callable[[], Any]) -> Any:
    """What a call gives, or the error it raises with its words; None where clew leaves the call to NetworkX."""
    try:
        return described(call())
    except NotImplementedError as error:
        if not isinstance(error, nx.NetworkXException):
            return None
        return type(error).__name__, str(error)
    except (nx.NetworkXException, ZeroDivisionError, ValueError, LookupError, AttributeError) as error:
        return type(error).__name__, str(error)


def alike(ours: Any, theirs: Any, digits: float) -> bool:
    """Equal with all types, but for the last digits of floats."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(alike(a, b, digits) for a, b in zip(ours, theirs, strict=True))
    if isinstance(theirs, float) and not math.isnan(theirs):
        return math.isclose(ours, theirs, rel_tol=digits, abs_tol=digits)
    return bool(ours == theirs) or (ours != ours and theirs != theirs)


def same(ours: Any, theirs: Any) -> bool:
    """Equal, but for the last digits of floats."""
    if isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], value) for key, value in theirs.items())
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-6) or (math.isnan(ours) and math.isnan(theirs))
    return bool(ours == theirs)
