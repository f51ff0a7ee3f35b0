"""What was measured of this machine, once: kept in the cache folder, and looked up from then on."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clew import cache_folder
from clew.progress import showing

BUSY = "measured while others wanted the cores"
VERSION = 2  # of the files; other rates are measured when it changes


def measured_once(what: str, measure: Callable[[], dict[str, Any]], *, fresh: bool = False) -> dict[str, Any]:
    """What the cache has under this name, or what is measured now; what a busy machine gave counts while it is so."""
    key = hashlib.sha256(f"{VERSION} {what}".encode()).hexdigest()[:16]
    name = f"rates-{key}.json"
    folder = cache_folder.writable_folder()  # others may have been filled on another machine
    if not fresh and folder is not None:
        try:
            kept = _as_tuples(json.loads((folder / name).read_text(encoding="utf-8")))
            if not kept.pop(BUSY, False) or is_busy():
                return kept
        except (OSError, ValueError):
            pass  # not measured yet, or not readable
    with showing("measuring this machine, once"):
        rates = measure()
    # Where nothing can be written, every process measures, which takes a second.
    cache_folder.store(name, (json.dumps({**rates, BUSY: is_busy()}, indent=2) + "\n").encode())
    return rates


def best_seconds(run: Callable[[], Any], begin: Callable[[], Any] = lambda: None, rounds: int = 3) -> float:
    """The seconds of the fastest of some runs; ``begin`` is called before each, and is not timed."""
    taken = []
    for _ in range(rounds):
        begin()
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return min(taken)


def cpu_name() -> str:
    """What the CPU is called, or at least its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def is_busy() -> bool:
    """Whether others use the cores: what is measured then is measured again later."""
    return os.getloadavg()[0] > (os.cpu_count() or 1)


def _as_tuples(rates: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
            for name, value in rates.items()}  # fmt: skip
