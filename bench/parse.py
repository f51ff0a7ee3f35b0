"""Text to graphs: one file, its readers side by side, in MB and edges per second."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv
import scipy.io

import clew
from bench.harness import Row, peak_bytes, race
from clew.io.source import Source
from clew.io.text import Layout
from clew.io.text.tables import read_table

VERTICES = 1 << 19
EDGES = 8_000_000

SETUP = """
import numpy as np, clew, tempfile
from pathlib import Path
path = Path({path!r})
with tempfile.TemporaryDirectory() as folder:
    small = Path(folder) / "small.tsv"
    small.write_bytes(path.open("rb").read(1 << 20).rsplit(b"\\n", 1)[0])
    clew.read(small)
"""


def run() -> list[Row]:
    rng = np.random.default_rng(0)
    source, target = (rng.integers(0, VERTICES, EDGES, dtype=np.int32) for _ in range(2))
    source[:VERTICES] = np.arange(VERTICES)  # every id occurs, so that ids are kept as they are
    weights = rng.random(EDGES)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, values in (("integers", None), ("integers and float64", weights)):
            graph = clew.Graph.from_edges(source, target, values, VERTICES)
            table, matrix = Path(folder) / "edges.tsv", Path(folder) / "edges.mtx"
            clew.write(graph, table, header=False)
            clew.write(graph, matrix)
            rows += _race(f"edge list, {name}", table, _edge_list(table, values is not None))
            rows += _race(f"Matrix Market, {name}", matrix, _matrix_market(matrix))
            peak = peak_bytes(SETUP.format(path=str(table)), f"graph = clew.read({str(table)!r})")
            print(f"peak memory while reading, {name}: {peak / graph.nbytes:.2f} times the final graph")
    return rows


def _race(work: str, path: Path, contenders: dict[str, Callable[[], object]]) -> list[Row]:
    megabytes = path.stat().st_size / 1e6
    rows = race(work, contenders, amount=megabytes, unit="MB")
    for row in rows:
        print(f"{work}, {row.contender}: {EDGES / row.seconds / 1e6:.1f} M edges/s")
    return rows


def _edge_list(path: Path, weighted: bool) -> dict[str, Callable[[], object]]:
    columns = ("id", "id", "number") if weighted else ("id", "id")
    no_header = pyarrow.csv.ReadOptions(column_names=[str(i) for i in range(len(columns))])
    tabs = pyarrow.csv.ParseOptions(delimiter="\t")
    contenders: dict[str, Callable[[], object]] = {
        "clew, to columns": lambda: read_table(Source(path), Layout(columns)),
        "clew, to a graph": lambda: clew.read(path),
        "pyarrow.csv, to columns": lambda: pyarrow.csv.read_csv(path, no_header, tabs),
    }
    try:
        import networkit
    except ImportError:
        print("networkit is not installed: pip install 'clew[bench]'")
        return contenders
    form = networkit.Format.EdgeList
    contenders["networkit, to a graph"] = lambda: networkit.readGraph(
        str(path), form, separator="\t", firstNode=0, continuous=True, directed=True
    )
    return contenders


def _matrix_market(path: Path) -> dict[str, Callable[[], object]]:
    return {
        "clew, to a graph": lambda: clew.read(path),
        "scipy.io.mmread, to COO": lambda: scipy.io.mmread(path),
        "scipy.io.mmread, to CSR": lambda: scipy.io.mmread(path).tocsr(),
    }
