"""Which engine a run will be on, by the rule that the algorithm itself asks, and what is missing for it."""

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
    """The engine with the reason for it, the GPU where there is one to use, and what is said against it otherwise."""

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
        return Where(Choice("engine", CPU, "asked for: plain Python, for debugging"))
    if record.cuda is None and device in ("auto", "cpu"):
        why = f"{name} has no kernels of its own for a GPU, and runs there as products only when asked to"
        return Where(Choice("engine", CPU, why if device == "auto" else "asked for"))
    error = _complaint(lambda: found.append(gpu_of(record, graph, device)))
    gpu = found[0] if found else None
    if device != "auto":
        told = "the GPU's kernels, emulated on the CPU, slowly" if device == EMULATED else "asked for"
        return Where(Choice("engine", CPU if device == "cpu" else CUDA, told), gpu, error)
    what = "pairs" if size != graph.num_arcs else "edges"
    if gpu is not None:
        why = f"{size:,} {what}, of {WORTH_A_GPU:,} from which on a GPU gains"
        return Where(Choice("engine", CUDA, why), gpu, error)
    if size < WORTH_A_GPU:
        why = f"{size:,} {what}: answered here before a GPU has started; it gains from {WORTH_A_GPU:,} on"
    else:
        why = f"{size:,} {what} are worth a GPU, but {(why_no_gpu() or 'there is none to use').rstrip('.')}"
    return Where(Choice("engine", CPU, why), None, error)


def is_emulated(device: str) -> bool:
    """Whether the GPU is none."""
    return device in (EMULATED, HYBRID_EMULATED)


def _complaint(ask: Callable[[], Any]) -> ClewError | None:
    """What is said against it, if anything."""
    try:
        ask()
    except ClewError as error:
        return error.with_traceback(None)  # what its frames hold need not outlive them
    return None
