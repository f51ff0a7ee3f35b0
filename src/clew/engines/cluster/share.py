"""Share: one member's part of a graph on a cluster: a block of its edges, and a segment of its vertices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NoReturn

import numpy as np

from clew import build, transform
from clew.adjacency import Adjacency, BuildReport
from clew.dtypes import Array, OffsetArray, id_dtype
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Partition
from clew.errors import GraphError
from clew.graph import Duplicates, Graph, Loops
from clew.names import Name, VertexNames


class Share(Graph):
    """What one member has of a graph.

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
        turned: bool = False,
    ) -> None:
        self.member, self.partition = member, partition
        self._out, self._in = block, None
        self._directed, self._names = directed, names
        self._num_arcs, self.num_loops = num_arcs, num_loops
        self._report = report or BuildReport(given=num_arcs)
        self._metadata: dict[str, Any] = {}
        self.turned = turned
        self.ids = partition.owned(member.rank).astype(id_dtype(partition.num_vertices))

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
            self._in = transform.transposed(self._out)
        return self._in

    @property
    def names(self) -> None:
        """None: the names of a graph on a cluster are with their vertices, and results show them."""
        return None

    def vertex(self, name: Any) -> int:
        """The id of the vertex that the user calls ``name``, whoever has it."""
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
        """The id itself."""
        return int(vertex)

    def degrees(self, direction: Literal["out", "in"] = "out") -> OffsetArray:
        """The number of edges out of, or into, every vertex of the whole graph."""
        if direction not in ("out", "in"):
            raise GraphError(f"direction is {direction!r}; expected 'out' or 'in'.")
        turned = self._directed and (direction == "in") != self.turned
        partial = self.rows(transpose=turned).degrees()
        axis, segment = ("column" if turned else "row"), self.partition.segment
        count = len(self.member.groups[axis])
        parts = self.member.swap(axis, [partial[k * segment : (k + 1) * segment] for k in range(count)])
        own = np.sum(parts, axis=0)[: self.ids.size].astype(np.int64)
        return self.member.everywhere(self.ids, own, self.num_vertices)

    def symmetrized(self, duplicates: Duplicates = "first") -> Share:
        """The undirected graph with an edge wherever this one has one in either direction."""
        if not self._directed:
            return self
        ends = edge_ends(self)
        options: dict[str, Any] = {"directed": False, "symmetrize": True, "duplicates": duplicates}
        return shared(self.member, *ends, self._out.weights, self.num_vertices, **options).with_names(self._names)

    def seen_by_users(self) -> UserShare:
        """The same share for code that expects the whole graph."""
        share = object.__new__(UserShare)
        share.__dict__.update(self.__dict__)
        return share

    def reversed(self) -> Share:
        """The graph with every edge turned round."""
        return self._like(self._out, turned=self._directed and not self.turned)

    def with_weights(self, weights: Any) -> Share:
        """The same edges with other weights, one per edge of the block, or with none."""
        return self._like(transform.reweighted(self._out, weights, directed=True))

    def with_names(self, names: VertexNames | None) -> Share:
        """The same graph with names for this member's vertices, in the order of its segment."""
        return self._like(self._out, names=names)

    def with_report(self, columns: Mapping[str, str], decisions: Iterable[str]) -> Share:
        """The same graph with what readers decided."""
        return self._like(self._out, report=self._report.about(columns, decisions))

    def with_block(self, block: Adjacency) -> Share:
        """The graph of other edges between the same vertices."""
        arcs = int(self.member.all_reduce(np.int64(block.num_arcs), np.add))
        return self._like(block, num_arcs=arcs)

    def _like(self, block: Adjacency, **changed: Any) -> Share:
        facts = {
            "directed": self._directed,
            "num_arcs": self._num_arcs,
            "num_loops": self.num_loops,
            "names": self._names,
            "report": self._report,
            "turned": self.turned,
        }
        return Share(self.member, self.partition, block, **{**facts, **changed})

    def edges(self) -> NoReturn:
        """Refused: no process has all edges."""
        raise GraphError("the edges of a graph on a cluster are not in one process.")


