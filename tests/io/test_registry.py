"""Detection reads a table of formats: their modules are loaded when they are asked for, and not before."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.io.registry import FORMATS, Format, detect
from clew.io.source import Match

GRAPH = clew.Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False, metadata={"source": 0, "sink": 2})
READ_ONLY = {
    "dimacs-min": b"p min 2 1\na 1 2 0 4 2\n",
    "tsplib": b"TYPE: TSP\nDIMENSION: 1\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\nEOF\n",
    "tntp": b"<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 1\n<END OF METADATA>\n~ a b length ;\n1 2 5 ;\n",
}
WORDS = [
    b"c a comment\r\rp sp 3 2\ra 1 2 5\ra 2 3 5\r",
    b"\n\t p\tedge 3 2\ne 1 2\ne 2 3\n",
    b"\n %%MatrixMarket matrix coordinate pattern general\n1 1 0\n",
    b"\x0b AdjacencyGraph",
    b"# first\n graph.x.directed = true\n",
]


def stored(one: Format, folder: Path) -> bytes:
    path = folder / f"graph{one.suffixes[0]}"
    if one.read_only:
        assert clew.read(READ_ONLY[one.name]).num_vertices <= 2
        return READ_ONLY[one.name]
    clew.write(GRAPH, path, one.name)
    return (path / "header.json" if path.is_dir() else path).read_bytes()


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_file_that_a_format_is_sure_of_has_its_mark(one: Format, tmp_path: Path) -> None:
    written = stored(one, tmp_path)
    for data in (written, written[:40], *WORDS):
        if one.sniff(data) == Match.SURE:
            assert one.mark
            assert re.search(one.mark, data)
            assert detect(data, ".txt", "x").name == one.name


def test_every_text_with_a_mark_is_of_one_format() -> None:
    assert [[one.name for one in FORMATS if one.sniff(text) == Match.SURE] for text in WORDS] == [
        ["dimacs"],
        ["dimacs-col"],
        ["matrix-market"],
        ["ligra"],
        ["ldbc"],
    ]


def test_reading_an_edge_list_loads_no_other_format(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n")
    code = f"import sys, clew; clew.read({str(path)!r}); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [one.module for one in FORMATS if f"clew.io.{one.module}" in loaded] == ["edge_list"]


def test_reading_an_edge_list_runs_through_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    from walk import walk  # type: ignore[import-not-found, unused-ignore]

    path = tmp_path / "edges.txt"
    path.write_text("0 1\n1 2\n")
    assert len(walk(lambda: clew.read(path))) <= 25


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        *((suffix, f"The format of .{suffix} files is called edge-list.") for suffix in ("csv", "tsv", "txt", "edges")),
        (".MTX", "The format of .mtx files is called matrix-market."),
        ("gr", "The format of .gr files is called dimacs or galois."),
        ("networkx", "clew.Graph.from_networkx makes a graph of what networkx has in memory."),
        ("pandas", "clew.Graph.from_pandas makes a graph of what pandas has in memory."),
        ("gdf", "The suffix .gdf stands for a GUESS file (GDF), which clew does not read. In Gephi, export it"),
        ("edgelists", "Did you mean edge-list?"),
    ],
)
def test_a_format_that_there_is_not(name, advice):
    with pytest.raises(clew.FormatError, match=f"there is no format called '{re.escape(name)}'.*{re.escape(advice)}"):
        clew.read(b"1 2\n", format=name)
