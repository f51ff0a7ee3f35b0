"""Draw the picture of the README, docs/images/times.svg, from the times in docs/images/times.csv.

``python tools/times_picture.py RACE.json`` first replaces the CPU times in the table by those that ``python -m bench
algorithms --graphs tokyo --threads 1 --out RACE`` measured: the CPU time of the best run, which other programs on the
machine disturb least. Times on a GPU are those of docs/performance-gpu.md.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from itertools import groupby
from math import log10
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
TABLE, PICTURE = FOLDER / "times.csv", FOLDER / "times.svg"
TITLES = {
    "bfs": "Breadth-first search",
    "sssp": "Shortest paths, weighted",
    "pagerank": "PageRank, 20 iterations",
    "connected_components": "Connected components",
}
NAMES = {
    "networkx": "NetworkX",
    "igraph": "igraph",
    "networkit": "NetworKit",
    "graphblas": "python-graphblas",
    "clew": "clew, CPU",
}
GPU = "clew, GPU"
COLORS = {NAMES["clew"]: "#2563c9", GPU: "#0f8a5f"}
OTHERS, GREY = "#8a919c", "#5b6270"  # bars, and small print
LOW, HIGH = 0.1, 100_000.0  # milliseconds at the ends of the axis
PANEL, ROW, HEAD, TOP = 440, 19, 46, 62  # pixels
LEFT, WIDE = 122, 230  # of the axis in a panel


class Time(NamedTuple):
    """One contender's time, in milliseconds; none if it does not have the algorithm."""

    algorithm: str
    contender: str
    milliseconds: float | None


def times() -> list[Time]:
    """The table."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    number = [float(row["milliseconds"]) if row["milliseconds"] else None for row in rows]
    return [Time(row["algorithm"], row["contender"], value) for row, value in zip(rows, number, strict=True)]


def measured(race: Path) -> list[Time]:
    """The table with the CPU times of a race."""
    on_gpu = {row.algorithm: row for row in times() if row.contender == GPU}
    rows = []
    for outcome in json.loads(race.read_text(encoding="utf-8"))["races"]:
        algorithm, scores = outcome["algorithm"], {score["contender"]: score for score in outcome["scores"]}
        if outcome["graph"] != "tokyo" or algorithm not in TITLES:
            continue
        for name, title in NAMES.items():
            seconds = scores[name]["cpu_seconds"]
            assert scores[name]["agrees"] is not False, (algorithm, name)
            rows.append(Time(algorithm, title, None if seconds is None else round(seconds * 1000, 2)))
        rows.append(on_gpu[algorithm])
    return rows


def write_table(rows: list[Time]) -> None:
    """Replace the table."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Time._fields)
        writer.writerows(("" if cell is None else cell for cell in row) for row in rows)


def picture() -> str:
    """The table as SVG: a panel for every algorithm, a bar for every contender, on a logarithmic axis."""
    groups = [(name, list(rows)) for name, rows in groupby(times(), key=lambda row: row.algorithm)]
    tall = HEAD + ROW * max(len(rows) for _, rows in groups) + 30
    width, height = 2 * PANEL + 20, TOP + tall * ((len(groups) + 1) // 2) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="12.5" '
        'fill="#1f2430">',
        f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>',
        '<text x="20" y="28" font-size="17" font-weight="600">Time on the road network of Tokyo</text>',
        f'<text x="20" y="48" fill="{GREY}">2.1 million vertices, 2.4 million edges. One core each, or a GPU. '
        "Logarithmic scale. In brackets: multiples of clew's CPU time.</text>",
    ]
    for number, (algorithm, rows) in enumerate(groups):
        parts += _panel(TITLES[algorithm], rows, 20 + PANEL * (number % 2), TOP + tall * (number // 2))
    return "\n".join([*parts, "</svg>", ""])


def _panel(title: str, rows: list[Time], left: int, top: int) -> Iterator[str]:
    start, bottom = left + LEFT, top + HEAD + ROW * len(rows)
    ours = next(row.milliseconds for row in rows if row.contender == NAMES["clew"])
    assert ours is not None
    yield f'<text x="{left}" y="{top + 28}" font-size="14" font-weight="600">{title}</text>'
    for power in range(round(log10(LOW)), round(log10(HIGH)) + 1):
        x = start + _length(10.0**power)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top + HEAD - 6}" y2="{bottom}" stroke="#e3e6ea"/>'
        if power in (0, 3):
            label = "1 ms" if power == 0 else "1 s"
            place = f'x="{x:.1f}" y="{bottom + 14}" text-anchor="middle"'
            yield f'<text {place} font-size="11" fill="{GREY}">{label}</text>'
    for number, row in enumerate(rows):
        y = top + HEAD + ROW * number
        color = COLORS.get(row.contender, OTHERS)
        style = f' font-weight="600" fill="{color}"' if row.contender in COLORS else ""
        yield f'<text x="{start - 8}" y="{y + 11}" text-anchor="end"{style}>{row.contender}</text>'
        if row.milliseconds is None:
            yield f'<text x="{start + 4}" y="{y + 11}" fill="{GREY}">has no fixed number of iterations</text>'
            continue
        long = _length(row.milliseconds)
        yield f'<rect x="{start}" y="{y + 1}" width="{long:.1f}" height="12" rx="1.5" fill="{color}"/>'
        more = f" ({row.milliseconds / ours:,.0f}x)" if row.milliseconds > 1.5 * ours else ""
        yield f'<text x="{start + long + 5:.1f}" y="{y + 11}"{style}>{_words(row.milliseconds)}{more}</text>'


def _length(milliseconds: float) -> float:
    return WIDE * log10(milliseconds / LOW) / log10(HIGH / LOW)


def _words(milliseconds: float) -> str:
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2g} ms"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write_table(measured(Path(sys.argv[1])))
    PICTURE.write_text(picture(), encoding="utf-8")
