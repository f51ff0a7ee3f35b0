"""Every served function gives NetworkX's answer with the types of all numbers, in its order, or its error in its words.

Shortest paths are unique in these graphs; where many answers are valid, ``test_answers`` checks that ours is.
"""

from __future__ import annotations

import inspect
import re

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from networkx.utils.backends import _registered_algorithms

from _clew_nx import FUNCTIONS
from tests.nx.graphs import WEIGHTS, alike, any_graphs, told

# ruff: noqa: N803, N806, NetworkX calls its graphs G

pytestmark = [
    pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning"),
    # Correlations of degrees that are all the same are NaN, with the warnings that NetworkX's own have.
    pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:An input array is constant"),
]

ANOTHER = {  # many answers are valid, and clew gives another one than NetworkX
    "eppstein_matching",
    "greedy_color",
    "hits",  # where a singular value occurs twice
    "label_propagation_communities",
    "leiden_communities",  # NetworkX has none
    "leiden_partitions",
    "maximum_flow",
}
#: Found in the order of the distance, and NetworkX in the order in which it came across them.
BY_DISTANCE = {name for name in FUNCTIONS if re.search("bellman_ford|floyd_warshall|goldberg_radzik|johnson", name)}
ANY_ORDER = BY_DISTANCE | {
    "all_pairs_shortest_path_length",
    "dijkstra_predecessor_and_distance",
    "eppstein_matching",  # in the order of a set, which depends on how it was filled where hashes collide
    "floyd_warshall",
    "generalized_degree",  # a Counter is in the order of a set of neighbours
    "hopcroft_karp_matching",
    "shortest_path",
    "shortest_path_length",
    "transitive_reduction",  # in the order of a set of neighbours
}
#: A type that depends on which of several paths of equal length was taken, or was added up first.
MIXED = {"missing", "mixed", "truths"}
NO_MIXTURE = {"average_shortest_path_length", "diameter", "eccentricity", "floyd_warshall", "radius", "wiener_index"}
NO_MIXTURE |= {"maximum_flow_value", "minimum_cut", "minimum_cut_value"}
#: "max() arg is an empty sequence" helps nobody.
OTHER_WORDS = {"k_core", "k_crust", "k_shell"}
#: Of paths of equal length, and nodes at equal distances, any may come first.
EQUAL = {"large", "missing", "truths"}
PATHS = {name for name, module in FUNCTIONS.items() if module == "weighted_paths"}
PATHS |= {"has_path", "shortest_path", "shortest_path_length"}


def unordered(value):
    """Dicts, and the neighbours of a graph, without their order."""
    if isinstance(value, (list, tuple)):
        parts = [unordered(part) for part in value]
        if len(parts) == 3 and parts[0] == "DiGraph":
            return (*parts[:2], [(node, sorted(near, key=repr)) for node, near in parts[2]])
        if len(parts) == 2 and parts[0] == "dict":
            return ("dict", sorted(parts[1], key=repr))
        return type(value)(parts)
    return value


def several(nodes, pick):
    return pick.choice([None, pick.choice(nodes), nodes[:2], nodes[::-1], []])


def communities(nodes, pick):
    """A partition of the nodes, or nearly one."""
    parts = [[], [], []]
    for node in nodes:
        pick.choice(parts).append(node)
    return [set(part) for part in parts if part] + ([{nodes[0]}] if pick.random() < 0.1 else [])


def pairs(nodes, pick):
    return [(pick.choice(nodes), pick.choice(nodes)) for _ in range(pick.randrange(4))]


