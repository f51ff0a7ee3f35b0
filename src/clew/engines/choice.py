"""Which engine a user's ``device`` stands for."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from clew.errors import GraphError

if TYPE_CHECKING:
    from clew.engines.cuda.device import Device

DEVICES = ("auto", "cpu", "cuda")
#: Runs the kernels of the GPU on the CPU, slowly: for tests on machines without one. With CLEW_TESTS_ON_GPU set, the
#: same tests run on the GPU.
EMULATED = "emulated"
#: Below this many edges a CPU has answered before a GPU has started.
WORTH_A_GPU = 1 << 20


def check_device(device: str, *, allowed: tuple[str, ...] = DEVICES) -> None:
    """Refuse a device that there is no engine for."""
    if device not in (*allowed, EMULATED):
        raise GraphError(f"device is {device!r}; expected one of {', '.join(map(repr, allowed))}.")


def gpu_for(device: str, num_arcs: int) -> Device | None:
    """The GPU to run on, or None for the CPU.

    "auto" takes a GPU where there is one and the graph is large enough to gain from it; "cuda" insists, and says what
    is missing.
    """
    check_device(device)
    if device == EMULATED and not os.environ.get("CLEW_TESTS_ON_GPU"):
        from clew.engines.cuda.emulation.device import the_emulation

        return the_emulation()
    if device in ("cuda", EMULATED) or (device == "auto" and num_arcs >= WORTH_A_GPU and _has_gpu()):
        from clew.engines.cuda.cuda_device import the_device

        return the_device()
    return None


@lru_cache(maxsize=1)
def _has_gpu() -> bool:
    """Whether there is a GPU and what it takes to use it; ``CLEW_DEVICE=cpu`` hides it."""
    if os.environ.get("CLEW_DEVICE") == "cpu":
        return False
    from clew.engines.cuda.failures import is_available

    return is_available()
