"""NetworkX's own tests, of every module that calls a function clew serves, run against clew.

``CLEW_NETWORKX_SUITE=all pytest tests/nx/test_networkx_suite.py`` runs all of NetworkX's tests, which takes minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from _clew_nx import FUNCTIONS

pytest.importorskip("networkx")

WHOLE = os.environ.get("CLEW_NETWORKX_SUITE") == "all"
MODULES = {
    "": "relabel",
    "algorithms": "asteroidal boundary bridges broadcasting chordal clique cluster core covering cuts cycles"
    " d_separation dag distance_measures distance_regular dominating efficiency euler hierarchy hybrid isolate"
    " link_prediction"
    " lowest_common_ancestors mis non_randomness planar_drawing planarity reciprocity richclub similarity"
    " smetric sparsifiers structuralholes swap threshold triads vitality voronoi wiener",
    "algorithms.approximation": "approx_clust_coeff connectivity distance_measures steinertree treewidth",
    "algorithms.assortativity": "connectivity correlation mixing neighbor_degree pairs",
    "algorithms.bipartite": "basic centrality cluster covering edgelist extendability generators matching",
    "algorithms.centrality": "betweenness_centrality betweenness_centrality_subset closeness_centrality"
    " current_flow_betweenness_centrality current_flow_betweenness_centrality_subset current_flow_closeness"
    " degree_centrality eigenvector_centrality group harmonic_centrality katz_centrality laplacian_centrality"
    " load_centrality percolation_centrality reaching second_order_centrality trophic",
    "algorithms.coloring": "coloring",
    "algorithms.community": "asyn_fluid centrality divisive kclique label_propagation leiden louvain lukes"
    " quality utils",
    "algorithms.components": "attracting biconnected connected semiconnected strongly_connected weakly_connected",
    "algorithms.connectivity": "connectivity cuts disjoint_paths edge_augmentation stoer_wagner",
    "algorithms.flow": "gomory_hu maxflow mincost",
    "algorithms.isomorphism": "isomorphism vf2pp vf2pp_helpers",
    "algorithms.link_analysis": "hits pagerank",
    "algorithms.minors": "contraction",
    "algorithms.shortest_paths": "astar dense dense_numpy generic unweighted weighted",
    "algorithms.traversal": "bfs dfs",
    "algorithms.tree": "coding decomposition distance_measures mst recognition",
    "classes": "function",
    "generators": "classic cographs degree_seq ego geometric internet_as_graphs lattice nonisomorphic_trees small"
    " trees",
    "linalg": "algebraic_connectivity laplacian",
    "readwrite": "edgelist text",
    "readwrite.json_graph": "tree",
    "utils": "rcm",
}
#: They call clew too and are run with all the others only: each takes longer than most of the above together.
SLOW = {
    "algorithms.approximation": "kcomponents traveling_salesman",
    "algorithms.connectivity": "edge_kcomponents kcomponents kcutsets",
    "algorithms.isomorphism": "tree_isomorphism",
    "algorithms": "smallworld",
    "algorithms.tree": "branchings",
    "drawing": "layout pylab",
    "generators": "random_graphs",
    "utils": "backends",
}
#: Served, but never answered in NetworkX's tests; ``test_exact`` compares every served function with NetworkX.
NOT_REACHED = {
    "inter_community_non_edges": "NetworkX has no test of it.",
    "intra_community_edges": "NetworkX has no test of it.",
    "kruskal_mst_edges": "NetworkX calls it only with a partition, or where clew serves its caller.",
    "overall_reciprocity": "NetworkX's only test is that it raises for a graph without edges.",
    "local_node_connectivity": "NetworkX's tests pass a flow_func.",
    "maximum_flow": "NetworkX's tests pass a flow_func.",
    "minimum_cut": "NetworkX's tests pass a flow_func.",
    "minimum_edge_cut": "NetworkX's tests pass a flow_func, or leave out s and t.",
    "minimum_node_cut": "NetworkX's tests pass a flow_func, or leave out s and t.",
    "minimum_st_edge_cut": "NetworkX's tests pass a flow_func.",
    "prim_mst_edges": "NetworkX calls it only for multigraphs, or where clew serves its caller.",
}
#: Marked as failing by NetworkX itself: of any backend, for a function that only its own test backend has.
NETWORKX_OWN = {
    "test_distance_measures.py::TestCenter::test_center_non_tree[G8]",
    "test_backends.py::test_not_implemented_by_nx",
}


def names_of(modules):
    """The modules as Python calls them."""
    folders = {f"networkx.{package}".rstrip("."): names.split() for package, names in modules.items()}
    return [f"{folder}.tests.test_{name}" for folder, names in folders.items() for name in names]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """What became of the tests, and how often clew answered each function."""
    folder = tmp_path_factory.mktemp("networkx")
    (folder / "pytest.ini").write_text("[pytest]\n")  # none of our own settings: NetworkX has its own warnings
    root = Path(__file__).resolve().parents[2]
    environment = {
        **os.environ,
        "NETWORKX_TEST_BACKEND": "clew",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "CLEW_SUITE_REPORT": str(folder / "report.json"),
        "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
    }
    # Plain assertions: to rewrite those of all modules takes longer than many of them.
    options = ["-q", "-c", "pytest.ini", "--assert=plain", "-p", "no:cacheprovider", "-p", "tests.nx.suite_plugin"]
    command = [sys.executable, "-m", "pytest", *options, "--pyargs", *(["networkx"] if WHOLE else names_of(MODULES))]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return {**json.loads((folder / "report.json").read_text()), "output": done.stdout[-5000:]}


def test_none_of_networkx_tests_fails_and_none_is_expected_to(report):
    assert report["failed"] == [], report["output"]
    assert set(report["expected"]) <= NETWORKX_OWN
    assert len(report["passed"]) > (6500 if WHOLE else 2000)
    if not WHOLE:
        slow = ("_large", "test_les_miserables_graph_cutset")  # those that NetworkX calls slow
        assert all(test.partition("[")[0].endswith(slow) for test in report["skipped"])


def test_they_are_answered_by_clew_and_not_by_networkx_behind_its_back(report):
    served = set(FUNCTIONS)
    assert served - set(report["calls"]) == set(NOT_REACHED)


@pytest.mark.skipif(not WHOLE, reason="only a run of all of NetworkX's tests tells; CLEW_NETWORKX_SUITE=all")
def test_no_module_that_calls_clew_is_left_out(report):
    listed = [f"{name.replace('.', '/')}.py" for name in (*names_of(MODULES), *names_of(SLOW))]
    reached = {module for module, found in report["modules"].items() if found["calls"]}
    assert not [module for module in reached if not any(module.endswith(name.partition("/")[2]) for name in listed)]
