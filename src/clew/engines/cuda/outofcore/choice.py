"""How the active edges of a chunk reach the kernels, by what each way is estimated to cost.

After EtaGraph's transfers on demand and what came later: copy the chunk whole ("filter": the kernel looks only at the
active rows), gather the active rows on the CPU and copy those ("compact"), or let the kernel read them where they are
("zero_copy"). Which is fastest depends on how many of a chunk's edges are active, and how long their rows are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.link import LINK
from clew.engines.cuda.outofcore.chunks import SLOTS

RESIDENT, FILTER, COMPACT, ZERO_COPY = "resident", "filter", "compact", "zero_copy"
ALL_WAYS = (FILTER, COMPACT, ZERO_COPY)
LINE = 128  # bytes that a GPU reads over the link at a time


@dataclass(frozen=True)
class Rates:
    """What was measured on an H200 with 16 cores; bytes, rows and calls a second."""

    link: float = LINK  # the copy engine
    in_place: float = 51e9  # kernels over the link, in order
    lines: float = 60e6  # and line by line
    gather: float = 12e9  # all cores of the host, long rows
    gathered_rows: float = 150e6  # and short ones
    calls: float = 30e3  # of whatever has to be prepared by the host


@dataclass(frozen=True)
class Options:
    """How a graph is streamed; nothing of it changes results.

    Parameters
    ----------
    ways
        What may be chosen for chunks that are not resident.
    rates
        What the choice goes by.
    slots
        Chunks on their way or at work at a time.
    small
        Frontiers of up to so many edges are left to the device, many steps to a launch. 0: none are.
    delta
        The width of a bucket in sssp and sswp, in units of the mean weight; None: chosen by the weights and degrees.
    """

    ways: tuple[str, ...] = ALL_WAYS
    rates: Rates = field(default_factory=Rates)
    slots: int = SLOTS
    small: int = 1 << 18
    delta: float | None = None


class Active(NamedTuple):
    """What is active of some chunks: rows and edges of each; and all edges of each."""

    rows: Array
    edges: Array
    of: Array


class Choice(NamedTuple):
    """For every chunk the number of its way (of ``Options.ways``), the bytes that it moves, and why."""

    way: Array
    bytes: Array
    why: str


def choose(active: Active, index_bytes: int, weight_bytes: int, options: Options) -> Choice:
    """The fastest of the ways allowed, chunk by chunk."""
    rates = options.rates
    whole = active.of * (index_bytes + weight_bytes)
    wanted = active.edges * (index_bytes + weight_bytes)
    gathering = np.maximum(wanted / rates.gather, active.rows / rates.gathered_rows)
    seconds = {
        FILTER: 1 / rates.calls + whole / rates.link,
        COMPACT: 1 / rates.calls + wanted / rates.link + gathering,
        ZERO_COPY: _in_place(active, index_bytes, rates) + _in_place(active, weight_bytes, rates),
    }
    table = np.array([seconds[name] for name in options.ways]).reshape(len(options.ways), -1)
    way = table.argmin(axis=0)
    filtered = np.array([name == FILTER for name in options.ways])[way]
    return Choice(way, np.where(filtered, whole, wanted), _why(active, table, way, options.ways))


def _why(active: Active, table: Array, way: Array, names: tuple[str, ...]) -> str:
    """A sentence for each of the ways taken."""
    of_way = (way == np.arange(len(names))[:, None]).astype(np.float64)
    chunks, rows, edges, whole, *seconds = (of_way @ np.vstack([np.ones(way.size), *active, *table]).T).T.tolist()
    told = []
    for k, name in enumerate(names):
        if chunks[k]:
            costs = ", ".join(f"{other} {1e6 * cost[k]:.0f} µs" for other, cost in zip(names, seconds, strict=True))
            share = edges[k] / max(1, whole[k])
            told.append(f"{name} for {chunks[k]:.0f}: {share:.1%} active in {rows[k]:,.0f} rows ({costs})")
    return "; ".join(told)


def _in_place(active: Active, item: int, rates: Rates) -> Array:
    """Seconds that kernels take to read one array of the active edges over the link."""
    if item == 0:
        return np.zeros(active.rows.size)
    lines = active.edges * item / LINE + active.rows
    return np.maximum(lines * LINE / rates.in_place, active.rows / rates.lines)
