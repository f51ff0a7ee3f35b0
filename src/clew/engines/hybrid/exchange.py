"""Transfer of message vectors between CPU and GPU, in the form with the fewest bytes.

On either side a vector is a bitmap and an array of values per vertex. In transit it is

- sparse: the ids of the vertices that have a value, and their values;
- a bitmap: a bit for every vertex, and the packed values of those that have one;
- dense: all values, if every vertex has one.

The sender packs and the receiver unpacks, each with all cores. Large vectors are split: the CPU packs or unpacks one
piece while another is copied. Buffers are pinned, and reused in the next iteration.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.dtypes import Array, as_bits
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.source import ctype
from clew.engines.hybrid import kernels

SPARSE, BITMAP, DENSE = "sparse", "bitmap", "dense"
FORMS = (DENSE, BITMAP, SPARSE)  # for equal bytes, the form that is easier to unpack
PIECE = 4 << 20  # bytes copied while others are packed
BLOCKS = 256  # at most, that a vector is cut into on the CPU
WORDS = 1 << 9  # to a block, at least
KEPT = 2 << 30  # bytes of unused buffers, at most
WARP = 32

#: Scatters packed values on the GPU.
Scatter = Callable[[Any, Any], None]

_free: dict[tuple[weakref.ref[Device], int], list[Array]] = {}
_lock = threading.Lock()


class Sent(NamedTuple):
    """The form and bytes of a transfer."""

    form: str
    nbytes: int


NOTHING = Sent("none", 0)


@dataclass(eq=False)
class Vector:
    """A bitmap of the vertices with a value (words of 64 bits on the CPU, 32 on the GPU), and columns of values."""

    words: Any
    columns: tuple[Any, ...]


def bytes_of(form: str, num_vertices: int, count: int, id_bytes: int, value_bytes: int) -> int:
    """The bytes of a vector of which ``count`` vertices have a value."""
    if form == DENSE:
        return num_vertices * value_bytes
    where = count * id_bytes if form == SPARSE else -(-num_vertices // 64) * 8
    return where + count * value_bytes


def choose(num_vertices: int, count: int, id_bytes: int, value_bytes: int) -> str:
    """The form with the fewest bytes; the dense form needs a value for every vertex."""
    fitting = FORMS if count == num_vertices else FORMS[1:]
    return min(fitting, key=lambda form: bytes_of(form, num_vertices, count, id_bytes, value_bytes))


class Exchange:
    """Transfers of vectors with this number of vertices, id dtype and value dtypes.

    ``form`` prescribes the form, if it can be used.
    """

    def __init__(
        self, device: Device, num_vertices: int, ids: np.dtype[Any], columns: tuple[Any, ...], form: str | None = None
    ) -> None:
        self.device, self.n, self.form = device, num_vertices, form
        self.id_dtype, self.dtypes = np.dtype(ids), tuple(np.dtype(column) for column in columns)
        self.value_bytes = sum(dtype.itemsize for dtype in self.dtypes)
        self.num_words = -(-num_vertices // 64)
        blocks = max(1, min(BLOCKS, self.num_words // WORDS))
        self.bounds = np.arange(blocks + 1, dtype=np.int64) * self.num_words // blocks
        self._pinned: dict[str, Array] = {}
        self._wire: dict[str, Any] = {}
        self._last: Any = None

    def host_vector(self) -> Vector:
        """Memory for an empty vector on the CPU; it lives as long as the exchange."""
        columns = tuple(borrow(self, self.device, self.n, dtype) for dtype in self.dtypes)
        return Vector(np.zeros(self.num_words, np.uint64), columns)

    def device_vector(self) -> Vector:
        """The same on the GPU."""
        columns = tuple(self.device.empty(self.n, dtype) for dtype in self.dtypes)
        return Vector(self.device.zeros(2 * self.num_words, np.uint32), columns)

    def up(self, source: Vector, target: Vector) -> Sent:
        """Copy a vector to the GPU; copies continue after the call, and kernels wait for them.

        With ``target.words`` None, the GPU gets no bitmap.
        """
        if self._last is not None:
            self._last.synchronize()  # the buffers are free again
        starts = self._starts(source.words)
        count = int(starts[-1])
        if target.words is not None:
            target.words.fill(0)
        if count == 0:
            return NOTHING
        form, bounds = self._form(count), self.bounds
        columns = enumerate(zip(source.columns, target.columns, strict=True))
        if form == DENSE:
            if target.words is not None:
                self.set_all(target.words)
            places = np.minimum(bounds * 64, self.n)
            for k, (column, into) in columns:
                self._pack_up(k, places, kernels.copy, (places, as_bits(column)), units_of(into))
        else:
            send = self._send_bits if form == BITMAP else self._send_ids
            scatter = send(source.words, target.words, starts)
            for k, (column, into) in columns:
                wire = self._on_wire(f"values{k}", self.n, units_of(into).dtype)
                self._pack_up(k, starts, kernels.gather_bits, (bounds, source.words, starts, as_bits(column)), wire)
                scatter(wire, into)
        self._last = self.device.record()
        return Sent(form, self._bytes(form, count))

    def _send_bits(self, words: Array, target: Any, starts: Array) -> Scatter:  # noqa: ARG002, as _send_ids
        """Send a bitmap; returns the function that scatters values by it."""
        if target is None:
            target = self._on_wire("words", 2 * self.num_words, np.uint32)
        pinned = self._pinned_room("words", self.num_words, np.uint64)
        np.copyto(pinned, words)
        self.device.copy_to(target, pinned)
        return Counted(self.device, target).scatter

    def _send_ids(self, words: Array, target: Any, starts: Array) -> Scatter:
        """Send the ids of a bitmap; returns the function that scatters values by them."""
        wire = self._on_wire("ids", self.n, self.id_dtype)
        self._pack_up("ids", starts, kernels.gather_bits, (self.bounds, words, starts, None), wire)
        ids = wire[: int(starts[-1])]
        if target is not None:
            set_bits(self.device, ids, target)
        return partial(scatter_list, self.device, ids)

    def down(self, source: Vector, target: Vector) -> Sent:
        """Copy a vector to the CPU and replace its bitmap; entries without a value are unchanged."""
        counted = Counted(self.device, source.words)
        count = counted.total()
        target.words.fill(0)
        if count == 0:
            return NOTHING
        form = self._form(count)
        if form == SPARSE:
            self._fetch_ids(counted, count, source, target)
        elif form == DENSE:
            self.set_all(target.words)
            places = np.minimum(self.bounds * 64, self.n)
            for k, (column, into) in enumerate(zip(source.columns, target.columns, strict=True)):
                self._unpack(k, places, units_of(column), kernels.copy, (places,), into)
        else:
            pinned = self._pinned_room("words", self.num_words, np.uint64)
            self.device.copy_from(pinned.view(np.uint32), source.words)
            self.device.record().synchronize()
            np.copyto(target.words, pinned)
            starts = self._starts(target.words)
            for k, (column, into) in enumerate(zip(source.columns, target.columns, strict=True)):
                wire = self._on_wire(f"values{k}", self.n, units_of(column).dtype)
                counted.gather(column, wire)
                self._unpack(k, starts, wire, kernels.scatter_bits, (self.bounds, target.words, starts), into)
        return Sent(form, self._bytes(form, count))

    def _fetch_ids(self, counted: Counted, count: int, source: Vector, target: Vector) -> None:
        """Fetch ids and their values."""
        wires = [counted.ids(count, self.id_dtype, self._on_wire("ids", self.n, self.id_dtype))]
        for k, column in enumerate(source.columns):
            wires.append(self._on_wire(f"values{k}", self.n, units_of(column).dtype)[:count])
            counted.gather(column, wires[-1])
        rooms = []
        for k, wire in enumerate(wires):
            rooms.append(self._pinned_room("ids" if k == 0 else k - 1, self.n, wire.dtype)[:count])
            self.device.copy_from(rooms[-1], wire)
        self.device.record().synchronize()
        parts = threads.pieces(count)
        places = np.arange(parts + 1, dtype=np.int64) * count // parts
        ids = as_bits(rooms[0])
        threads.each(kernels.set_bits, parts, places, ids, target.words)
        for packed, into in zip(rooms[1:], target.columns, strict=True):
            threads.each(kernels.scatter_list, parts, places, ids, packed, as_bits(into))

    def _starts(self, words: Array) -> Array:
        """The number of bits before each block of words, and the total."""
        return np.append(0, np.cumsum(threads.each(kernels.count_bits, self.bounds.size - 1, self.bounds, words)))

    def _form(self, count: int) -> str:
        if self.form is None or (self.form == DENSE and count < self.n):
            return choose(self.n, count, self.id_dtype.itemsize, self.value_bytes)
        return self.form

    def _bytes(self, form: str, count: int) -> int:
        return bytes_of(form, self.n, count, self.id_dtype.itemsize, self.value_bytes)

    def _pack_up(self, name: Any, places: Array, kernel: Any, given: tuple[Any, ...], wire: Any) -> None:
        """Pack into pinned memory and send, batch by batch; block k fills ``places[k]`` to ``places[k + 1]``."""
        pinned = self._pinned_room(name, self.n, wire.dtype)
        for first, last in _batches(places, wire.dtype.itemsize):
            threads.each(kernel, last - first, first, *given, as_bits(pinned))
            low, high = int(places[first]), int(places[last])
            if high > low:
                self.device.copy_to(wire[low:high], pinned[low:high])

    def _unpack(self, name: Any, places: Array, wire: Any, kernel: Any, given: tuple[Any, ...], into: Array) -> None:
        """Copy into pinned memory and unpack, batch by batch; all copies start before the first batch is unpacked."""
        pinned = self._pinned_room(name, self.n, wire.dtype)
        batches = _batches(places, wire.dtype.itemsize)
        arrived = []
        for first, last in batches:
            low, high = int(places[first]), int(places[last])
            if high > low:
                self.device.copy_from(pinned[low:high], wire[low:high])
            arrived.append(self.device.record())
        for (first, last), event in zip(batches, arrived, strict=True):
            event.synchronize()
            threads.each(kernel, last - first, first, *given, pinned, as_bits(into))

    def set_all(self, words: Any) -> None:
        """The bits of all vertices; bits past the last vertex are 0."""
        full, rest = divmod(self.n, 8 * words.dtype.itemsize)
        words.fill(np.iinfo(words.dtype).max)
        words[full:] = 0
        if rest:
            words[full] = (1 << rest) - 1

    def _pinned_room(self, name: Any, size: int, dtype: Any) -> Array:
        key = f"{name}:{np.dtype(dtype)}"
        if key not in self._pinned:
            self._pinned[key] = borrow(self, self.device, size, dtype)
        return self._pinned[key]

    def _on_wire(self, name: str, size: int, dtype: Any) -> Any:
        key = f"{name}:{np.dtype(dtype)}"
        if key not in self._wire:
            self._wire[key] = self.device.empty(size, dtype)
        return self._wire[key]


def _batches(places: Array, itemsize: int) -> list[tuple[int, int]]:
    """Runs of blocks with at least PIECE bytes each."""
    batches, first = [], 0
    for last in range(1, places.size):
        if (places[last] - places[first]) * itemsize >= PIECE or last == places.size - 1:
            batches.append((first, last))
            first = last
    return batches


def borrow(owner: object, device: Device, size: int, dtype: Any) -> Array:
    """An uninitialised array that lives as long as ``owner``."""
    dtype = np.dtype(dtype)
    nbytes = max(64, size * dtype.itemsize)
    key = (weakref.ref(device), nbytes)
    with _lock:
        buffers = _free.get(key)
        raw = buffers.pop() if buffers else None
    if raw is None:
        raw = device.pinned(nbytes, np.uint8)
    else:
        device.synchronize()  # a run that Ctrl-C ended may still be copying
    weakref.finalize(owner, _give_back, key, raw).atexit = False
    return raw[: size * dtype.itemsize].view(dtype)


def _give_back(key: tuple[weakref.ref[Device], int], raw: Array) -> None:
    # A finalizer may run on a thread that holds the lock; then the memory is freed instead.
    if not _lock.acquire(blocking=False):
        return
    try:
        held = sum(nbytes * len(arrays) for (_, nbytes), arrays in _free.items())
        if held + raw.nbytes <= KEPT:
            _free.setdefault(key, []).append(raw)
    finally:
        _lock.release()


def units_of(array: Any) -> Any:
    """The same bytes as unsigned integers: copies depend only on the width of a value."""
    return array.view(np.dtype(f"u{array.dtype.itemsize}"))


class Counted:
    """The counted bits of a vector: their number, and the start of every span."""

    def __init__(self, device: Device, words: Any) -> None:
        self.device, self.words = device, words
        self.spans = -(-int(words.size) // WARP)
        counts = device.empty(self.spans, np.int64)
        self._launch("count_bits", "int", "unsigned int", counts)
        self.ends = device.xp.cumsum(counts)

    def total(self) -> int:
        """The number of bits; waits for the device."""
        return int(self.ends[-1]) if self.spans else 0

    def ids(self, count: int, dtype: np.dtype[Any], out: Any) -> Any:
        """The vertices, ascending, in the first part of ``out``."""
        self._launch("list_bits", ctype(dtype), "unsigned int", self.ends, out)
        return out[:count]

    def gather(self, values: Any, packed: Any) -> None:
        """Pack the values of the vertices."""
        units = units_of(values)
        self._launch("gather_bits", "int", ctype(units.dtype), self.ends, units, packed)

    def scatter(self, packed: Any, values: Any) -> None:
        """Unpack values to the vertices."""
        units = units_of(values)
        self._launch("scatter_bits", "int", ctype(units.dtype), self.ends, packed, units)

    def _launch(self, name: str, id_type: str, unit_type: str, *args: Any) -> None:
        defines = {"id_t": id_type, "unit_t": unit_type}
        given = (self.words, np.uint64(self.words.size), np.uint64(self.spans))
        launch_over(self.device, "exchange.cuh", name, defines, self.spans * WARP, *given, *args)


def set_bits(device: Device, ids: Any, words: Any) -> None:
    """The bits of listed vertices; all words are 0 before."""
    defines = {"id_t": ctype(ids.dtype), "unit_t": "unsigned int"}
    launch_over(device, "exchange.cuh", "set_bits", defines, ids.size, ids, np.uint64(ids.size), words)


def scatter_list(device: Device, ids: Any, packed: Any, values: Any) -> None:
    """Values of listed vertices to their places."""
    target = units_of(values)
    defines = {"id_t": ctype(ids.dtype), "unit_t": ctype(target.dtype)}
    launch_over(device, "exchange.cuh", "scatter_list", defines, ids.size, ids, packed, np.uint64(ids.size), target)
