"""NetworkX's own tests of the functions that clew serves, run against clew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from _clew_nx import FUNCTIONS
from tests.nx.suite_plugin import EXPECTED

pytest.importorskip("networkx")

MODULES = {
    "algorithms.bipartite": ("basic", "matching"),
    "algorithms.centrality": (
        "betweenness_centrality",
        "closeness_centrality",
        "degree_centrality",
        "eigenvector_centrality",
        "harmonic_centrality",
        "katz_centrality",
    ),
    "algorithms.coloring": ("coloring",),
    "algorithms.community": ("label_propagation",),
    "algorithms.components": ("attracting", "connected", "strongly_connected", "weakly_connected"),
    "algorithms.link_analysis": ("hits", "pagerank"),
    "algorithms.shortest_paths": ("dense", "dense_numpy", "generic", "unweighted", "weighted"),
    "algorithms.traversal": ("bfs",),
    "algorithms": (
        "cluster",
        "core",
        "dag",
        "distance_measures",
        "efficiency",
        "isolate",
        "mis",
        "reciprocity",
        "wiener",
    ),
}
#: Served, but never answered in NetworkX's tests; ``test_answers`` compares every served function with NetworkX.
NOT_REACHED = {"overall_reciprocity": "NetworkX's only test is that it raises for a graph without edges."}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """What became of the tests, and how often clew answered each function."""
    folder = tmp_path_factory.mktemp("networkx")
    (folder / "pytest.ini").write_text("[pytest]\n")  # none of our own settings: NetworkX has its own warnings
    tests = [f"networkx.{package}.tests.test_{name}" for package, names in MODULES.items() for name in names]
    environment = {
        **os.environ,
        "NETWORKX_TEST_BACKEND": "clew",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "CLEW_SUITE_REPORT": str(folder / "report.json"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    options = ["-q", "-c", "pytest.ini", "-p", "no:cacheprovider", "-p", "tests.nx.suite_plugin"]
    command = [sys.executable, "-m", "pytest", *options, "--pyargs", *tests]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return {**json.loads((folder / "report.json").read_text()), "output": done.stdout[-5000:]}


def test_all_of_networkx_tests_pass_but_those_whose_failure_is_explained(report):
    assert report["failed"] == [], report["output"]
    assert sorted(report["expected"]) == sorted(EXPECTED)
    assert report["skipped"] == []
    assert len(report["passed"]) > 1000


def test_they_are_answered_by_clew_and_not_by_networkx_behind_its_back(report):
    served = {name for names in FUNCTIONS.values() for name in names}
    assert served - set(report["calls"]) == set(NOT_REACHED)
