"""What a run read over the link between host and GPU, iteration by iteration, as far as its trace tells."""

from __future__ import annotations

import numpy as np

from clew.engines.cuda.edge_memory import EdgePlan
from clew.result import Trace

UNKNOWN = -1


def bytes_moved(trace: Trace, plan: EdgePlan, *, link_rate: float | None = None) -> Trace:
    """The trace with a column ``link_bytes``, and ``link_share`` where it has ``seconds`` and the link's rate is given.

    An estimate: the edges that were looked at, times the bytes of an edge, times the part of all edges that is on the
    host. Hot rows in fast memory are looked at more often than others, so with a placement it is an upper bound; what
    the link carries beside (whole sectors of 32 bytes, rows read twice) is not in it. -1 where the trace does not say
    how many edges were looked at.

    Parameters
    ----------
    trace
        Of a result, with a column ``edges``.
    plan
        Where the edges were: ``DeviceRows.plan``, or ``plan_of(device, graph.outgoing)``.
    link_rate
        Bytes per second that the link was found to carry, such as ``clew tiers`` shows for pinned memory.
    """
    if "edges" not in trace.columns:
        return trace
    edges = np.asarray(trace["edges"], dtype=np.int64)
    moved = np.where(edges < 0, UNKNOWN, np.rint(edges * (plan.bytes_per_edge * plan.slow_share)).astype(np.int64))
    columns = {**trace.columns, "link_bytes": moved}
    if link_rate is not None and "seconds" in trace.columns:
        with np.errstate(divide="ignore", invalid="ignore"):
            rate = moved / np.asarray(trace["seconds"], dtype=np.float64)
        columns["link_share"] = np.where(moved < 0, np.nan, rate / link_rate)
    return Trace(columns)
