"""Where an engine's arrays are: the host's memory or a GPU's. The primitives check and make arrays through this.

``check`` refuses an allocation that the machine's memory cannot hold, before it is made.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.dtypes import WEIGHT_DTYPES, Array, is_on_gpu
from clew.errors import GraphError, ResourceError

if TYPE_CHECKING:
    from clew.engines.cuda.toolchain.device import Device


class Memory(Protocol):
    """Arrays of one memory; ``xp`` is the module that computes with them."""

    xp: Any

    def array(self, values: npt.ArrayLike | Any) -> Any:
        """Values as an array in this memory, without a copy where they are there."""

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array to be filled."""

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: npt.DTypeLike) -> Array:
        """An array of one value."""

    def segments(self, rows: Adjacency) -> tuple[Any, Any]:
        """The weights of rows (None without) and where the rows start and end."""


class HostMemory:
    """NumPy's."""

    xp: Any = np

    def array(self, values: npt.ArrayLike | Any) -> Any:
        """NumPy's ``asarray``; a GPU's arrays are not fetched behind the user's back."""
        if is_on_gpu(values):
            raise GraphError('an array is in GPU memory; use device="cuda", or fetch it first (array.get()).')
        return np.asarray(values)

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """NumPy's ``empty``."""
        return np.empty(shape, dtype)

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: npt.DTypeLike) -> Array:
        """NumPy's ``full``."""
        return np.full(shape, value, dtype)

    def segments(self, rows: Adjacency) -> tuple[Any, Any]:
        """The rows' own arrays."""
        return rows.weights, rows.indptr


class DeviceMemory:
    """A GPU's, or its emulation's, which is the host's own."""

    def __init__(self, device: Device) -> None:
        self.device, self.xp = device, device.xp

    def array(self, values: npt.ArrayLike | Any) -> Any:
        """Arrays that are on the GPU as they are, others copied there; what kernels cannot take stays where it is."""
        if isinstance(values, self.xp.ndarray):
            return values
        if is_on_gpu(values):
            return self.xp.asarray(values)
        host = np.asarray(values)
        native = host.dtype.newbyteorder("=")
        return self.device.upload(host.astype(native, copy=False)) if native in WEIGHT_DTYPES else host

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Memory of the device; ResourceError where there is not enough."""
        made: Array = self.device.empty(shape, dtype)
        return made

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: npt.DTypeLike) -> Array:
        """The same, filled."""
        made: Array = self.device.full(shape, value, dtype)
        return made

    def segments(self, rows: Adjacency) -> tuple[Any, Any]:
        """The rows as they are kept on the device."""
        from clew.engines.cuda.memory.device_graph import rows_on

        held = rows_on(self.device, rows)
        return held.weights, held.offsets.astype(np.int64)


HOST = HostMemory()


def available() -> int:
    """The bytes that may be taken without swapping; all of the machine's where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check(needed: int, what: str, remedy: str) -> None:
    """Refuse ``what`` where it takes more bytes than are available."""
    present = available()
    if needed > present:
        raise ResourceError(f"{what} needs {needed:,} bytes, but {present:,} bytes are available; {remedy}.")
