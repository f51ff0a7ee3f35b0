"""The engine of a run, by the rule that the algorithm itself uses, and what is missing for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from clew.algorithms.registry import ALGORITHMS, gpu_of
from clew.engines.choice import (
    EMULATED,
    HYBRID_EMULATED,
    WORTH_A_GPU,
    gpu_of_hybrid,
    is_hybrid,
    why_no_gpu,
)
from clew.errors import ClewError
from clew.graph import Graph
from clew.plan.parts import Choice

CPU, CUDA = "cpu", "cuda"


class Where(NamedTuple):
    """The engine with its reason, the GPU if there is one, and otherwise the error."""

    choice: Choice
    gpu: Any = None
    error: ClewError | None = None


def where(name: str, graph: Graph, device: str) -> Where:
    """Where an algorithm will run."""
    record, found = ALGORITHMS[name], list[Any]()
    size = record.size(graph)
    if is_hybrid(device):
        device = gpu_of_hybrid(device)
    if device == "reference":
        return Where(Choice("engine", CPU, "requested: plain Python, for debugging"))
    if record.cuda is None and device in ("auto", "cpu"):
        why = f"{name} has no GPU kernels of its own, and runs there as products only on request"
        return Where(Choice("engine", CPU, why if device == "auto" else "requested"))
    error = _complaint(lambda: found.append(gpu_of(record, graph, device)))
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
