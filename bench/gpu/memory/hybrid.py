"""CPU and GPU together, beside CPU alone and zero-copy alone: algorithms, and vertex programs.

With device="hybrid" the first calls on a graph try every way there is, and later ones take the fastest. So a case calls
until nothing is left to try, and what is timed comes after that; the times of the ways are told as well. A try that
takes many times as long as one side alone is broken off, and not made again with less memory: some take minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clew
from bench.gpu.memory.cells import Cell, Figures
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.markdown import NO_TIME, NOTHING, Reason, figures, milliseconds, number, ratio, reasons, table
from bench.gpu.memory.measuring import VALUES, WEIGHTED, Bench, TooLongError, call, edge_bytes, limit
from bench.gpu.memory.modes import WEIGHTS, budget
from clew.engines.cuda.account import charged
from clew.engines.hybrid import plans
from clew.engines.hybrid.program_ways import name_of
from clew.errors import OperatorError
from examples.vertex_programs import BreadthFirst, Components, PageRank, ShortestPaths

PROGRAMS_ON = "rmat20"  # where this is among the graphs, the vertex programs run on it
GRAPHS = ("rmat25", "kron24", "grid5000", "web", PROGRAMS_ON)
ALGORITHMS = (("bfs", "components", "pagerank"), ("sssp", "sswp"))  # those of a group share a copy of the edges
PARTS = (2, 8)  # of the edges' bytes, in GPU memory
CPU, ZERO_COPY, BOTH = "CPU alone", "zero-copy alone", "hybrid"
ROUNDS = 5  # of PageRank
MOST_CALLS = 40  # until everything is tried
LONGEST = 45.0  # seconds of such calls
ONE_TRY, SLOW = 3.0, 4.0  # seconds that a try may take at least, and how many times as long as one side alone
ENOUGH = 2.0  # seconds: a run of the CPU that takes longer is not repeated
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


def _seconds_alone(race: Race, result: Figures) -> float | None:
    """Of the better side, where one is known."""
    alone = (result.run((race.graph, race.work, side, None)) for side in (CPU, ZERO_COPY))
    return min(figures(alone), default=None)


def _run(bench: Bench, groups: list[list[Race]], result: Figures) -> Iterator[None]:
    """All cases on one graph, by groups that share edges; what a limit of time costs is the smaller memory first.

    The CPU comes first: its answer is what others are compared with.
    """
    for races in groups:
        for side, case in ((CPU, _on_cpu), (ZERO_COPY, _over_the_link)):
            for race in races:
                told = f"{race.graph} {race.work} {side}"
                found = bench.shown(told, partial(case, bench, race))
                result.add((race.graph, race.work, side, None), found if isinstance(found, Reason) else Cell(found))
            bench.forget()
        _run_together(bench, races, PARTS[0], result)
        yield
    for part in PARTS[1:]:
        for races in groups:
            _run_together(bench, races, part, result)
            yield


def _run_together(bench: Bench, races: list[Race], part: int, result: Figures) -> None:
    for race in races:
        told = f"{race.graph} {race.work} {BOTH} 1/{part}"
        found = bench.tried(told, partial(_together, bench, race, part, result), max(bench.most, LONGEST))
        result.add((race.graph, race.work, BOTH, part), found)
        print("#", told, milliseconds(found.run if isinstance(found, Cell) else found), "ms", flush=True)
    bench.forget()


def _on_cpu(bench: Bench, race: Race) -> float:
    seconds, found = bench.once(partial(race.run, "cpu"))
    bench.known[race.graph, race.work] = found
    return seconds if seconds > ENOUGH else _best(bench, race, "cpu")


def _over_the_link(bench: Bench, race: Race) -> Any:
    try:
        with clew.memory("zero_copy"):
            race.run(bench.device)
            return _best(bench, race, bench.device)
    except OperatorError:
        return NOT_FOR_A_GPU


def _best(bench: Bench, race: Race, device: str) -> float:
    taken, found = bench.repeated(partial(race.run, device))
    expected = bench.known.setdefault((race.graph, race.work), found)
    for name, values in expected.items():
        exact = {"f4": 1e-3, "f8": 1e-9}.get(values.dtype.str[1:], 0)
        if not np.allclose(found[name], values, rtol=exact, atol=exact / max(1, values.size)):
            raise AssertionError(f"{race.work} on {race.graph}: {name} differs from the CPU's")
    return min(taken)


def _together(bench: Bench, race: Race, part: int, result: Figures) -> Cell:
    most = race.nbytes // part
    with clew.memory("auto", most):
        calls = _settle(bench, race, part, result)
        race.run(_hybrid(bench))  # edges that a try has moved are back after it
        seconds = _best(bench, race, _hybrid(bench))
        held = charged(bench.gpu)
        if held > most:
            raise AssertionError(f"edges have {held:,} bytes of GPU memory, and may have {most:,}")
        ways = plans.measured(race.recorded, race.on, bench.gpu)
        return Cell(seconds, runs=calls, more={way: took for way, took in ways.items() if np.isfinite(took)})


def _settle(bench: Bench, race: Race, part: int, result: Figures) -> int:
    """Call until nothing is left to try; how many calls that took."""
    of = (race.recorded, race.on, bench.gpu)
    most = max(ONE_TRY, SLOW * (_seconds_alone(race, result) or 0.0))
    for calls in range(MOST_CALLS):
        for way in _hopeless(race, part, result, plans.measured(*of)):
            plans.give_up(*of, way)
        if plans.is_settled(*of):
            return calls
        tried = plans.next_try(*of)
        if tried not in (plans.CPU, plans.SPLIT):  # others may have to move the edges first
            race.run(_hybrid(bench))
            continue
        started = time.perf_counter()
        try:
            with limit(most):
                race.run(_hybrid(bench))
        except TooLongError:
            if time.perf_counter() - started < 0.99 * most:
                raise  # it is the time of the case that is up
            print(f"# {race.graph} {race.work} {BOTH} 1/{part} {tried}: given up after {most:.1f} s", flush=True)
            plans.give_up(*of, tried)
            bench.gpu.synchronize()
    return MOST_CALLS


def _hopeless(race: Race, part: int, result: Figures, measured: dict[str, float]) -> Iterator[str]:
    """Ways that are not measured here, and that are known to take many times as long as one that is."""
    best = min(measured.values(), default=0.0)
    known: dict[str, Any] = {plans.CPU: result.run((race.graph, race.work, CPU, None))}
    more = result.cells.get((race.graph, race.work, BOTH, PARTS[0]))
    if part != PARTS[0] and isinstance(more, Cell) and more.more:  # less memory makes nothing faster
        known[plans.SPLIT] = more.more.get(plans.SPLIT, float("inf"))
    for way, seconds in known.items():
        if measured.get(way) == float("inf") and isinstance(seconds, float) and seconds > plans.HOPELESS * best:
            yield way


def _hybrid(bench: Bench) -> str:
    return "hybrid-emulated" if bench.device == "emulated" else "hybrid"


def _algorithms(named: Named) -> list[list[Race]]:
    plain = named.graph.with_weights(None)
    groups = []
    for names in ALGORITHMS:
        races = []
        for name in names:
            graph = named.graph if name in WEIGHTED else plain
            recorded = "connected_components" if name == "components" else name
            run = partial(_algorithm_run, name, graph, named.source)
            races.append(Race(named.name, name, graph, run, recorded, budget(graph, name, 1) or 0))
        groups.append(races)
    return groups


def _algorithm_run(name: str, graph: clew.Graph, source: int, device: str) -> dict[str, Any]:
    found = call(name, graph, source, device, ROUNDS).numpy()
    return {VALUES[name]: found.values[VALUES[name]]}


def _programs(named: Named) -> list[list[Race]]:
    """Each a group of its own."""
    nbytes = edge_bytes(named.graph, "sssp")
    groups = []
    for program in PROGRAMS:
        run, name = partial(_program_run, program, named.graph), f"{program.__name__} (program)"
        groups.append([Race(named.name, name, named.graph, run, name_of(program()), nbytes)])
    return groups


def _program_run(program: type[clew.VertexProgram], graph: clew.Graph, device: str) -> dict[str, Any]:
    return dict(clew.run(program(), graph, device=device).numpy().values)


def _warm_up(bench: Bench, races: Callable[[Named], list[list[Race]]]) -> None:
    """Compile for both sides, on a small graph, so that no case has it in its time.

    Every way is run as hybrid does by itself, which then knows on other graphs that there is nothing to compile.
    """
    small = clew.generate.rmat(4, 4, seed=1).symmetrized()
    named = Named("small", clew.generate.random_weights(small, 1, 255, seed=1), 0)
    for race in (race for group in races(named) for race in group):
        bench.tried(f"small {race.work}", partial(_everywhere, bench, race), 120)
    bench.forget()


def _everywhere(bench: Bench, race: Race) -> None:
    race.run("cpu")
    with clew.memory("auto", race.nbytes // PARTS[-1]):
        for _ in range(MOST_CALLS):
            if plans.is_settled(race.recorded, race.on, bench.gpu):
                return
            race.run(_hybrid(bench))


def run(bench: Bench, smaller: int, data: Path, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The texts of two files, after every group; the vertex programs have a graph of their own."""
    result, warm = Figures(), set()
    for named in bench.graphs(names, smaller, data):
        races = _programs if named.name == PROGRAMS_ON else _algorithms
        if races not in warm:
            _warm_up(bench, races)
            warm.add(races)
        result.named[named.name] = named.told
        to_come = [WEIGHTS.get(name, 1.0) for name in names[names.index(named.name) :]]
        with bench.share(to_come[0] / sum(to_come)):
            for _ in _run(bench, races(named), result):
                yield {"hybrid.md": text(result), "hybrid.json": result.json}
        bench.forget_answers(named.name)


