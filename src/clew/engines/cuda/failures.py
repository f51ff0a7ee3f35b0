"""What can go wrong with a GPU, in sentences: nothing installed, no driver, no GPU, no memory, a kernel that failed."""

from __future__ import annotations

import importlib.util
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any

from clew.errors import ClewError, DeviceError, MissingDependencyError, ResourceError

INSTALL = "pip install 'clew[cuda13]' (or clew[cuda12] where nvidia-smi shows a driver for CUDA 12)"
NO_GPU = "there is no NVIDIA GPU on this machine."
#: What can be done without one, in Python and on the command line.
ON_CPU = (
    'The CPU can still be used (device="cpu"); see clew doctor.',
    "The CPU can still be used (--device cpu); see clew doctor.",
)
NEEDED = {"cupy": "cupy", "cuda.core": "cuda-core"}


def missing_packages() -> list[str]:
    """The packages of the CUDA engine that are not installed, as pip calls them."""
    missing = []
    for module, package in NEEDED.items():
        try:
            found = importlib.util.find_spec(module) is not None
        except ImportError:
            found = False
        if not found:
            missing.append(package)
    return missing


def reason_unavailable() -> str | None:
    """Why there is no GPU to use, as a sentence, with what to install; None where there is one."""
    if missing := missing_packages():
        return f'device "cuda" needs {", ".join(missing)}, which is not installed; {INSTALL}.'
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except ImportError as error:
        return f"CuPy cannot be loaded ({error}); install it again with {INSTALL}."
    except Exception as error:  # CuPy's own error types need CuPy to name them
        return _driver_problem(error)
    if count == 0:
        return NO_GPU
    return None


def _driver_problem(error: Exception) -> str:
    text = str(error)
    if "InsufficientDriver" in text:
        return (
            "the NVIDIA driver is missing or too old for the CUDA version that is installed; install a newer driver, "
            "or the packages for an older CUDA with pip install 'clew[cuda12]'."
        )
    if "NoDevice" in text:
        return NO_GPU
    return f"the GPU cannot be reached: {text}."


#: How the GPU failed for good in this process, as a sentence; there is no way back but another process.
_lost: str | None = None


def reason_lost() -> str | None:
    """How the GPU of this process failed for good, as a sentence; None where it did not."""
    return _lost


def reason_unusable() -> str | None:
    """Why clew cannot run on a GPU here, as a sentence; None where it can, and the GPU is ready then.

    More than ``reason_unavailable``: a GPU that is there may be too old, taken by somebody else, or have failed.
    """
    reason = reason_unavailable() or reason_lost()
    if reason is not None:
        return reason
    from clew.engines.cuda.cuda_device import the_device

    try:
        the_device()
    except ClewError as error:
        return error.problem
    return None


def _note_whether_lost(problem: str) -> None:
    """Remember a failure after which the driver refuses everything, as it does once a kernel has gone astray."""
    global _lost
    try:
        import cupy
    except ImportError:  # then no GPU was in use
        return
    try:
        cupy.cuda.runtime.memGetInfo()  # does not wait for kernels, and fails where nothing can succeed any more
    except Exception:  # whatever it is called
        _lost = f"the GPU failed earlier in this process ({problem})."


def check_available() -> None:
    """Refuse to go on without a GPU, saying what is missing."""
    reason = reason_unavailable()
    if reason is None:
        return
    kind = MissingDependencyError if "not installed" in reason else DeviceError
    raise kind(reason, remedy=ON_CPU[0], option=ON_CPU[1])


def find_cupy() -> Any:
    """CuPy, or what to install."""
    try:
        import cupy
    except ImportError as error:
        raise MissingDependencyError(
            f'device "cuda" needs CuPy, which cannot be loaded ({error}); {INSTALL}.'
        ) from error
    return cupy


class clean(ContextDecorator):  # noqa: N801, used as the function that it takes the place of would be
    """Errors of CUDA's libraries as clew errors: ``problem`` is what went wrong for the user.

    A class, since every launch goes through it: a generator would take a microsecond.
    """

    __slots__ = ("problem", "wanted")

    def __init__(self, problem: str, wanted: int | None = None) -> None:
        self.problem, self.wanted = problem, wanted

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        told = None if error is None else self._told(error)
        if told is None:
            return
        try:
            raise told from error
        finally:
            del told  # or it and this frame would hold each other, and with the cause the arrays of whoever failed

    def _told(self, error: BaseException) -> ClewError | None:
        """What to raise in its place, if anything."""
        if isinstance(error, ClewError) or not isinstance(error, Exception):
            return None
        if isinstance(error, MemoryError):
            return _out_of_memory(self.problem, self.wanted)
        if not _is_cuda(error):
            return None
        if "OUT_OF_MEMORY" in str(error).upper().replace(" ", "_"):
            return _out_of_memory(self.problem, self.wanted)
        told = f"{self.problem}: {error}"
        _note_whether_lost(told)
        return DeviceError(f"{told}.", remedy=ON_CPU[0], option=ON_CPU[1])


def _is_cuda(error: Exception) -> bool:
    return any(name in type(error).__module__ for name in ("cuda", "cupy"))


def _out_of_memory(problem: str, wanted: int | None) -> ResourceError:
    free = "an unknown number of"
    try:
        import cupy

        free = f"{cupy.cuda.Device().mem_info[0] + cupy.get_default_memory_pool().free_bytes():,}"
    except Exception:  # the count is a help; without it the error must still be told
        pass
    needed = "" if wanted is None else f"{wanted:,} bytes are needed and "
    return ResourceError(
        f"{problem}: {needed}{free} bytes are free.",
        remedy='Use device="cpu", free other arrays on the GPU, or use a smaller graph or narrower weights (float32 '
        "instead of float64).",
        option="Use --device cpu, or leave edges on the host with --edges zero_copy.",
    )
