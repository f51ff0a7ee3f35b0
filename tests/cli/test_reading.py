"""Options of reading: every command that reads a graph takes them all and says what was decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import BAD_INPUT, OK, clew

TEXT = "payer,payee,amount,day\nann,bob,3,1\nbob,cy,4,2\ncy,ann,5,3\n"
COMMANDS = {
    "info": ["info", "FILE"],
    "run": ["run", "pagerank", "FILE"],
    "explain": ["explain", "pagerank", "FILE"],
    "convert": ["convert", "FILE", "OUT.clew"],
    "relabel": ["relabel", "FILE", "-s", "degree:out_degree=2,cutoff=80", "-o", "OUT.clew"],
    "report": ["report", "FILE", "-o", "OUT.html"],
    "bench": ["bench", "FILE", "--algorithms", "bfs", "--peers", "none", "--repeat", "1"],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "payments.csv"
    path.write_text(TEXT)
    return path


def arguments(command: str, file: Path) -> list[str]:
    filled = [word.replace("FILE", str(file)) for word in COMMANDS[command]]
    return [word.replace("OUT", str(file.with_name("out"))) for word in filled]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_asks_and_takes_the_answer(command: str, file: Path) -> None:
    if command == "report":
        pytest.importorskip("plotly")
    words = arguments(command, file)
    code, out, err = clew(*words)
    assert (code, out) == (BAD_INPUT, "")
    assert "whether 'amount' holds the weights is not clear" in err
    assert "--weight-column 'amount', or --weights none" in err
    for options in (["--weight-column", "amount"], ["--weight-column", "3"], ["--weights", "none"]):
        code, out, err = clew(*words, *options)
        assert (code, err) == (OK, "")
        said = " ".join(out.split())
        weight = "weight" if "amount" in options or "3" in options else "ignored"
        assert f"payer (source), payee (target), amount ({weight}), day (ignored)" in said
        assert "The first line was read as column names" in said
        assert "--no-header" in said
        assert "Edges were read as directed. Pass directed=False (--undirected)" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_every_option(command: str, file: Path) -> None:
    if command == "report":
        pytest.importorskip("plotly")
    file.write_text("7,1,2\n8,2,3\n9,3,1\n")
    options = ["--no-header", "--source-column", "2", "--target-column", "3", "--weight-column", "1", "--undirected"]
    code, out, _ = clew(
        *arguments(command, file), *options, "--ids", "text", "--delimiter", ",", "--format", "edge-list"
    )
    assert code == OK
    assert "column 1 (weight), column 2 (source), column 3 (target)" in " ".join(out.split())
    file.write_text("ann,bob\ncy,dee\n")
    out = clew(*arguments(command, file), "--no-header")[1]
    assert "column names" not in out
    if command == "info":
        assert ["vertices", "4"] in map(str.split, out.splitlines())
        assert ["vertices", "2"] in map(str.split, clew("info", file, "--header")[1].splitlines())


def test_json_has_the_columns_and_the_decisions(file: Path) -> None:
    read = json.loads(clew("info", file, "--weights", "none", "--json")[1])
    assert read["columns"] == {"payer": "source", "payee": "target", "amount": "ignored", "day": "ignored"}
    assert any("--no-header" in sentence for sentence in read["decisions"])
    assert read["weights"] is None
    run = json.loads(clew("run", "pagerank", file, "--weights", "none", "--json")[1])
    assert run["read"]["columns"] == read["columns"]
    assert run["read"]["decisions"] == read["decisions"]


def test_a_pipe_is_read_as_a_table(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.cli.files.STDIN", file.with_name("stdin"))
    file.with_name("stdin").write_text("xyz,abc\nann,bob\nbob,cy\n")
    assert "xyz (source), abc (target)" in " ".join(clew("info", "-")[1].split())


def test_graphs_without_edges_lose_nothing_in_text(tmp_path: Path) -> None:
    import clew as library

    library.write(library.Graph.from_edges([], [], num_vertices=5), tmp_path / "empty.clew")
    for name, lost in (("out.txt", []), ("out.csv", ["5 vertices without edges"])):
        out = clew("convert", tmp_path / "empty.clew", tmp_path / name, "--json")[1]
        assert json.loads(out)["lost"] == lost
