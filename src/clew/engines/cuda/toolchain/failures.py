"""GPU failures as error messages: missing packages, driver, GPU or memory, and failed kernels."""

from __future__ import annotations

import importlib.util
from contextlib import ContextDecorator
from types import TracebackType
from typing import Any

from clew.errors import ClewError, DeviceError, MissingDependencyError, ResourceError, install_command

INSTALL = f"{install_command('clew[cuda13]')} (or clew[cuda12] if nvidia-smi shows a driver for CUDA 12)"
NO_GPU = "there is no NVIDIA GPU on this machine."
#: The remedy without a GPU, in Python and on the command line.
ON_CPU = {"remedy": 'Use the CPU instead (device="cpu"). Run clew doctor for details.'}
#: The same where a GPU is there and cannot do what is requested.
USE_CPU = {"remedy": 'Use device="cpu".'}
NEEDED = {"cupy": "cupy", "cuda.core": "cuda-core"}


class _Driver:
    """CUDA's driver, loaded on first use: its bindings are installed only where clew runs on a GPU."""

    def __getattr__(self, name: str) -> Any:
        from cuda.bindings import driver

        return getattr(driver, name)


driver = _Driver()


def missing_packages() -> list[str]:
    """The missing packages of the CUDA engine, by their pip names."""
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
    """Why no GPU is available and what to install, as a sentence; None if there is one."""
    if missing := missing_packages():
        are = "is" if len(missing) == 1 else "are"
        return f'device "cuda" needs {", ".join(missing)}, which {are} not installed; {INSTALL}.'
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
            "the NVIDIA driver is missing or too old for the installed CUDA version; install a newer driver, "
            f"or an older CUDA with {install_command('clew[cuda12]')}."
        )
    if "NoDevice" in text:
        return NO_GPU
    return f"the GPU does not respond: {text}."


#: How the GPU failed permanently in this process, as a sentence; only a new process recovers.
_lost: str | None = None


def reason_lost() -> str | None:
    """How the GPU of this process failed permanently, as a sentence; None if it did not."""
    return _lost


def _note_whether_lost(problem: str) -> None:
    """Remember a failure after which the driver rejects every call, such as an illegal access in a kernel."""
    global _lost
    try:
        import cupy
    except ImportError:  # then no GPU was in use
        return
    try:
        cupy.cuda.runtime.memGetInfo()  # does not wait for kernels, and fails if the context is lost
    except Exception:  # of any type
        _lost = f"the GPU failed earlier in this process ({problem})."


def check_available() -> None:
    """Raise an error that says what is missing, unless a GPU is available."""
    reason = reason_unavailable()
    if reason is None:
        return
    kind = MissingDependencyError if "not installed" in reason else DeviceError
    raise kind(reason, **ON_CPU)


def find_cupy() -> Any:
    """CuPy, or an error that says what to install."""
    try:
        import cupy
    except ImportError as error:
        raise MissingDependencyError(
            f'device "cuda" needs CuPy, which cannot be loaded ({error}); {INSTALL}.'
        ) from error
    return cupy


class clean(ContextDecorator):  # noqa: N801, used like a function
    """Converts errors of CUDA's libraries into clew errors that start with ``problem``.

    A class, since every launch uses it: a generator would take a microsecond.
    """

    __slots__ = ("nbytes", "problem")

    def __init__(self, problem: str, nbytes: int | None = None) -> None:
        self.problem, self.nbytes = problem, nbytes

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        raised = None if error is None else self._converted(error)
        if raised is None:
            return
        try:
            raise raised from error
        finally:
            del raised  # it and this frame would reference each other, and keep the arrays of the failed caller alive

    def _converted(self, error: BaseException) -> ClewError | None:
        """The clew error to raise instead, if any."""
        if isinstance(error, ClewError) or not isinstance(error, Exception):
            return None
        if isinstance(error, MemoryError):
            return _out_of_memory(self.problem, self.nbytes)
        if not _is_cuda(error):
            return None
        if "OUT_OF_MEMORY" in str(error).upper().replace(" ", "_"):
            return _out_of_memory(self.problem, self.nbytes)
        problem = f"{self.problem}: {error}"
        _note_whether_lost(problem)
        return DeviceError(f"{problem}.", **ON_CPU)


def _is_cuda(error: Exception) -> bool:
    return any(name in type(error).__module__ for name in ("cuda", "cupy"))


def _out_of_memory(problem: str, nbytes: int | None) -> ResourceError:
    free = "an unknown number of"
    try:
        import cupy

        free = f"{cupy.cuda.Device().mem_info[0] + cupy.get_default_memory_pool().free_bytes():,}"
    except Exception:  # the count is optional; the error must still be raised
        pass
    needed = "" if nbytes is None else f"{nbytes:,} bytes are needed and "
    return ResourceError(
        f"{problem}: {needed}{free} bytes are free.",
        remedy='Use device="cpu", free other GPU arrays, or use a smaller graph or narrower weights (float32 instead '
        "of float64).",
        option="Use --device cpu, or keep the edges on the host with --edges zero_copy.",
    )
