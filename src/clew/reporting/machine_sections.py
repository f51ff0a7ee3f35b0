"""How the report was computed, folded away: timings, iterations, plans and memory. And versions."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from clew import __version__, plots, threads
from clew.checks import counted
from clew.engines.measured import cpu_name
from clew.errors import ClewError
from clew.graph import Graph
from clew.placement import AllFast, AsNumbered, Compared, Degree, Frontier, Hot, Random, Speed, Strategy, compare
from clew.placement.placement import all_bytes, row_bytes
from clew.plan import Plan
from clew.reporting import content, words
from clew.reporting.content import (
    EVERYTHING,
    Block,
    Column,
    Facts,
    Folded,
    Plot,
    Section,
    Table,
    columns,
)
from clew.reporting.study import Run, Study
from clew.result import Trace
from clew.tiers import KINDS, Rates, Tier, measure, tiers

MOST_ITERATIONS = 60
MEASURED = 64 << 20  # bytes: more than caches hold, and quickly done
LARGEST_FOR_PLACEMENT = 1 << 27  # stored edges; above it comparing the strategies takes long
QUARTER = 4
FEW = 1 << 22  # stored edges up to which Degree and Frontier are compared: both read all of them
LARGE_FRONTIERS = 20  # a frontier of more than 1/20 of the vertices is large
CUTOFF = 80  # the percentile of the paper's example
ENOUGH, MOST_SEARCHES = 1 << 23, 64  # the edges that all searches may read, and the largest number of searches
NOTABLE = 0.01  # seconds; shorter runs are not worth a prediction
TRACED = ("bfs", "pagerank")  # whose iterations are worth a figure


def engine(study: Study) -> Section:
    """Everything about the runs and the machine, folded."""
    parts = [_iterations(study), _plans(study), _memory(study), _timings(study)]
    total = words.duration(sum(step.seconds for step in study.steps))
    engines = sorted({_engine(run.plan.engine) for run in study.runs})
    where = f" on {words.listed([f'the {name}' for name in engines])}" if engines else ""
    lead = f"The report took {total}, with {counted(len(study.runs), 'run')} of algorithms{where}."
    return Section("engine", "How it was computed", lead, [part for part in parts if part.blocks])


def _iterations(study: Study) -> Folded:
    """A plot of the first search and of PageRank, if they took more than one iteration."""
    runs = {run.plan.algorithm: run for run in reversed(study.runs) if len(run.result.trace) > 1}
    traced = [runs[name] for name in TRACED if name in runs]
    with study.step("Traces"):
        figures = [_trace_plot(f"trace-{number}", run.title, run.result.trace) for number, run in enumerate(traced)]
    sentences = content.Text(" ".join(_trace_sentence(run) for run in traced))
    return Folded("Iterations", [sentences, *figures] if traced else [])


def _trace_sentence(run: Run) -> str:
    trace, text = run.result.trace, f"{run.title}: {counted(run.result.iterations, 'iteration')}"
    if "direction" in trace.columns:
        pulls = int((trace["direction"] == "pull").sum())
        text += f", {counted(pulls, 'of them pulls', 'of them pull')}" if pulls else ", all of them push"
    return f"{text}, {words.duration(run.seconds)}."


def _trace_plot(key: str, title: str, trace: Trace) -> Plot:
    return content.plot(key, title, lambda dark: plots.trace(trace, title, dark=dark), _trace_table(title, trace))


def _trace_table(title: str, trace: Trace) -> Table:
    """A row per iteration; if there are very many, a sample."""
    chosen = np.unique(np.linspace(0, len(trace) - 1, min(len(trace), MOST_ITERATIONS)).round().astype(np.int64))
    caption = title if chosen.size == len(trace) else f"{title}: {chosen.size} of {len(trace):,} iterations"
    known = {name: np.asarray(column) for name, column in trace.columns.items() if len(column) == len(trace)}
    heads = [Column("Iteration", words.whole), *(_trace_column(name, column) for name, column in known.items())]
    rows = zip(chosen.tolist(), *(column[chosen].tolist() for column in known.values()), strict=True)
    return Table(caption, heads, [list(row) for row in rows])


def _trace_column(name: str, column: Any) -> Column:
    if name == "seconds":
        return Column("Time", words.duration)
    if name == "bytes":
        return Column("Bytes", words.octets)
    shown: dict[str, content.Show] = {"f": words.scientific, "i": words.whole, "u": words.whole}
    return Column(name.capitalize(), shown.get(column.dtype.kind, str))


def _plans(study: Study) -> Folded:
    """Predicted and measured times of all runs, then the choices of each."""
    pairs = [(run.plan.expected, run.seconds) for run in study.runs if run.seconds >= NOTABLE]
    known = [(expected, seconds) for expected, seconds in pairs if expected is not None]
    within = sum(expected.low <= seconds <= expected.high for expected, seconds in known)
    text = (
        "clew predicts the time of a run from the memory speed of this machine. Of "
        f"{counted(len(known), 'run')} that took {words.duration(NOTABLE)} or more, {within} took a time within the "
        "predicted range. Open a run to see its choices and reasons."
    )
    table = _plan_table("Predicted and measured", study.runs)
    blocks: list[Block] = [content.Text(text), table, *map(_folded, study.runs)]
    return Folded("Plans and predictions", blocks if study.runs else [])


def _plan_table(title: str, runs: list[Run]) -> Table:
    heads = columns({"Run": str, "Predicted": words.duration, "Range": str, "Measured": words.duration})
    heads += columns({"Measured / predicted": words.number, "Iterations": words.whole})
    rows = []
    for run in runs:
        likely, time = None, "–"
        if (expected := run.plan.expected) is not None:
            likely, time = expected.likely, f"{words.duration(expected.low)} to {words.duration(expected.high)}"
        rows.append([run.title, likely, time, run.seconds, run.plan.ratio, run.result.iterations])
    return Table(title, heads, rows)


def _folded(run: Run) -> Folded:
    """One plan: its choices and its notes."""
    plan = run.plan
    heads = columns(dict.fromkeys(("Decision", "Chosen", "Why"), str))
    rows = [[choice.what, choice.chosen, choice.why] for choice in plan.choices]
    choices = Table(f"{run.title}: choices and reasons", heads, rows)
    notes = [Facts([("note", note) for note in plan.notes])] if plan.notes else []
    return Folded(f"{run.title}: {_summary(plan)}", [choices, *notes])


def _summary(plan: Plan) -> str:
    """The engine and the main choices."""
    chosen = {choice.what: choice.chosen for choice in plan.choices}
    main = [chosen[what] for what in ("direction", "method", "load balance") if what in chosen]
    return ", ".join([_engine(plan.engine), *main])


def _engine(name: str) -> str:
    return {"cpu": "CPU", "cuda": "GPU"}.get(name, name)


class Memory(NamedTuple):
    """A tier, and its measured speed or the reason why there is none."""

    tier: Tier
    rates: Rates | None
    trouble: str


def _memory(study: Study) -> Folded:
    """Tiers with their speed, then strategies compared on the two fastest."""
    with study.step("Speed of the memories"):
        memories = [_measured(tier) for tier in tiers()]
    rows = int(row_bytes(study.graph.outgoing).sum())
    fast, *others = memories
    free, name = words.octets(fast.tier.free), _called(fast.tier)
    lead = f"The graph's rows take {words.octets(rows)}. "
    if rows <= fast.tier.free:
        lead += f"All of them fit in {name}, which has {free} free."
    else:
        lead += f"That is more than the {free} that are free in {name}: some of them must go elsewhere."
    blocks = [content.Text(lead), _tiers(memories), *_placements(study, fast, others, rows)]
    return Folded("Memory and placement", blocks)


def _measured(tier: Tier) -> Memory:
    try:
        return Memory(tier, measure(tier, MEASURED), "")
    except (ClewError, OSError) as error:
        return Memory(tier, None, str(error))


def _tiers(memories: list[Memory]) -> Table:
    heads = [Column("Tier"), Column("What"), *columns(dict.fromkeys(("Capacity", "Free"), words.octets))]
    heads += columns(dict.fromkeys(("Read", "Write", "Random reads"), words.rate))
    rows = []
    for tier, rates, _ in memories:
        speeds = (None, None, None) if rates is None else (rates.read, rates.write, rates.random)
        rows.append([tier.name, KINDS[tier.kind], tier.capacity, tier.free, *speeds])
    return Table("The memories of this machine, measured for this report", heads, rows)


def _placements(study: Study, fast: Memory, others: list[Memory], rows: int) -> list[Block]:
    """A comparison of the strategies for a limited fast memory."""
    graph, what = study.graph, "Placement"
    slow = next((memory for memory in others if memory.rates is not None and memory.tier.kind != "pinned"), None)
    if not graph.num_arcs:
        return [content.Skipped(what, "a graph without edges has no rows to place")]
    if fast.rates is None or slow is None or slow.rates is None:
        return [content.Skipped(what, fast.trouble or "this machine has only one memory whose speed could be measured")]
    if study.too_large(LARGEST_FOR_PLACEMENT):
        return [
            content.Skipped(
                what, f"comparing strategies on more than {LARGEST_FOR_PLACEMENT:,} stored edges takes long", EVERYTHING
            )
        ]
    budget = max(1, rows // QUARTER) if study.fast_memory is None else study.fast_memory
    speeds = (Speed.measured(slow.rates, slow.tier.kind), Speed.measured(fast.rates, fast.tier.kind))
    with study.step("Placements compared"):
        searches = min(MOST_SEARCHES, max(3, ENOUGH // (graph.num_vertices + graph.num_arcs)))
        compared = compare(graph, _candidates(graph, budget, speeds), budget, speeds=speeds, searches=searches)
        best = compared[0]
        figure = _strategy_times(compared, rows)
    asked = "a quarter of the rows" if study.fast_memory is None else "as requested"
    share = words.percent(best.placement.fast_bytes / rows)
    text = (
        f"Suppose that {words.octets(budget)} ({asked}) of {_called(fast.tier)} are available and the rest is in "
        f"{_called(slow.tier)}. Then {_words(best.strategy)} would do best: "
        f"{counted(best.placement.num_fast, 'vertex')} and {share} of the bytes in fast memory. "
        f"The comparison counts the reads of {searches} sampled "
        "searches, one pass over all rows and one over their first edges, at the speeds above. It ignores caches."
    )
    return [content.Text(text), figure]


def _candidates(graph: Graph, budget: int, speeds: tuple[Speed, Speed]) -> list[Strategy]:
    """The strategies to compare. Budgets fill fast memory, or as much of it as keeps both memories equally busy."""
    total, (slow, fast) = all_bytes(graph.outgoing), (speed.in_order for speed in speeds)
    filled = min(budget, int(total * fast / (slow + fast)))
    strategies: list[Strategy] = [AsNumbered(filled), *(Hot(filled, by) for by in ("cost", "degree", "access"))]
    if graph.num_arcs <= FEW:
        hub = graph.name(int(graph.degrees().argmax()))
        strategies.append(Degree(graph.num_arcs // graph.num_vertices, CUTOFF))
        strategies.append(Frontier(hub, graph.num_vertices // LARGE_FRONTIERS))
    return [*strategies, Random(0, filled / total), AllFast()]


def _strategy_times(compared: list[Compared], rows: int) -> Plot:
    """The time of the reads with each strategy."""
    labels = [_words(one.strategy) for one in compared]
    best, worst = (words.duration(one.seconds) for one in (compared[0], compared[-1]))
    alt = f"Time that the sampled reads would take: {best} with {labels[0]}, the best, {worst} with {labels[-1]}."
    chart = content.times("Strategies compared", labels, {"": np.array([one.seconds for one in compared])}, alt)
    return content.charted("placement", chart, _strategy_table(compared, rows))


def _words(strategy: Strategy) -> str:
    """A strategy in a few words."""
    by = getattr(strategy, "by", "")
    known = {
        "as_numbered": "the last rows as numbered",
        "hot": "short rows" if by == "cost" else f"hottest rows by {by}",
        "degree": "children of busy vertices",
        "frontier": "large frontiers",
        "random": "rows at random",
        "all_fast": "rows in their order",
    }
    return known.get(strategy.name, str(strategy))


def _strategy_table(compared: list[Compared], rows: int) -> Table:
    heads = columns({"Strategy": str, "Vertices in fast memory": words.whole, "Bytes in fast memory": words.octets})
    heads += columns({"in slow memory": words.octets, "Share": words.percent, "Time of the reads": words.duration})
    table = [
        [str(strategy), place.num_fast, place.fast_bytes, place.slow_bytes, place.fast_bytes / rows, seconds]
        for strategy, place, seconds, _ in compared
    ]
    return Table("Placement strategies, best first", heads, table)


def _called(tier: Tier) -> str:
    return f"{KINDS[tier.kind]} ({tier.name})"


def _timings(study: Study) -> Folded:
    """The steps, slowest first."""
    sums: dict[str, float] = {}
    for what, seconds in study.steps:
        sums[what] = sums.get(what, 0.0) + seconds
    total = sum(sums.values())
    heads = [Column("Step"), Column("Time", words.duration), Column("Share", words.percent, bar=True)]
    steps = sorted(sums.items(), key=lambda step: -step[1])
    rows = [[what, seconds, seconds / total if total else 0.0] for what, seconds in steps]
    text = "This includes compiling code that was not cached yet. A second report is faster."
    return Folded("Timings", [content.Text(text), Table("Time by step, slowest first", heads, rows)])


def about(study: Study) -> Section:
    """Versions, processor, threads and the date."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    facts = [
        ("created by", f"clew {__version__}"),
        ("on", f"{datetime.now(UTC):%d %B %Y, %H:%M} UTC"),
        ("processor", f"{cpu_name()}, {counted(threads.count(), 'thread')} used"),
        ("memory", words.octets(memory)),
        ("device", study.device),
        ("versions", f"Python {platform.python_version()}, NumPy {np.__version__}, Numba {version('numba')}"),
    ]
    lead = "One file that works offline and can be printed. Drag in a plot to zoom, and double-click to reset it."
    return Section("about", "About this report", lead, [Facts(facts)])


#: In the order of the page. To add a section, add a function.
SECTIONS = (engine, about)