def text(result: Figures) -> str:
    """The tables."""
    works = list(dict.fromkeys(key[:2] for key in result.cells))
    parts = [f"1/{part}" for part in PARTS]
    rows, tried, below = [], [], []
    for graph, work in works:
        alone = [result.run((graph, work, side, None)) for side in (CPU, ZERO_COPY)]
        both = [result.run((graph, work, BOTH, part)) for part in PARTS]
        ratios = [ratio(min(figures(alone), default=None), each) for each in both]
        times = [milliseconds(each) for each in (*alone, *both)]
        rows.append([f"{graph} {work}", *times, *(number(each, 1, "x") for each in ratios)])
        for part, found in zip(parts, ratios, strict=True):
            if found is not None and found < 1:
                below.append(f"{graph} {work} {part} ({number(found, 1, 'x')})")
        for part in PARTS:
            cell = result.cells.get((graph, work, BOTH, part), NO_TIME)
            if isinstance(cell, Cell):
                times = [milliseconds(cell.more.get(way)) for way in plans.ORDER]
                tried.append([f"{graph} {work}", f"1/{part}", str(cell.runs), *times])
    parts_of_text = [
        "### CPU and GPU together (device hybrid)",
        "Milliseconds to the answer on the host, the best of repeated calls; hybrid with a part of the edges' bytes in "
        "GPU memory, after everything was tried, and how many times as fast as the better one alone. All answers agree "
        f"with the first one, the CPU's where it came in time; a run of the CPU above {ENOUGH:.0f} s is the only one. "
        f"PageRank in {ROUNDS} rounds. Graphs: " + "; ".join(result.named.values()) + ".",
        table(["", CPU, ZERO_COPY, *(f"hybrid {part}" for part in parts), *(f"ratio {part}" for part in parts)], rows),
        "Slower than the better one alone: " + ("; ".join(below) or "none") + ".",
        "What each way took at best, in milliseconds, and after how many calls there was none left to try: the GPU "
        "alone with its part of the edges, the GPU with all edges on the host, the CPU alone, and the rows split "
        f"between both. {NOTHING}: not tried, where it was known to take more than {plans.HOPELESS:.0f} times as long "
        f"as another, or given up after {SLOW:.0f} times what one side takes alone ({ONE_TRY:.0f} s at least).",
        table(["", "in GPU memory", "calls", *plans.ORDER], tried),
        reasons(result.cells.values()),
    ]
    return "\n\n".join(part for part in parts_of_text if part)
