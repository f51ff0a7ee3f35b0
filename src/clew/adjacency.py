"""Adjacency: the compressed rows that everything runs over, and the facts that were found while they were built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clew.checks import counted
from clew.dtypes import Array, IdArray, OffsetArray

#: Where the metadata of a graph with a placement has the number of vertices in slow memory.
BOUNDARY = "placement_boundary"
_UNSIGNED = {4: np.uint32, 8: np.uint64}
#: What of a report a ``.clew`` file keeps; the rest is about the file that the graph came from.
COUNTS = ("given", "loops", "loops_dropped", "duplicates_merged")


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Compressed sparse rows: the neighbours of ``v`` are ``indices[indptr[v]:indptr[v + 1]]``, in ascending order.

    The arrays are made read-only: a graph never changes once it is there, so that it can be shared and cached freely.
    ``boundary`` is the first row that a placement puts into fast memory; None without one. ``width`` is the number of
    columns; None means as many as rows. Offsets may have 32 bits in a block of a graph on a cluster.
    """

    indptr: OffsetArray
    indices: IdArray
    weights: Array | None = None
    boundary: int | None = None
    width: int | None = None

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.weights):
            if array is not None:
                array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its arrays, which makes them read-only again on the other side."""
        return Adjacency, (self.indptr, self.indices, self.weights, self.boundary, self.width)

    def cut_at(self, boundary: Any) -> Adjacency:
        """The same rows with a boundary; themselves where it is none that there could be."""
        if not isinstance(boundary, (int, np.integer)) or not 0 <= boundary <= self.num_vertices:
            return self
        return replace(self, boundary=int(boundary))

    @property
    def identity(self) -> Array:
        """The array by which a device knows these rows."""
        return self.indices

    @property
    def num_vertices(self) -> int:
        """The number of rows."""
        return self.indptr.size - 1

    @property
    def num_columns(self) -> int:
        """The number of columns."""
        return self.num_vertices if self.width is None else self.width

    @property
    def num_arcs(self) -> int:
        """The number of stored entries."""
        return int(self.indices.size)

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(array.nbytes for array in (self.indptr, self.indices, self.weights) if array is not None)

    @property
    def stored_bytes(self) -> int:
        """The bytes of what is stored; unpacked copies of packed rows do not count."""
        return self.nbytes

    @property
    def id_dtype(self) -> np.dtype[Any]:
        """The dtype of the neighbours."""
        return self.indices.dtype

    @property
    def weight_dtype(self) -> np.dtype[Any] | None:
        """The dtype of the weights, or None."""
        return None if self.weights is None else self.weights.dtype

    @property
    def is_packed(self) -> bool:
        """Whether the arrays are unpacked on use, as those of ``clew.packed``."""
        return False

    @property
    def reads_packed(self) -> bool:
        """Whether kernels that can are given packed neighbours: those of packed rows, until they are unpacked."""
        return False

    @property
    def neighbour_bytes(self) -> float:
        """The bytes that a kernel reads for the neighbour of one arc."""
        return float(self.id_dtype.itemsize)

    def readable(self) -> tuple[Any, Any]:
        """The rows for kernels that read packed ones too: ``unsigned``, or indptr and what packed neighbours are."""
        return self.unsigned()

    @property
    def stored_weights(self) -> Array | None:
        """The weights as they are stored: the same numbers, of packed rows perhaps of a narrower dtype."""
        return self.weights

    def readable_weights(self) -> Any:
        """The weights for such kernels: an array, or a narrow array and an empty one of the weights' own dtype."""
        return self.weights

    def row(self, vertex: int) -> IdArray:
        """The neighbours of one vertex."""
        return self.indices[self.indptr[vertex] : self.indptr[vertex + 1]]

    def plain(self) -> Adjacency:
        """The same rows as plain arrays: these."""
        return self

    def chunks(self) -> Iterator[tuple[int, Adjacency]]:
        """All rows, as (number of the first, plain rows); packed rows come in several chunks."""
        yield 0, self

    def unsigned(self) -> tuple[Array, Array]:
        """(indptr, indices) as unsigned integers over the same memory, which kernels are faster at indexing with."""
        return self.indptr.view(_UNSIGNED[self.indptr.itemsize]), self.indices.view(_UNSIGNED[self.indices.itemsize])

    def degrees(self) -> OffsetArray:
        """The length of every row."""
        return np.diff(self.indptr)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How many edges were given, kept, dropped and combined: nothing is dropped without being counted here.

    Parameters
    ----------
    given
        Edges as the caller or the file gave them.
    loops
        Self-loops among them.
    loops_dropped
        How many of those were dropped.
    duplicates_merged
        Edges that were dropped or combined into one with the same ends.
    columns
        The columns of the table or edge list that the graph was read from. Each became the "source", the "target" or
        the "weight", or was "ignored". Columns without a name are called "column 1", "column 2", ….
    decisions
        What the reader decided where the file does not say, a sentence each, with the option that overrides it.
    """

    given: int = 0
    loops: int = 0
    loops_dropped: int = 0
    duplicates_merged: int = 0
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)
    decisions: tuple[str, ...] = ()

    def about(self, columns: Mapping[str, str], decisions: Iterable[str] = ()) -> BuildReport:
        """The same report of a graph whose table had these columns, and what was decided about them."""
        return replace(self, columns=dict(columns), decisions=tuple(decisions))

    def __str__(self) -> str:
        columns = ", ".join(f"{name} ({role})" for name, role in self.columns.items())
        return "\n".join([self.counts, *([f"columns: {columns}"] if columns else []), *self.decisions])

    @property
    def counts(self) -> str:
        """The counts of edges, in one line."""
        parts = [f"{counted(self.given, 'edge')} given"]
        if self.loops_dropped:
            parts.append(f"{counted(self.loops_dropped, 'self-loop')} dropped")
        elif self.loops:
            parts.append(f"{counted(self.loops, 'self-loop')} kept")
        if self.duplicates_merged:
            parts.append(f"{counted(self.duplicates_merged, 'duplicate')} merged")
        return ", ".join(parts)
