"""Share: one member's part of a graph on a cluster: a block of its edges, and a segment of its vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from clew import build, transform
from clew.adjacency import Adjacency, BuildReport
from clew.attributes import NO_ATTRIBUTES
from clew.dtypes import Array, OffsetArray, id_dtype
from clew.engines.base import check_available
from clew.engines.cluster.all_weights import AllWeights
from clew.engines.cluster.edges import EdgeExchange
from clew.engines.cluster.hubs import partition_by_degree, sampled
from clew.engines.cluster.member import Axis, Member
from clew.engines.cluster.partition import Grid, Partition
from clew.engines.cluster.routes import Routes
from clew.errors import GraphError
from clew.free_memory import available_bytes
from clew.graph import Duplicates, Graph, Loops
from clew.names import Name, VertexNames

if TYPE_CHECKING:
    from clew.engines.cluster.kernels_superstep import Channel

#: Rows of a block from which offsets have 32 bits, if its edges allow it. Kernels are compiled again for them, so small
#: blocks have the offsets of one machine.
NARROW_FROM = 1 << 18
TURN_AT, ROOMS = 3, 4  # the search that sorts edges by target, and how many copies of them there must be room for


class Share(Graph):
    """One member's share of a graph.

    It has the facts of the whole graph, and the weights and edges of one block. Public functions check their arguments
    against it as they do with a graph in one process; generic forms run over it.
    """

    def __init__(
        self,
        member: Member,
        partition: Partition,
        block: Adjacency,
        *,
        directed: bool,
        num_arcs: int,
        num_loops: int,
        names: VertexNames | None = None,
        report: BuildReport | None = None,
        is_reversed: bool = False,
    ) -> None:
        self.member, self.partition = member, partition
        self._by_source: Adjacency | None = block
        self._in: Adjacency | None = None
        self._without_weights: Share | None = None
        self._searches = [0]  # that have pushed alone
        self._routes: dict[Axis, Routes] = {}
        self.own: dict[Any, Any] = {}  # see ``clew.engines.cluster.own_rows``
        self._directed, self._names = directed, names
        self._num_arcs, self.num_loops = num_arcs, num_loops
        self._report = report or BuildReport(given=num_arcs)
        self._metadata: dict[str, Any] = {}
        self._attributes = NO_ATTRIBUTES
        self.is_reversed = is_reversed
        self._ids_along: dict[Axis, Array] = {}
        self.ghosts: tuple[Array, Array] | None = None  # see ``clew.engines.cluster.ranges``
        self.ids = partition.owned(member.rank).astype(id_dtype(partition.num_vertices))

    def connect(self, member: Member) -> None:
        """Continue over new connections. Routes are agreed on again: the old connections may have ended meanwhile."""
        self.member = member.on(self.partition.grid)
        self._routes.clear()
        self.own.clear()
        self._without_weights = None

    @property
    def _out(self) -> Adjacency:  # type: ignore[override]
        """The edges by source, sorted again if they were released."""
        if self._by_source is None:
            assert self._in is not None
            rows = transform.transposed(self._in)
            self._by_source = rectangle(rows, self.partition.rows, self.partition.columns)
            if self._lacks_room(rows):
                self._in = None  # what needs both sorts them again, and then keeps both
        return self._by_source

    def release_source(self) -> None:
        """Free the edges by source while those by target are used, if there is no room for several copies."""
        if not self.is_reversed and self._in is not None and self._lacks_room(self._in):
            self._by_source = None

    def release_target(self) -> None:
        """The same for the edges by target, which path searches do not read."""
        if not self.is_reversed and self._lacks_room(self._out):
            self._in = self._without_weights = None

    @staticmethod
    def _lacks_room(rows: Adjacency) -> bool:
        """Whether there is too little memory for several copies of a worker's edges."""
        return available_bytes() < ROOMS * rows.nbytes

    @property
    def weight_dtype(self) -> np.dtype[Any] | None:
        """The dtype of the weights, or None."""
        return (self._in if self._by_source is None else self._by_source).weight_dtype  # type: ignore[union-attr]

    @property
    def num_vertices(self) -> int:
        """The number of vertices of the whole graph."""
        return self.partition.num_vertices

    @property
    def num_arcs(self) -> int:
        """The number of stored entries of the whole graph."""
        return self._num_arcs

    @property
    def block(self) -> Adjacency:
        """The edges of this member: rows are the vertices of its grid row, columns those of its grid column."""
        return self._out

    def rows(self, *, transpose: bool) -> Adjacency:
        """The block by source, or by target."""
        if not transpose:
            return self._out
        if self._in is None:
            remedy = "use more workers, or machines with more memory"
            check_available(self._out.nbytes, "a second copy of a worker's edges, by target,", remedy)
            self._without_weights = None
            self._in = transform.transposed(self._out)
        return self._in

    def without_weights(self) -> Share:
        """The graph for an algorithm that needs no weights: a second copy of the edges, by target, then has none.

        If there is a copy with weights, that is used.
        """
        if self._in is not None or not self.weighted:
            return self
        if self._without_weights is None:
            self._without_weights = self.with_weights(None)
        return self._without_weights

    def for_pulls(self, row_axis: Axis) -> Adjacency | None:
        """The edges of the block by column, for a search that reads them by row; None if it is to do without.

        To sort edges by target takes as long as several searches that only push, and as much memory as the edges. So
        only later searches do it, and only if there is room for several copies.
        """
        if row_axis == "column" or self._in is not None:
            return self.rows(transpose=row_axis == "row")
        self._searches[0] += 1
        if self._searches[0] < TURN_AT or self._lacks_room(self._out):
            return None
        return self.rows(transpose=True)

    def oriented(self, *, transpose: bool) -> tuple[Adjacency, Axis, Axis]:
        """The block for a product with the graph or its transpose.

        Returns its rows, the axis of the grid whose vertices are the rows, and the axis whose vertices are the columns.
        """
        if self._directed and transpose != self.is_reversed:
            return self.rows(transpose=True), "column", "row"
        return self.rows(transpose=False), "row", "column"

    def channel(self, axis: Axis, itemsize: int = 0) -> Channel:
        """What compiled code needs for messages along an axis, with values of ``itemsize`` bytes."""
        segment, ranks = self.partition.segment, self.member.groups[axis]
        sizes = [min(segment, max(0, self.num_vertices - rank * segment)) for rank in ranks]
        room = 64 + segment // 8 + segment * itemsize
        starts = np.arange(len(ranks)) * segment
        channel: Channel = self.member.sockets.channel(ranks, room, starts, np.array(sizes, np.int64))
        return channel

    @property
    def has_ranges(self) -> bool:
        """Whether every member has all out-edges of its vertices."""
        return self.partition.grid.one_column and not self.is_reversed

    def ids_along(self, axis: Axis) -> Array:
        """The ids of the vertices of the block's rows or columns; -1 where there is none."""
        if axis not in self._ids_along:
            segment, ranks = self.partition.segment, self.member.groups[axis]
            ids = np.full(segment * len(ranks), -1, self.ids.dtype)
            for place, rank in enumerate(ranks):
                owned = self.partition.owned(rank)
                ids[place * segment : place * segment + owned.size] = owned
            self._ids_along[axis] = ids
        return self._ids_along[axis]

    def routes(self, *, transpose: bool) -> tuple[Adjacency, Routes]:
        """The rows of a product with the graph or its transpose, and what members exchange for it; collective."""
        rows, row_axis, column_axis = self.oriented(transpose=transpose)
        if row_axis not in self._routes:
            self._routes[row_axis] = Routes(self.member, rows, row_axis, column_axis, self.partition.segment)
        return rows, self._routes[row_axis]

    @property
    def names(self) -> None:
        """None: every worker has the names of its own vertices only."""
        return None

    def vertex(self, name: Any) -> int:
        """The id of the vertex that the user calls ``name``, on any worker."""
        if self._names is None:
            return super().vertex(name)
        try:
            here = int(self.ids[self._names.id_of(name)])
        except GraphError:
            here = -1
        found = int(self.member.all_reduce(np.int64(here), np.maximum))
        if found < 0:
            raise GraphError(f"{name!r} is not a vertex of the graph.")
        return found

    def name(self, vertex: int) -> Name:
        """The id, since the name may be on another worker."""
        return int(vertex)

    def degrees(self, direction: Literal["out", "in"] = "out") -> OffsetArray:
        """The number of edges out of, or into, every vertex of the whole graph."""
        if direction not in ("out", "in"):
            raise GraphError(f"direction is {direction!r}; expected 'out' or 'in'.")
        return self.member.gather_by_id(self.ids, self.own_degrees(transpose=direction == "in"), self.num_vertices)

    def own_degrees(self, *, transpose: bool = False) -> OffsetArray:
        """The number of edges out of, or with ``transpose`` into, each of this member's vertices."""
        if self._by_source is None and transpose == self.is_reversed:  # nothing is sorted for that
            assert self._in is not None
            partial, axis = transform.in_degrees(self._in), "row"
        else:
            rows, axis, _ = self.oriented(transpose=transpose)
            partial = rows.degrees()
        segment = self.partition.segment
        count = len(self.member.groups[axis])
        parts = self.member.all_to_all(axis, [partial[k * segment : (k + 1) * segment] for k in range(count)])
        return np.add.reduce(parts, dtype=np.int64)[: self.ids.size]  # type: ignore[no-any-return]

    def symmetrized(self, duplicates: Duplicates = "first") -> Share:
        """The undirected graph with an edge wherever this one has one in either direction."""
        if not self._directed:
            return self
        ends = edge_ends(self)
        options: dict[str, Any] = {"directed": False, "symmetrize": True, "duplicates": duplicates}
        return build_share(self.member, *ends, self._out.weights, self.partition, **options).with_names(self._names)

    def for_user_code(self) -> UserShare:
        """The same share for users' code, which expects the whole graph."""
        share = object.__new__(UserShare)
        share.__dict__.update(self.__dict__)
        return share

    def reversed(self) -> Share:
        """The graph with every edge reversed."""
        return self._like(self._out, is_reversed=self._directed and not self.is_reversed)

    def with_weights(self, weights: Any) -> Share:
        """The same edges with other weights, one per edge of the block, or with none."""
        changed = self._like(transform.reweighted(self._out, weights, directed=True))
        if weights is None and self._in is not None:
            changed._in = transform.reweighted(self._in, None, directed=True)
        return changed

    def with_names(self, names: VertexNames | None) -> Share:
        """The same graph with names for this member's vertices, in the order of its segment."""
        return self._like(self._out, names=names)

    def with_report(self, report: BuildReport) -> Share:
        """The same graph with another report."""
        return self._like(self._out, report=report)

    def with_block(self, block: Adjacency) -> Share:
        """The directed graph of other edges between the same vertices."""
        arcs = int(self.member.all_reduce(np.int64(block.num_arcs), np.add))
        return self._like(block, num_arcs=arcs, directed=True)

    def _like(self, block: Adjacency, **changed: Any) -> Share:
        facts = {
            "directed": self._directed,
            "num_arcs": self._num_arcs,
            "num_loops": self.num_loops,
            "names": self._names,
            "report": self._report,
            "is_reversed": self.is_reversed,
        }
        share = Share(self.member, self.partition, block, **{**facts, **changed})
        share.ids = self.ids
        if block.indices is self._out.indices:
            share._routes, share._searches = self._routes, self._searches
            share._in = self._in if block is self._out else None
        return share

    def edges(self) -> NoReturn:
        """Refused: no process has all edges."""
        raise GraphError("the edges of a graph on a cluster are not in one process.")


