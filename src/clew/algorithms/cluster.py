"""The waist on a cluster: every member runs the generic form on its own segment, and products exchange along the grid.

A generic form runs in every member at once. Vectors are segments, ``waist.ids`` says which vertices they belong to, and
what all must agree on goes through ``any``, ``total`` and ``collect``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.gpu import engine_for
from clew.engines.cluster.owned import OwnedFact
from clew.engines.cluster.share import Share, build_share, edge_ends, in_both_directions
from clew.operators import Monoid, Semiring, monoids, semirings
from clew.primitives.arguments import array_of, selection_of
from clew.primitives.products import VISIT


class ClusterWaist(Waist):
    """The primitives of one member. Elementwise ones are the single machine's, the others are collective."""

    distributed = True

    def __init__(self, share: Share, device: str) -> None:
        super().__init__("cpu")
        self.given = device
        self.member = share.member
        self.engine = engine_for(device, share.member)
        self.spmv: Callable[..., Any] = self._spmv
        self.spmspv: Callable[..., Any] = self._spmspv
        self.spvisit: Callable[..., Any] = self._spvisit
        self.reduce_segments: Callable[..., Any] = self._reduce_segments

    def ids(self, graph: Any) -> Array:
        """The ids of this member's vertices, in the order of its segment."""
        ids: Array = graph.ids
        return ids

    def degrees(self, graph: Any, direction: Literal["out", "in"] = "out") -> Array:
        """The number of edges out of, or into, this member's vertices."""
        degrees: Array = graph.own_degrees(transpose=direction == "in")
        return degrees

    def any(self, flag: Any) -> bool:
        """Whether the flag is true on any member."""
        return self.member.any(flag)

    def checkpoint(self, step: int, *state: Any) -> tuple[Any, ...]:
        """The state of a loop, saved now and then; see ``Member.checkpoint``."""
        return self.member.checkpoint(step, *state)

    def take(self, graph: Any, values: Array, ids: Array) -> Array:
        """The values of vertices anywhere, by their ids; also rows of a matrix."""
        owner, local = graph.partition.place(ids)
        if values.ndim == 1:
            return self.member.fetch(owner, local, values)
        rows = np.ascontiguousarray(values)
        whole = np.dtype((np.void, rows.shape[1] * rows.itemsize))  # a row travels as one value
        fetched = self.member.fetch(owner, local, rows.view(whole)[:, 0])
        return fetched.view(values.dtype).reshape(-1, values.shape[1])

    def put(self, graph: Any, values: Array, ids: Array, given: Array) -> Array:
        """Set the values of vertices anywhere; returns the places of this member's vertices that any member set."""
        owner, local = graph.partition.place(ids)
        places, arrived = self.member.send_to_owners(owner, [local, given])
        values[places] = arrived
        return np.sort(places)

    def tally(self, graph: Any, ids: Array) -> Array:
        """How often each of this member's vertices is among the ids that all members name."""
        owner, local = graph.partition.place(ids)
        (arrived,) = self.member.send_to_owners(owner, [local])
        return np.bincount(arrived, minlength=graph.ids.size)

    def label_sizes(self, graph: Any, label: Array) -> Any:
        """How many vertices have each label that occurs; every member has the sizes of its own vertices' labels."""
        counts = self.tally(graph, label)
        used = np.flatnonzero(counts)
        return OwnedFact(self.member, graph.ids[used], counts[used])

    def gather_by(self, graph: Any, ids: Array, values: Array, monoid: Monoid) -> Array:
        """For each of this member's vertices, the values that any member gives for its id, reduced."""
        owner, local = graph.partition.place(ids)
        places, arrived = self.member.send_to_owners(owner, [local, values])
        return self._gather_here(places, arrived, graph.ids.size, monoid)

    def collect(self, values: Array) -> Array:
        """The values of all members, one after the other; for facts that are few."""
        return np.concatenate(self.member.all_gather("all", values))

    def ranks(self, keys: Array) -> Array:
        """The ranks of distinct keys among those of all workers."""
        return self.member.ranks(keys)

    def at_first(self, values: Array) -> Array:
        """All entries on the first worker, for facts; none on the others."""
        return self.member.at_first(values)

    def total(self, values: Array, monoid: Monoid = monoids.plus) -> Any:
        """The values of all members reduced to one."""
        here = self._reduce_here((values, [0, values.size]), monoid)
        return products.all_reduce(self.engine, self.member, here, monoid)

    def out_edges(self, graph: Any) -> tuple[Array, Array, Array | None]:
        """The edges out of this member's vertices, from all blocks that have some: places, target ids, weights."""
        source, target = edge_ends(graph)
        owner, local = graph.partition.place(source)
        weights = graph.block.weights
        columns = [local, target] if weights is None else [local, target, weights]
        arrived = self.member.send_to_owners(owner, columns)
        return arrived[0], arrived[1], None if weights is None else arrived[2]

    def simple(self, graph: Any, *, directed: bool) -> Any:
        """The graph without weights, loops and duplicates; undirected if asked."""
        source, target = edge_ends(graph)
        return build_share(
            self.member,
            source,
            target,
            None,
            graph.partition,
            directed=directed and graph.directed,
            symmetrize=graph.directed and not directed,
            duplicates="drop",
            loops="drop",
        )

    def both_directions(self, graph: Any) -> Any:
        """The edges of a directed graph in both directions, a loop twice; without weights."""
        if not graph.directed:
            return graph.with_weights(None)
        return in_both_directions(graph, None)

    def neighbor_counts(self, graph: Any, label: Array) -> tuple[Array, Array, Array]:
        """How many neighbours of a vertex have each label: arrays (place, label, count), by place."""
        block, segment = graph.block, graph.partition.segment
        labels = products.expand(graph, label, "column")[block.indices]
        rows = np.repeat(np.arange(block.num_vertices), block.degrees())
        rows, labels, counts = _counted(rows, labels, np.ones(rows.size, np.int64))
        bounds = np.searchsorted(rows, np.arange(len(self.member.groups["row"]) + 1) * segment)
        parts = [slice(low, high) for low, high in pairwise(bounds)]
        columns = (rows % segment, labels.astype(np.int64), counts)
        arrived = [
            np.concatenate(self.member.all_to_all("row", [column[part] for part in parts])) for column in columns
        ]
        return _counted(*arrived)

    def select(self, graph: Any, keep: Callable[[Any, Any, Any], Any], x: Array) -> Any:
        """The graph of the edges u -> v for which ``keep(weight, x[u], x[v])`` is true, without weights."""
        block = graph.block
        before, behind = products.expand(graph, x, "row"), products.expand(graph, x, "column")
        rows = np.repeat(np.arange(block.num_vertices), block.degrees())
        ends = (before[rows], behind[block.indices])
        chosen = keep(block.weights, *(reversed(ends) if graph.is_reversed else ends))
        counts = np.bincount(rows[chosen], minlength=block.num_vertices)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(block.indptr.dtype)
        return graph.with_block(Adjacency(indptr, block.indices[chosen].copy(), width=block.width))

    def _spmv(
        self,
        graph: Any,
        x: Any,
        semiring: Semiring = semirings.plus_times,
        *,
        transpose: bool = False,
        mask: Any = None,
        complement: bool = False,
    ) -> Array:
        result = products.spmv(self.engine, graph, array_of(x, "x"), semiring, transpose=transpose)
        if mask is not None:
            result[~selection_of(mask, complement, result.size)] = semiring.add.identity(result.dtype)
        return result

    def _spvisit(self, graph: Any, x: Any, **options: Any) -> Array:
        return self._spmv(graph, np.asarray(x, dtype=np.bool_), VISIT, **options)

    def _spmspv(
        self,
        graph: Any,
        frontier: tuple[Any, Any],
        semiring: Semiring = semirings.plus_times,
        *,
        transpose: bool = False,
        mask: Any = None,
        complement: bool = False,
    ) -> tuple[Array, Array]:
        active, values = np.asarray(frontier[0]), array_of(frontier[1], "the frontier's values")
        found, totals = products.spmspv(self.engine, graph, active, values, semiring, transpose=transpose)
        if mask is None:
            return found, totals
        keep = selection_of(mask, complement, graph.ids.size)[found]
        return found[keep], totals[keep]

    def _reduce_segments(self, edges: Any, monoid: Monoid = monoids.plus) -> Array:
        if isinstance(edges, Share):
            return products.row_sums(self.engine, edges, monoid)
        result: Array = self._reduce_here(edges, monoid)
        return result


def _counted(rows: Array, labels: Array, counts: Array) -> tuple[Array, Array, Array]:
    """The same counts with every pair of row and label once, in order."""
    order = np.lexsort((labels, rows))
    rows, labels, counts = rows[order], labels[order], counts[order]
    first = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(labels, prepend=-1) != 0))
    sums = np.add.reduceat(counts, first) if first.size else counts[:0]
    return rows[first], labels[first], sums
