"""CPU and GPU together, beside CPU alone and zero-copy alone: algorithms, and vertex programs.

With device="hybrid" the first calls on a graph try every way there is, and later ones take the fastest. So a case calls
until nothing is left to try, and what is timed comes after that; the times of the ways are told as well.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clew
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.markdown import Reason, figures, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import VALUES, WEIGHTED, Bench, call, edge_bytes
from clew.engines.cuda.account import charged
from clew.engines.hybrid import plans
from clew.engines.hybrid.program_ways import name_of
from clew.errors import OperatorError
from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths

GRAPHS = ("rmat23", "grid2000")
PROGRAMS_ON = "rmat20"
ALGORITHMS = ("bfs", "components", "pagerank", "sssp", "sswp")  # those with weights last: the others share a copy
PARTS = (2, 8)  # of the edges' bytes, in GPU memory
CPU, ZERO_COPY = "CPU alone", "zero-copy alone"
ROUNDS = 5  # of PageRank
MOST_CALLS = 12  # until everything is tried
LONGEST = 45.0  # seconds of such calls
NOT_FOR_A_GPU = Reason("does not compile", "does not compile: an `apply` with an array in it, which no GPU compiles.")


class Listed(ShortestPaths):
    """Shortest paths with an apply that no GPU compiles."""

    @staticmethod
    def apply(total: Any, vertex: Any) -> bool:
        """An array is made, for the smaller of two numbers."""
        vertex.distance = np.array([total, vertex.distance]).min()
        return True


PROGRAMS: tuple[type[clew.VertexProgram], ...] = (BreadthFirst, ShortestPaths, Components, PageRank, Listed)


@dataclass(frozen=True)
class Race:
    """Work that is timed on the CPU, over the link and with both.

    ``run`` takes a device and returns values by name; ``recorded`` is the name under which ``plans`` keeps what it
    measured, ``nbytes`` those of the edges.
    """

    graph: str
    work: str
    on: clew.Graph
    run: Callable[[str], dict[str, Any]]
    recorded: Hashable
    nbytes: int


@dataclass(frozen=True)
class Settled:
    """Seconds of a call once everything was tried, after how many calls that was, and what each way took at best."""

    run: float
    calls: int
    ways: dict[str, float]


@dataclass
class Figures:
    """Seconds of one side alone, and what came of both, by graph and work; a reason where there is none."""

    alone: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    both: dict[tuple[str, str, int], Any] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def seconds(self, graph: str, work: str, part: int) -> Any:
        """Of both."""
        found = self.both.get((graph, work, part), Reason("no time"))
        return found.run if isinstance(found, Settled) else found

    def beside(self, graph: str, work: str, part: int) -> float | None:
        """How many times as fast as the better one alone."""
        better = min(figures(self.alone.get((graph, work, side)) for side in (CPU, ZERO_COPY)), default=None)
        return ratio(better, self.seconds(graph, work, part))


def _run(bench: Bench, race: Race, result: Figures) -> None:
    """The cases of one work, the CPU's first: its answer is what others are compared with."""
    for side, case in ((CPU, _on_cpu), (ZERO_COPY, _over_the_link)):
        told = f"{race.graph} {race.work} {side}"
        result.alone[race.graph, race.work, side] = bench.shown(told, partial(case, bench, race))
    for part in PARTS:
        told = f"{race.graph} {race.work} hybrid 1/{part}"
        found = bench.tried(told, partial(_together, bench, race, part), max(bench.most, LONGEST))
        result.both[race.graph, race.work, part] = found
        print("#", told, milliseconds(result.seconds(race.graph, race.work, part)), "ms", flush=True)
    bench.forget()


def _on_cpu(bench: Bench, race: Race) -> float:
    bench.known[race.graph, race.work] = race.run("cpu")
    return _best(bench, race, "cpu")


def _over_the_link(bench: Bench, race: Race) -> Any:
    try:
        with clew.memory("zero_copy"):
            race.run(bench.device)
            return _best(bench, race, bench.device)
    except OperatorError:
        return NOT_FOR_A_GPU


def _best(bench: Bench, race: Race, device: str) -> float:
    taken, found = bench.repeated(partial(race.run, device))
    expected = bench.known.get((race.graph, race.work))
    if expected is None:
        raise AssertionError("there is no answer of the CPU to compare with")
    for name, values in expected.items():
        exact = {"f4": 1e-3, "f8": 1e-9}.get(values.dtype.str[1:], 0)
        if not np.allclose(found[name], values, rtol=exact, atol=exact / max(1, values.size)):
            raise AssertionError(f"{race.work} on {race.graph}: {name} differs from the CPU's")
    return min(taken)


