"""An algorithm from outside the package: two files, and it runs wherever clew's own algorithms run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import clew
from clew import testing
from clew.algorithms import ALGORITHMS

PLUGIN = Path(__file__).resolve().parent / "plugin"
ROOT = PLUGIN.parents[2]


@pytest.fixture(scope="module", autouse=True)
def registered():
    sys.path.insert(0, str(PLUGIN))
    import diffusion  # noqa: F401, which registers it

    yield
    sys.path.remove(str(PLUGIN))
    sys.modules.pop("diffusion")
    ALGORITHMS.pop("diffusion")


@pytest.mark.quick
def test_two_files_are_enough():
    assert sorted(path.name for path in (PLUGIN / "diffusion").glob("*.py")) == ["__init__.py", "check.py"]


@pytest.mark.quick
def test_the_docs_show_these_files():
    files = "\n".join((PLUGIN / "diffusion" / name).read_text(encoding="utf-8") for name in ("__init__.py", "check.py"))
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding an algorithm")[2]
    quoted = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert len(quoted) == 3
    assert [code for code in quoted if code not in files] == []
    page = (ROOT / "docs" / "own-algorithm.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```{literalinclude} (.+)$", page, re.MULTILINE)
    assert [(ROOT / "docs" / path).resolve() for path in shown] == [
        PLUGIN / "diffusion" / name for name in ("__init__.py", "check.py")
    ]


def test_it_runs_on_every_engine():
    graph = clew.generate.rmat(6, 4, seed=1)
    found = {d: ALGORITHMS["diffusion"].function(graph, device=d) for d in ("auto", "cpu", "reference", "emulated")}
    for result in found.values():
        np.testing.assert_allclose(result.numpy().centrality, found["reference"].centrality, rtol=1e-12)
        assert result.converged
        assert result.top(1)[0][1] == result.numpy().centrality.max()


@pytest.mark.quick
def test_it_keeps_the_contract():
    assert testing.check_algorithm("diffusion") >= 30


def test_a_wrong_answer_breaks_the_contract(monkeypatch):
    def wrong(waist, graph, probability, rounds):
        return clew.algorithms.Answer({"centrality": np.full(graph.num_vertices, 2.0)})

    record = ALGORITHMS["diffusion"]
    monkeypatch.setitem(
        ALGORITHMS, "diffusion", clew.algorithms.Algorithm(record.function, generic=wrong, check=record.check)
    )
    with pytest.raises(clew.VerificationError, match=r"diffusion on .*device='cpu'"):
        testing.check_algorithm("diffusion")


def test_explain_knows_it():
    plan = clew.explain(clew.generate.grid(30, 30), "diffusion")
    assert plan.engine == "cpu"
    assert "diffusion" in str(plan)


@pytest.mark.parametrize("command", [["run", "diffusion"], ["explain", "diffusion"]])
def test_the_command_line_finds_it_by_its_entry_point(command, tmp_path):
    info = tmp_path / "diffusion-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: diffusion\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[clew.algorithms]\ndiffusion = diffusion\n")
    edges = tmp_path / "edges.txt"
    edges.write_text("0 1\n1 2\n2 0\n0 3\n")
    path = os.pathsep.join([str(tmp_path), str(PLUGIN), *sys.path])
    verify = ["--verify"] if command[0] == "run" else []
    ran = subprocess.run(
        [sys.executable, "-m", "clew", *command, str(edges), "--probability", "0.05", "--json", *verify],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert "diffusion" in json.dumps(told)
