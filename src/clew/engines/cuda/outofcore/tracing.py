"""What every step moved and how long it took, as columns of a trace."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.engines.cuda.link import link_rate, share_of_link
from clew.engines.cuda.outofcore.choice import COMPACT, FILTER, RESIDENT, ZERO_COPY
from clew.engines.cuda.outofcore.loop import Moved

COLUMNS = ("bucket", "frontier", "edges", "link_bytes", "resident", "copied", "compacted", "zero_copy", "seconds")
FLOATS = ("seconds",)


class Steps:
    """Rows of a trace. A step's time is known when the next one begins: nothing waits only to be measured.

    ``link_bytes`` crossed the link, ``link_share`` is what part that is of what the link can carry in the time. ``why``
    says for every step which ways its chunks were given for which reasons.
    """

    def __init__(self, device: Device, edge_bytes: int) -> None:
        self.device, self.edge_bytes = device, edge_bytes
        self.rows: list[tuple[float, ...]] = []
        self.why: list[str] = []
        self._begun = time.perf_counter()
        self._open: list[tuple[float, ...]] = []

    def add(self, bucket: int, frontier: int, edges: int, moved: Moved) -> None:
        """A step by the host, chunk by chunk."""
        ways: Counter[str] = moved.ways
        counts = (ways[RESIDENT], ways[FILTER], ways[COMPACT], ways[ZERO_COPY])
        self._open.append((bucket, frontier, edges, moved.bytes, *counts))
        self.why.append(moved.why)

    def add_small(self, steps: Array) -> None:
        """Steps of one launch (bucket, frontier, edges, edges read over the link), which share its time."""
        for bucket, frontier, edges, away in steps.tolist():
            self._open.append((bucket, frontier, edges, away * self.edge_bytes, 0, 0, 0, int(away > 0)))
            self.why.append("few edges: read where they are, many steps to a launch")

    def close(self) -> None:
        """The device is known to have done everything so far."""
        now = time.perf_counter()
        each = (now - self._begun) / max(1, len(self._open))
        self.rows += [(*row, each) for row in self._open]
        self._open, self._begun = [], now

    def columns(self) -> Mapping[str, Array]:
        """As a trace has them, when it is looked at: the first one on a machine measures the link."""
        self.rows += [(*row, 0.0) for row in self._open]
        self._open = []
        table = np.array(self.rows, np.float64).reshape(-1, len(COLUMNS)).T
        found: dict[str, Array] = {
            name: column if name in FLOATS else column.astype(np.int64)
            for name, column in zip(COLUMNS, table, strict=True)
        }
        found["bytes"] = found["edges"] * self.edge_bytes
        found["link_share"] = share_of_link(found["link_bytes"], found["seconds"], link_rate(self.device))
        found["why"] = np.array(self.why, dtype=object)
        return found
