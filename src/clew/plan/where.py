"""Where a run happens: its engine, and the memory of each array, by the rules that the engines themselves use."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from clew.algorithms.registry import ALGORITHMS, gpu_of
from clew.dtypes import Array
from clew.engines.choice import EMULATED, HYBRID_EMULATED, WORTH_A_GPU, gpu_of_hybrid, is_hybrid, why_no_gpu
from clew.engines.cuda.balance.frontiers import NO_LIMIT, order_from
from clew.engines.cuda.memory.device_graph import bytes_on, plan_in_force, size_of
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.edge_memory import plan_edges
from clew.engines.cuda.memory.packed_rows import DIRECTORY_BYTES, spare_for
from clew.errors import ClewError
from clew.graph import Graph
from clew.memory import current
from clew.packed.code import GROUP
from clew.plan.forms import PACKED, Form
from clew.plan.parts import Choice, Share
from clew.plan.plan import Plan, Tier

CPU, CUDA = "cpu", "cuda"
ORDER = ("gpu", "host", "file")
WORD = 8  # bytes, of packed edges


class Where(NamedTuple):
    """The engine with its reason, the GPU if there is one, and otherwise the error."""

    choice: Choice
    gpu: Any = None
    error: ClewError | None = None


def where(name: str, graph: Graph, device: str, arguments: Mapping[str, Any]) -> Where:
    """Where an algorithm will run with these arguments."""
    record, found = ALGORITHMS[name], list[Any]()
    size = record.size(graph)
    if is_hybrid(device):
        device = gpu_of_hybrid(device)
    if record.on_host or (record.host and device == "reference"):
        return Where(Choice("engine", CPU, record.host))
    if device == "reference":
        return Where(Choice("engine", CPU, "requested: plain Python, for debugging"))
    if record.cuda is None and device in ("auto", "cpu"):
        why = f"{name} has no GPU kernels of its own, and runs there as products only on request"
        return Where(Choice("engine", CPU, why if device == "auto" else "requested"))
    if device == "auto" and record.stays(graph, arguments):
        why = f"a GPU was not faster at {name} on such graphs, so it runs there only on request"
        return Where(Choice("engine", CPU, why))
    error = _complaint(lambda: found.append(gpu_of(record, graph, device, arguments)))
    gpu = found[0] if found else None
    if device != "auto":
        reason = "the GPU's kernels, emulated on the CPU, slowly" if device == EMULATED else "requested"
        return Where(Choice("engine", CPU if device == "cpu" else CUDA, reason), gpu, error)
    what = "pairs" if size != graph.num_arcs else "edges"
    if gpu is not None:
        why = f"{size:,} {what}; a GPU is faster from {WORTH_A_GPU:,} on"
        return Where(Choice("engine", CUDA, why), gpu, error)
    if size < WORTH_A_GPU:
        why = f"{size:,} {what}: too few for a GPU, which is faster from {WORTH_A_GPU:,} on"
    else:
        why = f"{size:,} {what} are enough for a GPU, but {(why_no_gpu() or 'none is usable').rstrip('.')}"
    return Where(Choice("engine", CPU, why), None, error)


def is_emulated(device: str) -> bool:
    """Whether the GPU is emulated."""
    return device in (EMULATED, HYBRID_EMULATED)


def _complaint(ask: Callable[[], Any]) -> ClewError | None:
    """The error that a call raises, if any."""
    try:
        ask()
    except ClewError as error:
        return error.with_traceback(None)  # what its frames hold need not outlive them
    return None


class Edges(NamedTuple):
    """The edges of a GPU run: the part that is read over the link, and what must be copied first."""

    slow_share: float
    going: list[Share]


def put_edges(plan: Plan, gpu: Any, form: Form | None = None) -> Edges:
    """Put the plan's edges where the engine will, by the active policy and the free memory; add it to the plan."""
    shares = [share for share in plan.memory if share.tier == "gpu" and share.role == "graph"]
    if gpu is None or not shares:
        return Edges(0.0, shares)
    rows = plan.graph.outgoing
    weights = rows.weights if any("weights" in share.what for share in shares) else None
    record = ALGORITHMS[plan.algorithm]
    packs, paired = form is not None and form.name == PACKED, record.paired
    parts = 2 if any(share.what.startswith("in-edges") for share in shares) else 1
    try:
        found = None if packs else plan_in_force(gpu, rows, weights, paired=paired)
        there, directory = found is not None, 0
        if found is None:
            replaced = bytes_on(gpu, rows)  # if these edges are copied again
            size = size_of(gpu, rows, weights, parts, held=replaced)
            if packs and form is not None:
                words = -(-(form.neighbours + (0 if weights is None else form.weights)) // WORD)
                spare = spare_for(rows, form.neighbours) if record.first_neighbours else 0
                size = replace(size, num_arcs=words, bytes_per_edge=WORD, narrowest=WORD, spare=spare)
                size = replace(size, directory=-(-rows.num_arcs // GROUP) * DIRECTORY_BYTES)
            found = plan_edges(current(), size)
            directory = size.directory * parts if found.with_directory else 0
        slow, mode, why = found.slow_share, found.mode, found.why
    except ClewError as error:
        plan.error = plan.error or error.with_traceback(None)
        return Edges(0.0, [])
    plan.choices.append(Choice("edges", mode.replace("_", "-"), why))
    if paired and not packs and mode in ("tiered", "zero_copy"):
        plan.choices.append(_reading(DeviceRows(None, None, None, rows.num_vertices, rows.num_arcs, found)))
    plan.memory = [replace(share, bytes=round(share.bytes * (1 - slow))) if _is_edges(share) else share
                   for share in plan.memory]  # fmt: skip
    going = [share for share in plan.memory if share.tier == "gpu" and share.role == "graph"]
    if directory:  # made on the GPU
        plan.memory.append(Share("directory of packed edges", "graph", directory, "gpu"))
    return Edges(slow, [] if there else going)


def _reading(rows: Any) -> Choice:
    """How a search reads edges on the host, which it decides in each step."""
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
    for tier, needed in new.items():
        there = free.get(tier)
        if there is not None and needed > there:
            what = "GPU memory" if tier == "gpu" else "memory"
            end = "try the CPU" if tier == "gpu" else "the rest would be swapped, or the run would fail"
            plan.notes.append(
                f"{what} is too small: results, scratch and other arrays need {needed:,} bytes, and "
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
