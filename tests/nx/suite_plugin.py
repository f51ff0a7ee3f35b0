"""A pytest plugin for a run of NetworkX's own tests: marks the failures that are expected, and counts calls of clew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

ANOTHER = "Many answers are valid, and clew gives another one than NetworkX: "

#: Every test of NetworkX's that fails with clew, and why. A test that starts to pass has to leave the list.
EXPECTED = {
    "test_weighted.py::TestBellmanFordAndGoldbergRadzik::test_find_negative_cycle_longer_cycle": (
        ANOTHER + "the same cycle, from another of its nodes on."
    ),
    "test_weighted.py::TestBellmanFordAndGoldbergRadzik::test_find_negative_cycle_single_edge": (
        ANOTHER + "the same cycle, from another of its nodes on."
    ),
    "test_matching.py::TestMatching::test_eppstein_matching_simple": ANOTHER + "a maximum matching with other edges.",
    "test_matching.py::TestMatching::test_hopcroft_karp_matching_simple": (
        ANOTHER + "a maximum matching with other edges."
    ),
    "test_mis.py::test_random_seed": ANOTHER + "all five nodes of a graph without edges, in another order.",
    "test_dag.py::TestDAG::test_topological_sort6": (
        "The test changes the graph while it is sorted. NetworkX notices; clew sorts the graph as it was converted."
    ),
}


OUTCOMES: dict[str, list[str]] = {"passed": [], "failed": [], "expected": [], "skipped": []}


def pytest_collection_modifyitems(items):
    for item in items:
        test = f"{item.path.name}::{item.nodeid.partition('::')[2]}"
        if test in EXPECTED:
            item.add_marker(pytest.mark.xfail(reason=EXPECTED[test], strict=True))


def pytest_runtest_logreport(report):
    test = f"{Path(report.location[0]).name}::{report.nodeid.partition('::')[2]}"
    if report.failed:
        OUTCOMES["failed"].append(test)
    elif hasattr(report, "wasxfail"):
        OUTCOMES["expected"].append(test)
    elif report.skipped:
        OUTCOMES["skipped"].append(test)
    elif report.when == "call":
        OUTCOMES["passed"].append(test)


def pytest_sessionfinish(session):
    from clew.nx.serving import CALLS

    Path(os.environ["CLEW_SUITE_REPORT"]).write_text(json.dumps({**OUTCOMES, "calls": CALLS}))
