"""The memory of each array of a plan, and whether all fit: the edges by the engine's own rule."""

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
    """The edges of a GPU run: the part that is read over the link, and what must be copied first."""

    slow_share: float
    going: list[Share]


def put_edges(plan: Plan, gpu: Any) -> Edges:
    """Put the plan's edges where the engine will, by the active policy and the free memory; add it to the plan."""
    shares = [share for share in plan.memory if share.tier == "gpu" and share.role == "graph"]
    if gpu is None or not shares:
        return Edges(0.0, shares)
    from clew.engines.cuda.memory.device_graph import bytes_on, plan_in_force, size_of
    from clew.engines.cuda.memory.device_rows import DeviceRows
    from clew.engines.cuda.memory.edge_memory import SEARCHES, plan_edges
    from clew.memory import current

    rows = plan.graph.outgoing
    weights = rows.weights if any(share.what.endswith("weights") for share in shares) else None
    parts = 2 if any(share.what.startswith("in-edges") for share in shares) else 1
    try:
        found = plan_in_force(gpu, rows, weights, paired=plan.algorithm in SEARCHES)
        there = found is not None
        if found is None:
            replaced = bytes_on(gpu, rows)  # where these edges are put anew
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
    """How a search reads edges on the host, which it decides in each step."""
    from clew.engines.cuda.balance.frontiers import NO_LIMIT, order_from

    size = order_from(rows)
    if size == NO_LIMIT:
        return Choice("reading", "row by row", "few or sparse edges are on the host: sorting frontiers would cost more")
    why = f"frontiers of at least {size:,} vertices are sorted by row, and every line is read once"
    return Choice("reading", "row by row, or by lines, step by step", why)


def _is_edges(share: Share) -> bool:
    return share.tier == "gpu" and share.role == "graph" and not share.what.endswith("offsets")


def count_tiers(plan: Plan, going: list[Share], free: dict[str, int | None]) -> None:
    """Add the bytes per memory, and a note if there are too few."""
    names = sorted({"host", *(share.tier for share in plan.memory)}, key=ORDER.index)
    plan.tiers = [_tier(name, plan.memory, free.get(name)) for name in names]
    taken = [share for share in plan.memory if share.role != "graph"]
    new = {tier: sum(share.bytes for share in taken if share.tier == tier) for tier in ("host", "gpu")}
    new["gpu"] += sum(share.bytes for share in going)
    for tier, wanted in new.items():
        there = free.get(tier)
        if there is not None and wanted > there:
            what = "GPU memory" if tier == "gpu" else "memory"
            end = "try the CPU" if tier == "gpu" else "the rest would be swapped, or the run would fail"
            plan.notes.append(
                f"{what} is too small: results, scratch and other arrays need {wanted:,} bytes, and "
                f"{there:,} are free; {end}."
            )


def _tier(name: str, shares: list[Share], free: int | None) -> Tier:
    def total(role: str) -> int:
        return sum(share.bytes for share in shares if share.tier == name and share.role == role)

    return Tier(name, total("graph"), total("result"), total("scratch"), free)


def in_their_file(share: Share, graph: Graph) -> Share:
    """Arrays of a graph that is mapped from a file count as that file, not as memory."""
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