class UserShare(Share):
    """A share as ``start`` of a vertex program sees it: with facts about the weights of the whole graph."""

    @property
    def weights(self) -> Any:
        """Facts about all weights; no process has the weights themselves."""
        return None if self._out.weights is None else AllWeights(self)


def in_both_directions(graph: Share, weights: Array | None) -> Share:
    """The edges of a directed graph in both directions, a loop twice."""
    source, target = edge_ends(graph)
    ends = np.concatenate([source, target]), np.concatenate([target, source])
    doubled = None if weights is None else np.concatenate([weights, weights])
    return build_share(graph.member, *ends, doubled, graph.partition)


def is_handle(graph: Any) -> bool:
    """Whether this is the driver's handle of a graph on a cluster: ``clew.distributed.graph.ClusterGraph``."""
    return hasattr(graph, "run_algorithm")


def edge_ends(graph: Share) -> tuple[Array, Array]:
    """The ids of both ends of every edge of the block."""
    partition = graph.partition
    rows = np.repeat(np.arange(graph.block.num_vertices), graph.block.degrees())
    places = partition.places(graph.member.rank, rows, graph.block.indices)
    ends = [partition.permutation.inverse(each) for each in places]
    return (ends[1], ends[0]) if graph.is_reversed else (ends[0], ends[1])


