"""Matrix times sparse vector on the GPU: push along the edges of the active vertices.

The edges are shared out evenly. Products for the same vertex are combined in a dense vector, by atomic operations
derived from the monoid. Or they are adjacent in a sorted list, where each run is summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.engines.cuda.balance.launches import launch_over
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products import algebra
from clew.engines.cuda.products.algebra import Arithmetic
from clew.engines.cuda.products.spmv import SEGMENTS, by_rows, lanes_for
from clew.engines.cuda.products.vectors import merge_sorted, true_places
from clew.engines.cuda.toolchain.device import Device, stable_order
from clew.operators import Monoid, Semiring, functions

EACH = 8  # rounds of 32 edges that a warp takes at once
#: Sort from this many vertices on, with less than an edge per this many of them. Only then clearing and reading a dense
#: vector takes longer than the launches of a sort. On an H200 these are 0.3 ms more; the vector has 12 bytes a vertex.
SORTED_FROM, SORTED_SHARE = 1 << 27, 256
#: Up to this many products merge sort is faster than radix sort, which always takes several launches.
MERGED = 1 << 15
PACKED_LIMIT = 2**32 - 1

# Keep in step with atomics.cuh.
SWAP, ADD, MIN, MAX, AND, OR, XOR, STORE, TRUE = range(9)
NATIVE = {
    functions.plus: ADD,
    functions.smaller: MIN,
    functions.larger: MAX,
    functions.band: AND,
    functions.bor: OR,
    functions.bxor: XOR,
}


@dataclass(frozen=True, eq=False)
class Pushes:
    """The edges to push along, shared out: ``ends`` are running sums of the active vertices' degrees."""

    rows: DeviceRows
    active: Any
    values: Any
    ends: Any
    num_edges: int

    def arguments(self) -> tuple[Any, ...]:
        """What kernels of push.cuh begin with."""
        counts = (np.uint64(self.active.size), np.uint64(self.num_edges))
        return (*self.rows.arrays, self.active, self.values, self.ends, *counts)


def spmspv(
    device: Device, edges: Adjacency, active: Any, values: Any, semiring: Semiring, mask: Any, merge: str
) -> tuple[Any, Any]:
    """The vertices that edges of the active ones lead to, ascending, and the sums of the products there."""
    weight = None if edges.weights is None else edges.weights.dtype
    dtype = semiring.result_dtype(weight or values.dtype, values.dtype)
    numbers = algebra.of_semiring(semiring, weight, values.dtype, dtype)
    rows = rows_on(device, edges)
    pushes = pushes_of(device, rows, active, values)
    if pushes.num_edges == 0:
        return device.empty(0, edges.indices.dtype), device.empty(0, dtype)
    if merge == "auto":
        merge = choose(pushes.num_edges, rows.num_vertices)
    if merge == "none":
        return _summed(device, pushes, numbers, mask)
    return _sorted(device, pushes, numbers, mask, merge)


def choose(edges: int, num_vertices: int) -> str:
    """The best method of combining this many products."""
    if num_vertices < SORTED_FROM or edges * SORTED_SHARE > num_vertices:
        return "none"
    return "merge" if edges <= MERGED else "radix"


def pushes_of(device: Device, rows: DeviceRows, active: Any, values: Any) -> Pushes:
    """The edges of the active vertices, shared out; ``values`` None are all 1."""
    if active.size == 0:
        return Pushes(rows, active, values, None, 0)
    ends = ends_of(device, rows, active)
    return Pushes(rows, active, values, ends, int(ends[-1]))


def ends_of(device: Device, rows: DeviceRows, active: Any) -> Any:
    """The running sums of the active vertices' degrees."""
    degrees, count = device.empty(active.size, np.int64), np.uint64(active.size)
    launch_over(
        device, "push_degrees.cuh", "push_degrees", _index(rows), active.size, rows.offsets, active, count, degrees
    )
    return device.xp.cumsum(degrees)


def push_list(
    device: Device, pushes: Pushes, numbers: Arithmetic, keys: int, mask: Any = None, groups: Any = None
) -> tuple[Any, Any]:
    """The keys and products of all edges (KEYS as in push_list.cuh); with ``groups``, the products of a matrix."""
    left = int(groups is not None)
    defines = {**_index(pushes.rows), **numbers.defines, "EACH": EACH, "KEYS": keys, "LEFT": left}
    found = device.empty(pushes.num_edges, np.uint64 if keys else pushes.rows.neighbours.dtype)
    products = device.empty(pushes.num_edges, numbers.result)
    limit = np.uint64(pushes.rows.num_vertices)
    given = (*pushes.arguments(), mask, groups, found, products, limit, numbers.identity, numbers.nothing)
    kernel = ("push_list.cuh", "push_list", defines)
    launch_over(device, *kernel, pushes.num_edges, *given, operators=numbers.operators)
    return found, products


