"""Members of a cluster on one machine: CPU seconds of all, by the engine of one machine on one thread.

Members are threads that are connected by sockets, so that the CPU time of the process is that of all members. With
``--simulate``, a model of up to 1,024 workers (``bench.simulate``). ``--peers graphscope=PYTHON graphx=PYTHON``
measures other libraries, with a Python that has them, on a directed graph and two workers (``bench.cluster_peers``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import clew
from bench.cluster_peers import ROUNDS, WORKERS
from clew import threads
from clew.distributed.loading import assign_files, files_of, read_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import build_share
from tests.cluster.team import mesh

GRAPHS: dict[str, Callable[[int], clew.Graph]] = {
    "kron": lambda scale: clew.generate.kronecker(scale, seed=1),
    "rmat": lambda scale: clew.generate.rmat(scale, seed=1),
}
FILES = 8


def best_cpu(run: Callable[[], Any], rounds: int = 3) -> float:
    """CPU seconds of all threads of this process, after a warm-up; the best of several rounds."""
    run()
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        run()
        best = min(best, time.process_time() - began)
    return best


@contextmanager
def members_of(graph: clew.Graph, members: int) -> Iterator[Callable[[Callable[[Any], Any]], list[Any]]]:
    """A graph on so many members; yields a function that lets all of them run something on their shares."""
    transports = mesh(members)
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    cuts = np.linspace(0, source.size, members + 1).astype(int)

    def build(transport: Any) -> Any:
        mine = slice(cuts[transport.rank], cuts[transport.rank + 1])
        weights = None if graph.weights is None else graph.weights[mine]
        ends = source[mine], graph.indices[mine].astype(np.int64)
        return build_share(Member(transport), *ends, weights, graph.num_vertices, directed=graph.directed)

    with ThreadPoolExecutor(members) as pool:
        shares = list(pool.map(build, transports))

        def team(run: Callable[[Any], Any]) -> list[Any]:
            return list(pool.map(run, shares))

        team.bytes_sent = lambda: sum(each.bytes_sent for each in transports)  # type: ignore[attr-defined]
        try:
            yield team
        finally:
            for each in transports:
                each.close()


def loading(graph: clew.Graph, members: int, folder: Path) -> float:
    """CPU seconds in which members read the files of a graph and build their shares."""
    files = assign_files(files_of(folder), members)

    def load() -> None:
        transports = mesh(members)
        with ThreadPoolExecutor(members) as pool:
            shares = list(pool.map(lambda t: read_share(Member(t), files, {}), transports))
        assert shares[0].num_arcs == graph.num_arcs
        for each in transports:
            each.close()

    return best_cpu(load, rounds=2)


def main(options: list[str]) -> None:
    """Measure and print."""
    if "--simulate" in options:
        from bench.simulate import main as simulate

        simulate([option for option in options if option != "--simulate"])
        return
    parser = argparse.ArgumentParser(prog="python -m bench cluster")
    parser.add_argument("--scale", type=int, default=20, help="graphs have 2^SCALE vertices")
    parser.add_argument("--members", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), choices=list(GRAPHS))
    parser.add_argument("--peers", nargs="+", default=[], metavar="NAME=PYTHON", help="graphscope, graphx")
    chosen = parser.parse_args(options)
    threads.set_count(1)
    os.environ["CLEW_NUM_THREADS"] = "1"
    console = Console(width=120)
    if chosen.peers:
        _compare(console, GRAPHS["rmat"](chosen.scale), dict(each.split("=", 1) for each in chosen.peers))
        return
    for name in chosen.graphs:
        _measure(console, f"{name}{chosen.scale}", GRAPHS[name](chosen.scale), chosen.members)


def work_on(source: int) -> dict[str, Callable[[Any], Any]]:
    """What is measured on a graph."""
    return {
        "PageRank": lambda g: clew.pagerank(g, tolerance=0, max_iterations=ROUNDS),
        "bfs": lambda g: clew.bfs(g, source),
        "components": clew.connected_components,
    }


def _compare(console: Console, graph: clew.Graph, peers: dict[str, str]) -> None:
    """Two workers of clew and of other libraries, which read the same file."""
    source = int(np.argmax(graph.degrees()))
    table = Table(title=f"CPU seconds, {WORKERS} workers, {graph.num_arcs:,} directed edges", title_justify="left")
    rows = {}
    with tempfile.TemporaryDirectory() as folder, members_of(graph, WORKERS) as team:
        path = Path(folder) / "edges.csv"
        clew.write(graph, path)
        runs = work_on(source).items()
        rows["clew"] = {name: best_cpu(lambda run=run: team(run)) for name, run in runs}  # type: ignore[misc]
        rows["clew"]["loading"] = loading(graph, WORKERS, path)
        for name, python in peers.items():
            command = [python, str(Path(__file__).with_name("cluster_peers.py")), name, str(path), str(source)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            rows[name] = json.loads(done.stdout.splitlines()[-1])
    for title in ("", *rows["clew"]):
        table.add_column(title)
    for name, row in rows.items():
        ratios = (f"{row[title]:.2f} ({row[title] / rows['clew'][title]:.0f} ×)" for title in rows["clew"])
        table.add_row(name, *ratios)
    console.print(table)


def _measure(console: Console, name: str, graph: clew.Graph, members: list[int]) -> None:
    weighted = clew.generate.random_weights(graph, 1, 255, seed=1)
    source = int(np.argmax(graph.degrees()))
    work = {name: (graph, run) for name, run in work_on(source).items()}
    work["sssp"] = (weighted, lambda g: clew.sssp(g, source))
    table = Table(title=f"{name}: {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs", title_justify="left")
    columns = ("work", "one thread, ms", *(f"{k} members, ms CPU (ratio; MB sent)" for k in members))
    for title in columns:
        table.add_column(title, justify="left" if title == "work" else "right")
    for title, (on, run) in work.items():
        alone = best_cpu(lambda on=on, run=run: run(on))  # type: ignore[misc]
        cells = [title, f"{alone * 1e3:.1f}"]
        for count in members:
            with members_of(on, count) as team:
                team(run)
                before = team.bytes_sent()  # type: ignore[attr-defined]
                team(run)
                sent = team.bytes_sent() - before  # type: ignore[attr-defined]
                seconds = best_cpu(lambda run=run, team=team: team(run))  # type: ignore[misc]
            cells.append(f"{seconds * 1e3:.1f} ({seconds / alone:.2f}; {sent / 1e6:.2f})")
        table.add_row(*cells)
    with tempfile.TemporaryDirectory() as folder:
        ends = graph.edges()
        for part in range(FILES):
            piece = clew.Graph.from_edges(
                ends[0][part::FILES], ends[1][part::FILES], num_vertices=graph.num_vertices, directed=graph.directed
            )
            clew.write(piece, Path(folder) / f"{part}.parquet")
        options = [f"{loading(graph, count, Path(folder)) * 1e3:.0f}" for count in members]
        alone = best_cpu(lambda: clew.Graph.from_edges(*ends[:2], directed=graph.directed), rounds=2)
        table.add_row(f"loading {FILES} Parquet files", f"{alone * 1e3:.0f} (build only)", *options)
    console.print(table)