def check_cpu(device: str) -> None:
    """Reject other devices than the CPU, which workers of a cluster do not use."""
    if device not in ("auto", "cpu"):
        raise GraphError(f'device is {device!r}, and workers of a cluster compute on CPUs; use "auto" or "cpu".')


class UserShare(Share):
    """A share in ``start`` of a vertex program, which every worker runs: what it reads is of the whole graph."""

    @property
    def weights(self) -> Any:
        """The extent and the sum of all weights; the weights themselves are not in one process."""
        return None if self._out.weights is None else _AllWeights(self)

    def seen_by_users(self) -> UserShare:
        """Itself."""
        return self


class _AllWeights:
    """Facts about the weights of all members; every method is collective."""

    def __init__(self, share: Share) -> None:
        assert share._out.weights is not None
        self._member, self._own = share.member, share._out.weights
        self.dtype, self.size = self._own.dtype, share.num_arcs

    def min(self, initial: Any = None) -> Any:
        """The smallest weight."""
        return self._extreme(np.minimum, initial)

    def max(self, initial: Any = None) -> Any:
        """The largest weight."""
        return self._extreme(np.maximum, initial)

    def sum(self) -> Any:
        """The sum of all weights."""
        return self._member.all_reduce(self._own.sum(), np.add)

    def mean(self) -> Any:
        """The mean weight."""
        return self.sum() / self.size

    def _extreme(self, choose: Any, initial: Any) -> Any:
        own = choose.reduce(self._own, keepdims=True) if self._own.size else self._own
        parts = np.concatenate(self._member.share("all", own))
        return choose.reduce(parts, **({} if initial is None else {"initial": initial}))

    def __getattr__(self, name: str) -> Any:
        raise GraphError(
            f"a program on a cluster reads graph.weights.{name}, and no process has all weights; min, max, sum and "
            "mean are available."
        )


def edge_ends(graph: Share) -> tuple[Array, Array]:
    """The ids of both ends of every edge of the block."""
    partition, member = graph.partition, graph.member
    rows = np.repeat(np.arange(graph.block.num_vertices), graph.block.degrees())
    ends = []
    for places, axis in ((rows, "row"), (graph.block.indices, "column")):
        which, local = np.divmod(places.astype(np.int64), partition.segment)
        owner = np.asarray(member.groups[axis])[which]
        ends.append(partition.permutation.inverse(owner * partition.segment + local))
    return (ends[1], ends[0]) if graph.turned else (ends[0], ends[1])


def shared(
    member: Member,
    source: Array,
    target: Array,
    weights: Array | None,
    num_vertices: int,
    *,
    directed: bool = True,
    symmetrize: bool = False,
    duplicates: Duplicates = "keep",
    loops: Loops = "keep",
) -> Share:
    """The share of this member of the graph of all edges that the members contribute, each any part of them.

    ``symmetrize`` adds every edge in the other direction too; without it an undirected graph needs both already.
    """
    partition = Partition(num_vertices, member.grid)
    given = source.size
    loop = source == target
    num_loops = int(loop.sum())
    if loops == "drop" and num_loops:
        source, target = source[~loop], target[~loop]
        weights = None if weights is None else weights[~loop]
        loop = loop[~loop]
    if symmetrize:
        back = ~loop  # a self-loop is stored once
        source, target = np.concatenate([source, target[back]]), np.concatenate([target, source[back]])
        weights = None if weights is None else np.concatenate([weights, weights[back]])
    worker, row, column = partition.edges(source, target)
    columns = [row.astype(np.int32), column.astype(np.int32), *([] if weights is None else [weights])]
    arrived = member.deliver(worker, columns)
    built = build.build(
        arrived[0],
        arrived[1],
        arrived[2] if weights is not None else None,
        num_vertices=partition.block,
        directed=True,
        duplicates=duplicates,
        loops="keep",
        consume=True,
    )
    block = built.adjacency
    counts = np.array([given, num_loops, block.num_arcs, built.report.duplicates_merged], np.int64)
    total = [int(member.all_reduce(each, np.add)) for each in counts]
    dropped = total[1] if loops == "drop" else 0
    return Share(
        member,
        partition,
        block,
        directed=directed,
        num_arcs=total[2],
        num_loops=total[1] - dropped,
        report=BuildReport(total[0], total[1], dropped, total[3] // (1 if directed else 2)),
    )
