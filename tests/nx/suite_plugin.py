"""A pytest plugin for a run of NetworkX's own tests: which of them failed, and which called functions of clew."""

from __future__ import annotations

import json
import os
from pathlib import Path

OUTCOMES: dict[str, list[str]] = {"passed": [], "failed": [], "expected": [], "skipped": []}
#: How long the tests of every module took, and how often they were answered by clew.
MODULES: dict[str, dict[str, float]] = {}


def pytest_runtest_logreport(report):
    from clew.nx.interface import CALLS

    test = f"{Path(report.location[0]).name}::{report.nodeid.partition('::')[2]}"
    if report.failed:
        OUTCOMES["failed"].append(test)
    elif hasattr(report, "wasxfail"):
        OUTCOMES["expected"].append(test)
    elif report.skipped:
        OUTCOMES["skipped"].append(test)
    elif report.when == "call":
        OUTCOMES["passed"].append(test)
    module = MODULES.setdefault(report.location[0], {"seconds": 0.0, "calls": 0})
    module["seconds"] += report.duration
    module["calls"] += CALLS.total() - sum(other["calls"] for other in MODULES.values())


def pytest_sessionfinish(session):
    from clew.nx.interface import CALLS

    found = {**OUTCOMES, "calls": CALLS, "modules": MODULES}
    Path(os.environ["CLEW_SUITE_REPORT"]).write_text(json.dumps(found))