#: Values of optional arguments, by their names.
OPTIONS = {
    "T": lambda nodes, pick: pick.choice([None, nodes[2:], nodes[2:4]]),
    "algorithm": lambda _, pick: pick.choice(["kruskal", "prim", "magic"]),
    "data": lambda _, pick: pick.random() < 0.5,
    "ignore_nan": lambda _, pick: pick.random() < 0.5,
    "alpha": lambda _, pick: pick.choice([0.85, 0.5]),
    "capacity": lambda _, pick: pick.choice(["weight", "weight", "other"]),
    "count_zeros": lambda _, pick: pick.random() < 0.5,
    "cutoff": lambda _, pick: pick.choice([None, 0, 1, 2.5, 100]),
    "depth_limit": lambda _, pick: pick.choice([None, 0, 1, 2]),
    "distance": lambda _, pick: pick.choice([None, "weight"]),
    "delta": lambda _, pick: pick.choice([0.5, 0]),
    "ebunch": pairs,
    "k": lambda nodes, pick: pick.choice([None, 1]),
    "method": lambda _, pick: pick.choice(["dijkstra", "bellman-ford", "magic"]),
    "nbunch": several,
    "nodelist": lambda nodes, pick: pick.choice([None, nodes[::-1], nodes[1:]]),
    "nodes": several,
    "normalized": lambda _, pick: pick.random() < 0.5,
    "nstart": lambda nodes, _: {node: 1 + place for place, node in enumerate(nodes)},
    "personalization": lambda nodes, pick: {pick.choice(nodes): 1, pick.choice(nodes): 0.5},
    "return_seen": lambda _, pick: pick.random() < 0.5,
    "resolution": lambda _, pick: pick.choice([1, 0.5, 2.0]),
    "reverse": lambda _, pick: pick.random() < 0.5,
    "s": lambda nodes, pick: pick.choice(nodes),
    "seed": lambda _, pick: pick.randrange(5),
    "source": lambda nodes, pick: pick.choice(nodes),
    "t": lambda nodes, pick: pick.choice(nodes),
    "target": lambda nodes, pick: pick.choice(nodes),
    "threshold": lambda _, pick: pick.choice([1e-7, 0.1]),
    "usebounds": lambda _, pick: pick.random() < 0.5,
    "v": several,
    "weight": lambda _, pick: pick.choice(["weight", None]),
    "with_span": lambda _, pick: pick.random() < 0.5,
    "wf_improved": lambda _, pick: pick.random() < 0.5,
}
REQUIRED = {
    "attribute": lambda _, pick: pick.choice(["kind", "kind", "kind", "absent"]),
    "communities": communities,
    "distance": lambda _, pick: pick.choice([-1, 0, 1, 2]),
    "k": lambda _, pick: pick.choice([0, 1, 2, 3]),
    "S": lambda nodes, pick: pick.choice([nodes[:1], nodes[:2], nodes]),
    "minimum": lambda _, pick: pick.random() < 0.5,
    "n": OPTIONS["source"],
    "nbunch": lambda nodes, pick: pick.sample(nodes, pick.randrange(len(nodes) + 1)),
    "nbunch1": lambda nodes, pick: pick.sample(nodes, pick.randrange(len(nodes) + 1)),
    "partition": communities,
    "source": OPTIONS["source"],
    "sources": lambda nodes, pick: pick.choice([[pick.choice(nodes)], nodes[:2], set(nodes[:2])]),
    "target": OPTIONS["target"],
}
REQUIRED |= dict.fromkeys(("_s", "_t", "s", "t"), OPTIONS["source"])
#: Arguments whose names mean something else in other functions.
DIRECTIONS = {key: lambda _, pick: pick.choice(["in", "out", "in+out"]) for key in ("source", "target", "x", "y")}
OWN = {name: DIRECTIONS for name, module in FUNCTIONS.items() if module == "assortativity"}
OWN |= {"kruskal_mst_edges": {"partition": lambda _, __: None}}


