"""``python -m bench.gpu.memory``: graphs larger than the fast memory they may have, in every mode and placement.

For each graph and algorithm: all edges in GPU memory, all read over the link, managed memory with and without prefetch,
and for every budget (a part of the edges' bytes) tiered, streamed and automatic, with and without a placement. Every
answer is compared with that of the first mode. Times are the geometric mean of repeated calls; ``put`` is what bringing
the edges to where they belong took, ``first`` the first call after it, which for managed memory moves the pages.

    python -m bench.gpu.memory --graphs rmat25,kron24,grid,web --deadline 280
    python -m bench.gpu.memory --smaller 3 --budgets 2 --strategies none,hot    # graphs an eighth of the size
"""

from __future__ import annotations

import argparse
import json
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import clew
from clew.engines.cuda.bandwidth import bandwidths
from clew.engines.cuda.edge_memory import EdgePlan
from clew.engines.cuda.rows import forget_all, plan_of, rows_on
from clew.engines.cuda.traffic import UNKNOWN, bytes_moved
from clew.placement import Degree, Frontier, Hot, Interleave, Intraleave, Random

WEIGHTED = ("sssp", "sswp")
VALUES = {"bfs": "depth", "sssp": "distance", "sswp": "width", "pagerank": "rank", "components": "label"}
MODES = ("device", "zero_copy", "managed", "managed+prefetch", "tiered", "stream", "auto")
WITH_BUDGET = ("tiered", "stream", "auto")
STRATEGIES = ("none", "hot", "degree", "frontier", "interleave", "intraleave", "random")
ROUNDS = 20


@dataclass
class Row:
    """One line of the table: seconds, and bytes per second read over the link, as far as the trace tells."""

    graph: str
    algorithm: str
    mode: str
    strategy: str
    budget: str
    put: float
    first: float
    run: float
    runs: int
    slow_share: float
    link_bytes: float
    beside_device: float
    why: str = ""


