"""Flows, cuts and connectivity beside NetworkX's own: values, sides and errors are equal, and flows are valid."""

from __future__ import annotations

import math
from functools import partial

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.nx.graphs import KINDS, told

# ruff: noqa: N803, N806, NetworkX calls its graphs G

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

#: Capacities of a graph: integers, sums of powers of two, any, some without limit, or of no use.
AMOUNTS = {
    "integers": st.integers(0, 9),
    "floats": st.sampled_from([0.0, 0.25, 1.5, 4.0]),
    "missing": st.one_of(st.none(), st.integers(1, 4)),
    "infinite": st.sampled_from([math.inf, 0.5, 2.0]),
    "odd": st.sampled_from([-2, 0, 3, 5]),
    "not numbers": st.sampled_from([math.nan, 1.0, 2.5]),
}


@st.composite
def networks(draw, multigraph=False):
    """A graph with capacities, with self-loops and edges in both directions."""
    G = KINDS[draw(st.booleans()), multigraph]()
    count = draw(st.integers(2, 9))
    G.add_nodes_from("abcdefghi"[:count])
    amounts = AMOUNTS[draw(st.sampled_from(sorted(AMOUNTS)))]
    node = st.sampled_from(list(G))
    for source, target, amount in draw(st.lists(st.tuples(node, node, amounts), max_size=30)):
        G.add_edge(source, target, **({} if amount is None else {"capacity": amount}))
    return G


def check_flow(G, value, flows, source, sink):
    """Nothing is lost, nothing exceeds a capacity, and flow goes one way between two nodes."""
    net = dict.fromkeys(G, 0)
    assert flows.keys() == set(G)
    for u, row in flows.items():
        assert list(row) == list(G[u])
        for v, amount in row.items():
            assert amount >= 0
            assert not amount or amount <= G[u][v].get("capacity", math.inf)
            assert not amount or u == v or not flows[v].get(u)
            net[u] += amount
            net[v] -= amount
    assert net.pop(source) == pytest.approx(value)
    assert net.pop(sink) == pytest.approx(-value)
    assert all(abs(rest) < 1e-9 for rest in net.values())


@EXAMPLES
@given(networks())
def test_flows_are_valid_and_values_and_cuts_are_networkx_own(G):
    for source, sink in (("a", "b"), ("b", "a"), ("a", "a"), ("a", "absent")):
        ours = told(partial(nx.maximum_flow, G, source, sink, backend="clew"))
        if ours[0] != "tuple":
            assert ours == told(partial(nx.maximum_flow, G, source, sink))
            continue
        value, flows = nx.maximum_flow(G, source, sink, backend="clew")
        theirs = nx.maximum_flow(G, source, sink)[0]
        assert type(value) is type(theirs)
        assert value == pytest.approx(theirs)
        check_flow(G, value, flows, source, sink)
        for function in (nx.maximum_flow_value, nx.minimum_cut, nx.minimum_cut_value):
            call = partial(function, G, source, sink)
            assert told(partial(call, backend="clew")) == told(call)


CONNECTIVITY = [
    nx.edge_connectivity,
    nx.node_connectivity,
    nx.algorithms.connectivity.local_edge_connectivity,
    nx.algorithms.connectivity.local_node_connectivity,
    nx.algorithms.connectivity.minimum_st_edge_cut,
    nx.algorithms.connectivity.minimum_st_node_cut,
    nx.minimum_edge_cut,
    nx.minimum_node_cut,
]


@pytest.mark.parametrize("function", CONNECTIVITY, ids=lambda function: function.__name__)
@EXAMPLES
@given(st.booleans().flatmap(networks))
def test_connectivity_between_two_nodes_is_networkx_own(function, G):
    for source, sink in (("a", "b"), ("b", "a"), ("a", "a"), ("absent", "a")):
        call = partial(function, G, source, sink)
        assert told(partial(call, backend="clew")) == told(call)


@pytest.mark.parametrize("function", CONNECTIVITY[:2], ids=lambda function: function.__name__)
@EXAMPLES
@given(st.booleans().flatmap(networks), st.booleans())
def test_connectivity_of_a_graph_is_networkx_own(function, G, loops):
    if not loops:
        G.remove_edges_from(list(nx.selfloop_edges(G)))
    ours = told(lambda: function(G, backend="clew"))
    assert ours is None or ours == told(lambda: function(G))
    assert ours is not None or G.is_multigraph() or loops


@pytest.mark.parametrize("cutoff", [0, 1, 2, 2.5, 10])
def test_a_cutoff_ends_the_search(cutoff):
    G = nx.icosahedral_graph()
    for arguments in ((), (0, 6)):
        theirs = nx.edge_connectivity(G, *arguments, cutoff=cutoff)
        assert nx.edge_connectivity(G, *arguments, cutoff=cutoff, backend="clew") == theirs


def test_a_missing_capacity_is_none_and_not_1_in_a_graph_with_all_attributes():
    """NetworkX uses a conversion with all attributes again for a function that needs one of them."""
    G = nx.Graph()
    G.add_edge("a", "b")
    G.add_edge("b", "c", capacity=7)
    nx.k_core(G, 1, backend="clew")
    assert nx.maximum_flow_value(G, "a", "c", backend="clew") == 7
    ranks = nx.pagerank(G, weight="capacity")
    assert nx.pagerank(G, weight="capacity", backend="clew") == pytest.approx(ranks)


def test_other_arguments():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, 2, "width")
    assert nx.maximum_flow_value(flowG=G, _s=0, _t=3, capacity="width", backend="clew") == 2
    with pytest.raises(nx.NetworkXUnbounded, match="Infinite capacity path, flow unbounded above"):
        nx.maximum_flow_value(G, 0, 3, backend="clew")
    with pytest.raises(nx.NetworkXError, match="explicitly set a flow_func"):
        nx.minimum_cut(G, 0, 3, cutoff=1, backend="clew")
    with pytest.raises(NotImplementedError, match="for the given arguments"):
        nx.minimum_cut(G, 0, 3, flow_func=nx.algorithms.flow.dinitz, backend="clew")
    with pytest.raises(NotImplementedError, match="for the given arguments"):
        nx.minimum_edge_cut(G, backend="clew")


def test_a_larger_network():
    G = nx.gnm_random_graph(400, 3000, seed=4, directed=True)
    for number, (_, _, data) in enumerate(G.edges(data=True)):
        data["capacity"] = 1 + number * 7 % 11
    assert nx.minimum_cut(G, 3, 77, backend="clew") == nx.minimum_cut(G, 3, 77)
    value, flows = nx.maximum_flow(G, 3, 77, backend="clew")
    check_flow(G, value, flows, 3, 77)
