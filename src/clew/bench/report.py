"""The results of races: a table, remarks, means over graphs, JSON, and an SVG picture."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from html import escape
from math import ceil, floor, log10
from statistics import geometric_mean
from typing import Any, NamedTuple

import clew
from clew.bench import peers
from clew.bench.race import OURS, Outcome
from clew.checks import counted

MISSING = "does not have it"
COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#a463f2", "#9c6b4e", "#9498a0")
LEFT, RIGHT, TOP, LINE, WIDTH = 250, 30, 70, 18, 900


class Mean(NamedTuple):
    """How many times clew's time others take, as a geometric mean over graphs; above 1, clew is faster."""

    algorithm: str
    threads: int
    against: str
    ratio: float
    graphs: int


GROUPS = {"GAP": ("gap",), "the fastest Python library": tuple(peers.LIBRARIES), "the fastest of all": peers.NAMES}


def contenders_of(outcomes: Iterable[Outcome]) -> list[str]:
    """The names of all contenders, in order."""
    return list(dict.fromkeys(score.contender for outcome in outcomes for score in outcome.scores))


def milliseconds(seconds: float) -> str:
    """A time in milliseconds with three significant digits."""
    value = seconds * 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def remarks(outcomes: Iterable[Outcome]) -> list[str]:
    """Sentences about answers that differ, contenders that failed, and answers that are not verified."""
    sentences = []
    for outcome in outcomes:
        where = f"{outcome.algorithm} on {outcome.graph}, {counted(outcome.threads, 'thread')}"
        if outcome.verified not in ("", "yes"):
            sentences.append(f"{where}: clew's answer is not verified: {outcome.verified}.")
        for score in outcome.scores:
            if score.difference:
                sentences.append(f"{where}: {score.contender} differs: {score.difference}.")
            elif score.why_not not in ("", MISSING):
                sentences.append(f"{where}: {score.contender} did not run: {score.why_not}.")
    return sentences


def means(outcomes: Sequence[Outcome]) -> list[Mean]:
    """For every algorithm and number of threads, clew against each group of peers."""
    found = []
    for algorithm, threads in dict.fromkeys((outcome.algorithm, outcome.threads) for outcome in outcomes):
        chosen = [o for o in outcomes if (o.algorithm, o.threads) == (algorithm, threads)]
        for against, names in GROUPS.items():
            fastest = [(outcome, outcome.fastest(names)) for outcome in chosen]
            ratios = [ratio for outcome, score in fastest if score and (ratio := outcome.ratio(score))]
            if ratios:
                found.append(Mean(algorithm, threads, against, geometric_mean(ratios), len(ratios)))
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


def svg(outcomes: Sequence[Outcome], title: str) -> str:
    """A picture of races in plain SVG: a row for each, with a dot for the time of every peer relative to clew's."""
    names = [name for name in contenders_of(outcomes) if name != OURS]
    color = {name: COLORS[i % len(COLORS)] for i, name in enumerate(names)}
    ratios = [ratio for outcome in outcomes for score in outcome.scores if (ratio := outcome.ratio(score))]
    low = floor(log10(min([*ratios, 0.5]))) if ratios else -1
    high = max(low + 1, ceil(log10(max([*ratios, 2.0])))) if ratios else 1
    height = TOP + LINE * (len(outcomes) + 2)

    def x(ratio: float) -> float:
        return LEFT + (log10(ratio) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        ' font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="24" font-size="15" font-weight="600">{escape(title)}</text>',
        '<text x="16" y="44" fill="#666">time relative to clew; right of 1, clew is faster</text>',
    ]
    parts += _axis(low, high, x(1.0), height, [x(10.0**power) for power in range(low, high + 1)])
    for i, name in enumerate(names):
        at = LEFT + 90 * i
        parts.append(f'<circle cx="{at}" cy="58" r="4.5" fill="{color[name]}"/>')
        parts.append(f'<text x="{at + 9}" y="62">{escape(name)}</text>')
    for number, outcome in enumerate(outcomes):
        y = TOP + LINE * (number + 1)
        ours = f"{milliseconds(outcome.ours)} ms" if outcome.ours else "–"
        label = f"{outcome.graph} {outcome.algorithm} ×{outcome.threads}"
        parts.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(label)}</text>')
        for score in outcome.scores:
            ratio = outcome.ratio(score)
            if ratio is None or score.seconds is None or score.contender == OURS:
                continue
            wrong = score.agrees is False  # drawn as a hollow dot
            style = f'fill="{"#fff" if wrong else color[score.contender]}" stroke="{color[score.contender]}"'
            tip = f"{score.contender} {milliseconds(score.seconds)} ms, clew {ours}: {ratio:.2f}x"
            parts.append(f'<circle cx="{x(ratio):.1f}" cy="{y}" r="4.5" {style}><title>{escape(tip)}</title></circle>')
    return "\n".join([*parts, "</svg>", ""])


def _axis(low: int, high: int, one: float, height: int, ticks: list[float]) -> list[str]:
    bottom = height - LINE
    lines = []
    for power, at in zip(range(low, high + 1), ticks, strict=True):
        lines.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}" stroke="#ddd"/>')
        lines.append(f'<text x="{at:.1f}" y="{height - 4}" text-anchor="middle" fill="#666">{10.0**power:g}x</text>')
    lines.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{TOP}" y2="{bottom}" stroke="#333" stroke-width="1.5"/>')
    return lines
