"""Device: what the host code of the CUDA engine needs of a GPU. Two classes implement it: a GPU, and its emulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cuda.toolchain.source import KernelSource, Macros, Operators

#: Bytes of shared memory that one block may have.
SHARED = {"sm_75": 64 << 10, "sm_80": 163 << 10, "sm_87": 163 << 10, "sm_90": 227 << 10, "sm_100": 227 << 10}
SMALLEST_SHARED = 99 << 10
RESERVED = 1 << 10


#: Blocks, threads of a block, its bytes of shared memory, whether all blocks run at once, and blocks of a cluster.
Grid = tuple[int, int, int, bool, int]


class Event(Protocol):
    """A point in the work of a stream."""

    def synchronize(self) -> None:
        """Wait on the host until the work before it has ended."""


class Device(Protocol):
    """Memory and kernels. Arrays are CuPy's on a GPU and NumPy's in the emulation; ``xp`` is the module."""

    name: str
    architecture: str
    num_processors: int
    capacity: int  # bytes of its memory
    cluster_size: int  # the blocks of a cluster, which synchronize faster than the whole grid; 1 without clusters
    page: int  # bytes; of an array in two memories, a page is in one of them
    xp: Any
    queue: int = 0  # which of several orders of work the next launch joins; work of one order waits for its turn
    _kernels: dict[tuple[KernelSource, str], Any]
    _requests: dict[Any, Any]

    def __init__(self) -> None:
        self._kernels, self._requests = {}, {}

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
        """An uninitialised array. ResourceError where there is not enough memory."""

    def zeros(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Any:
        """An array of zeros."""

    def full(self, shape: int | tuple[int, ...], value: Any, dtype: npt.DTypeLike) -> Any:
        """An array of one value."""
        array = self.empty(shape, dtype)
        array.fill(value)
        return array

    def upload(self, array: Array) -> Any:
        """A copy of a host array."""

    def download(self, array: Any) -> Array:
        """A copy on the host."""

    def address(self, array: Any) -> int:
        """Where kernels find an array, for pointers that are stored in another one."""

    def free_memory(self) -> int:
        """The bytes of device memory that can be allocated."""

    def hosted(self, array: Array) -> Any:
        """A host array as kernels can read it where it is, over the link; valid while the host array lives.

        What cannot be read in place is copied into host memory that can.
        """

    def split(self, array: Array, fast_from_byte: int, weights: Array | None = None) -> Any:
        """A copy in one run of addresses: bytes from ``fast_from_byte`` on in device memory, those before on the host.

        With ``weights``, the copy is of pairs of a neighbour and its weight, 8 bytes each. The page
        of the cut is on the host. ResourceError where either memory is too small.
        """

    def why_not_split(self) -> str | None:
        """Why this device cannot have one run of addresses in two memories; None where it can."""

    def managed(self, array: Array, prefetch: bool) -> Any:
        """A copy in memory whose pages move to the device when kernels touch them, or at once with ``prefetch``.

        ResourceError where it is larger than the free memory of the device.
        """

    def prefetch(self, array: Any) -> None:
        """Start moving the pages of an array of ``managed`` to the device; kernels launched later find them there."""

    def pinned(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array on the host that the device's copy engine can read and write while kernels run."""

    def copy_to(self, target: Any, source: Array) -> None:
        """Start copying a host array into a device array of as many bytes; asynchronous from pinned memory."""

    def copy_from(self, target: Array, source: Any) -> None:
        """Start copying a device array into a host array of as many bytes; asynchronous to pinned memory."""

    def record(self) -> Event:
        """The point that the work of the current stream has reached."""

    def kernel(self, file: str, name: str, defines: Macros | None = None, operators: Operators | None = None) -> Any:
        """The kernel ``name`` of a file, specialised by macros, with users' functions linked in; loaded once."""
        request = (file, name, tuple((defines or {}).items()), tuple((operators or {}).items()))
        found = self._requests.get(request)  # sorting and formatting the macros takes longer than a launch
        if found is None:
            source = KernelSource.of(file, defines, operators)
            found = self._kernels.get((source, name))
            if found is None:
                found = self._kernels[source, name] = self._load(source, name)
            self._requests[request] = found
        return found

    def _load(self, source: KernelSource, name: str) -> Any:
        """A kernel, compiled for this device."""

    def launch(self, kernel: Any, blocks: int, threads: int, *args: Any, shared: int = 0) -> None:
        """Start ``blocks`` × ``threads`` threads. Arguments are arrays, None, or NumPy scalars of the exact type."""
        self.start(kernel, (blocks, threads, shared, False, 1), self.passed(*args))

    def launch_cooperative(
        self, kernel: Any, threads: int, *args: Any, shared: int = 0, most: int | None = None, cluster: int = 1
    ) -> None:
        """The same with as many blocks as can run at once, so that they may wait for each other (``grid_sync``).

        With ``cluster``, blocks come in clusters of that size (``team_sync``).
        """
        self.start(kernel, self.together(kernel, threads, shared, most, cluster), self.passed(*args))

    def together(self, kernel: Any, threads: int, shared: int = 0, most: int | None = None, cluster: int = 1) -> Grid:
        """As many blocks as can run at once, and no more than ``most``."""
        blocks = self.resident_blocks(kernel, threads, shared, cluster)
        if most is not None:
            blocks = max(cluster, min(blocks, most - most % cluster))
        return blocks, threads, shared, True, cluster

    def start(self, kernel: Any, grid: Grid, args: Sequence[Any]) -> None:
        """Start a kernel on a grid. Arguments are what ``passed`` made of them, or NumPy scalars."""

    def passed(self, *args: Any) -> tuple[Any, ...]:
        """Arguments of ``launch`` as ``start`` takes them, which many launches may share. This keeps no array alive."""

    def reader(self, array: Any, record: np.dtype[Any]) -> Callable[[], Any]:
        """A function that downloads a few bytes as a record. The next call overwrites the record."""
        return lambda: self.download(array).view(record)[0]

    def resident_blocks(self, kernel: Any, threads: int, shared: int = 0, cluster: int = 1) -> int:
        """How many blocks can run at once."""

    def leave_to_cache(self, kernel: Any, threads: int, shared: int = 0) -> None:
        """Have what blocks that run at once do not take of a processor's memory be its cache."""

    def synchronize(self) -> None:
        """Wait until everything launched has ended; an error in it is raised here."""


#: What a kernel's grid barrier needs; zeroed once, reused by every sync of one launch and the next.
GRID_BARRIER_WORDS = 64


def shared_bytes(device: Device) -> int:
    """How much shared memory a block can have here."""
    if device.architecture == "cpu":
        return 64 << 10
    return SHARED.get(device.architecture, SMALLEST_SHARED) - RESERVED


def blocks_for(device: Device, work: int, threads: int, per_processor: int = 8) -> int:
    """A grid for a grid-stride loop over ``work`` items: enough blocks to fill the device, never more than needed."""
    needed = -(-max(work, 1) // threads)
    return int(min(needed, device.num_processors * per_processor))


def stable_order(keys: Any) -> Any:
    """The permutation that sorts integers and keeps the order of equal ones. CuPy's radix sort is always stable."""
    return keys.argsort(kind="stable") if isinstance(keys, np.ndarray) else keys.argsort()


def index_defines(index: np.dtype[Any], num_arcs: int) -> dict[str, str]:
    """Macros for ids and offsets: 32 bits where they fit."""
    return {
        "index_t": "int" if index.itemsize == 4 else "long long",
        "offset_t": "unsigned int" if num_arcs < 2**32 else "long long",
    }
