"""What kernels read over the link between host and GPU, iteration by iteration, where edges stay on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device_rows import DeviceRows
from clew.engines.cuda.edge_memory import EdgePlan
from clew.engines.cuda.link import LINK, link_rate, share_of_link


class OnHost(NamedTuple):
    """The part of the edges that is on the host: of the rows that are pushed along, and of those pulled from.

    ``emulated`` says that there is no link that could be measured.
    """

    pushed: float
    pulled: float
    emulated: bool = True


def on_host(pushed: DeviceRows, pulled: DeviceRows | None = None) -> OnHost:
    """That of rows as they were put; of iterations that know one direction only, ``pushed`` alone is given."""
    return on_host_by_plans(pushed.plan, (pulled or pushed).plan, isinstance(pushed.neighbours, np.ndarray))


def on_host_by_plans(pushed: EdgePlan | None, pulled: EdgePlan | None, emulated: bool) -> OnHost:
    """The same from plans, for traces that must not hold the rows."""
    there, back = (0.0 if plan is None else plan.slow_share for plan in (pushed, pulled))
    return OnHost(there, back, emulated)


def with_link(columns: Mapping[str, Array], away: OnHost) -> dict[str, Array]:
    """The columns of a trace, with ``link_bytes`` and ``link_share`` added where some edges are on the host.

    Where all are, these are the ``bytes`` of the edges that were looked at. Where some are, it is an estimate: the part
    on the host is taken to be looked at as often as the rest; with a placement, which keeps it for the rows that are
    looked at least, it is an upper bound. What the link carries beside (whole sectors and lines), or need not carry
    again because a cache has it, is not counted. The first call on a machine measures the link: traces call this when
    they are looked at.
    """
    if not (away.pushed or away.pulled):
        return dict(columns)
    part = np.where(columns["direction"] == "pull", away.pulled, away.pushed) if "direction" in columns else away.pushed
    moved = np.rint(columns["bytes"] * part).astype(np.int64)
    return {**columns, "link_bytes": moved, "link_share": share_of_link(moved, columns["seconds"], _rate(away))}


def _rate(away: OnHost) -> float:
    if away.emulated:
        return LINK
    from clew.engines.cuda.cuda_device import the_device

    return link_rate(the_device())