def arguments(name, G, pick):
    """Some arguments of a function; one node in twenty is not in the graph."""
    nodes = [*G, *([] if len(G) and pick.random() < 0.95 else ["absent"])]
    chosen = {}
    for key, parameter in inspect.signature(_registered_algorithms[name].orig_func).parameters.items():
        if parameter.default is parameter.empty and key not in ("G", "flowG", "kwargs"):
            chosen[key] = REQUIRED[key](nodes, pick)
        elif key in (options := OPTIONS | OWN.get(name, {})) and pick.random() < 0.5:
            chosen[key] = options[key](nodes, pick)
    if name == "average_shortest_path_length":
        chosen.pop("method", None)
    if "k" in chosen and "seed" in inspect.signature(_registered_algorithms[name].orig_func).parameters:
        chosen["seed"] = 3
    if "community" in inspect.signature(_registered_algorithms[name].orig_func).parameters:
        nx.set_node_attributes(G, {node: pick.randrange(2) for node in G}, "community")
    if "attribute" in chosen:
        kinds = pick.choice([(0, 1, 2.5), (1, 1.0, True, 3), (3, -1)] + [("red", 7, None)] * ("numeric" not in name))
        nx.set_node_attributes(G, {node: pick.choice(kinds) for node in list(G)[pick.randrange(3) // 2 :]}, "kind")
    if name.startswith("louvain"):
        chosen["seed"] = 3
    if name == "maximal_independent_set":
        chosen |= {"seed": 3, "nodes": pick.choice([None, nodes[:1]])}
    return chosen


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - ANOTHER))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_answers_are_networkx_own(name, data):
    weights = set(WEIGHTS) - (MIXED if name in NO_MIXTURE else set()) - (EQUAL if name in PATHS else set())
    G = data.draw(any_graphs(sorted(weights)))
    pick = data.draw(st.randoms(use_true_random=False))
    chosen = arguments(name, G, pick)
    function = getattr(nx, name, getattr(nx.community, name, _registered_algorithms[name]))
    ours = told(lambda: function(G, backend="clew", **chosen))
    if ours is None:
        return
    theirs = told(lambda: function(G, backend="networkx", **chosen))
    if name in ANY_ORDER:
        ours, theirs = unordered(ours), unordered(theirs)
    if theirs[0] == "AttributeError" or theirs == ("NetworkXError", "Negative cycle is detected but not found"):
        return  # slips of NetworkX's own
    if name in OTHER_WORDS and isinstance(theirs[1], str):
        ours, theirs = ours[0], theirs[0]
    assert alike(ours, theirs, 1e-9), (chosen, ours, theirs)


def test_truth_values_add_up_to_integers():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, True, "weight")
    G[0][1]["weight"] = False
    found = nx.single_source_dijkstra_path_length(G, 0, backend="clew")
    assert repr(found) == repr(nx.single_source_dijkstra_path_length(G, 0)) == "{0: 0, 1: 0, 2: 1, 3: 2}"


def test_weights_next_to_the_largest_float():
    """The squares of scores are more than a float can hold; scores that diverge are no warning but an error."""
    G = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])
    nx.set_edge_attributes(G, 1e300, "weight")
    theirs = nx.eigenvector_centrality(G, weight="weight")
    assert nx.eigenvector_centrality(G, weight="weight", backend="clew") == pytest.approx(theirs)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        nx.katz_centrality(G, weight="weight", backend="clew")


@pytest.mark.parametrize("function", [nx.katz_centrality, nx.eigenvector_centrality])
def test_a_start_at_a_node_that_is_not_there(function):
    with pytest.raises(KeyError, match="absent"):
        function(nx.path_graph(2), nstart={0: 1, 1: 1, "absent": 1}, backend="clew")


def test_integers_that_a_float_rounds_are_left_to_networkx():
    G = nx.DiGraph()
    G.add_weighted_edges_from([(0, 1, 2**53 + 1), (1, 2, 0.5)])
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(G, 0, backend="clew")
    G[0][1]["weight"] = 2**53 - 1
    assert nx.single_source_dijkstra_path_length(G, 0, backend="clew")[1] == 2**53 - 1


def test_a_matrix_of_lengths_names_nodes_that_are_missing():
    with pytest.raises(nx.NetworkXError, match=r"Nodes \{'absent'\} in nodelist is not in G"):
        nx.floyd_warshall_numpy(nx.path_graph(1), ["absent"], backend="clew")
