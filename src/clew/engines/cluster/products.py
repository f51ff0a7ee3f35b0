"""Products on a cluster: expand along one axis of the grid, multiply with the block, fold along the other.

Expand: the members of a grid row, or column, share their segments of x. Fold: partial sums go to the owners, who add
them in the order of ranks. So the bits of a float sum depend on the grid alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.base import Engine
from clew.engines.cluster import messages
from clew.engines.cluster.member import Axis, Member
from clew.engines.cluster.share import Share
from clew.operators import Monoid, Semiring, monoids


def spmv(engine: Engine, graph: Share, x: Array, semiring: Semiring, *, transpose: bool) -> Array:
    """Pull: x and the result are segments."""
    rows, routes = graph.routes(transpose=transpose)
    rows = routes.rows(rows)
    gathered = routes.expand(graph.member, x, rows.num_columns)
    dtype = semiring.result_dtype(x.dtype if rows.weights is None else rows.weights.dtype, x.dtype)
    partial = np.empty(rows.num_vertices, dtype)
    engine.spmv(rows, gathered, semiring, None, partial)
    return routes.fold(graph.member, partial, graph.ids.size, semiring.add)


def spmspv(
    engine: Engine, graph: Share, active: Array, values: Array, semiring: Semiring, *, transpose: bool
) -> tuple[Array, Array]:
    """Push: the active vertices are places in the segment, and so are those of the result."""
    rows, row_axis, column_axis = graph.oriented(transpose=transpose)
    packed = messages.pack(active.astype(np.int32), values, graph.ids.size)
    arrived = graph.member.all_gather(row_axis, packed)
    active, values = messages.unpack(arrived, graph.partition.segment, values.dtype)
    places, sums = engine.spmspv(rows, active, values, semiring, None, "auto")
    return fold_sparse(engine, graph, places, sums, column_axis, semiring.add)


def row_sums(engine: Engine, graph: Share, monoid: Monoid) -> Array:
    """The weights of every vertex's out-edges reduced; without weights, their number."""
    rows, row_axis, _ = graph.oriented(transpose=False)
    if rows.weights is None and monoid is monoids.plus:
        return graph.own_degrees()
    weights = np.ones(rows.num_arcs, np.int64) if rows.weights is None else rows.weights
    partial = np.empty(rows.num_vertices, monoid.operator.result_dtype(weights.dtype, weights.dtype))
    engine.reduce_segments(weights, rows.indptr, monoid, partial)
    return fold(engine, graph, partial, row_axis, monoid)


def expand(graph: Share, x: Array, axis: Axis) -> Array:
    """The segments of all members along an axis, in the order of the block's rows or columns."""
    segment = graph.partition.segment
    gathered = np.zeros(segment * len(graph.member.groups[axis]), x.dtype)
    for k, part in enumerate(graph.member.all_gather(axis, x)):
        gathered[k * segment : k * segment + part.size] = part
    return gathered


def fold(engine: Engine, graph: Share, partial: Array, axis: Axis, monoid: Monoid) -> Array:
    """The sums of all members along an axis for this member's segment."""
    segment, member = graph.partition.segment, graph.member
    sizes = [min(segment, max(0, graph.num_vertices - rank * segment)) for rank in member.groups[axis]]
    parts = member.all_to_all(axis, [partial[k * segment : k * segment + size] for k, size in enumerate(sizes)])
    total = parts[0].copy()
    for part in parts[1:]:
        engine.elementwise(monoid.operator, total, part, total)
    return total


def fold_sparse(
    engine: Engine, graph: Share, places: Array, sums: Array, axis: Axis, monoid: Monoid
) -> tuple[Array, Array]:
    """The same for sparse sums: the places of this member's segment that have a sum, and the totals there."""
    segment, member = graph.partition.segment, graph.member
    bounds = np.searchsorted(places, np.arange(len(member.groups[axis]) + 1) * segment)
    packed = [
        messages.pack((places[low:high] - k * segment).astype(np.int32), sums[low:high], segment)
        for k, (low, high) in enumerate(pairwise(bounds))
    ]
    arrived, offers = messages.unpack(member.all_to_all(axis, packed), segment, sums.dtype, shifted=False)
    order = np.argsort(arrived, kind="stable")  # equal ones stay in the order of ranks
    arrived, offers = arrived[order], offers[order]
    first = np.flatnonzero(np.diff(arrived, prepend=-1))
    if first.size == arrived.size:
        return arrived, offers
    totals = np.empty(first.size, offers.dtype)
    engine.reduce_segments(offers, np.append(first, arrived.size), monoid, totals)
    return arrived[first], totals


def all_reduce(engine: Engine, member: Member, value: Array, monoid: Monoid) -> Any:
    """One number of every member, combined."""

    def combine(a: Array, b: Array) -> Array:
        out = np.empty_like(a)
        engine.elementwise(monoid.operator, a, b, out)
        return out

    return member.all_reduce(value, combine)[0]
