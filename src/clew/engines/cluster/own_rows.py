"""Own rows: all edges of a member's own vertices, as one machine has them. Products do without them; walks need them.

The edges of a vertex are in the blocks of a whole row of the grid. These members send them to its owner, who sorts them
by the ids of their targets. The random choice of an edge is then that of one machine.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import sorted_rows
from clew.dtypes import Array, as_bits
from clew.engines.base import check_available
from clew.engines.cluster.member import Axis
from clew.engines.cluster.share import Share
from clew.result import Rows

ROUND = 1 << 20  # edges that a member sends in one round
FEW = 64  # vertices per id above which ids are sorted
ROOM = 1 << 21  # edges of others' rows that a member fetches in one batch


class OwnRows(NamedTuple):
    """Copies of own rows that a run makes, for plans: how many of a directed and of an undirected graph.

    ``weights`` are the bytes of their weights. Or they say when those of the graph are copied: if the run is
    "weighted", or if the graph has "any".
    """

    directed: int = 1
    undirected: int = 1
    weights: str | int = 0


def own_rows(share: Share, *, transpose: bool = False, weighted: bool = False) -> Adjacency:
    """The edges out of this member's vertices, or with ``transpose`` into them, by ascending id; collective.

    They are a second copy of a worker's edges. The share keeps them.
    """
    transpose &= share.directed
    known: Adjacency | None = share.own.get((transpose, True)) or share.own.get((transpose, weighted))
    if known is None:
        known = share.own[transpose, weighted] = _gathered(share, transpose=transpose, weighted=weighted)
    return known


def first_arcs(share: Share) -> Array:
    """The number of the first out-edge of each of this member's vertices, as ``graph.indptr`` has it; collective."""
    if "first arcs" not in share.own:
        share.own["first arcs"] = totals_before(share, share.own_degrees())
    known: Array = share.own["first arcs"]
    return known


class OwnEdges(NamedTuple):
    """The edges of ``graph.edges()`` that begin at this member's vertices, by ascending number.

    ``rows`` has their numbers, ``place`` the places of their sources in the segment, ``arc`` where they are in the own
    rows.
    """

    rows: Rows
    place: Array
    source: Array
    target: Array
    weights: Array | None
    arc: Array


def own_edges(share: Share, *, weighted: bool = False) -> OwnEdges:
    """A share of the edges, an undirected one once; collective."""
    rows = own_rows(share, weighted=weighted)
    by_id = np.argsort(share.ids)
    degrees = rows.degrees()[by_id]
    kept = np.repeat(rows.indptr[by_id] - (np.cumsum(degrees) - degrees), degrees) + np.arange(degrees.sum())
    place = np.repeat(by_id, degrees)
    if not share.directed:
        once = rows.indices[kept] >= share.ids[place]
        kept, place = kept[once], place[once]
    counts = np.bincount(place, minlength=share.ids.size)
    first = np.empty_like(counts)
    first[by_id] = totals_before(share, counts)[by_id] - (np.cumsum(counts[by_id]) - counts[by_id])
    numbers = first[place] + np.arange(place.size)
    weights = None if rows.weights is None or not weighted else rows.weights[kept]
    return OwnEdges(Rows(numbers, share.num_edges), place, share.ids[place], rows.indices[kept], weights, kept)


def places_in(rows: Adjacency, vertices: Array, targets: Array) -> Array:
    """Where the first of the edges to every target is in the row of its vertex, given by its place."""
    from clew.engines.cluster import kernels_partition as kernels

    found = np.empty(vertices.size, np.int64)
    threads.in_pieces(
        kernels.first_places, found.size, rows.unsigned(), vertices.astype(np.int64), targets.astype(np.int64), found
    )
    return found


