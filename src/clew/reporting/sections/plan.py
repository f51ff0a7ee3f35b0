"""The plans of the report's runs, their reasons, and how predictions compare with measurements."""

from __future__ import annotations

import numpy as np

from clew.checks import counted
from clew.plan import Plan
from clew.reporting import words
from clew.reporting.content import Column, Facts, Folded, Plot, Section, Table
from clew.reporting.figures import charted, times
from clew.reporting.study import Run, Study


def plan(study: Study) -> Section:
    """Predicted and measured times of all runs, then the choices of each."""
    if not study.runs:
        return Section("plan", "Plans", "No algorithm was run on this graph, so there was nothing to plan.")
    engines = sorted({run.plan.engine for run in study.runs})
    close = sum(_within(run) for run in study.runs)
    lead = (
        f"{counted(len(study.runs), 'run')} on {words.listed([f'the {_engine(name)}' for name in engines])}. "
        f"clew predicts the time of a run from the memory speed of this machine. {close} of the runs took a time "
        "within the predicted range. Open a run to see its choices and reasons."
    )
    with study.step("Plans"):
        figure = _times(study.runs)
    return Section("plan", "Plans", lead, [figure, *(_folded(run) for run in study.runs)])


def _times(runs: list[Run]) -> Plot:
    """Predicted and measured milliseconds of every run."""
    likely = np.array([run.plan.expected.likely if run.plan.expected is not None else np.nan for run in runs])
    took = np.array([run.seconds for run in runs])
    title = "Predicted and measured"
    alt = f"Time of each run: predicted {_sum(likely)} in total, measured {_sum(took)}."
    chart = times(title, [run.title for run in runs], {"predicted": likely, "measured": took}, alt)
    return charted("plans", chart, _table(title, runs))


def _table(title: str, runs: list[Run]) -> Table:
    columns = [Column("Run"), Column("Engine"), Column("Predicted", words.duration), Column("Range")]
    columns += [Column("Measured", words.duration), Column("Iterations predicted"), Column("Iterations", words.whole)]
    rows = []
    for run in runs:
        time, rounds = run.plan.expected, run.plan.iterations
        rows.append(
            [
                run.title,
                _engine(run.plan.engine),
                None if time is None else time.likely,
                "–" if time is None else f"{words.duration(time.low)} to {words.duration(time.high)}",
                run.seconds,
                "–" if rounds is None else _range(rounds.low, rounds.high),
                run.result.iterations,
            ]
        )
    return Table(title, columns, rows)


def _folded(run: Run) -> Folded:
    """One plan: its choices, its bytes, its notes."""
    plan = run.plan
    choices = Table(
        f"{run.title}: choices and reasons",
        [Column("Decision"), Column("Chosen"), Column("Why")],
        [[choice.what, choice.chosen, choice.why] for choice in plan.choices],
    )
    bytes_of = [Column(title, words.octets) for title in ("Graph", "Results", "Scratch", "In all", "Free")]
    memory = Table(
        f"{run.title}: bytes by memory",
        [Column("Memory"), *bytes_of],
        [[tier.name, tier.graph, tier.result, tier.scratch, tier.total, tier.free] for tier in plan.tiers],
    )
    notes = [Facts([("note", note) for note in plan.notes])] if plan.notes else []
    return Folded(f"{run.title}: {_summary(plan)}", [choices, memory, *notes])


def _summary(plan: Plan) -> str:
    """The engine and the main choices."""
    known = {choice.what: choice.chosen for choice in plan.choices}
    parts = [_engine(plan.engine), *(known[what] for what in ("direction", "method", "load balance") if what in known)]
    return ", ".join(parts)


def _within(run: Run) -> bool:
    expected = run.plan.expected
    return expected is not None and expected.low <= run.seconds <= expected.high


def _range(low: float, high: float) -> str:
    return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"


def _sum(seconds: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    return words.duration(float(np.nansum(seconds)))


def _engine(name: str) -> str:
    return {"cpu": "CPU", "cuda": "GPU"}.get(name, name)
