"""What was measured of this machine, once: kept in the cache folder, and looked up from then on."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from clew.engines.cuda.source import cache_folder
from clew.progress import showing

BUSY = "measured while others wanted the cores"
VERSION = 2  # of the files; other rates are measured when it changes


def measured_once(what: str, measure: Callable[[], dict[str, Any]], *, fresh: bool = False) -> dict[str, Any]:
    """What the cache has under this name, or what is measured now; what a busy machine gave counts while it is so."""
    key = hashlib.sha256(f"{VERSION} {what}".encode()).hexdigest()[:16]
    path = cache_folder() / f"rates-{key}.json"
    if not fresh:
        try:
            kept = _as_tuples(json.loads(path.read_text(encoding="utf-8")))
            if not kept.pop(BUSY, False) or is_busy():
                return kept
        except (OSError, ValueError):
            pass  # not measured yet, or not readable
    with showing("measuring this machine, once"):
        rates = measure()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{time.monotonic_ns()}")
        draft.write_text(json.dumps({**rates, BUSY: is_busy()}, indent=2) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError:
        pass  # a folder that cannot be written to costs a second each time, no more
    return rates


def is_busy() -> bool:
    """Whether others want the cores: what is measured then is measured again when they do not."""
    return os.getloadavg()[0] > (os.cpu_count() or 1)


def _as_tuples(rates: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
            for name, value in rates.items()}  # fmt: skip