def distinct(num_vertices: int, *columns: Array) -> list[Array]:
    """The ids in some columns, once each and ascending, and the place of every entry among them.

    For many ids, that takes a bit per vertex of the graph and its rank, a quarter of a byte. To sort would take longer.
    """
    sizes = [column.size for column in columns]
    if FEW * sum(sizes) < num_vertices:
        ids, places = np.unique(np.concatenate(columns), return_inverse=True)
        return [ids, *np.split(places, np.cumsum(sizes)[:-1])]
    from clew.io.edge_list import kernels

    words = np.zeros(num_vertices // 64 + 1, np.uint64)
    for column in columns:
        threads.in_pieces(kernels.mark, column.size, column, 0, words)
    before = np.empty(words.size, np.int64)
    ids = np.empty(kernels.rank_words(words, before), np.int64)
    kernels.to_values(words, 0, ids)
    ranks = [np.empty(column.size, np.int64) for column in columns]
    for column, places in zip(columns, ranks, strict=True):
        threads.in_pieces(kernels.to_ranks, column.size, column, 0, words, before, places)
    return [ids, *ranks]


def rows_of(share: Share, rows: Adjacency, vertices: Array, *columns: Array) -> tuple[Array, ...]:
    """The own rows of vertices anywhere: where each begins and ends, and its entries; collective.

    ``columns`` have more about every edge of the own rows, which is fetched too.
    """
    member = share.member
    owner, local = share.partition.place(vertices)
    order, parts = member.by_owner(owner)
    sizes: list[Array] = []
    found: list[list[Array]] = [[] for _ in (rows.indices, *columns)]
    for asked in member.all_to_all("all", [local[part] for part in parts]):
        size = rows.indptr[asked + 1] - rows.indptr[asked]
        places = np.repeat(rows.indptr[asked] - (np.cumsum(size) - size), size) + np.arange(size.sum())
        sizes.append(size)
        for column, values in zip(found, (rows.indices, *columns), strict=True):
            column.append(values[places])
    arrived = np.concatenate(member.all_to_all("all", sizes))
    begin, end = np.empty((2, order.size), np.int64)
    end[order] = np.cumsum(arrived)
    begin[order] = np.cumsum(arrived) - arrived
    return begin, end, *(np.concatenate(member.all_to_all("all", column)) for column in found)


def batches_of(share: Share, lengths: Array) -> Array:
    """Where batches of rows with about this many edges begin and end, the same number on every member; collective."""
    batch = (np.cumsum(lengths) - lengths) // ROOM
    number = int(share.member.all_reduce(np.int64(batch[-1] + 1 if batch.size else 0), np.maximum))
    return np.searchsorted(batch, np.arange(number + 1))


class Batches:
    """The own rows of vertices anywhere, in batches that take a few MB or have one row; all members make and take all.

    A vertex is fetched once, however often it is among ``targets``.
    """

    def __init__(self, share: Share, rows: Adjacency, targets: Array) -> None:
        self.share, self.rows = share, rows
        self._vertices, self._slot = distinct(share.num_vertices, targets)
        self._order = np.argsort(self._slot, kind="stable")
        self._bounds = batches_of(share, share.member.fetch(*share.partition.place(self._vertices), rows.degrees()))
        self._cuts = np.searchsorted(self._slot[self._order], self._bounds)

    def __len__(self) -> int:
        return self._bounds.size - 1

    def fetch(self, number: int, *columns: Array) -> tuple[Array, Array, Array, tuple[Array, ...]]:
        """The targets whose rows are in a batch, the row of each, the vertices of these rows, and the rows.

        Rows and ``columns`` are as in ``rows_of``.
        """
        low, high = self._bounds[number : number + 2]
        some = self._order[slice(*self._cuts[number : number + 2])]
        vertices = self._vertices[low:high]
        return some, self._slot[some] - low, vertices, rows_of(self.share, self.rows, vertices, *columns)


def totals_before(share: Share, values: Array) -> Array:
    """For each of this member's vertices, the sum of a number over all vertices with smaller ids; collective."""
    member = share.member
    chunk = max(1, -(-share.num_vertices // member.size))  # ids that each member adds up

    def answer(given: Array) -> Array:
        here = np.zeros(chunk, np.int64)
        here[given["id"] - member.rank * chunk] = given["value"]
        totals = np.concatenate(member.all_gather("all", here.sum(keepdims=True)))
        before: Array = totals[: member.rank].sum() + np.cumsum(here) - here
        answers: Array = before[given["id"] - member.rank * chunk]
        return answers

    questions = np.empty(share.ids.size, [("id", np.int64), ("value", np.int64)])
    questions["id"], questions["value"] = share.ids, values
    return member.ask(share.ids // chunk, questions, answer)


def _gathered(share: Share, *, transpose: bool, weighted: bool) -> Adjacency:
    from clew.engines.cluster import kernels_partition as kernels

    rows, axis, columns_axis = share.oriented(transpose=transpose)
    member, segment, size = share.member, share.partition.segment, share.ids.size
    first_rows = np.arange(len(member.groups[axis])) * segment
    degrees = rows.degrees()
    counts = member.all_to_all(axis, [degrees[row : row + segment] for row in first_rows])
    indptr = np.append(0, np.cumsum(np.add.reduce(counts, dtype=np.int64)[:size]))
    given = rows.weights if weighted else None
    nbytes = int(indptr[-1]) * (share.ids.itemsize + (0 if given is None else given.itemsize))
    check_available(nbytes, "a copy of the edges of a worker's own vertices", "use more workers")
    indices = np.empty(indptr[-1], share.ids.dtype)
    weights = None if given is None else np.empty(indptr[-1], given.dtype)
    filled = indptr[:-1].copy()
    rounds = int(member.all_reduce(np.int64(-(-rows.num_arcs // ROUND)), np.maximum))
    for low, high in pairwise(np.arange(rounds + 1) * segment // max(1, rounds)):
        parts = [slice(rows.indptr[row + low], rows.indptr[row + high]) for row in first_rows]
        arrived = member.all_to_all(axis, [_ids(share, columns_axis, rows.indices[part]) for part in parts])
        carried = [None] * len(parts) if given is None else member.all_to_all(axis, [given[part] for part in parts])
        for count, ids, values in zip(counts, arrived, carried, strict=True):
            kernels.append(
                count[low:high], filled[low:high], as_bits(ids), as_bits(values), as_bits(indices), as_bits(weights)
            )
    return sorted_rows(Adjacency(indptr, indices, weights), copy=False)


def _ids(share: Share, axis: Axis, columns: Array) -> Array:
    """The ids of some columns of the block."""
    which, local = np.divmod(columns.astype(np.int64), share.partition.segment)
    places = np.asarray(share.member.groups[axis])[which] * share.partition.segment + local
    return share.partition.permutation.inverse(places).astype(share.ids.dtype)
