"""The sections of a report about the runs and the machine: iterations, plans, memory, timings and versions."""

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
from clew.reporting.content import EVERYTHING, Block, Column, Facts, Plot, Section, Table, charted, columns, plot, times
from clew.reporting.graph_sections import class_label, degree_classes
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
MOST_STEPS = 12


def traces(study: Study) -> Section:
    """A plot for every run with a trace of more than one iteration."""
    traced = [run for run in study.runs if len(run.result.trace) > 1 and run.plan.algorithm != "k_core"]
    if not traced:
        return Section("traces", "Iterations", "No algorithm took more than one iteration on this graph.")
    with study.step("Traces"):
        figures = [_trace_plot(f"trace-{number}", run.title, run.result.trace) for number, run in enumerate(traced)]
    return Section("traces", "Iterations", " ".join(_trace_sentence(run) for run in traced), figures)


def _trace_sentence(run: Run) -> str:
    trace, text = run.result.trace, f"{run.title}: {counted(run.result.iterations, 'iteration')}"
    if "direction" in trace.columns:
        pulls = int((trace["direction"] == "pull").sum())
        text += f", {counted(pulls, 'of them pulls', 'of them pull')}" if pulls else ", all of them push"
    return f"{text}, {words.duration(run.seconds)}."


def _trace_plot(key: str, title: str, trace: Trace) -> Plot:
    return plot(key, title, lambda dark: plots.trace(trace, title, dark=dark), _trace_table(title, trace))


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


def plan(study: Study) -> Section:
    """Predicted and measured times of all runs, then the choices of each."""
    runs = study.runs
    if not runs:
        return Section("plan", "Plans", "No algorithm was run on this graph, so there was nothing to plan.")
    engines = sorted({run.plan.engine for run in runs})
    within = sum(expected.low <= run.seconds <= expected.high for run in runs if (expected := run.plan.expected))
    lead = (
        f"{counted(len(runs), 'run')} on {words.listed([f'the {_engine(name)}' for name in engines])}. "
        f"clew predicts the time of a run from the memory speed of this machine. {within} of the runs took a time "
        "within the predicted range. Open a run to see its choices and reasons."
    )
    with study.step("Plans"):
        likely = np.array([run.plan.expected.likely if run.plan.expected is not None else np.nan for run in runs])
        took = np.array([run.seconds for run in runs])
        title, (predicted, measured) = "Predicted and measured", (words.duration(np.nansum(a)) for a in (likely, took))
        alt = f"Time of each run: predicted {predicted} in total, measured {measured}."
        chart = times(title, [run.title for run in runs], {"predicted": likely, "measured": took}, alt)
        figure = charted("plans", chart, _plan_table(title, runs))
    return Section("plan", "Plans", lead, [figure, *(_folded(run) for run in runs)])


def _plan_table(title: str, runs: list[Run]) -> Table:
    heads = columns({"Run": str, "Engine": str, "Predicted": words.duration, "Range": str, "Measured": words.duration})
    heads += columns({"Iterations predicted": str, "Iterations": words.whole})
    rows = []
    for run in runs:
        likely, time, iterations = None, "–", "–"
        if (expected := run.plan.expected) is not None:
            likely, time = expected.likely, f"{words.duration(expected.low)} to {words.duration(expected.high)}"
        if (rounds := run.plan.iterations) is not None:
            low, high = f"{rounds.low:,.0f}", f"{rounds.high:,.0f}"
            iterations = low if rounds.low == rounds.high else f"{low} to {high}"
        engine, result = _engine(run.plan.engine), run.result
        rows.append([run.title, engine, likely, time, run.seconds, iterations, result.iterations])
    return Table(title, heads, rows)


