"""A bar on stderr for work that takes longer than a second; nothing for work that doesn't, nor where nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from clew.cli.output import messages
from clew.io.options import Progress as Report

PATIENCE = 1.0  # seconds


@contextmanager
def showing(title: str) -> Iterator[Report | None]:
    """Hand a value for ``progress=`` to the work in this block.

    The bar is started by a timer rather than by the work itself, so that it appears even if the first block of work
    takes long; until the work reports something, it only shows that time passes.
    """
    if not messages.is_terminal:
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=messages,
        transient=True,
    )
    task = bar.add_task(title, total=None)
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