def runs_of(device: Device, keys: Any, count: int) -> Any:
    """Where equal keys begin among the first ``count``, and the end."""
    begins = device.empty(count, np.bool_)
    begins[:1] = True
    device.xp.not_equal(keys[1:count], keys[: count - 1], out=begins[1:])
    starts, _ = true_places(device, begins, count, np.int64)
    bounds = device.empty(starts.size + 1, np.int64)
    bounds[:-1] = starts
    bounds[-1] = count
    return bounds


def sum_runs(device: Device, products: Any, bounds: Any, monoid: Monoid) -> Any:
    """The products of every run summed, in their order."""
    numbers = algebra.of_monoid(monoid, products.dtype, products.dtype)
    sums = device.empty(bounds.size - 1, products.dtype)
    rows = DeviceRows(bounds, None, None, sums.size, products.size)
    by_rows(device, rows, SEGMENTS, numbers, lanes_for(products.size / sums.size))(device, products, None, sums)
    return sums


def _index(rows: DeviceRows) -> dict[str, str]:
    return {name: rows.defines[name] for name in ("index_t", "offset_t")}


def _summed(device: Device, pushes: Pushes, numbers: Arithmetic, mask: Any) -> tuple[Any, Any]:
    """Products added to a dense vector as they come."""
    num_vertices = pushes.rows.num_vertices
    sums = device.full(num_vertices, numbers.identity, numbers.result)
    touched = device.zeros(-(-num_vertices // 32), np.uint32)
    atomic = atomic_of(numbers.monoid, numbers.result)
    defines = {**_index(pushes.rows), **numbers.defines, **atomic, "EACH": EACH}
    kernel = ("push_sum.cuh", "push_sum", defines)
    given = (*pushes.arguments(), mask, sums, touched, numbers.identity, numbers.nothing)
    launch_over(device, *kernel, pushes.num_edges, *given, operators=numbers.operators)
    index = pushes.rows.neighbours.dtype
    return true_places(device, touched, num_vertices, index, bits=True, values=sums)


def _sorted(device: Device, pushes: Pushes, numbers: Arithmetic, mask: Any, merge: str) -> tuple[Any, Any]:
    """Products side by side with those of the same vertex."""
    index = pushes.rows.neighbours.dtype
    limit = pushes.rows.num_vertices
    if merge == "merge" and max(limit, pushes.num_edges) < PACKED_LIMIT:
        packed, products = push_list(device, pushes, numbers, 1, mask)
        packed = merge_sorted(device, packed)
        keys, order = (packed >> np.uint64(32)).astype(index), packed & np.uint64(0xFFFFFFFF)
    else:
        keys, products = push_list(device, pushes, numbers, 0, mask)
        order = stable_order(keys)
        keys = keys[order]
    count = pushes.num_edges if mask is None else int((keys < index.type(limit)).sum())
    if count == 0:
        return device.empty(0, index), device.empty(0, numbers.result)
    bounds = runs_of(device, keys, count)
    found = device.empty(bounds.size - 1, index)
    found[...] = keys[bounds[:-1]]
    return found, sum_runs(device, products[order[:count]], bounds, numbers.monoid)


def atomic_of(monoid: Monoid, dtype: np.dtype[Any]) -> dict[str, Any]:
    """The macros of atomics.cuh for a monoid: the hardware's own operation where it has one."""
    function = monoid.operator.function
    kind = SWAP
    if monoid.stops_at_first:
        kind = STORE
    elif function is functions.lor and dtype.kind == "b":
        kind = TRUE
    elif dtype.itemsize >= 4 and (dtype.kind in "iu" or function is functions.plus):
        kind = NATIVE.get(function, SWAP)
    # Signed and unsigned integers add and combine the same bits; where they are compared, the type itself is passed.
    same = {"float32": "float", "float64": "double"}.get(dtype.name)
    return {"ATOMIC": kind, "atomic_t": same or ("unsigned int" if dtype.itemsize <= 4 else "unsigned long long")}
