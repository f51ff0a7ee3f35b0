"""How long each step of the report took."""

from __future__ import annotations

import numpy as np

from clew.reporting import words
from clew.reporting.content import Column, Section, Table
from clew.reporting.figures import charted, times
from clew.reporting.study import Study

WORTH_A_BAR = 12


def timings(study: Study) -> Section:
    """The steps, slowest first."""
    steps = sorted(_summed(study), key=lambda step: -step[1])
    total = sum(seconds for _, seconds in steps)
    shown = steps[:WORTH_A_BAR]
    title = "Time by step" if len(steps) <= WORTH_A_BAR else f"The {WORTH_A_BAR} longest steps"
    alt = f"{title}: {words.listed([f'{what} {words.duration(seconds)}' for what, seconds in shown[:3]])}."
    chart = times(title, [what for what, _ in shown], {"": np.array([seconds for _, seconds in shown])}, alt)
    columns = [Column("Step"), Column("Time", words.duration), Column("Share", words.percent, bar=True)]
    rows = [[what, seconds, seconds / total if total else 0.0] for what, seconds in steps]
    lead = (
        f"The report took {words.duration(total)}. This includes compiling code that was not cached yet. "
        "A second report is faster."
    )
    return Section("timings", "Timings", lead, [charted("timings", chart, Table("Time by step", columns, rows))])


def _summed(study: Study) -> list[tuple[str, float]]:
    """Steps of the same name added up."""
    sums: dict[str, float] = {}
    for what, seconds in study.steps:
        sums[what] = sums.get(what, 0.0) + seconds
    return list(sums.items())
