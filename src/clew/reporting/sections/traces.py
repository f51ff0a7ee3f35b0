"""The iterations of the report's runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import plots
from clew.checks import counted
from clew.reporting import words
from clew.reporting.content import Column, Section, Table
from clew.reporting.figures import plot
from clew.reporting.study import Run, Study
from clew.result import Trace

MOST_ROWS = 60


def traces(study: Study) -> Section:
    """A plot for every run that kept a trace of more than one iteration."""
    traced = [run for run in study.runs if len(run.result.trace) > 1 and run.plan.algorithm != "k_core"]
    if not traced:
        return Section("traces", "Iterations", "No algorithm took more than one iteration on this graph.")
    with study.step("Traces"):
        figures = [_figure(number, run) for number, run in enumerate(traced)]
    return Section("traces", "Iterations", " ".join(_sentence(run) for run in traced), figures)


def _sentence(run: Run) -> str:
    trace, text = run.result.trace, f"{run.title}: {counted(run.result.iterations, 'iteration')}"
    if "direction" in trace.columns:
        pulls = int((trace["direction"] == "pull").sum())
        text += f", {counted(pulls, 'of them pulls', 'of them pull')}" if pulls else ", all of them push"
    return f"{text}, {words.duration(run.seconds)}."


def _figure(number: int, run: Run) -> Any:
    trace = run.result.trace
    return plot(
        f"trace-{number}", run.title, lambda dark: plots.trace(trace, run.title, dark=dark), _table(run.title, trace)
    )


def _table(title: str, trace: Trace) -> Table:
    """A row per iteration; of very many, some."""
    chosen = np.unique(np.linspace(0, len(trace) - 1, min(len(trace), MOST_ROWS)).round().astype(np.int64))
    caption = title if chosen.size == len(trace) else f"{title}: {chosen.size} of {len(trace):,} iterations"
    known = {name: np.asarray(column) for name, column in trace.columns.items() if len(column) == len(trace)}
    columns = [Column("Iteration", words.whole)]
    columns += [Column(*_headed(name, column)) for name, column in known.items()]
    rows = zip(chosen.tolist(), *(column[chosen].tolist() for column in known.values()), strict=True)
    return Table(caption, columns, [list(row) for row in rows])


def _headed(name: str, column: Any) -> tuple[str, Any]:
    """The head of a column, and how its values are written."""
    if name in ("bytes", "seconds"):
        return ("Bytes", words.octets) if name == "bytes" else ("Time", words.duration)
    if column.dtype.kind == "f":
        return name.capitalize(), words.scientific
    return name.capitalize(), words.whole if column.dtype.kind in "iu" else words.text