def _together(bench: Bench, race: Race, part: int) -> Settled:
    device, most = _hybrid(bench), race.nbytes // part
    with clew.memory("auto", most):
        calls = 0
        while calls < MOST_CALLS and not plans.is_settled(race.recorded, race.on, bench.gpu):
            race.run(device)
            calls += 1
        race.run(device)  # edges that a try has moved are back after it
        seconds = _best(bench, race, device)
        held = charged(bench.gpu)
        if held > most:
            raise AssertionError(f"edges have {held:,} bytes of GPU memory, and may have {most:,}")
        return Settled(seconds, calls, plans.measured(race.recorded, race.on, bench.gpu))


def _hybrid(bench: Bench) -> str:
    return "hybrid-emulated" if bench.device == "emulated" else "hybrid"


def _algorithms(named: Named) -> Iterator[Race]:
    plain = named.graph.with_weights(None)
    for name in ALGORITHMS:
        graph = named.graph if name in WEIGHTED else plain
        recorded = "connected_components" if name == "components" else name
        run = partial(_algorithm_run, name, graph, named.source)
        yield Race(named.name, name, graph, run, recorded, edge_bytes(graph, name))


def _algorithm_run(name: str, graph: clew.Graph, source: int, device: str) -> dict[str, Any]:
    found = call(name, graph, source, device, ROUNDS).numpy()
    return {VALUES[name]: found.values[VALUES[name]]}


def _programs(named: Named) -> Iterator[Race]:
    for program in PROGRAMS:
        run = partial(_program_run, program, named.graph)
        name = f"{program.__name__} (program)"
        yield Race(named.name, name, named.graph, run, name_of(program()), edge_bytes(named.graph, "sssp"))


def _program_run(program: type[clew.VertexProgram], graph: clew.Graph, device: str) -> dict[str, Any]:
    return dict(clew.run(program(), graph, device=device).numpy().values)


def _warm_up(bench: Bench, races: Callable[[Named], Iterator[Race]]) -> None:
    """Compile for both sides, on a small graph, so that no case has it in its time."""
    small = clew.generate.rmat(4, 4, seed=1).symmetrized()
    for race in races(Named("small", clew.generate.random_weights(small, 1, 255, seed=1), 0)):
        bench.tried(f"small {race.work}", partial(_everywhere, bench, race), 120)
    bench.forget()


def _everywhere(bench: Bench, race: Race) -> None:
    race.run("cpu")
    for way in (plans.GPU, plans.SPLIT):
        try:
            with plans.only(way):
                race.run(_hybrid(bench))
        except OperatorError:
            continue


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The text of one file, after every graph; the vertex programs come last, on a graph of their own."""
    result, to_come = Figures(), len(names) + 1
    for races, graphs in ((_algorithms, names), (_programs, (PROGRAMS_ON,))):
        _warm_up(bench, races)
        for named in bench.graphs(graphs, smaller, data):
            result.named[named.name] = named.told
            with bench.share(1 / to_come):
                for race in races(named):
                    _run(bench, race, result)
            to_come -= 1
            bench.forget_answers(named.name)
            yield {"hybrid": _text(result)}


def _text(result: Figures) -> str:
    works = list(dict.fromkeys((graph, work) for graph, work, _ in result.alone))
    parts = [f"1/{part}" for part in PARTS]
    rows, tried, below = [], [], []
    for graph, work in works:
        ratios = [result.beside(graph, work, part) for part in PARTS]
        alone = [result.alone[graph, work, side] for side in (CPU, ZERO_COPY)]
        times = [milliseconds(each) for each in (*alone, *(result.seconds(graph, work, part) for part in PARTS))]
        rows.append([f"{graph} {work}", *times, *(number(each, 1, "x") for each in ratios)])
        for part, found in zip(parts, ratios, strict=True):
            if found is not None and found < 1:
                below.append(f"{graph} {work} {part} ({number(found, 1, 'x')})")
        for part in PARTS:
            both = result.both.get((graph, work, part))
            if isinstance(both, Settled):
                times = [milliseconds(both.ways.get(way)) for way in plans.ORDER]
                tried.append([f"{graph} {work}", f"1/{part}", str(both.calls), *times])
    text = [
        "### CPU and GPU together (device hybrid)",
        "Milliseconds to the answer on the host, the best of repeated calls; hybrid with a part of the edges' bytes in "
        "GPU memory, after everything was tried, and how many times as fast as the better one alone. All answers agree "
        f"with the CPU's. PageRank in {ROUNDS} rounds. Graphs: " + "; ".join(result.named.values()) + ".",
        table(["", CPU, ZERO_COPY, *(f"hybrid {part}" for part in parts), *(f"ratio {part}" for part in parts)], rows),
        "Slower than the better one alone: " + ("; ".join(below) or "none") + ".",
        "What each way took at best, in milliseconds, and after how many calls there was none left to try: the GPU "
        "alone with its part of the edges, the GPU with all edges on the host, the CPU alone, and the rows split "
        "between both.",
        table(["", "in GPU memory", "calls", *plans.ORDER], tried),
        reasons([*result.alone.values(), *result.both.values()]),
    ]
    return "\n\n".join(part for part in text if part)
