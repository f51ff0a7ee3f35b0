"""Time, memory and the table they are shown in.

Machines are shared and noisy, so contenders take turns, the best of several rounds counts, and what is reported is the
ratio to the fastest peer of the same run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

OUT = Path(__file__).parent / "out"


@dataclass(frozen=True)
class Row:
    """One contender on one piece of work; ``amount`` of ``unit`` per second is its rate."""

    work: str
    contender: str
    seconds: float
    amount: float = 0.0
    unit: str = ""


def race(
    work: str,
    contenders: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 3,
    amount: float = 0.0,
    unit: str = "",
) -> list[Row]:
    """Let contenders take turns after a warm-up each; the best round of each counts."""
    best = dict.fromkeys(contenders, float("inf"))
    for run in contenders.values():
        run()
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return [Row(work, name, seconds, amount, unit) for name, seconds in best.items()]


def peak_bytes(setup: str, work: str) -> int:
    """How many bytes the resident memory of a fresh process grows by at most during ``work``, warmed up by ``setup``.

    A thread samples the anonymous memory every millisecond: pages of a mapped file are the kernel's to take back.
    """
    code = f"""
import gc, threading, time
{setup}
def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024
gc.collect()
base, peak, done = anonymous(), 0, False
def watch():
    global peak
    while not done:
        peak = max(peak, anonymous())
        time.sleep(0.001)
watcher = threading.Thread(target=watch)
watcher.start()
{work}
done = True
watcher.join()
print(peak - base)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1])


def show(rows: list[Row], title: str) -> None:
    """Print the rows grouped by work, with the ratio of the fastest peer's time to clew's."""
    table = Table(title=title, title_justify="left")
    for column in ("work", "contender", "seconds", "rate", "clew is"):
        table.add_column(column, justify="left" if column in ("work", "contender") else "right")
    for work in dict.fromkeys(row.work for row in rows):
        group = [row for row in rows if row.work == work]
        ours = min((row.seconds for row in group if row.contender.startswith("clew")), default=None)
        for row in group:
            rate = f"{row.amount / row.seconds:,.1f} {row.unit}/s" if row.amount else ""
            faster = f"{row.seconds / ours:.2f}x" if ours and not row.contender.startswith("clew") else ""
            table.add_row(work, row.contender, f"{row.seconds:.4f}", rate, faster)
        table.add_section()
    Console().print(table)


def save(name: str, rows: list[Row]) -> None:
    """Keep the rows as JSON under bench/out."""
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