def rectangle(rows: Adjacency, height: int, columns: int) -> Adjacency:
    """A block with its numbers of rows and columns, and with offsets of 32 bits where that saves much memory."""
    offsets = rows.indptr[: height + 1]
    if height >= NARROW_FROM and rows.num_arcs <= np.iinfo(np.int32).max:
        offsets = offsets.astype(np.int32)
    return Adjacency(offsets, rows.indices, rows.weights, width=columns)


def build_share(
    member: Member,
    source: Array,
    target: Array,
    weights: Array | None,
    num_vertices: int | Partition,
    *,
    directed: bool = True,
    symmetrize: bool = False,
    duplicates: Duplicates = "keep",
    loops: Loops = "keep",
) -> Share:
    """Build a graph from the edges of all members; returns this member's share.

    Every member may pass any of the edges. ``symmetrize`` adds every edge in the other direction. Without it, an
    undirected graph must be passed in both directions. A graph with the vertices of another one is given the partition
    of that one in place of a number of vertices.
    """
    if isinstance(num_vertices, Partition):
        partition = num_vertices
    else:
        some = sampled([source, target], member.size)
        partition = partition_by_degree(member.on(Grid(member.size)), num_vertices, *some, both=symmetrize)
    exchange = EdgeExchange(member.on(partition.grid), partition, symmetrize=symmetrize, drop_loops=loops == "drop")
    exchange.add(source, target, weights)
    return share_of(exchange, None if weights is None else weights.dtype, directed=directed, duplicates=duplicates)


