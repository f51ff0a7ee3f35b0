"""The memory of the emulated device: counted, limited, and made to fail where a test wants it to."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import ResourceError

#: Memory that nobody has written to holds this, so that reading it shows.
RUBBISH = 0xCD


class Memory:
    """What is allocated and how much, now and so far."""

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
        """Whether the failure that ``fail_at`` asked for is still to come."""
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
        wanted = size if counted is None else counted
        self.allocations += 1
        address = None
        if self.allocations == self._fails_at:
            self._fails_at = None
        elif wanted <= self.free_bytes:
            address = self.allocate(size)
        if address is None:
            raise ResourceError(
                f"an array of {wanted:,} bytes does not fit into GPU memory: {wanted:,} bytes are needed and "
                f'{self.free_bytes:,} bytes are free. Use device="cpu", free other arrays on the GPU, '
                "or use a smaller graph or narrower weights (float32 instead of float64)."
            )
        ctypes.memset(address, RUBBISH, size)
        return np.asarray(_Piece(self, address, wanted, shape, dtype))


class Alias:
    """An array where it is, not kept alive: as registered memory of the host is to a GPU."""

    def __init__(self, array: Array) -> None:
        address = array.__array_interface__["data"][0]
        self.__array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (address, not array.flags.writeable),
        }


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
