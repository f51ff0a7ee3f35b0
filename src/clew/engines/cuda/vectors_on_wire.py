"""The GPU's half of an exchange: sparse vectors packed and unpacked there (exchange.cuh), and copies that overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.device import Device, blocks_for
from clew.engines.cuda.failures import clean
from clew.engines.cuda.source import Program, ctype

THREADS = 256
WARP = 32


def units_of(array: Any) -> Any:
    """The same bytes as unsigned integers: to copy a value, its width is all that matters."""
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


class Counted:
    """The bits of a vector, counted: how many there are, and where those of every span begin."""

    def __init__(self, device: Device, words: Any) -> None:
        self.device, self.words = device, words
        self.spans = -(-int(words.size) // WARP)
        counts = device.empty(self.spans, np.int64)
        kernel = device.kernel("exchange.cuh", "count_bits", {"id_t": "int", "unit_t": "unsigned int"})
        device.launch(kernel, self._blocks(), THREADS, *self._given(), counts)
        self.ends = device.xp.cumsum(counts)

    def total(self) -> int:
        """The number of bits; waits for the device."""
        return int(self.ends[-1]) if self.spans else 0

    def ids(self, count: int, dtype: np.dtype[Any], out: Any) -> Any:
        """The vertices, ascending, in the first part of ``out``."""
        kernel = self.device.kernel("exchange.cuh", "list_bits", {"id_t": ctype(dtype), "unit_t": "unsigned int"})
        self.device.launch(kernel, self._blocks(), THREADS, *self._given(), self.ends, out)
        return out[:count]

    def gather(self, values: Any, packed: Any) -> None:
        """Values of the vertices, side by side."""
        self._move("gather_bits", values, units_of(values), packed)

    def scatter(self, packed: Any, values: Any) -> None:
        """The other way round."""
        self._move("scatter_bits", values, packed, units_of(values))

    def _move(self, name: str, values: Any, source: Any, target: Any) -> None:
        defines = {"id_t": "int", "unit_t": ctype(units_of(values).dtype)}
        kernel = self.device.kernel("exchange.cuh", name, defines)
        self.device.launch(kernel, self._blocks(), THREADS, *self._given(), self.ends, source, target)

    def _given(self) -> tuple[Any, ...]:
        return self.words, np.uint64(self.words.size), np.uint64(self.spans)

    def _blocks(self) -> int:
        return blocks_for(self.device, self.spans * WARP, THREADS)


def set_bits(device: Device, ids: Any, words: Any) -> None:
    """The bits of listed vertices; all words are 0 before."""
    kernel = device.kernel("exchange.cuh", "set_bits", {"id_t": ctype(ids.dtype), "unit_t": "unsigned int"})
    device.launch(kernel, blocks_for(device, ids.size, THREADS), THREADS, ids, np.uint64(ids.size), words)


def scatter_list(device: Device, ids: Any, packed: Any, values: Any) -> None:
    """Values of listed vertices to their places."""
    target = units_of(values)
    kernel = device.kernel("exchange.cuh", "scatter_list", {"id_t": ctype(ids.dtype), "unit_t": ctype(target.dtype)})
    blocks = blocks_for(device, ids.size, THREADS)
    device.launch(kernel, blocks, THREADS, ids, packed, np.uint64(ids.size), target)


def copy_from(device: Device, target: Array, source: Any) -> None:
    """Start a copy into pinned memory of the host; an event recorded after it says when it is there."""
    if hasattr(device.xp, "cuda"):
        runtime = device.xp.cuda.runtime
        stream = device.xp.cuda.get_current_stream()
        kind = runtime.memcpyDeviceToHost
        with clean("a copy from the GPU cannot be started"):
            runtime.memcpyAsync(target.ctypes.data, source.data.ptr, target.nbytes, kind, stream.ptr)
    else:
        target[...] = source


VARIANTS = [
    Program.of("exchange.cuh", {"id_t": index, "unit_t": unit})
    for index, unit in (("int", "unsigned int"), ("long long", "unsigned long long"), ("int", "unsigned char"))
]
