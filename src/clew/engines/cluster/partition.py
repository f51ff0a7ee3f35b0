"""Which worker has which vertices and edges: a grid of workers, and a partition of the vertices among them.

The vertices are put in the order of a keyed permutation and cut into one segment per worker. So every worker has as
much of every part of the graph. Worker (i, j) of the grid has the edges from the vertices of grid
row i to the vertices of grid column j. A product then needs the segments of one grid row and one grid column only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from clew.dtypes import Array

KEY = 0x9E3779B97F4A7C15  # of the permutation that places vertices: any odd number, the same in every run


@dataclass(frozen=True)
class Permutation:
    """A permutation of 0…size-1 that a key selects. It takes no memory."""

    size: int
    key: int = KEY

    def __call__(self, values: Array) -> Array:
        """The places of some values."""
        from clew.engines.cluster import kernels_partition as kernels

        places = np.array(values, dtype=np.int64)
        kernels.permute(places, np.uint64(self.size), self._bits, self._factors[0])
        return places

    def inverse(self, places: Array) -> Array:
        """The values at some places."""
        from clew.engines.cluster import kernels_partition as kernels

        values = np.array(places, dtype=np.int64)
        kernels.restore(values, np.uint64(self.size), self._bits, *self._factors)
        return values

    @property
    def _bits(self) -> int:
        return max(1, (self.size - 1).bit_length())

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """Odd factors and their inverses modulo 2^64, which are inverses modulo every smaller power of two."""
        factors = [(self.key * (2 * k + 1) | 1) % 2**64 for k in range(3)]
        return np.array(factors, np.uint64), np.array([pow(each, -1, 2**64) for each in factors], np.uint64)


class Order(Protocol):
    """An order of all vertices."""

    def __call__(self, values: Array) -> Array:
        """The places of some vertices."""

    def inverse(self, places: Array) -> Array:
        """The vertices at some places."""


class AsNumbered:
    """Vertices in the order of their ids."""

    def __call__(self, values: Array) -> Array:
        """The places of some vertices."""
        return np.array(values, dtype=np.int64)

    inverse = __call__


class Listed:
    """An order given by the place of every vertex. It takes 8 bytes per vertex."""

    def __init__(self, places: Array) -> None:
        self._places, self._vertices = places, np.empty_like(places)
        self._vertices[places] = np.arange(places.size)

    def __call__(self, values: Array) -> Array:
        """The places of some vertices."""
        return self._places[values].astype(np.int64)

    def inverse(self, places: Array) -> Array:
        """The vertices at some places."""
        return self._vertices[places].astype(np.int64)


class Hubs(NamedTuple):
    """Vertices, heaviest first, and how many out-edges and in-edges of each were in a sample."""

    ids: tuple[int, ...]
    out: tuple[int, ...]
    into: tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """The workers in rows and columns, as nearly square as their number allows, or in one column."""

    workers: int
    one_column: bool = False

    @cached_property
    def rows(self) -> int:
        """The number of rows: the largest divisor that is at most the square root, or all workers."""
        if self.one_column:
            return self.workers
        return next(rows for rows in range(math.isqrt(self.workers), 0, -1) if self.workers % rows == 0)

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.workers // self.rows

    def row_of(self, rank: int) -> list[int]:
        """The workers in the same row, in order."""
        first = rank // self.columns * self.columns
        return list(range(first, first + self.columns))

    def column_of(self, rank: int) -> list[int]:
        """The workers in the same column, in order."""
        return list(range(rank % self.columns, self.workers, self.columns))


@dataclass(frozen=True)
class Partition:
    """The vertices and edges of a graph on a grid of workers.

    ``order`` says at which place a vertex is, and which vertex is at a place. The default is a keyed permutation, in
    which ``hubs`` are dealt out by their edges.
    """

    num_vertices: int
    grid: Grid
    order: Order | None = None
    hubs: Hubs | None = None

    @cached_property
    def segment(self) -> int:
        """The number of vertices per worker; the last ones may have fewer."""
        return max(1, -(-self.num_vertices // self.grid.workers))

    @property
    def rows(self) -> int:
        """The number of rows of every worker's block: the vertices of its grid row."""
        return self.segment * self.grid.columns

    @property
    def columns(self) -> int:
        """The number of columns of every worker's block: the vertices of its grid column."""
        return self.segment * self.grid.rows

    @cached_property
    def permutation(self) -> Order:
        """The order in which vertices are dealt out."""
        return Dealt(self, self.hubs) if self.hubs else self.order or Permutation(self.num_vertices)

    def num_owned(self, rank: int) -> int:
        """The number of vertices of a worker."""
        return min(max(self.num_vertices - rank * self.segment, 0), self.segment)

    def owned(self, rank: int) -> Array:
        """The vertices of a worker, in the order of its segment."""
        return self.permutation.inverse(rank * self.segment + np.arange(self.num_owned(rank)))

    def place(self, vertices: Array) -> tuple[Array, Array]:
        """The worker of every vertex, and its place in that worker's segment."""
        owner, local = np.divmod(self.permutation(vertices), self.segment)
        return owner, local

    def places(self, rank: int, rows: Array, columns: Array) -> tuple[Array, Array]:
        """The places in the permutation of both ends of edges, given their rows and columns in a worker's block."""
        ends = []
        for local, group in ((rows, self.grid.row_of(rank)), (columns, self.grid.column_of(rank))):
            which, local = np.divmod(local.astype(np.int64), self.segment)
            ends.append(np.asarray(group)[which] * self.segment + local)
        return ends[0], ends[1]

    def edges(self, source: Array, target: Array) -> tuple[Array, Array, Array]:
        """The worker of every edge, and its row and column in that worker's block."""
        columns = self.grid.columns
        (source_owner, source_local), (target_owner, target_local) = self.place(source), self.place(target)
        worker = source_owner // columns * columns + target_owner % columns
        row = source_owner % columns * self.segment + source_local
        column = target_owner // columns * self.segment + target_local
        return worker, row, column


