"""A picture of races: one line for each, with a dot where every contender's time lies, relative to clew's.

Plain SVG, written by hand: it needs no library, and any browser shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

from clew.bench.race import OURS, Outcome
from clew.bench.report import contenders_of, milliseconds

COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#a463f2", "#9c6b4e", "#9498a0")
LEFT, RIGHT, TOP, LINE, WIDTH = 250, 30, 70, 18, 900


def svg(outcomes: Sequence[Outcome], title: str) -> str:
    """The picture; to the right of the line at 1, clew is faster."""
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
            wrong = score.agrees is False  # hollow: it found something else
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
