"""The Device interface emulated on the CPU, for tests of kernels and their host code.

Its memory is counted and limited, and tests can make an allocation fail.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cuda.emulation.builder import Builder, address_of
from clew.engines.cuda.memory.edge_memory import PAIR, write_pairs_on_all_cores
from clew.engines.cuda.toolchain.device import Device, Event, Grid
from clew.engines.cuda.toolchain.expressions import linked
from clew.engines.cuda.toolchain.source import KernelSource
from clew.errors import DeviceError, ResourceError

#: Pointers to users' functions are variables of a library, so launches of one library take turns.
_launching = threading.Lock()
#: The content of uninitialised memory, so that reading it is noticed.
RUBBISH = 0xCD


@dataclass(frozen=True, eq=False)
class EmulatedKernel:
    """A kernel of a loaded library: the types of its arguments, and the pointers to set."""

    name: str
    entry: Any
    takes: tuple[str, ...]
    operators: tuple[tuple[Any, int], ...]


class EmulatedDevice(Device):
    """NumPy arrays and fibers.

    Parameters
    ----------
    sanitize
        Whether kernels run under AddressSanitizer and UBSan; None asks the environment (``CLEW_SANITIZE=1``).
    num_processors, cooperative_blocks
        The size of the device, small so that small tests fill it.
    capacity
        The bytes of its memory.
    cuda_arch
        What kernels see as ``__CUDA_ARCH__``; below 800 they take the path without ``__reduce_*_sync``.
    seconds
        The time limit of a launch, checked at barriers.
    """

    name = "emulated"
    architecture = "cpu"
    cluster_size = 1
    page = 64
    xp: Any = np

    def __init__(
        self,
        *,
        sanitize: bool | None = None,
        num_processors: int = 3,
        cooperative_blocks: int = 5,
        capacity: int = 4 << 30,
        cuda_arch: int = 900,
        seconds: float = 120,
    ) -> None:
        super().__init__()
        if sanitize is None:
            sanitize = os.environ.get("CLEW_SANITIZE") == "1"
        self.num_processors, self.cooperative_blocks, self.seconds = num_processors, cooperative_blocks, seconds
        self._builder = Builder(sanitize, cuda_arch)
        runtime = self._builder.runtime()
        self._settings, self._error = runtime.emulation_settings, runtime.emulation_error
        self._settings.argtypes, self._settings.restype = [ctypes.c_ulonglong, ctypes.c_double], None
        self._error.restype = ctypes.c_char_p
        self.memory = Memory(runtime, capacity)
        self.launches = 0

    @property
    def capacity(self) -> int:  # type: ignore[override]
        """The bytes of its memory, which tests change."""
        return self.memory.capacity

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array full of rubbish."""
        return self.memory.empty(shape, dtype)

    def zeros(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array of zeros."""
        array = self.memory.empty(shape, dtype)
        array.fill(0)
        return array

    def upload(self, array: Array) -> Array:
        """A copy of a host array."""
        array = np.asarray(array)
        copy = self.memory.empty(array.shape, array.dtype)
        copy[...] = array
        return copy

    def download(self, array: Array) -> Array:
        """A copy on the host."""
        return np.array(array)

    def free_memory(self) -> int:
        """What is left of the capacity."""
        return self.memory.free_bytes

    def hosted(self, array: Array) -> Array:
        """The array itself, not kept alive and not counted."""
        return np.asarray(Alias(array)) if array.flags.c_contiguous else np.array(array, order="C")

    def split(self, array: Array, fast_from_byte: int, weights: Array | None = None) -> Array:
        """A copy, of which the bytes in whole pages from the cut on are counted."""
        dtype = array.dtype if weights is None else PAIR
        size = array.size * dtype.itemsize
        cut = min(size, -(-fast_from_byte // self.page) * self.page)
        copy = self.memory.empty(array.shape, dtype, counted=size - cut)
        if weights is None:
            copy[...] = array
        else:
            write_pairs_on_all_cores(copy.view(np.uint8), array, weights)
        return copy

    def why_not_split(self) -> str | None:
        """It can split arrays."""
        return None

    def managed(self, array: Array, prefetch: bool) -> Array:  # noqa: ARG002
        """A counted copy."""
        return self.upload(array)

    def address(self, array: Array) -> int:
        """The address of a NumPy array."""
        return int(array.ctypes.data)

    def prefetch(self, array: Array) -> None:
        """Nothing to do."""

    def pinned(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Any memory of the host."""
        return np.empty(shape, dtype)

    def copy_to(self, target: Array, source: Array) -> None:
        """Copy now."""
        target.reshape(-1).view(np.uint8)[...] = np.ascontiguousarray(source).reshape(-1).view(np.uint8)

    def copy_from(self, target: Array, source: Array) -> None:
        """Copy now."""
        target[...] = source

    def record(self) -> Event:
        """Now: all work has ended."""
        return _InOrder()

    def _load(self, source: KernelSource, name: str) -> EmulatedKernel:
        library = self._builder.library(source)
        try:
            entry, signature = getattr(library, f"emulate_{name}"), getattr(library, f"signature_{name}")
        except AttributeError:
            raise DeviceError(f"{source.file} has no kernel {name} with these macros.") from None
        number = ctypes.c_uint
        entry.argtypes = [number, number, number, ctypes.c_int, ctypes.c_void_p]
        signature.restype = ctypes.c_char_p
        pointers = tuple(
            (ctypes.c_void_p.in_dll(library, pointer), address_of(operator)) for pointer, operator in linked(source)
        )
        takes = tuple(re.findall(r"\D+\d", signature().decode()))
        return EmulatedKernel(name, entry, takes, pointers)

    def resident_blocks(self, kernel: EmulatedKernel, threads: int, shared: int = 0, cluster: int = 1) -> int:  # noqa: ARG002
        """How many blocks can run at once."""
        return self.cooperative_blocks

    def leave_to_cache(self, kernel: EmulatedKernel, threads: int, shared: int = 0) -> None:
        """There is no cache to configure."""

    def synchronize(self) -> None:
        """Nothing to wait for: launches return when they have ended."""

    def passed(self, *args: Any) -> tuple[Any, ...]:
        """Weak references instead of arrays, so that it is noticed if one has gone."""
        return tuple(weakref.ref(value) if isinstance(value, np.ndarray) else value for value in args)

    def start(self, kernel: EmulatedKernel, grid: Grid, args: Sequence[Any]) -> None:
        """Run a kernel to its end."""
        blocks, threads, shared, together, _ = grid
        if len(args) != len(kernel.takes):
            raise DeviceError(f"the kernel {kernel.name} takes {len(kernel.takes)} arguments; {len(args)} were given.")
        assert not any(isinstance(value, np.ndarray) for value in args), "an array was not passed"
        values = (ctypes.c_ulonglong * max(1, len(args)))()
        for k, (value, code) in enumerate(zip(args, kernel.takes, strict=True)):
            values[k] = _word(kernel.name, k, value, code)
        start = ctypes.addressof(values)
        pointers = (ctypes.c_void_p * len(values))(*range(start, start + 8 * len(values), 8))
        with _launching:
            for pointer, address in kernel.operators:
                pointer.value = address
            self._settings(self.launches, self.seconds)
            self.launches += 1
            if kernel.entry(blocks, threads, shared, together, pointers):
                raise DeviceError(f"the kernel {self._error().decode()}.")


class _InOrder:
    """An event where all work ends before the call that starts it."""

    def synchronize(self) -> None:
        """Nothing to wait for."""


@lru_cache(maxsize=1)
def the_emulation() -> EmulatedDevice:
    """The emulated GPU of this process."""
    return EmulatedDevice()


def _word(kernel: str, position: int, value: Any, code: str) -> int:
    """The bits of an argument, if it is of the type that the kernel takes."""
    if isinstance(value, weakref.ref) and (value := value()) is None:
        raise DeviceError(f"argument {position} of the kernel {kernel} is an array that has gone.")
    if code[0] == "p" and value is None:
        return 0
    dtype: Any = value.dtype if isinstance(value, np.ndarray | np.generic) else None
    pointer = isinstance(value, np.ndarray)
    if dtype is None or pointer != (code[0] == "p") or not _fits(dtype, code.lstrip("p")):
        passed = type(value).__name__ if dtype is None else f"{'an array of ' if pointer else ''}{dtype}"
        raise DeviceError(f"argument {position} of the kernel {kernel} is {passed}; the kernel takes {_words(code)}.")
    if not pointer:
        return int.from_bytes(value.tobytes(), "little")
    if not value.flags.c_contiguous:
        raise DeviceError(f"argument {position} of the kernel {kernel} is an array with gaps; pass a contiguous one.")
    return int(value.__array_interface__["data"][0])


def _fits(dtype: np.dtype[Any], code: str) -> bool:
    kind = "u" if dtype.kind == "b" else dtype.kind
    return code == "v0" or code == f"{kind}{dtype.itemsize}"


def _words(code: str) -> str:
    kinds = {"i": "int", "u": "uint", "f": "float"}
    plain = code.lstrip("p")
    name = "anything" if plain == "v0" else f"{kinds[plain[0]]}{8 * int(plain[1])}"
    return f"a pointer to {name}" if code[0] == "p" else name


class Memory:
    """Allocations and their bytes, now and in total."""

    def __init__(self, runtime: ctypes.CDLL, capacity: int) -> None:
        self.capacity = capacity
        self.live_allocations = 0
        self.live_bytes = 0
        self.allocations = 0
        self._fails_at: int | None = None
        self.allocate, self.free = runtime.emulation_allocate, runtime.emulation_free
        self.allocate.argtypes, self.allocate.restype = [ctypes.c_ulonglong], ctypes.c_void_p
        self.free.argtypes, self.free.restype = [ctypes.c_void_p], None

    def fail_at(self, k: int | None) -> None:
        """Let the k-th allocation from now fail, once; 1 is the next. None takes it back."""
        self._fails_at = None if k is None else self.allocations + k

    @property
    def will_fail(self) -> bool:
        """Whether the failure requested by ``fail_at`` is pending."""
        return self._fails_at is not None

    @property
    def free_bytes(self) -> int:
        """What can still be allocated."""
        return max(0, self.capacity - self.live_bytes)

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike, counted: int | None = None) -> Array:
        """An array full of rubbish, of which ``counted`` bytes (by default all) are in the device's memory."""
        dtype = np.dtype(dtype)
        shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(extent) for extent in shape)  # type: ignore[union-attr,arg-type]
        size = math.prod(shape) * dtype.itemsize
        needed = size if counted is None else counted
        self.allocations += 1
        address = None
        if self.allocations == self._fails_at:
            self._fails_at = None
        elif needed <= self.free_bytes:
            address = self.allocate(size)
        if address is None:
            raise ResourceError(
                f"an array of {needed:,} bytes does not fit into GPU memory: {needed:,} bytes are needed and "
                f'{self.free_bytes:,} bytes are free. Use device="cpu", free other arrays on the GPU, '
                "or use a smaller graph or narrower weights (float32 instead of float64)."
            )
        ctypes.memset(address, RUBBISH, size)
        return np.asarray(_Piece(self, address, needed, shape, dtype))


class Alias:
    """An array where it is, not kept alive: as registered memory of the host is to a GPU."""

    def __init__(self, array: Array) -> None:
        self.__array_interface__ = array.__array_interface__


class _Piece:
    """One allocation; the array that NumPy makes of it keeps it alive, and it is freed with the last view."""

    def __init__(self, memory: Memory, address: int, size: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.memory, self.address, self.size = memory, address, size
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": dtype.str, "data": (address, False)}
        memory.live_allocations += 1
        memory.live_bytes += size

    def __del__(self) -> None:
        self.memory.free(self.address)
        self.memory.live_allocations -= 1
        self.memory.live_bytes -= self.size
