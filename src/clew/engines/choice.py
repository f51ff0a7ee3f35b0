"""The engine that a ``device`` argument selects."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from clew.errors import GraphError

if TYPE_CHECKING:
    from clew.engines.cuda.toolchain.device import Device

DEVICES = ("auto", "cpu", "cuda", "hybrid", "reference")
#: Runs the kernels of the GPU on the CPU, slowly: for tests on machines without one. With CLEW_TESTS_ON_GPU set, the
#: same tests run on the GPU.
EMULATED = "emulated"
#: CPU and GPU together; and the same with the emulated GPU, for tests.
HYBRID, HYBRID_EMULATED = "hybrid", "hybrid-emulated"
#: Everything in plain Python, for debugging.
REFERENCE = "reference"
#: What every function takes.
USUAL = frozenset({"auto", "cpu", "cuda", REFERENCE, EMULATED})
#: Below this many edges a CPU has answered before a GPU has started.
WORTH_A_GPU = 1 << 20


def check_device(device: str, *, allowed: tuple[str, ...] = DEVICES, hybrid: bool = False) -> None:
    """Reject an unknown device; ``hybrid`` says whether "hybrid" is supported here."""
    if allowed is DEVICES and device in USUAL:  # a call on a GPU takes only some microseconds
        return
    if device not in (*allowed, EMULATED, HYBRID_EMULATED):
        raise GraphError(f"device is {device!r}; expected one of {', '.join(map(repr, allowed))}.")
    if is_hybrid(device) and not hybrid:
        raise GraphError(
            f'device={device!r} is supported by algorithms, clew.run and clew.spmv; use "auto", "cpu" or "cuda" here.'
        )


def is_hybrid(device: str) -> bool:
    """Whether a device is the GPU with state and results in host memory."""
    return device in (HYBRID, HYBRID_EMULATED)


def gpu_of_hybrid(device: str) -> str:
    """The name of the GPU that "hybrid" uses."""
    return "cuda" if device == HYBRID else EMULATED


def partner_for(device: str) -> Device | None:
    """The GPU of a hybrid device, or None for other devices."""
    check_device(device, hybrid=True)
    return gpu_for(gpu_of_hybrid(device), 0) if is_hybrid(device) else None


def gpu_for(device: str, num_arcs: int) -> Device | None:
    """The GPU to run on, or None for the CPU.

    "auto" selects a GPU if one is usable and the graph is large enough to benefit. "cuda" raises an error that says
    what is missing.
    """
    if device == "cuda":
        return _gpus().the_device()  # type: ignore[no-any-return]
    check_device(device)
    if device == EMULATED and not os.environ.get("CLEW_TESTS_ON_GPU"):
        from clew.engines.cuda.emulation.device import the_emulation

        return the_emulation()
    if device == EMULATED or (device == "auto" and num_arcs >= WORTH_A_GPU and _has_gpu()):
        return _gpus().the_device()  # type: ignore[no-any-return]
    return None


@lru_cache(maxsize=1)
def _gpus() -> Any:
    """The module of GPUs; an import statement takes a while even where it has been imported."""
    return import_module("clew.engines.cuda.toolchain.cuda_device")


def why_no_gpu() -> str | None:
    """Why "auto" uses the CPU even for large graphs, as a sentence; None if a GPU is usable.

    The first check is cached if it fails. A GPU that has failed permanently is not used again.
    """
    if os.environ.get("CLEW_DEVICE") == "cpu":
        return "CLEW_DEVICE=cpu hides every GPU."
    if (reason := _why_not_at_first()) is not None:
        return reason
    from clew.engines.cuda.toolchain.failures import reason_lost

    return reason_lost()


def _has_gpu() -> bool:
    return why_no_gpu() is None


@lru_cache(maxsize=1)
def _why_not_at_first() -> str | None:
    from clew.engines.cuda.toolchain.cuda_device import reason_unusable

    return reason_unusable()
