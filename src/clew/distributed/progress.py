"""How much the workers have read, shown while they read: the driver asks them now and then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from clew.io import LONG
from clew.progress import showing

INTERVAL = 0.5  # seconds between two questions


@contextmanager
def watched(ask: Callable[[], int], title: str, total: int, report: Callable[[int, int], Any] | None) -> Iterator[None]:
    """Show a bar, or call ``report(done_bytes, total_bytes)``, as ``clew.read`` does on one machine.

    ``ask`` returns the bytes that all workers have read so far.
    """
    if report is None:
        with showing(title, lambda: (ask(), total), unit="B", when=total >= LONG):
            yield
        return
    stop = threading.Event()

    def repeat() -> None:
        done = 0  # a piece that is read again lowers the count of its worker
        while not stop.wait(INTERVAL):
            done = max(done, min(ask(), total))
            report(done, total)

    thread = threading.Thread(target=repeat, name="clew-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    report(total, total)
