"""Packed rows: a graph's adjacency in half the bytes or less, unpacked row by row or, where needed, as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import OFFSET, Array, IdArray, as_bits
from clew.errors import GraphError
from clew.packed.code import PackedArray, pack

MOST_BITS = 57  # of an id in rows that kernels read: those that 8 bytes have from any bit of the first on
CHUNK = 1 << 24  # entries that are unpacked at a time where only a pass over them is needed
_NARROWER = tuple(np.dtype(name) for name in ("u1", "i1", "u2", "i2", "u4", "i4"))


class PackedAdjacency(Adjacency):
    """Rows whose offsets and neighbours are packed, and whose weights are as narrow as they can be without loss.

    ``indptr``, ``indices`` and ``weights`` are the same arrays as those of plain rows. Each is unpacked when it is
    first used, and kept. ``plain`` unpacks all of them without keeping any.
    """

    __slots__ = ("_kept", "neighbours", "offsets", "stored_weights", "weights_as")
    offsets: PackedArray
    neighbours: PackedArray
    stored_weights: Array | None
    weights_as: np.dtype[Any] | None
    _kept: dict[str, Any]

    def __init__(
        self,
        offsets: PackedArray,
        neighbours: PackedArray,
        stored_weights: Array | None = None,
        weights_as: np.dtype[Any] | None = None,
        boundary: int | None = None,
        width: int | None = None,
    ) -> None:
        if stored_weights is not None:
            stored_weights.flags.writeable = False
        fields: dict[str, Any] = {"offsets": offsets, "neighbours": neighbours, "boundary": boundary, "width": width}
        fields |= {"stored_weights": stored_weights, "weights_as": weights_as, "_kept": {}}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.offsets, self.neighbours, self.stored_weights, self.weights_as, self.boundary, self.width)
        return PackedAdjacency, parts

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def cut_at(self, boundary: Any) -> Adjacency:
        """The same rows with a boundary; themselves where it is none that there could be."""
        if not isinstance(boundary, (int, np.integer)) or not 0 <= boundary <= self.num_vertices:
            return self
        weights = (self.stored_weights, self.weights_as)
        return PackedAdjacency(self.offsets, self.neighbours, *weights, int(boundary), self.width)

    def with_weights(self, weights: Array | None) -> PackedAdjacency:
        """The same rows with other weights, or without."""
        stored, dtype = (None, None) if weights is None else (narrowed(weights), weights.dtype)
        return PackedAdjacency(self.offsets, self.neighbours, stored, dtype, self.boundary, self.width)

    @property
    def is_packed(self) -> bool:
        """Whether they are packed: yes."""
        return True

    @property
    def is_unpacked(self) -> bool:
        """Whether the neighbours have been unpacked and kept, so that reading them costs nothing more."""
        return "indices" in self._kept

    @property
    def reads_packed(self) -> bool:
        """Whether kernels that can are given packed neighbours: until they are unpacked, if ids have MOST_BITS."""
        return not self.is_unpacked and self.neighbours.largest < 1 << MOST_BITS

    @property
    def neighbour_bytes(self) -> float:
        """The bytes that a kernel reads for the neighbour of one arc."""
        return self.neighbours.nbytes / max(1, self.num_arcs) if self.reads_packed else super().neighbour_bytes

    def readable(self) -> tuple[Any, Any]:
        """The offsets, and the packed neighbours as kernels take them, unless they are unpacked."""
        return (as_bits(self.indptr), self.neighbours.given) if self.reads_packed else self.unsigned()

    def readable_weights(self) -> Any:
        """The weights as they are stored, with an empty array of their own dtype if that is another one."""
        if "weights" in self._kept or self.stored_weights is None or self.stored_weights.dtype == self.weights_as:
            return self.weights
        return self.stored_weights, np.empty(0, self.weights_as)

    @property
    def indptr(self) -> Any:
        """Where each row starts; unpacked when first used."""
        return self._keep("indptr", self.offsets.unpacked)

    @property
    def indices(self) -> Any:
        """The neighbours of all rows; unpacked when first used."""
        return self._keep("indices", lambda: self._rows(0, self.num_vertices))

    @property
    def weights(self) -> Any:
        """The weights in their own dtype; widened when first used."""
        if self.stored_weights is None or self.stored_weights.dtype == self.weights_as:
            return self.stored_weights
        narrow = self.stored_weights
        return self._keep("weights", lambda: narrow.astype(self.weights_as))

    @property
    def identity(self) -> Array:
        """The array by which a device knows these rows as plain ones. It knows packed rows by their words."""
        return self.neighbours.heads

    @property
    def num_vertices(self) -> int:
        """The number of rows."""
        return self.offsets.size - 1

    @property
    def num_arcs(self) -> int:
        """The number of stored entries."""
        return self.neighbours.size

    @property
    def nbytes(self) -> int:
        """The bytes of the packed arrays, and of those that have been unpacked."""
        return self.stored_bytes + sum(int(array.nbytes) for array in self._kept.values())

    @property
    def stored_bytes(self) -> int:
        """The bytes of the packed arrays."""
        weights = 0 if self.stored_weights is None else int(self.stored_weights.nbytes)
        return self.offsets.nbytes + self.neighbours.nbytes + weights

    @property
    def id_dtype(self) -> np.dtype[Any]:
        """The dtype of the neighbours."""
        return self.neighbours.dtype

    @property
    def weight_dtype(self) -> np.dtype[Any] | None:
        """The dtype of the weights, or None."""
        return None if self.stored_weights is None else self.weights_as

    def row(self, vertex: int) -> IdArray:
        """The neighbours of one vertex; only its row is unpacked."""
        return super().row(vertex) if self.is_unpacked else self._rows(vertex, vertex + 1)

    def some_rows(self, vertices: Array) -> Adjacency:
        """The rows of some vertices as plain rows, which are not kept with these."""
        from clew.packed import kernels

        starts, ids = as_bits(self.indptr), as_bits(vertices)
        indptr = np.zeros(vertices.size + 1, OFFSET)
        np.cumsum(self.indptr[vertices + 1] - self.indptr[vertices], out=indptr[1:])
        indices, stored = np.empty(indptr[-1], self.id_dtype), self.stored_weights
        weights = None if stored is None else np.empty(indptr[-1], stored.dtype)
        pieces = threads.pieces(indices.size)
        places = (as_bits(indptr), as_bits(indices), as_bits(stored), as_bits(weights))
        threads.each(kernels.unpack_chosen, pieces, pieces, self.neighbours.given, starts, ids, *places)
        widened = None if weights is None else weights.astype(self.weights_as, copy=False)
        return Adjacency(indptr, indices, widened, width=self.num_columns)

    def plain(self) -> Adjacency:
        """The same rows as plain arrays, which are not kept with these."""
        passing = PackedAdjacency(*self.__reduce__()[1])
        passing._kept.update(self._kept)
        return Adjacency(passing.indptr, passing.indices, passing.weights, self.boundary, self.width)

    def at(self, places: Any) -> Array:
        """The entries at some places of ``indices``, given as an array or a slice; no others are unpacked."""
        from clew.packed import kernels

        places = np.arange(*places.indices(self.num_arcs)) if isinstance(places, slice) else np.asarray(places)
        out = np.empty(places.size, self.id_dtype)
        rows = np.searchsorted(self.indptr, places.ravel(), side="right") - 1
        given = (as_bits(self.indptr), as_bits(rows), as_bits(places.ravel().astype(OFFSET)), as_bits(out))
        pieces = threads.pieces(out.size)
        threads.each(kernels.unpack_entries, pieces, pieces, self.neighbours.given, *given)
        return out.reshape(places.shape)

    def chunks(self) -> Iterator[tuple[int, Adjacency]]:
        """Rows without weights, some at a time, as (number of the first, plain rows): for one pass over them."""
        if self.is_unpacked:
            yield 0, Adjacency(self.indptr, self.indices, width=self.num_columns)
            return
        bounds = np.searchsorted(self.indptr, np.arange(0, self.num_arcs, CHUNK), side="left")
        cuts = np.unique([*bounds, self.num_vertices])
        for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
            indptr = self.indptr[first : last + 1] - self.indptr[first]
            yield first, Adjacency(indptr, self._rows(first, last), width=self.num_columns)

    def check(self) -> None:
        """Raise GraphError if unpacking would read outside the arrays."""
        self.offsets.check()
        self.neighbours.check()
        starts = self.offsets.unpacked()
        if starts[0] != 0 or starts[-1] != self.num_arcs or (starts[1:] < starts[:-1]).any():
            raise GraphError(
                f"the offsets run from {starts[0]} to {starts[-1]}; expected them to ascend from 0 to "
                f"{self.num_arcs:,}, the number of arcs."
            )

    def _keep(self, name: str, unpack: Any) -> Any:
        if name not in self._kept:
            array = unpack()
            array.flags.writeable = False
            self._kept[name] = array
        return self._kept[name]

    def _rows(self, first: int, last: int) -> Any:
        """The neighbours of some rows, unpacked on all threads."""
        from clew.build.kernels_sort import row_blocks
        from clew.packed import kernels

        starts = self.indptr
        base = int(starts[first])
        out: Array = np.empty(int(starts[last]) - base, self.id_dtype)
        local = starts[first : last + 1]
        bounds = row_blocks(local, threads.pieces(out.size)) + first if out.size else np.array([first, last])
        given = (self.neighbours.given, as_bits(starts), np.uint64(base), as_bits(out))
        threads.each(kernels.unpack_row_blocks, bounds.size - 1, bounds, *given)
        return out


class Glimpse:
    """Stands for an array of packed rows where a few entries are read: they are unpacked then, and not kept."""

    def __init__(self, dtype: Any, size: int, read: Callable[[Any], Array], stored: Array | None = None) -> None:
        self.dtype, self.size, self._read, self._stored = np.dtype(dtype), size, read, stored
        self.itemsize, self.nbytes = self.dtype.itemsize, size * self.dtype.itemsize
        self.flags, self.base = SimpleNamespace(writeable=False), None

    def __getitem__(self, places: Any) -> Array:
        return self._read(places)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.asarray(self[:], dtype)

    def __getattr__(self, name: str) -> Any:
        """What else an array has, of the whole array."""
        if name.startswith("__"):
            raise AttributeError(name)
        whole: Any = np.asarray(self) if self._stored is None or name not in ("min", "max") else self._stored
        return getattr(whole, name)


class GlimpsedAdjacency(PackedAdjacency):
    """Packed rows for who reads a few neighbours and weights, of which ``indices`` and ``weights`` unpack no more."""

    __slots__ = ("indices", "weights")
    indices: Any
    weights: Any

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        stored, dtype = self.stored_weights, self.weights_as
        weights: Any = stored
        if stored is not None and stored.dtype != dtype:
            weights = Glimpse(dtype, stored.size, lambda at: stored[at].astype(dtype), stored)
        rows = PackedAdjacency(*given)  # which does not hold these in turn
        object.__setattr__(rows, "_kept", self._kept)
        object.__setattr__(self, "indices", Glimpse(self.id_dtype, self.num_arcs, rows.at))
        object.__setattr__(self, "weights", weights)

    def plain(self) -> Adjacency:
        """The same rows as plain arrays."""
        return PackedAdjacency(*self.__reduce__()[1]).plain()


def glimpsed(rows: Adjacency) -> Adjacency:
    """The rows, for who reads a few neighbours; nothing is kept with those that are given."""
    return GlimpsedAdjacency(*rows.__reduce__()[1]) if isinstance(rows, PackedAdjacency) else rows


def packed(rows: Adjacency, *, consume: bool = False) -> PackedAdjacency:
    """Pack rows; those that are packed stay as they are. ``consume`` returns their memory, piece by piece."""
    if isinstance(rows, PackedAdjacency):
        return rows
    if rows.indptr.dtype != OFFSET:
        raise GraphError(f"offsets have dtype {rows.indptr.dtype}; only rows with offsets of {OFFSET} can be packed.")
    offsets = pack(rows.indptr, rows.num_arcs)
    if consume and rows.indices.flags.owndata:
        rows.indices.flags.writeable = True  # or nothing of it is returned
    neighbours = pack(rows.indices, max(0, rows.num_columns - 1), rows.indptr, consume=consume)
    rows.indices.flags.writeable = False
    weights = None if rows.weights is None else narrowed(rows.weights)
    return PackedAdjacency(offsets, neighbours, weights, rows.weight_dtype, rows.boundary, rows.width)


def packed_like(model: Adjacency, rows: Adjacency) -> Adjacency:
    """The rows, packed if ``model`` is."""
    return packed(rows) if model.is_packed else rows


def narrowed(weights: Array) -> Array:
    """The weights in the narrowest integer type that holds them all exactly; themselves where there is none."""
    if not weights.size or weights.dtype.kind == "b" or weights.itemsize == 1:
        return weights
    low, high = weights.min(), weights.max()
    for dtype in _NARROWER:
        if dtype.itemsize >= weights.itemsize or not np.isfinite([low, high]).all():
            break
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            narrow = weights.astype(dtype)
            return narrow if weights.dtype.kind != "f" or _same_bits(narrow, weights) else weights
    return weights


def _same_bits(narrow: Array, weights: Array) -> bool:
    """Whether narrow integers are the same numbers as floats, by their bits: -0.0 equals 0.0 and must not become it."""
    parts = (slice(first, first + CHUNK) for first in range(0, weights.size, CHUNK))
    return all(np.array_equal(as_bits(narrow[part].astype(weights.dtype)), as_bits(weights[part])) for part in parts)
