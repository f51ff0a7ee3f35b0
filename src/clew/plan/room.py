"""Which bytes go to which memory, and whether they fit: the edges by the rule that puts them, the rest beside them."""

from __future__ import annotations

import mmap
from dataclasses import replace
from typing import Any, NamedTuple

from clew.dtypes import Array
from clew.errors import ClewError
from clew.graph import Graph
from clew.plan.parts import Choice, Share
from clew.plan.plan import Plan, Tier

ORDER = ("gpu", "host", "file")


class Edges(NamedTuple):
    """Where a GPU finds the edges: the part that it reads over the link, and what has to be copied first."""

    slow_share: float
    going: list[Share]


def put_edges(plan: Plan, gpu: Any) -> Edges:
    """Put the plan's edges where the engine will, by the policy in force and what is free; says so in the plan."""
    shares = [share for share in plan.memory if share.tier == "gpu" and share.role == "graph"]
    if gpu is None or not shares:
        return Edges(0.0, shares)
    from clew.engines.cuda.account import charged
    from clew.engines.cuda.edge_memory import plan_edges
    from clew.engines.cuda.pairs import SEARCHES
    from clew.engines.cuda.rows import DeviceRows, plan_in_force, size_of
    from clew.memory import current

    rows = plan.graph.outgoing
    weights = rows.weights if any(share.what.endswith("weights") for share in shares) else None
    parts = 2 if any(share.what.startswith("in-edges") for share in shares) else 1
    try:
        found = plan_in_force(gpu, rows, weights, paired=plan.algorithm in SEARCHES)
        there = found is not None
        if found is None:
            replaced = charged(gpu, (id(gpu), id(rows.indices)))  # where these edges are put anew
            found = plan_edges(gpu, current(), size_of(gpu, rows, weights, parts, held=replaced))
        slow, mode, why = found.slow_share, found.mode, found.why
    except ClewError as error:
        plan.error = plan.error or error.with_traceback(None)
        return Edges(0.0, [])
    plan.choices.append(Choice("edges", mode.replace("_", "-"), why))
    if plan.algorithm in SEARCHES and mode in ("tiered", "zero_copy"):
        plan.choices.append(_reading(DeviceRows(None, None, None, rows.num_vertices, rows.num_arcs, found)))
    plan.memory = [replace(share, bytes=round(share.bytes * (1 - slow))) if _is_edges(share) else share
                   for share in plan.memory]  # fmt: skip
    going = [share for share in plan.memory if share.tier == "gpu" and share.role == "graph"]
    return Edges(slow, [] if there else going)


def _reading(rows: Any) -> Choice:
    """How a search reads what is on the host, which it decides step by step."""
    from clew.engines.cuda.frontiers import NO_LIMIT, order_from

    size = order_from(rows)
    if size == NO_LIMIT:
        return Choice("reading", "row by row", "what is on the host is little or sparse: sorting frontiers costs more")
    why = f"frontiers of {size:,} vertices or more are put in the order of their rows, and every line is read once"
    return Choice("reading", "row by row, or by lines, step by step", why)


def _is_edges(share: Share) -> bool:
    return share.tier == "gpu" and share.role == "graph" and not share.what.endswith("offsets")


def count_tiers(plan: Plan, going: list[Share], free: dict[str, int | None]) -> None:
    """The bytes by memory, and a note where there are too few."""
    names = sorted({"host", *(share.tier for share in plan.memory)}, key=ORDER.index)
    plan.tiers = [_tier(name, plan.memory, free.get(name)) for name in names]
    taken = [share for share in plan.memory if share.role != "graph"]
    new = {tier: sum(share.bytes for share in taken if share.tier == tier) for tier in ("host", "gpu")}
    new["gpu"] += sum(share.bytes for share in going)
    for tier, wanted in new.items():
        there = free.get(tier)
        if there is not None and wanted > there:
            what = "GPU memory" if tier == "gpu" else "memory"
            end = "the CPU may have room" if tier == "gpu" else "what is over would be swapped, or refused"
            plan.notes.append(
                f"{what} is short: results and scratch, and what else has to go there, need {wanted:,} bytes, and "
                f"{there:,} are free; {end}."
            )


def _tier(name: str, shares: list[Share], free: int | None) -> Tier:
    def total(role: str) -> int:
        return sum(share.bytes for share in shares if share.tier == name and share.role == role)

    return Tier(name, total("graph"), total("result"), total("scratch"), free)


def in_their_file(share: Share, graph: Graph) -> Share:
    """Arrays of a graph that is mapped from a file are there, not in memory."""
    arrays = {"offsets": graph.indptr, "neighbours": graph.indices, "weights": graph.weights}
    array = arrays.get(share.what.removeprefix("out-edges: "))
    if share.tier == "host" and share.role == "graph" and array is not None and _is_mapped(array):
        return replace(share, tier="file")
    return share


def _is_mapped(array: Array) -> bool:
    """Whether an array is a view of a mapped file."""
    base: Any = array
    while base is not None:
        if isinstance(base, mmap.mmap):
            return memoryview(base).readonly  # memory that ``spread`` mapped can be written to
        base = getattr(base, "base", None) if not isinstance(base, memoryview) else base.obj
    return False
