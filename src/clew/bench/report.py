"""What races came to: a table, remarks, means over graphs, and everything as plain values for JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import exp, log
from typing import Any, NamedTuple

import clew
from clew.bench import peers
from clew.bench.race import OURS, Outcome, Score

MISSING = "does not have it"


class Mean(NamedTuple):
    """How many times clew's time others take, as a geometric mean over graphs; above 1, clew is faster."""

    algorithm: str
    threads: int
    against: str
    ratio: float
    graphs: int

    def __str__(self) -> str:
        others = f"{self.graphs} graph{'s' if self.graphs > 1 else ''}"
        return f"{self.algorithm}, {_threads(self.threads)}: clew is {self.ratio:.2f}x {self.against} ({others})"


GROUPS = {
    "GAP": ("gap",),
    "the fastest Python library": tuple(peers.LIBRARIES),
    "the fastest of all": peers.NAMES,
}


def contenders_of(outcomes: Iterable[Outcome]) -> list[str]:
    """Who has taken part, in the order they stood in."""
    return list(dict.fromkeys(score.contender for outcome in outcomes for score in outcome.scores))


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
        return "–" if score.why_not in ("", MISSING) else "too slow" if "took more" in score.why_not else "failed"
    return milliseconds(score.seconds) + (" ≠" if score.agrees is False else "")


def milliseconds(seconds: float) -> str:
    """Three digits that count."""
    value = seconds * 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def remarks(outcomes: Iterable[Outcome]) -> list[str]:
    """Whose answer differs, who failed and why, and what checking found."""
    said = []
    for outcome in outcomes:
        where = f"{outcome.algorithm} on {outcome.graph}, {_threads(outcome.threads)}"
        if outcome.verified not in ("", "yes"):
            said.append(f"{where}: clew's answer is not verified: {outcome.verified}.")
        for score in outcome.scores:
            if score.difference:
                said.append(f"{where}: {score.contender} differs: {score.difference}.")
            elif score.why_not not in ("", MISSING):
                said.append(f"{where}: {score.contender} did not run: {score.why_not}.")
    return said


def means(outcomes: Sequence[Outcome]) -> list[Mean]:
    """For every algorithm and number of threads, clew against each group of peers."""
    found = []
    for algorithm, threads in dict.fromkeys((outcome.algorithm, outcome.threads) for outcome in outcomes):
        chosen = [o for o in outcomes if (o.algorithm, o.threads) == (algorithm, threads)]
        for against, names in GROUPS.items():
            fastest = [(outcome, outcome.fastest(names)) for outcome in chosen]
            ratios = [ratio for outcome, score in fastest if score and (ratio := outcome.ratio(score))]
            if ratios:
                mean = exp(sum(map(log, ratios)) / len(ratios))
                found.append(Mean(algorithm, threads, against, mean, len(ratios)))
    return found


def as_dict(outcomes: Sequence[Outcome], **facts: Any) -> dict[str, Any]:
    """Everything, for JSON."""
    races = []
    for outcome in outcomes:
        scores = [{**asdict(score), "ratio": outcome.ratio(score)} for score in outcome.scores]
        for score in scores:
            del score["spent"]
        races.append({**asdict(outcome), "scores": scores})
    machine = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
    }
    return {
        "clew": clew.__version__,
        "machine": machine,
        **facts,
        "races": races,
        "means": [mean._asdict() for mean in means(outcomes)],
    }


def _ratio(outcome: Outcome) -> str:
    fastest = outcome.fastest(name for name in contenders_of([outcome]) if name != OURS)
    ratio = outcome.ratio(fastest) if fastest else None
    return f"{ratio:.2f}x {fastest.contender}" if fastest and ratio else ""


def _threads(count: int) -> str:
    return f"{count} thread{'s' if count > 1 else ''}"