class Dealt:
    """A keyed permutation, but for hubs and the vertices that they have changed places with.

    Hubs go to the grid rows with the fewest out-edges of hubs, and to the grid columns with the fewest in-edges.
    """

    def __init__(self, partition: Partition, hubs: Hubs) -> None:
        from clew.engines.cluster import kernels_partition as kernels

        self._permutation = Permutation(partition.num_vertices)
        grid, segment = partition.grid, partition.segment
        whole = max(1, partition.num_vertices // segment)  # the segments behind these have fewer vertices, or none
        room = min(2 - -len(hubs.ids) // whole, segment)
        used = np.full(grid.workers, room)
        used[:whole] = 0
        loads = np.array(hubs.out, np.int64), np.array(hubs.into, np.int64)
        targets = kernels.deal(*loads, used.reshape(grid.rows, grid.columns), room, segment)
        moved: dict[int, int] = {}  # new places of places
        origin: dict[int, int] = {}  # and the other way round
        for before, after in zip(self._permutation(np.array(hubs.ids)).tolist(), targets.tolist(), strict=True):
            there, now = origin.get(after, after), moved.get(before, before)
            moved[there], origin[now] = now, there
            moved[before], origin[after] = after, before
        places = np.array(list(moved.items()), np.int64).T
        self._there, self._back = kernels.table(places[0], places[1]), kernels.table(places[1], places[0])

    def __call__(self, values: Array) -> Array:
        """The places of some vertices."""
        return _replaced(self._permutation(values), self._there)

    def inverse(self, places: Array) -> Array:
        """The vertices at some places."""
        return self._permutation.inverse(_replaced(np.array(places, dtype=np.int64), self._back))


def _replaced(places: Array, table: tuple[Array, Array, int]) -> Array:
    from clew.engines.cluster import kernels_partition as kernels

    kernels.look_up(places, *table)
    return places