def share_of(
    exchange: EdgeExchange, weights: np.dtype[Any] | None, *, directed: bool, duplicates: Duplicates = "keep"
) -> Share:
    """The graph of all edges that the members have handed to an exchange; ``weights`` is their dtype."""
    member, partition = exchange.member, exchange.partition
    arrived, mending = exchange.finish(weights), member.mending
    if mending is not None and mending.known is not None:
        return mending.known
    built = build.build(
        arrived.rows,
        arrived.columns,
        arrived.weights,
        num_vertices=max(partition.rows, partition.columns),
        directed=True,
        duplicates=duplicates,
        loops="keep",
        consume=True,
    )
    block = rectangle(built.adjacency, partition.rows, partition.columns)
    if mending is not None:
        return Share(member.on(partition.grid), partition, block, **mending.facts)
    counts = [exchange.given, exchange.num_loops, block.num_arcs, built.report.duplicates_merged]
    given, num_loops, arcs, merged = member.all_reduce(np.array(counts, np.int64), np.add).tolist()
    dropped = num_loops if exchange.drop_loops else 0
    left = num_loops - dropped
    if left and duplicates != "keep":
        (ids,) = member.send_to_owners(partition.place(arrived.loop_ids)[0], [arrived.loop_ids])
        left = int(member.all_reduce(np.int64(np.unique(ids).size), np.add))
    if not directed and not exchange.symmetrize:  # an edge was given in both directions, a loop in one
        given = (given + num_loops) // 2
    if not directed:  # a merged edge was in two rows, a merged loop in one
        merged = (merged + num_loops - dropped - left) // 2
    report = BuildReport(given, num_loops, dropped, merged)
    return Share(member, partition, block, directed=directed, num_arcs=arcs, num_loops=left, report=report)
