"""Routes: the values that a product exchanges, agreed on once, so that a step sends values alone and no ids.

A block needs the values of those vertices that its columns have edges to, and has sums for those rows that have edges.
Both are lists that never change. Every member tells the owners its lists at the first product with a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.operators import Monoid

if TYPE_CHECKING:
    from clew.engines.cluster.member import Axis, Member

Lists = Sequence[Array]


class Numbering(NamedTuple):
    """Lists of routes, so that a set of vertices travels as numbers in the list of the member that needs them."""

    owned: tuple[Array, Array, Array]  # of this member's vertices: bits, their counts and sizes, by the row's members
    rows: tuple[Array, Array]  # of the block that have edges, and where those of every member begin
    columns: tuple[Array, Array, Array]  # that have edges: bits, their counts, and where every member's begin
    offered: tuple[Array, Array]  # places of this member's vertices by the column's members, and where each begins


class Routes:
    """What the products with one orientation of a block exchange; collective.

    ``needed`` are the columns with edges, by owner, and ``asked`` the places in this member's segment that others, and
    itself, need. ``bounds`` cut the rows with edges by owner, and ``due`` are the places that sums arrive for. The
    lists are in the order of the members along the axis. ``filled`` are the rows with edges.

    ``numbering`` has the same lists for compiled code that sends sets of vertices: what is in a list has a number
    there. It takes a bit for every place of ``needed`` and ``due``. The lists themselves are made from it for a call
    that reads them, until ``rest``.
    """

    def __init__(self, member: Member, rows: Adjacency, row_axis: Axis, column_axis: Axis, segment: int) -> None:
        from clew.engines.cluster import kernels_routes as kernels

        self.row_axis, self.column_axis = row_axis, column_axis
        self._offsets: Array | None = None
        self.filled = np.flatnonzero(rows.indptr[1:] > rows.indptr[:-1]).astype(np.int32)
        used = np.zeros(rows.num_columns, np.bool_)
        used[rows.indices] = True
        columns = np.flatnonzero(used).astype(np.int32)
        needed, ends = _by_owner(columns, segment, len(member.groups[column_axis]))
        owned, self.bounds = _by_owner(self.filled, segment, len(member.groups[row_axis]))
        asked = member.all_to_all(column_axis, _local(needed, segment))
        due = member.all_to_all(row_axis, _local(owned, segment))
        words = np.zeros((len(due), (segment >> 6) + 1), np.uint64)
        before = np.zeros(words.shape, np.int32)
        for places, row, counted in zip(due, words, before, strict=True):
            kernels.number(places, row, counted)
        marked = np.zeros((rows.num_columns >> 6) + 1, np.uint64)
        marked_before = np.zeros(marked.size, np.int32)
        kernels.number(columns, marked, marked_before)
        starts = np.cumsum([0, *(each.size for each in asked)])
        self.numbering = Numbering(
            (words, before, np.array([each.size for each in due])),
            (self.filled, np.array(self.bounds)),
            (marked, marked_before, np.array(ends)),
            (np.concatenate(asked), starts),
        )
        self.asked: Lists = np.split(self.numbering.offered[0], starts[1:-1])

    @cached_property
    def needed(self) -> Lists:
        """The columns with edges, by owner."""
        words, _, ends = self.numbering.columns
        return np.split(_listed(words, ends[-1]), ends[1:-1])

    @cached_property
    def due(self) -> Lists:
        """The places that sums arrive for, by the members that send them."""
        words, _, sizes = self.numbering.owned
        return [_listed(row, size) for row, size in zip(words, sizes, strict=True)]

    def rest(self) -> None:
        """Free the lists: bits have the same."""
        self._offsets = None
        for name in ("needed", "due"):
            self.__dict__.pop(name, None)

    def rows(self, block: Adjacency) -> Adjacency:
        """The rows of the block that have edges."""
        if self._offsets is None:
            self._offsets = np.append(block.indptr[self.filled], block.indptr[-1:])
        return Adjacency(self._offsets, block.indices, block.weights, width=block.num_columns)

    def expand(self, member: Member, x: Array, columns: int) -> Array:
        """The values of all columns that have edges; the others are undefined."""
        from clew.engines.cluster import kernels_routes as kernels

        gathered = np.empty(columns, x.dtype)
        packed = [np.empty(places.size, x.dtype) for places in self.asked]
        for places, values in zip(self.asked, packed, strict=True):
            threads.in_pieces(kernels.pack, places.size, places, as_bits(x), as_bits(values))
        for places, values in zip(self.needed, member.all_to_all(self.column_axis, packed), strict=True):
            threads.in_pieces(kernels.put, places.size, places, as_bits(values), as_bits(gathered))
        return gathered

    def fold(self, member: Member, partial: Array, size: int, monoid: Monoid) -> Array:
        """The sums for this member's segment, from the sums of the rows with edges, in the order of ranks."""
        from clew.engines.cluster import kernels_routes as kernels
        from clew.engines.cpu.compiler import kernel

        combine = kernel(kernels.make_combine, monoid.operator.function).dispatcher
        total = np.full(size, monoid.identity(partial.dtype), partial.dtype)
        parts = member.all_to_all(self.row_axis, [partial[low:high] for low, high in pairwise(self.bounds)])
        for places, values in zip(self.due, parts, strict=True):
            combine(places, values, total)
        return total


def _by_owner(places: Array, segment: int, owners: int) -> tuple[list[Array], list[int]]:
    """Places of a block by the member that owns them, and where each part begins and ends."""
    bounds = np.searchsorted(places, np.arange(owners + 1) * segment).tolist()
    return [places[low:high] for low, high in pairwise(bounds)], bounds


def _listed(words: Array, size: int) -> Array:
    """The places of which bits are set."""
    from clew.engines.cluster import kernels_routes as kernels

    places = np.empty(size, np.int32)
    kernels.list_places(words, places)
    return places


def _local(parts: Lists, segment: int) -> list[Array]:
    """The same places, in the segments of their owners."""
    return [part - np.int32(k * segment) for k, part in enumerate(parts)]
