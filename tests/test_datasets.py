"""The bundled graph: its facts, how others read it, and the tool that makes it."""

from __future__ import annotations

import bz2
import doctest
import gzip
import importlib.util
import lzma
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import duckdb
import numpy as np
import polars as pl
import pytest

import clew
from clew import datasets as debian12
from tests.io.fuzzing import assert_valid

ROOT = Path(__file__).resolve().parents[1]
BUNDLED = Path(debian12.__file__).with_name("debian12.parquet")

INDEX = """\
Package: app
Provides: editor
Pre-Depends: libc:any (>= 2.36)
Depends: libc (>= 2.30), gui | tui,
 mailer,
 only-by-lib (= 1) [amd64]
Recommends: nowhere
Description: something: with a colon
 Depends: not-a-field

Package: libc

Package: lib
Provides: only-by-lib (= 1), mail
Depends: only-by-lib, app
Recommends: app, editor-of-choice

Package: gui
Provides: mailer

Package: tui
Provides: mailer, libc

Package: alone

Package: lib
Depends: tui
"""
NEEDS = {
    ("app", "libc"): 3,  # the strongest of several counts
    ("app", "gui"): 2,  # the first alternative
    ("app", "mailer"): 2,  # provided by several: stays what it is
    ("app", "lib"): 2,  # provided by one: stands for that one
    ("app", "nowhere"): 1,  # provided by none
    ("lib", "app"): 2,
    ("lib", "editor-of-choice"): 1,
    ("lib", "tui"): 2,  # from the other version
}


@pytest.fixture(scope="module")
def graph() -> clew.Graph:
    return clew.datasets.debian()


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_debian", ROOT / "tools" / "make_debian.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_facts_that_the_docstring_states(graph):
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (63_857, 292_538, True)
    assert graph.weights.dtype == np.uint8
    assert [np.count_nonzero(graph.weights == weight) for weight in (3, 2, 1)] == [962, 263_239, 28_337]
    assert graph.num_loops == 0
    assert graph.describe().isolated == 3_080
    assert doctest.testmod(debian12).failed == 0


def test_it_is_a_valid_graph_with_names_in_alphabetical_order(graph):
    assert_valid(graph)
    names = graph.names.array.to_pylist()
    assert names == sorted(names)
    assert len(set(names)) == graph.num_vertices
    source, target, weights = graph.edges()
    assert clew.Graph.from_edges(source, target, weights, names=names, duplicates="drop") == graph


@pytest.mark.quick
def test_what_it_says_about_itself(graph):
    assert set(graph.metadata) == {"title", "source", "date", "licence", "weights"}
    assert graph.metadata["date"] == "2026-07-11"
    assert graph.metadata["weights"] == "3 Pre-Depends, 2 Depends, 1 Recommends"


@pytest.mark.quick
def test_well_known_needs(graph):
    assert graph.neighbors("bash") == ["base-files", "bash-completion", "debianutils", "libc6", "libtinfo6"]
    row = slice(graph.indptr[graph.vertex("bash")], graph.indptr[graph.vertex("bash") + 1])
    assert graph.weights[row].tolist() == [2, 1, 2, 3, 3]
    needed = graph.degrees("in")
    assert graph.name(needed.argmax()) == "libc6"
    assert needed.max() == 21_809


def test_other_tools_read_the_file(graph):
    frame = pl.read_parquet(BUNDLED)
    assert frame.columns == ["source", "target", "weight"]
    assert frame.height == graph.num_edges
    found = duckdb.sql(f"select count(*) from '{BUNDLED}' where target = 'libc6'").fetchall()
    assert found == [(21_809,)]
    same = clew.read(BUNDLED)  # an edge table alone has no isolated vertices
    assert (same.num_edges, same.num_vertices) == (graph.num_edges, graph.num_vertices - 3_080)
    assert sorted(same.neighbors("bash")) == graph.neighbors("bash")


def test_the_file_is_small():
    assert BUNDLED.stat().st_size <= 2_000_000


def test_loading_needs_no_compiled_code():
    code = "import clew, sys; clew.datasets.debian(); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_tool_keeps_its_rules(tool):
    assert tool.needs(list(tool.stanzas(INDEX))) == NEEDS


@pytest.mark.parametrize("text", ["", " ", "libc", "libc:any", "libc (>= 2)", " libc:any (>= 2) [amd64 !arm64] "])
def test_the_bare_name_of_a_relation(tool, text):
    assert tool.bare(text) == ("libc" if text.strip() else "")


@pytest.mark.parametrize(
    ("suffix", "pack"), [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_the_tool_unpacks_an_index(tool, tmp_path, suffix, pack):
    path = tmp_path / f"Packages{suffix}"
    path.write_bytes(pack(INDEX.encode()))
    assert tool.unpacked(path) == INDEX


def test_the_same_index_gives_the_same_bytes(tool, tmp_path, monkeypatch, capsys):
    (tmp_path / "Packages").write_text(INDEX)
    outputs = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    for path in outputs:
        arguments = ["--date", "2026-01-01", "--point-release", "12.0", "--output", str(path)]
        monkeypatch.setattr(sys, "argv", ["make_debian.py", str(tmp_path / "Packages"), *arguments])
        tool.main()
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert "6 packages, 8 needs" in capsys.readouterr().out
    table = pl.read_parquet(outputs[0])
    assert {(row["source"], row["target"]): row["weight"] for row in table.iter_rows(named=True)} == NEEDS
