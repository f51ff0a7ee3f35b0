"""Algorithms on the CPU: clew, SciPy, igraph, NetworKit, GraphBLAS, GAP, Ligra and LAGraph on the same graphs.

``python -m bench algorithms --help`` lists what can be chosen. Programs are found on the PATH: GAP by ``cc_sv``, Ligra
by ``BellmanFord``, LAGraph by ``gappagerank_demo``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import clew
from bench.harness import OUT
from clew.bench import peers, report
from clew.bench.graphs import KNOWN, busiest, generated, recipe_of, simple
from clew.bench.peers import RACED
from clew.bench.race import OURS, Outcome, Rules, Score, races
from clew.checks import counted
from clew.cli import output

#: Small enough to be run often; other measurements use them too.
GRAPHS: dict[str, Callable[[], clew.Graph]] = {
    name: partial(generated, name) for name in ("kron16", "kron18", "rmat18d", "delaunay16", "grid1000")
}
LARGE = ("kron17", "kron19", "kron20", "delaunay20")
#: Real graphs, by their place in the folder that --data names.
REAL = {
    "slashdot": "snap/soc-Slashdot0902.txt.gz",
    "notredame": "snap/web-NotreDame.txt.gz",
    "epinions": "snap/soc-Epinions1.txt.gz",
    "losangeles": "roads/road-losangeles-lcc.gr.gz",
    "tokyo": "roads/roadtokyo.npz",
}


def main(arguments: Sequence[str]) -> None:
    """Race, print and save."""
    chosen = _parse(arguments)
    rules = Rules(chosen.rounds, chosen.limit, chosen.verify)
    outcomes: list[Outcome] = []
    contenders = ["clew", *chosen.peers]
    try:
        for name, graph in _graphs(chosen.graphs, chosen.data):
            output.messages.print(f"{name}: {output.size(graph)}")
            race = races(name, graph, busiest(graph), chosen.algorithms, chosen.peers, chosen.threads, rules)
            for outcome in race:
                outcomes.append(outcome)
                row = rows([outcome], contenders)[0]
                output.messages.print("  " + "  ".join(part for part in row[1:] if part))
                _save(outcomes, chosen.out)  # what there is so far survives whatever comes
    except KeyboardInterrupt:
        output.complain("stopped; these are the races that were finished")
    _show(outcomes, contenders)
    print(f"\nWritten: {chosen.out}.json and {chosen.out}.svg")


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    def words(text: str) -> list[str]:
        return [word for word in text.split(",") if word]

    there = [name for name in peers.NAMES if peers.available(name)]
    parser = argparse.ArgumentParser(prog="python -m bench algorithms", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graphs", type=words, default=["all"], help="names, or: small, all (default)")
    parser.add_argument("--algorithms", type=words, default=list(RACED), help=f"default: {','.join(RACED)}")
    parser.add_argument("--peers", type=words, default=there, help=f"default, what there is: {','.join(there)}")
    parser.add_argument("--threads", type=words, default=["1", "2"], help="default: 1,2")
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many counts; default: 5")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for one run, and about for all; default: 60")
    parser.add_argument("--data", type=Path, help="a folder of real graphs: " + ", ".join(REAL.values()))
    parser.add_argument("--verify", action="store_true", help="check clew's answers by clew.verify too")
    parser.add_argument("--out", type=Path, default=OUT / "algorithms", help="where to, without a suffix")
    chosen = parser.parse_args(arguments)
    chosen.threads = [int(count) for count in chosen.threads]
    for what, given, known in (("peer", chosen.peers, peers.NAMES), ("algorithm", chosen.algorithms, RACED)):
        for name in given:
            if name not in known:
                parser.error(f"there is no {what} called {name!r}; expected {', '.join(known)}")
    for name in chosen.graphs:
        if name not in ("small", "all", *REAL) and recipe_of(name) is None:
            parser.error(f"there is no graph called {name!r}; expected small, all, {', '.join(REAL)}, or {KNOWN}")
    return chosen


def _graphs(names: Sequence[str], data: Path | None) -> Iterator[tuple[str, clew.Graph]]:
    """Every graph that was requested, built when its turn comes; real ones where their files are."""
    files = {name: data / place for name, place in REAL.items()} if data is not None else {}
    for name in names:
        if name in ("small", "all"):
            more = [*GRAPHS, *(LARGE if name == "all" else ()), *(files if name == "all" else ())]
            yield from _graphs(more, data)
        elif name in REAL:
            if name not in files or not files[name].exists():
                output.complain(f"{name}: not run; --data names no folder that has {REAL[name]}.")
                continue
            yield name, simple(_read(files[name]))
        else:
            yield name, simple(generated(name))


def _read(path: Path) -> clew.Graph:
    """A file of the collection; its roads are undirected, which two of its formats do not say."""
    if path.suffix == ".npz":
        import numpy as np

        with np.load(path) as arrays:
            return clew.Graph.from_edges(arrays["src"], arrays["dst"], num_vertices=int(arrays["n"]), directed=False)
    return clew.read(path)


def _save(outcomes: Sequence[Outcome], out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report.as_dict(outcomes), indent=1)
    out.with_suffix(".json").write_text(text + "\n")
    out.with_suffix(".svg").write_text(report.svg(outcomes, "Algorithms on the CPU"))


def rows(outcomes: Sequence[Outcome], contenders: Sequence[str]) -> list[list[str]]:
    """A row for each race: graph, algorithm, threads, a time for each contender, and the ratio to the fastest peer."""
    found = []
    for outcome in outcomes:
        scores = {score.contender: score for score in outcome.scores}
        cells = [cell(scores[name]) if name in scores else "" for name in contenders]
        found.append([outcome.graph, outcome.algorithm, str(outcome.threads), *cells, _ratio(outcome)])
    return found


def cell(score: Score) -> str:
    """A time in milliseconds, or why there is none; ≠ marks an answer that differs from clew's."""
    if score.seconds is None:
        return (
            "–" if score.why_not in ("", report.MISSING) else "too slow" if "took more" in score.why_not else "failed"
        )
    return report.milliseconds(score.seconds) + (" ≠" if score.agrees is False else "")


def _ratio(outcome: Outcome) -> str:
    fastest = outcome.fastest(name for name in report.contenders_of([outcome]) if name != OURS)
    ratio = outcome.ratio(fastest) if fastest else None
    return f"{ratio:.2f}x {fastest.contender}" if fastest and ratio else ""


def _show(outcomes: Sequence[Outcome], contenders: Sequence[str]) -> None:
    """Markdown, as documents want it."""
    print("\nMilliseconds, best round; the last column is the time of the fastest peer divided by clew's.\n")
    titles = ["graph", "algorithm", "threads", *contenders, "clew is"]
    for row in (titles, ["---"] * len(titles), *rows(outcomes, contenders)):
        print(f"| {' | '.join(row)} |")
    print()
    for sentence in (*report.remarks(outcomes), *map(_in_words, report.means(outcomes))):
        print(f"- {sentence}")


def _in_words(mean: report.Mean) -> str:
    where = f"{mean.algorithm}, {counted(mean.threads, 'thread')}"
    return f"{where}: clew is {mean.ratio:.2f}x {mean.against} ({counted(mean.graphs, 'graph')})"