def _folded(run: Run) -> content.Folded:
    """One plan: its choices, its bytes, its notes."""
    plan = run.plan
    heads = columns(dict.fromkeys(("Decision", "Chosen", "Why"), str))
    rows = [[choice.what, choice.chosen, choice.why] for choice in plan.choices]
    choices = Table(f"{run.title}: choices and reasons", heads, rows)
    sizes = columns(dict.fromkeys(("Graph", "Results", "Scratch", "In all", "Free"), words.octets))
    tiers = [[tier.name, tier.graph, tier.result, tier.scratch, tier.total, tier.free] for tier in plan.tiers]
    memory = Table(f"{run.title}: bytes by memory", [Column("Memory"), *sizes], tiers)
    notes = [Facts([("note", note) for note in plan.notes])] if plan.notes else []
    return content.Folded(f"{run.title}: {_summary(plan)}", [choices, memory, *notes])


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


def memory(study: Study) -> Section:
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
    return Section("memory", "Memory", lead, [_tiers(memories), *_placements(study, fast, others, rows)])


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
        figures = [_strategy_times(compared, rows), _rows_by_degree(study, best)]
    asked = "a quarter of the rows" if study.fast_memory is None else "as requested"
    share = words.percent(best.placement.fast_bytes / rows)
    text = (
        f"Suppose that {words.octets(budget)} ({asked}) of {_called(fast.tier)} are available and the rest is in "
        f"{_called(slow.tier)}. Then {_words(best.strategy)} would do best: "
        f"{counted(best.placement.num_fast, 'vertex')} and {share} of the bytes in fast memory. "
        f"The comparison counts the reads of {searches} sampled "
        "searches, one pass over all rows and one over their first edges, at the speeds above. It ignores caches."
    )
    return [content.Text(text), *figures]


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
    chart = times("Strategies compared", labels, {"": np.array([one.seconds for one in compared])}, alt)
    return charted("placement", chart, _strategy_table(compared, rows))


def _rows_by_degree(study: Study, best: Compared) -> Plot:
    """The bytes of rows that the best strategy puts into each memory, by degree."""
    sizes, bits, fast = row_bytes(study.graph.outgoing), degree_classes(study.out_degrees), best.placement.fast
    classes = int(bits.max()) + 1
    masks = {"fast memory": fast, "slow memory": ~fast}
    found = {name: np.bincount(bits[mask], sizes[mask], classes).astype(np.int64) for name, mask in masks.items()}
    labels = [class_label(power) for power in range(classes)]
    total = words.octets(found["fast memory"].sum())
    alt = f"Where rows go, by degree: {total} into fast memory, chosen as {_words(best.strategy)}."
    title = "Where the rows go"
    rows = list(zip(labels, *(values.tolist() for values in found.values()), strict=True))
    heads = [Column("Degree"), *columns({f"Bytes in {name}": words.octets for name in found})]
    chart = content.amounts(title, [f"degree {label}" for label in labels], found, alt)
    return charted("placed-rows", chart, Table(f"{title}, by degree", heads, rows))


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


def timings(study: Study) -> Section:
    """The steps, slowest first."""
    sums: dict[str, float] = {}
    for what, seconds in study.steps:
        sums[what] = sums.get(what, 0.0) + seconds
    steps = sorted(sums.items(), key=lambda step: -step[1])
    total = sum(seconds for _, seconds in steps)
    shown = steps[:MOST_STEPS]
    title = "Time by step" if len(steps) <= MOST_STEPS else f"The {MOST_STEPS} longest steps"
    alt = f"{title}: {words.listed([f'{what} {words.duration(seconds)}' for what, seconds in shown[:3]])}."
    chart = times(title, [what for what, _ in shown], {"": np.array([seconds for _, seconds in shown])}, alt)
    heads = [Column("Step"), Column("Time", words.duration), Column("Share", words.percent, bar=True)]
    rows = [[what, seconds, seconds / total if total else 0.0] for what, seconds in steps]
    lead = (
        f"The report took {words.duration(total)}. This includes compiling code that was not cached yet. "
        "A second report is faster."
    )
    return Section("timings", "Timings", lead, [charted("timings", chart, Table("Time by step", heads, rows))])


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
    lead = "One file that works offline. Drag in a plot to zoom, and double-click to reset it."
    return Section("about", "About this report", lead, [Facts(facts)])


#: In the order of the page. To add a section, add a function.
SECTIONS = (traces, plan, memory, timings, about)
