"""The runs that compute-sanitizer watches on a GPU, made in the emulation: they run, and are as many as they say."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.engines.choice import gpu_for
from clew.engines.cuda.balance import frontiers
from clew.engines.cuda.memory.device_graph import rows_on
from clew.graph import Graph
from clew.memory import current

FILE = Path(__file__).resolve().parents[2] / "tools" / "gpu_sanitized.py"
EMULATED = ["--device", "emulated", "--graphs", "path"]


@pytest.fixture
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("gpu_sanitized", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_runs_are_made_and_counted(tool: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main([*EMULATED, "--work", "bfs,sssp,spmv,spgemm"]) == 1 + 1 + 5 + 2
    assert capsys.readouterr().out.splitlines() == [
        *("path bfs", "path sssp", "path spmv", "path spgemm"),
        "9 runs",
    ]


@pytest.mark.parametrize("mode", ["device", "zero_copy", "tiered"])
def test_edges_are_where_they_are_asked_for(tool: Any, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setitem(tool.WORK, "bfs", lambda *_: iter([lambda: seen.append(current().edges)]))
    assert tool.main([*EMULATED, "--work", "bfs", "--memory", mode]) == 1
    assert seen == [mode]


def test_tiered_edges_of_small_graphs_are_in_pairs(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu, seen = gpu_for("emulated", 0), []
    assert gpu is not None
    monkeypatch.setattr(gpu, "page", 2 << 20)  # as a GPU's is
    asked = {"sssp": True, "bfs": False}
    for name, paired in asked.items():

        def rows(graph: Graph, _device: str, paired: bool = paired) -> Iterator[Callable[[], None]]:
            yield lambda: seen.append(rows_on(gpu, graph.outgoing, paired=paired))

        monkeypatch.setitem(tool.WORK, name, rows)
    tool.main(["--device", "emulated", "--graphs", "star,grid", "--work", "sssp,bfs", "--memory", "tiered"])
    assert [each.paired for each in seen[:2]] == [True, False]
    assert seen[0].in_two_memories
    assert gpu.page == 2 << 20


def test_parts_are_all_the_work(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    for name in tool.WORK:
        monkeypatch.setitem(tool.WORK, name, lambda *_, name=name: iter([lambda: seen.append(name)]))
    assert sum(tool.main([*EMULATED, "--part", f"{part}/3"]) for part in (1, 2, 3)) == len(tool.WORK)
    assert sorted(seen) == sorted(tool.WORK)


def test_small_graphs_are_taken_for_large(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LARGE", "DENSE", "ORDERED", "REACH"):
        monkeypatch.setattr(frontiers, name, getattr(frontiers, name))  # as it was, afterwards
    assert tool.main([*EMULATED, "--work", "sswp", "--as-large"]) == 1
    assert (frontiers.LARGE, frontiers.DENSE) == (1, 1)


def test_what_is_refused_is_no_run(tool: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["--device", "emulated", "--graphs", "directed", "--work", "bipartite_matching"]) == 0
    assert "refused: the graph is not bipartite" in capsys.readouterr().out
    for wrong in (["--graphs", "tree"], ["--work", "bfs,walk"], ["--part", "4/3"], ["--memory", "tape"]):
        with pytest.raises(SystemExit):
            tool.main(wrong)
