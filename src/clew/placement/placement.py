"""Placement: the vertices in slow and in fast memory, and the graph renumbered accordingly. Strategies choose them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from clew import threads, transform
from clew.adjacency import BOUNDARY, Adjacency
from clew.algorithms.bfs import bfs
from clew.build.rows import blocks_of
from clew.checks import counted, parse_bytes
from clew.dtypes import OFFSET, Array, as_bits
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import VertexNames

#: For every vertex, whether it is in fast memory.
Mask = npt.NDArray[np.bool_]
#: The metadata of a placed graph, besides the boundary, which Ligra's format stores too.
PLACEMENT = "placement"
PERMUTATION, STRATEGY = "permutation", "strategy"


@dataclass(frozen=True, eq=False)
class Placement:
    """New ids for all vertices: 0 to ``boundary`` - 1 belong in slow memory, the others in fast memory.

    Parameters
    ----------
    permutation
        The new id of every vertex.
    boundary
        The number of vertices in slow memory: the paper's D.
    slow_bytes, fast_bytes
        The bytes of the rows (neighbours, weights and an offset each) in either memory.
    strategy
        The strategy, in the command line's form.
    """

    permutation: npt.NDArray[np.int64] = field(repr=False)
    boundary: int
    slow_bytes: int
    fast_bytes: int
    strategy: str = ""

    @classmethod
    def from_mask(cls, graph: Graph, fast: Mask, strategy: str = "") -> Placement:
        """The placement with vertices in fast memory where ``fast`` is true. Both groups keep their order, which
        preserves locality.
        """
        fast = transform.as_mask(fast, graph.num_vertices)
        permutation, boundary = _in_two_groups(fast)
        in_fast = bytes_of(graph.outgoing, fast)
        return cls(permutation, boundary, all_bytes(graph.outgoing) - in_fast, in_fast, strategy)

    @classmethod
    def of(cls, graph: Graph) -> Placement | None:
        """The placement of a graph from ``apply`` or from a file; None if it has none.

        Ligra's format stores only the boundary: such a file has no other ids.
        """
        boundary = graph.metadata.get(BOUNDARY)
        if boundary is None:
            return None
        known: Any = graph.metadata.get(PLACEMENT, {})
        given = known.get(PERMUTATION, np.arange(graph.num_vertices))
        permutation = transform.as_permutation(given, graph.num_vertices)
        if not 0 <= int(boundary) <= graph.num_vertices:
            raise GraphError(
                f"the graph's placement boundary is {boundary}; expected 0 to {graph.num_vertices}, its vertices."
            )
        sizes = row_bytes(graph.outgoing)
        slow = int(sizes[: int(boundary)].sum())
        return cls(permutation, int(boundary), slow, int(sizes.sum()) - slow, str(known.get(STRATEGY, "")))

    @property
    def num_vertices(self) -> int:
        """The number of vertices in both memories."""
        return int(self.permutation.size)

    @property
    def num_fast(self) -> int:
        """The number of vertices in fast memory."""
        return self.num_vertices - self.boundary

    @property
    def fast(self) -> Mask:
        """For every vertex by its old id, whether it is in fast memory."""
        mask: Mask = self.permutation >= self.boundary
        return mask

    @property
    def keeps_order(self) -> bool:
        """Whether both groups keep the original order of vertices."""
        return np.array_equal(_in_two_groups(self.fast)[0], self.permutation)

    def old_ids(self) -> npt.NDArray[np.int64]:
        """The old ids in the order of the new ids."""
        old_ids = np.empty(self.num_vertices, dtype=np.int64)
        old_ids[self.permutation] = np.arange(self.num_vertices)
        return old_ids

    def apply(self, graph: Graph) -> Graph:
        """The graph renumbered, with the placement in its metadata.

        Vertices keep their names, or are named by their old ids. Use these as sources; results use them too (``top``,
        ``to_dict``, ``to_arrow``). ``restore`` converts plain arrays.
        """
        if graph.num_vertices != self.num_vertices:
            raise GraphError(
                f"this placement has {counted(self.num_vertices, 'vertex')}, but the graph has {graph.num_vertices:,}; "
                "create a placement for this graph."
            )
        import pyarrow as pa

        old_ids = self.old_ids()
        names = pa.array(old_ids) if graph.names is None else graph.names.take(old_ids)
        return graph._with(
            self._moved(graph.outgoing),
            names=VertexNames.trusted(names),
            attributes=graph.attributes.moved(graph.outgoing, graph.directed, self._moved, old_ids),
            metadata={BOUNDARY: self.boundary, PLACEMENT: {PERMUTATION: self.permutation, STRATEGY: self.strategy}},
        )

    def restore(self, values: Array, *, vertices: bool = False) -> Array:
        """Reorder values from the order of the new ids to that of the old ids.

        With ``vertices``, the values are new ids themselves, such as parents. They become old ids (-1 stays).
        """
        restored: Array = np.asarray(values)[self.permutation]
        if not vertices:
            return restored
        with_none: Array = np.append(self.old_ids(), -1).astype(restored.dtype)
        return np.asarray(with_none[restored])

    def _moved(self, rows: Adjacency) -> Adjacency:
        if np.array_equal(self.permutation, np.arange(self.num_vertices)):
            return rows
        if not self.keeps_order:
            return transform.relabeled(rows, self.permutation)
        from clew.placement import kernels

        indptr = np.zeros(rows.num_vertices + 1, dtype=OFFSET)
        indptr[self.permutation + 1] = rows.degrees()
        np.cumsum(indptr, out=indptr)
        indices = np.empty_like(rows.indices)
        weights = None if rows.weights is None else np.empty_like(rows.weights)
        bounds = blocks_of(rows)
        old = (as_bits(rows.indptr), as_bits(rows.indices), as_bits(rows.weights))
        new = (as_bits(indptr), as_bits(indices), as_bits(weights))
        ids = self.permutation.astype(as_bits(indices).dtype)
        threads.each(kernels.move_rows, bounds.size - 1, bounds, np.uint64(self.boundary), *old, ids, *new)
        return Adjacency(indptr, indices, weights)


def row_bytes(rows: Adjacency) -> npt.NDArray[np.int64]:
    """The bytes of every row: its neighbours, their weights and its offset."""
    sizes: npt.NDArray[np.int64] = rows.degrees() * edge_bytes(rows) + rows.indptr.itemsize
    return sizes


def edge_bytes(rows: Adjacency) -> int:
    """The bytes of an edge: a neighbour and its weight."""
    return rows.indices.itemsize + (0 if rows.weights is None else rows.weights.itemsize)


def all_bytes(rows: Adjacency) -> int:
    """The bytes of all rows."""
    return rows.num_arcs * edge_bytes(rows) + rows.num_vertices * rows.indptr.itemsize


def bytes_of(rows: Adjacency, chosen: Mask) -> int:
    """The bytes of the rows of the chosen vertices."""
    arcs = int(rows.degrees().sum(where=chosen))
    return arcs * edge_bytes(rows) + int(np.count_nonzero(chosen)) * rows.indptr.itemsize


def as_budget(size: int) -> np.uint64:
    """Bytes in the type that kernels count with."""
    return np.uint64(min(size, 2**63))


def _in_two_groups(fast: Mask) -> tuple[npt.NDArray[np.int64], int]:
    """New ids, slow vertices first, and the number of slow vertices."""
    boundary = fast.size - int(np.count_nonzero(fast))
    permutation = np.empty(fast.size, dtype=np.int64)
    permutation[fast] = np.arange(boundary, fast.size)
    permutation[~fast] = np.arange(boundary)
    return permutation, boundary


class Strategy(ABC):
    """Chooses vertices for fast memory. Subclasses are frozen dataclasses whose fields are the options."""

    #: The name on the command line.
    name: ClassVar[str]

    @abstractmethod
    def choose(self, graph: Graph) -> Mask:
        """For every vertex, whether it should be in fast memory."""

    def place(self, graph: Graph, fast_memory: int | str | None = None) -> Placement:
        """Place the vertices of ``graph``.

        ``fast_memory`` limits the bytes, as a number or a text such as "8GiB". Chosen vertices are then taken in id
        order, and those whose row does not fit stay in slow memory.
        """
        return Placement.from_mask(graph, self.choose_within(graph, fast_memory), str(self))

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> Mask:
        """For every vertex, whether ``place`` puts it in fast memory."""
        chosen = transform.as_mask(self.choose(graph), graph.num_vertices)
        if fast_memory is None:
            return chosen
        from clew.placement import kernels

        fitting = chosen.copy()  # the strategy may own the mask
        rows = graph.outgoing
        sizes = (np.uint64(edge_bytes(rows)), np.uint64(rows.indptr.itemsize))
        kernels.keep_fitting(fitting, as_bits(rows.indptr), *sizes, as_budget(parse_bytes(fast_memory)))
        return fitting

    def __str__(self) -> str:
        """The command line's form: ``degree:out_degree=2,cutoff_percentile=80``."""
        values = ((option.name, option_text(getattr(self, option.name))) for option in fields(self))  # type: ignore[arg-type]
        options = ",".join(f"{name}={text}" for name, text in values if text)
        return f"{self.name}:{options}" if options else self.name


def option_text(value: Any) -> str:
    """An option's value as text; empty if a command line cannot express it."""
    if isinstance(value, tuple):
        return "-".join(map(str, value)) if all(isinstance(part, int) for part in value) else ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def vertex_of(graph: Graph, source: int | str) -> int:
    """The id of a named vertex; on a command line, numbers are text."""
    names_are_integers = graph.names is None or graph.names.are_integers
    if isinstance(source, str) and names_are_integers:
        try:
            source = int(source)
        except ValueError:
            raise GraphError(f"{source!r} is not a vertex: the vertices of this graph are integers.") from None
    return graph.vertex(source)


def levels_from(graph: Graph, vertex: int) -> npt.NDArray[np.int32]:
    """The breadth-first level of every vertex, -1 where unreached."""
    depth: npt.NDArray[np.int32] = bfs(graph, graph.name(vertex), device="cpu").depth
    return depth


def level_sizes(graph: Graph, depth: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The number of vertices on every level, and the number of their edges."""
    vertices = np.bincount(depth + 1)[1:]  # the first count is of unreached vertices
    edges = np.bincount(depth + 1, weights=graph.degrees())[1:]
    return vertices, edges.astype(np.int64)
