"""The tables of memory modes, made on the emulated GPU: complete, checked, and going on after failures."""

from __future__ import annotations

import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import clew
from bench.gpu.memory import ablation, cells, columns, graphs, hybrid, modes, pages, placements
from bench.gpu.memory.__main__ import main
from bench.gpu.memory.link import LENGTHS, Link
from bench.gpu.memory.markdown import NO_TIME, NOTHING, Reason, geometric_mean, number, ratio, table
from bench.gpu.memory.measuring import Bench, TooLongError, limit
from clew.memory import current

TINY = ["--device", "emulated", "--smaller", "18", "--seconds", "300", "--limit", "100", "--repeat", "0", "--runs", "1"]


def run(tmp_path: Path, parts: str, graphs: str, *more: str) -> dict[str, str]:
    main([*parts.split(), "--graphs", graphs, "--out", str(tmp_path), *TINY, *more])
    return {path.stem: path.read_text() for path in tmp_path.glob("*.md")}


def rows_of(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


MODES = "all *; managed, on demand; managed, half*; tiered 1/2; auto 1/2"
STRATEGIES = "Hot(cost) *; Degree* 1/2"


def test_modes_and_strategies_fill_three_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    chosen = columns.named_like(f"{MODES}; {STRATEGIES}".split("; "))
    monkeypatch.setattr(modes, "named_like", lambda patterns: chosen)
    texts = run(tmp_path, "modes", "kron22,nothing")
    printed = capsys.readouterr().out
    assert "nothing FAILED: KeyError" in printed  # and the other graph is there all the same
    assert printed.count("FAILED") == 1
    assert set(texts) == {"modes", "cache", "link"}
    assert all(text in printed for text in (texts["modes"].strip(), texts["cache"].strip()))
    wanted = {columns.COLUMNS[where] for where in chosen}
    assert {"Hot(cost) 1/8", "Degree(2, 80) 1/2", "managed, half of it cached"} < wanted
    rows = [row for row in rows_of(texts["modes"]) if row[0] in ("", "**kron22**") and row[1] in wanted]
    assert {row[1] for row in rows} == wanted
    assert all(len(row) == 9 and re.fullmatch(r"[\d,.]+", cell) for row in rows for cell in row[2:])
    overview, placed, moved = (
        [row for row in rows_of(texts["modes"]) if row[0] == name]
        for name in ("tiered 1/2", "Degree(2, 80) 1/2", "Hot(cost) 1/8")
    )
    assert [len(row) for row in overview] == [6, 3]
    assert [len(row) for row in placed] == [len(row) for row in moved] == [6, 3, 3]
    for algorithm in ("bfs", "sssp", "sswp", "pagerank", "components"):
        (row,) = [row for row in rows_of(texts["cache"]) if row[0] == f"kron22 {algorithm}"]
        assert all(re.fullmatch(r"[\d,.]+x?", cell) for cell in row[1:])
    shares = [row for row in rows_of(texts["link"]) if row[0] == "kron22"]
    assert {(row[1], row[2]) for row in shares} >= {("sssp", "tiered 1/2"), ("bfs, pushing only", "zero_copy")}


def test_figures_of_several_runs_are_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    first, second, out = (tmp_path / name for name in ("first", "second", "out"))
    monkeypatch.setattr(hybrid, "PROGRAMS", (hybrid.BreadthFirst,))
    run(first, "modes hybrid", "grid3000", "--columns", "all *; tiered 1/2; Random(0.5) 1/2")
    assert capsys.readouterr().out.count("made in") == 1  # for both parts
    later = cells.Figures.read(first / "modes.json")
    assert later.json + "\n" == (first / "modes.json").read_text()
    later.cells = {
        ("grid3000", "bfs", "tiered", 2): cells.Cell(0.1234),
        ("grid3000", "sssp", "tiered", 2): Reason("> 1 s"),
        ("grid3000", "bfs", "auto", 2): Reason("MemoryError", "nothing is left"),
    }
    second.mkdir()
    (second / "modes.json").write_text(later.json)
    main(["join", str(first), str(second), "--out", str(out)])
    texts = {path.stem: path.read_text() for path in out.glob("*.md")}
    assert set(texts) == {"modes", "cache", "placements", "hybrid"}
    assert texts["hybrid"] == (first / "hybrid.md").read_text()
    rows = {row[1]: row for row in rows_of(texts["modes"]) if len(row) == 9}
    assert rows["tiered 1/2"][2] == "123"  # the later one
    assert re.fullmatch(r"[\d,.]+", rows["tiered 1/2"][3])  # a reason replaces no figure
    assert rows["auto 1/2"][2:4] == ["MemoryError", "no time"]
    assert [row[0] for row in rows_of(texts["placements"])][3:7] == ["", "AllSlow", "AllFast", "as numbered"]
    main(["join", str(out), "--out", str(tmp_path / "again")])
    assert (tmp_path / "again" / "modes.md").read_text() == (out / "modes.md").read_text()


def test_columns_by_name() -> None:
    with pytest.raises(ValueError, match="unknown column 'cached'; expected some of all in HBM; all zero-copy; "):
        columns.named_like(["tiered *", "cached"])
    assert len(columns.named_like([])) == len(columns.COLUMNS) == 9 + 3 + 3 * 7


def test_copy_and_run(tmp_path: Path) -> None:
    rows = rows_of(run(tmp_path, "transfer", "rmat25d")["transfer"])
    assert [row[:2] for row in rows[1:]] == [["bfs", "rmat25d"], ["sssp", "rmat25d"], ["sswp", "rmat25d"]]
    assert all(re.fullmatch(r"[\d,.]+", cell) for row in rows[1:] for cell in row[2:8])


def test_ideas_one_by_one(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(ablation, "ALGORITHMS", ("bfs",))
    text = run(tmp_path, "ablation", "kron21")["ablation"]
    bars = [row for row in rows_of(text) if row[0] == "bfs kron21"]
    assert [len(row) for row in bars] == [len(ablation.STEPS) + 1, 5, len(ablation.RESIDENT) + 1]
    assert all(re.fullmatch(r"[\d,.]+( ms|x)?", cell) for row in bars for cell in row[1:])


def test_strategies(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(placements, "SMALLER_PARTS", (4,))
    monkeypatch.setattr(placements, "ALGORITHMS", ("bfs", "components", "sssp"))
    text = run(tmp_path, "placements", "grid3000")["placements"]
    assert "FAILED" not in capsys.readouterr().out
    for strategy in ("as numbered", "Degree(2, 80)", "Frontier(mean size)", "Intraleave(1-1)", "Hot(degree)"):
        found = [row for row in rows_of(text) if row[0] == strategy]
        assert [len(row) for row in found] == [5, 5, 2]
        assert all(re.fullmatch(r"[\d,.]+x?", cell) for row in found for cell in row[1:])
    smaller = [row[0] for row in rows_of(text) if row[0].startswith("grid3000 ")]
    assert len(smaller) == 1 + placements.BEST
    assert "grid3000 as numbered" in smaller


def test_vertex_programs_by_every_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(hybrid, "PROGRAMS", (hybrid.BreadthFirst, hybrid.Listed))
    text = run(tmp_path, "hybrid", "rmat20")["hybrid"]
    assert "FAILED" not in capsys.readouterr().out
    rows = rows_of(text)
    assert rows[0] == ["", "cpu", "gpu 1/2", "gpu 1/8", "pipeline 1/2", "pipeline 1/8"]
    assert [row[0] for row in rows[1:]] == ["rmat20 BreadthFirst", "rmat20 Listed"]
    assert all(re.fullmatch(r"[\d,.]+", row[at]) for row in rows[1:] for at in (1, 4, 5))


def test_every_engine_gives_the_answer_of_the_cpu(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(hybrid, "PROGRAMS", (hybrid.BreadthFirst,))
    real = hybrid.run_program

    def wrong(bench: Bench, program: Any, graph: clew.Graph, engine: str) -> Any:
        return real(bench, program if engine != hybrid.PIPELINE else type(program)(3), graph, engine)

    monkeypatch.setattr(hybrid, "run_program", wrong)
    (row,) = rows_of(run(tmp_path, "hybrid", "rmat20")["hybrid"])[1:]
    assert row[4:] == ["AssertionError", "AssertionError"]


def test_a_wrong_answer_or_a_failure_leaves_its_reason(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(modes, "PLAIN", ("components", "bfs"))
    real = Bench.call

    def wrong(bench: Bench, algorithm: str, graph: clew.Graph, source: int, rounds: int = 20) -> clew.Result:
        tiered = current().edges == "tiered"
        if tiered and algorithm == "sssp":
            raise MemoryError("nothing is left")
        return real(bench, algorithm, graph, (source + 1) % 8 if tiered and algorithm == "bfs" else source, rounds)

    monkeypatch.setattr(Bench, "call", wrong)
    text = run(tmp_path, "modes", "grid3000", "--columns", "all in HBM; tiered 1/2")["modes"]
    rows = {row[1]: row[2:] for row in rows_of(text) if len(row) == 9}
    assert rows["tiered 1/2"][:2] == ["AssertionError", "MemoryError"]
    figures = [*rows["all in HBM"][:3], rows["all in HBM"][4], rows["tiered 1/2"][2], rows["tiered 1/2"][4]]
    assert all(re.fullmatch(r"[\d,.]+", cell) for cell in figures)
    assert rows["all in HBM"][3] == rows["tiered 1/2"][3] == "no time"  # PageRank is left out here
    assert "MemoryError: nothing is left" in text


def test_packed_edges_are_beside_plain_ones(tmp_path: Path) -> None:
    wanted = "all in HBM; tiered 1/2; packed, all in HBM; packed 1/2"
    texts = run(tmp_path, "modes", "kron22", "--columns", wanted, "--algorithms", "bfs,sssp")
    head, *rows = rows_of(texts["packed"])
    assert head[1:5] == ["all in HBM", "packed, all in HBM", "tiered 1/2", "packed 1/2"]
    assert [row[0] for row in rows[:2]] == ["kron22 bfs", "kron22 sssp"]
    assert all(re.fullmatch(r"[\d,.]+x?", cell) for row in rows[:2] for cell in row[1:7])


def test_modes_of_plain_edges_do_not_pack_them(monkeypatch: Any) -> None:
    seen: list[tuple[str, int | None, Any]] = []
    bench = Bench("emulated", 100, runs=1, repeat=0)
    monkeypatch.setattr(bench, "call", lambda *given: seen.append((current().edges, current().packed)))
    for mode, fast in (("tiered", 9), ("auto", 9), ("packed", None), ("packed", 9)):
        bench.case("bfs", clew.generate.path(3), 0, mode, fast)
    assert list(dict.fromkeys(seen)) == [("tiered", False), ("auto", False), ("device", True), ("tiered", True)]


def test_the_largest_graph_is_packed() -> None:
    named = graphs.make("rmat28", 20, Path())
    assert named.graph.is_packed
    assert (named.graph.num_vertices, named.graph.num_arcs) == (256, 2 * 256 * 16 - named.graph.num_loops)


def test_some_algorithms_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--columns", "all in HBM", "--algorithms", "components")
    rows = {row[1]: row[2:] for row in rows_of(run(tmp_path, "modes", "grid3000", *options)["modes"]) if len(row) == 9}
    assert rows["all in HBM"][:4] == ["no time"] * 4
    assert re.fullmatch(r"[\d,.]+", rows["all in HBM"][4])
    with pytest.raises(SystemExit):
        main(["modes", "--algorithms", "triangles"])
    assert "expected some of bfs" in capsys.readouterr().err


def _sleep_within(seconds: float) -> None:
    with pytest.raises(TooLongError), limit(seconds):
        time.sleep(5)
    time.sleep(5)


def test_compiling_is_not_broken_off() -> None:
    compiled = []

    def compiling() -> None:
        with global_compiler_lock:
            time.sleep(0.15)
            compiled.append(True)
        time.sleep(5)

    with pytest.raises(TooLongError), limit(0.05):
        compiling()
    assert compiled


def test_time_is_kept() -> None:
    assert Bench("emulated", 0).tried("x", lambda: 1) is NO_TIME
    bench = Bench("emulated", 60, most=0.05)
    assert bench.tried("x", lambda: time.sleep(5)).word == "> 0.05 s"
    with pytest.raises(TooLongError), limit(0.2):
        _sleep_within(0.05)  # and the outer limit still holds
    with bench.share(0.5):
        assert bench.left < 31
    assert bench.left > 31
    figures = cells.Figures({("g", "sssp", "tiered", 2): Reason("> 12 s")})
    assert figures.given_up(("g", "sssp", "tiered", 4)) == Reason("> 12 s")
    assert figures.given_up(("g", "bfs", "tiered", 4)) is None


def test_pages_of_managed_arrays_go_back(monkeypatch: Any) -> None:
    bench, moved = Bench("emulated", 60), []
    monkeypatch.setattr(pages, "_moved", lambda gpu, at, size, *, to_host: moved.append((at, size, to_host)) or True)
    large, small = (
        SimpleNamespace(data=SimpleNamespace(ptr=at), nbytes=size) for at, size in ((1, 3 * 4096), (9, 100))
    )
    with pages.ManagedPages(bench.gpu) as managed:
        assert bench.gpu.managed(np.arange(3), prefetch=False).tolist() == [0, 1, 2]
        assert managed.arrays == []  # an emulated device has no pages to move
        managed.arrays = [large, small]
        managed.send_back(0.5)
        managed.send_back()
        managed.fetch()
    assert "managed" not in vars(bench.gpu)
    assert moved == [
        (1, 4096, True),
        *((at, size, way) for way in (True, False) for at, size in ((1, 12288), (9, 100))),
    ]


def test_the_ceiling_lies_between_what_was_measured() -> None:
    link = Link(50.0, {("registered", 1, length): rate for length, rate in zip(LENGTHS, range(5, 85, 10), strict=True)})
    link.rooms = (1,)
    rates = link.ceilings("registered", [32, 8, 48, 1 << 20])
    assert rates[:2] == pytest.approx([5, 5 / 4])  # the shortest rows, and a quarter of one
    assert 5 < rates[2] < 15
    assert rates[3] == 50  # no more than in order
    assert link.ceilings("pinned", [32]) is None
    both = link.ceiling_of_all("registered", [32, 64], [2, 1])  # as many bytes in rows of either length
    assert both == pytest.approx(2 / (1 / 5 + 1 / 15))


def test_numbers_in_tables() -> None:
    assert [number(value) for value in (None, 0.01234, 0.5, 12.34, 1234.5, Reason("no time"))] == [
        NOTHING,
        "0.0123",
        "0.50",
        "12.3",
        "1,234",
        "no time",
    ]
    assert geometric_mean([2.0, 8.0, Reason("no time"), None]) == pytest.approx(4)
    assert ratio(Reason("no time"), 2.0) is None
    assert table(["", "a"], [["b", "1"]]) == "|  | a |\n|---|---|\n| b | 1 |"
