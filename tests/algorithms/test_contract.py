"""The contract of every algorithm: on each engine, and on odd graphs, its answer passes an independent checker."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import clew
from clew import testing
from clew.algorithms import ALGORITHMS, Answer

FOLDER = Path(clew.algorithms.__file__).parent
#: What a checker may import: the graph, and what describes answers and errors. Engines and kernels are not among them.
INDEPENDENT = {"clew.algorithms.checking", "clew.dtypes", "clew.errors", "clew.graph", "clew.result"}
#: Graphs of the contract that an algorithm takes; it takes all of them but for these.
TAKEN = {"bipartite_matching": 6, "maximum_flow": 10, "minimum_cut": 10, "topological_order": 3}


def contract_size(name: str) -> int:
    """The number of graphs that an algorithm must answer for."""
    graphs = testing.contract_graphs(weighted="weights" in ALGORITHMS[name].needs)
    return TAKEN.get(name, len(list(graphs)))


@pytest.mark.quick
@pytest.mark.parametrize("device", testing.DEVICES)
@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_every_algorithm_keeps_the_contract(name, device):
    assert testing.check_algorithm(name, (device,)) == contract_size(name)


@pytest.mark.parametrize("device", testing.DEVICES)
def test_an_answer_that_is_wrong_on_one_engine_breaks_the_contract(monkeypatch, device):
    def nothing_reached(*_, **__):
        return Answer({"depth": np.empty(0), "parent": np.empty(0)}, {"num_reached": 0})

    engine = {"cpu": "cpu", "reference": "generic", "emulated": "cuda"}[device]
    monkeypatch.setitem(ALGORITHMS, "bfs", replace(ALGORITHMS["bfs"], **{engine: nothing_reached}))
    with pytest.raises(clew.VerificationError, match=f"bfs on one vertex, device='{device}': there is an entry"):
        testing.check_algorithm("bfs", (device,))


def test_every_algorithm_has_a_folder_of_its_name_with_a_checker():
    for name, record in ALGORITHMS.items():
        assert (FOLDER / name / "check.py").is_file(), name
        assert callable(record.load("check")), name


def imports(path: Path) -> set[str]:
    """The modules that a file imports, by their full names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.add(node.module or "")
    return found


def is_independent(module: str) -> bool:
    top = module.partition(".")[0]
    if top != "clew":
        return top == "numpy" or top in sys.stdlib_module_names
    return module in INDEPENDENT or re.fullmatch(r"clew\.algorithms\.\w+\.check", module) is not None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/check.py")), ids=lambda path: path.parent.name)
def test_a_checker_is_independent_of_the_algorithm(path):
    assert [module for module in sorted(imports(path)) if not is_independent(module)] == []
