"""A progress bar on stderr for work that takes longer than a second, if stderr is a terminal.

The bar has its own thread. It appears even if the first step takes long. It can also poll the counters of a single
compiled call, which cannot report by itself.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

PATIENCE = 1.0  # seconds
REFRESH = 0.1

#: Called as ``report(done, total_or_None)`` between pieces of work.
Report = Callable[[float, float | None], None]
#: Asked now and then for the same two numbers.
Poll = Callable[[], tuple[float, float | None]]

_asked: bool | None = None


def turn(on: bool | None) -> None:
    """Show bars always (True), never (False), or if stderr is a terminal (None, the default)."""
    global _asked
    _asked = on


def is_enabled() -> bool:
    """Whether to show bars."""
    if _asked is not None:
        return _asked
    try:
        return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):  # there is no stderr, or it is closed
        return False


@contextmanager
def showing(title: str, poll: Poll | None = None, *, unit: str = "", when: bool = True) -> Iterator[Report | None]:
    """Show the progress of the work in this block; yields a function to report it, or None if bars are off.

    Parameters
    ----------
    title
        The task. Within another block, it is added to that one's title.
    poll
        For work that cannot report by itself: returns the amount done and the total (None if unknown).
    unit
        What is counted, such as "B" or "sources".
    when
        False for work that is known to be short: starting a thread would take longer.
    """
    global _bar
    if not when or not is_enabled():
        yield None
        return
    stage = _Stage(title, poll, unit)
    with _lock:
        outer = _bar
        if outer is None:
            _bar = _Bar(stage)
    if outer is not None and outer.owner != threading.get_ident():
        yield None  # one bar at a time: that of another thread
        return
    if outer is not None:
        outer.stages.append(stage)
        try:
            yield stage.report
        finally:
            outer.stages.remove(stage)
        return
    bar = _bar
    assert bar is not None
    try:
        bar.thread.start()
        yield stage.report
    finally:
        _bar = None
        bar.stop()


def over(starts: range, title: str, *, unit: str = "", when: bool = True) -> Iterator[int]:
    """Iterate over a range in steps, with a progress bar."""
    with showing(title, unit=unit, when=when) as report:
        for start in starts:
            yield start
            if report is not None:
                report(min(start + starts.step, starts.stop), starts.stop)


@dataclass(eq=False)
class _Stage:
    """One piece of work that is shown, inside others or not."""

    title: str
    poll: Poll | None
    unit: str
    done: float = 0.0
    total: float | None = None
    started: float = field(default_factory=perf_counter)
    taken: float = 0.0  # seconds, for what is done

    def report(self, done: float, total: float | None) -> None:
        if done != self.done:
            self.taken = perf_counter() - self.started
        self.done, self.total = done, total

    def look(self) -> None:
        if self.poll is not None:
            self.report(*self.poll())

    def rate(self) -> str:
        """A rate: this many per second."""
        if not self.done or not self.unit:
            return ""
        speed = self.done / self.taken
        if self.unit == "B":
            return f"{speed / 1e6:,.1f} MB/s"
        if self.total is None:  # no bar shows how many are done
            return f"{self.done:,.0f} {self.unit}, {f'{speed:,.0f}' if speed >= 10 else f'{speed:.2g}'} per second"
        return f"{speed:,.0f} {self.unit}/s" if speed >= 10 else f"{speed:.2g} {self.unit}/s"

    def left(self) -> str:
        """The time that the rest will take, if it goes on like this; it runs down while a piece of work is done."""
        if not self.done or self.total is None:
            return ""
        since = perf_counter() - self.started - self.taken
        seconds = max(0, round((self.total - self.done) / self.done * self.taken - since))
        minutes, hours = seconds // 60, seconds // 3600
        return f"{hours}:{minutes % 60:02}:{seconds % 60:02} left" if hours else f"{minutes}:{seconds % 60:02} left"


class _Bar:
    """What is on the screen, and the thread that draws it."""

    def __init__(self, stage: _Stage) -> None:
        self.stages = [stage]
        self.owner = threading.get_ident()
        self._over = threading.Event()
        self.thread = threading.Thread(target=self._draw, name="clew-progress", daemon=True)

    def stop(self) -> None:
        self._over.set()
        self.thread.join()

    def _draw(self) -> None:
        if self._over.wait(PATIENCE):
            return
        screen = _screen()
        tasks: dict[_Stage, Any] = {}
        with screen:
            while True:
                stages = list(self.stages)
                stage = stages[-1]
                stage.look()
                title = ": ".join(each.title for each in stages)
                if stage not in tasks:
                    tasks[stage] = screen.add_task(title, total=None, rate="", left="")
                for other, task in tasks.items():
                    screen.update(task, visible=other is stage)
                screen.update(
                    tasks[stage],
                    description=title,
                    completed=stage.done,
                    total=stage.total,
                    rate=stage.rate(),
                    left=stage.left(),
                    refresh=True,
                )
                if self._over.wait(REFRESH):
                    return


def _screen() -> Any:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[left]}"),
        console=_console(),
        transient=True,
        auto_refresh=False,
    )


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


_bar: _Bar | None = None
_lock = threading.Lock()


def _start_anew() -> None:
    """A forked child has none of its parent's threads."""
    global _bar, _lock
    _bar, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_start_anew)