class TooLongError(Exception):
    """A case ran into its limit."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise in the host code once the time is up; a kernel that is running ends first."""

    def stop(_number: int, _frame: Any) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def graphs(smaller: int, data: Path) -> dict[str, Callable[[], clew.Graph]]:
    """The graphs of the tables; ``smaller`` takes so many bits off the number of vertices."""
    side = max(8, 5000 >> (smaller // 2))

    def web() -> clew.Graph:
        return clew.read(next(iter(sorted(data.rglob("web-NotreDame.*")))), ids="keep")

    return {
        "rmat25": lambda: clew.generate.rmat(25 - smaller, 16, 0.45, 0.22, 0.22, seed=1, directed=False),
        "kron24": lambda: clew.generate.kronecker(24 - smaller, 16, seed=1),
        "grid": lambda: clew.generate.grid(side, side, delete=0.1, seed=1),
        "web": web,
    }


def placed(graph: clew.Graph, strategy: str, fast_memory: int, source: int) -> tuple[clew.Graph, int, Any]:
    """The graph renumbered by a strategy, the source's new id, and how to bring results back."""
    if strategy == "none":
        return graph, source, lambda values, _: values
    chosen = {
        "hot": lambda: Hot(fast_memory),
        "degree": lambda: Degree(out_degree=2, cutoff_percentile=80),
        "frontier": lambda: Frontier(source, graph.num_vertices // 100),
        "interleave": lambda: Interleave(source, "1-1"),
        "intraleave": lambda: Intraleave(source, "1-1"),
        "random": lambda: Random(1, 0.5),
    }[strategy]()
    placement = chosen.place(graph, fast_memory=fast_memory)
    made = placement.apply(graph)

    def back(values: np.ndarray, label: bool) -> np.ndarray:
        return values if label else placement.restore(values)

    return made, source, back


def call(algorithm: str, graph: clew.Graph, source: int, device: str) -> clew.Result:
    """One run."""
    if algorithm == "pagerank":
        return clew.pagerank(graph, tolerance=0, max_iterations=20, dtype="float32", device=device)
    if algorithm == "components":
        return clew.connected_components(graph, device=device)
    result: clew.Result = getattr(clew, algorithm)(graph, source, device=device)
    return result


def link_bytes(result: clew.Result, algorithm: str, graph: clew.Graph, plan: EdgePlan | None) -> float:
    """Bytes of edges on the host that a run looked at: an estimate; NaN where the trace does not tell."""
    if plan is None:
        return float("nan")
    if algorithm == "pagerank":  # looks at all of them in every round, and its trace need not say so
        return graph.num_arcs * result.iterations * plan.bytes_per_edge * plan.slow_share
    moved = bytes_moved(result.trace, plan).columns.get("bytes", np.array([UNKNOWN]))
    return float("nan") if (moved == UNKNOWN).any() else float(moved.sum())


class Table:
    """Runs cases, checks them, prints and keeps their lines."""

    def __init__(self, options: argparse.Namespace, gpu: Any) -> None:
        self.options, self.gpu = options, gpu
        self.rows: list[Row] = []
        self.answers: dict[tuple[str, str], tuple[np.ndarray, float]] = {}
        self.last: tuple[int, str, int | None] | None = None
        self.link = bandwidths(gpu, "pinned", None if hasattr(gpu.xp, "cuda") else 1 << 16)[0]
        print(f"# the link carries {self.link / 1e9:.1f} GB/s, read in order by a kernel", flush=True)

    def forget(self) -> None:
        """Free the memory of all graphs."""
        forget_all()
        if hasattr(self.gpu.xp, "cuda"):
            self.gpu.xp.get_default_memory_pool().free_all_blocks()

    def case(
        self, name: str, graph: Any, algorithm: str, mode: str, strategy: str, budget: str, fast: int | None
    ) -> None:
        """Time one case, in a graph as ``placed`` gave it."""
        made, source, back = graph
        if self.last != (id(made), mode, fast) or mode not in ("device", "zero_copy", "tiered"):
            self.forget()
        self.last = (id(made), mode, fast)
        weighted, parts = algorithm in WEIGHTED, 2 if made.directed and algorithm == "bfs" else 1
        if mode == "device":  # kernels are compiled before anything is timed
            call(algorithm, made, source, self.options.device)
            self.forget()
        with clew.memory(mode, fast):
            started = time.perf_counter()
            if mode not in ("stream", "auto"):
                rows_on(self.gpu, made.outgoing, weights=weighted, parts=parts)
                self.gpu.synchronize()
            put = time.perf_counter() - started
            taken: list[float] = []
            begun = time.perf_counter()
            while len(taken) < 2 or (len(taken) <= ROUNDS and time.perf_counter() - begun < self.options.budget):
                started = time.perf_counter()
                result = call(algorithm, made, source, self.options.device)
                self.gpu.synchronize()
                taken.append(time.perf_counter() - started)
                if taken[-1] > self.options.budget:
                    break
        values = np.asarray(result.numpy().values[VALUES[algorithm]])
        self.check(name, algorithm, back(values, algorithm == "components"), taken)
        plan = plan_of(self.gpu, made.outgoing)
        run = float(np.exp(np.mean(np.log(taken[1:] or taken))))
        moved = link_bytes(result, algorithm, made, plan)
        row = Row(name, algorithm, mode, strategy, budget, put, taken[0], run, len(taken), 0.0, moved, 0.0)
        if plan is not None:
            row.slow_share, row.why = plan.slow_share, f"{plan.mode}: {plan.why}"
        row.beside_device = run / self.answers[name, algorithm][1]
        self.rows.append(row)
        rate = f"{moved / run / 1e9:6.1f} GB/s {moved / run / self.link:4.0%}" if moved > 0 else " " * 16
        print(
            f"{name:8s} {algorithm:10s} {mode:16s} {strategy:10s} {budget:>4s}  put {put * 1e3:9.1f}  "
            f"first {taken[0] * 1e3:9.1f}  run {run * 1e3:9.2f} ms  {row.beside_device:7.2f}x  {rate}  {row.why}",
            flush=True,
        )

    def check(self, name: str, algorithm: str, values: np.ndarray, taken: list[float]) -> None:
        """Compare with the first mode's answer: sizes of components, for labels depend on the numbering."""
        if algorithm == "components":
            values = np.sort(np.unique(values, return_counts=True)[1])
        known = self.answers.setdefault((name, algorithm), (values, float(np.mean(taken[1:] or taken))))[0]
        if algorithm == "pagerank":
            np.testing.assert_allclose(values, known, rtol=1e-3, atol=1e-9)
        elif not np.array_equal(values, known):
            raise AssertionError(f"{algorithm} on {name} differs in {np.count_nonzero(values != known):,} entries")


def summary(rows: list[Row]) -> Iterator[str]:
    """Copying plus running with and without prefetch, and the best within half the memory beside managed memory."""
    by_case = {(row.graph, row.algorithm, row.mode, row.strategy, row.budget): row for row in rows}
    for graph, algorithm in dict.fromkeys((row.graph, row.algorithm) for row in rows):
        parts = [
            f"{mode} {row.put * 1e3:.1f} + {row.first * 1e3:.1f}"
            for mode in ("device", "managed", "managed+prefetch")
            if (row := by_case.get((graph, algorithm, mode, "none", "")))
        ]
        half = [row for row in rows if (row.graph, row.algorithm, row.budget) == (graph, algorithm, "1/2")]
        managed = by_case.get((graph, algorithm, "managed", "none", ""))
        if half and managed:
            best = min(half, key=lambda row: row.run)
            parts.append(
                f"half the memory: {best.mode} ({best.strategy}) {best.run * 1e3:.1f}, managed on demand "
                f"{managed.first * 1e3:.1f}: {managed.first / best.run:.2f}x"
            )
        yield f"{graph:8s} {algorithm:10s} copy + run, ms: {'; '.join(parts)}"


def cases(
    options: argparse.Namespace, graph: clew.Graph, strategy: str, part: int
) -> Iterator[tuple[str, str, int | None]]:
    """Algorithm, mode and budget in bytes, of one placement; ``part`` is 0 for the modes that take no budget."""
    for mode in options.modes:
        if (mode in WITH_BUDGET) != (part > 0) or (strategy != "none" and mode != "tiered"):
            continue
        for algorithm in sorted(options.algorithms, key=WEIGHTED.__contains__):  # those without weights share a copy
            edges = graph.num_arcs * (8 if algorithm in WEIGHTED else 4)
            yield algorithm, mode, edges // part if part else None


def groups(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Placements, one after the other: there is not room for all of them at once."""
    yield "none", 0
    for strategy in options.strategies:
        for part in options.budgets:
            yield strategy, part


def main() -> None:
    """Run, print and save."""
    split = lambda text: [word for word in text.split(",") if word]  # noqa: E731
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=split, default=["rmat25", "kron24", "grid", "web"])
    parser.add_argument("--algorithms", type=split, default=list(VALUES))
    parser.add_argument("--modes", type=split, default=list(MODES), help="the first is compared with: device")
    parser.add_argument("--strategies", type=split, default=list(STRATEGIES))
    parser.add_argument("--budgets", type=lambda text: [int(k) for k in text.split(",")], default=[2, 4, 8])
    parser.add_argument("--smaller", type=int, default=0, help="bits fewer in the number of vertices")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of repeated runs per case")
    parser.add_argument("--limit", type=float, default=40, help="seconds after which a case is given up")
    parser.add_argument("--deadline", type=float, default=1e9, help="seconds after which no case is started")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--json", type=Path, default=Path("bench/out/memory.json"))
    options = parser.parse_args()
    from clew.engines.choice import gpu_for

    gpu = gpu_for(options.device, 1 << 40)
    table, begun = Table(options, gpu), time.perf_counter()
    makers = graphs(options.smaller, options.data)
    for name in options.graphs:
        started = time.perf_counter()
        graph = clew.generate.random_weights(makers[name](), 1, 255, seed=1)
        source = int(np.argmax(graph.outgoing.degrees()))
        print(
            f"# {name}: {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, "
            f"made in {time.perf_counter() - started:.1f} s",
            flush=True,
        )
        for strategy, part in groups(options):
            given = None
            for algorithm, mode, fast in cases(options, graph, strategy, part):
                if time.perf_counter() - begun > options.deadline:
                    break
                named = f"1/{part}" if part else ""
                try:
                    with limit(options.limit):
                        # The budget of a placement counts all bytes of a row; that of an algorithm those it reads.
                        given = given or placed(graph, strategy, graph.num_arcs * 8 // max(1, part), source)
                        table.case(name, given, algorithm, mode, strategy, named, fast)
                except TooLongError:
                    print(f"{name} {algorithm} {mode} {strategy} {named}: more than {options.limit} s", flush=True)
                except Exception as error:  # one failure must not cost the other figures
                    print(f"{name} {algorithm} {mode} {strategy} {named} FAILED: {type(error).__name__}: {error}")
                    traceback.print_exc(limit=-3)
        table.forget()
    print("\n".join(summary(table.rows)), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps([asdict(row) for row in table.rows], indent=1))


if __name__ == "__main__":
    main()
