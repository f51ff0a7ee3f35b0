"""Matrix times matrix on the GPU, row by row; every sum is made in the order of the edges, so that its bits are fixed.

Rows of few products are sorted by column in shared memory. Longer ones are listed and sorted together, in batches that
fit in memory. With a mask, only its entries are looked for and nothing is listed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import OFFSET
from clew.engines.base import weight_dtypes
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products import algebra
from clew.engines.cuda.products.algebra import Arithmetic
from clew.engines.cuda.products.spmspv import push_list, pushes_of, runs_of, sum_runs
from clew.engines.cuda.products.spmv import lanes_for
from clew.engines.cuda.products.vectors import true_places
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines, stable_order
from clew.engines.cuda.toolchain.failures import USE_CPU
from clew.errors import ResourceError
from clew.operators import Semiring

THREADS = 128
#: Products that a block's shared memory has room for, as in spgemm_small.cuh.
ROOM = 1024
#: Products that are listed at a time: each takes about 40 bytes.
LISTED = 1 << 25


def spgemm(device: Device, a: Adjacency, b: Adjacency, semiring: Semiring, mask: Adjacency | None) -> Adjacency:
    """The product of two matrices, at the entries of ``mask`` where there is one; a host matrix."""
    left, right = weight_dtypes(a, b)
    if a.num_vertices >= 2**32:
        raise ResourceError(
            f"a product of matrices with {a.num_vertices:,} rows is more than the GPU engine counts.", **USE_CPU
        )
    numbers = algebra.of_semiring(semiring, left, right, semiring.result_dtype(left, right))
    given = [rows_on(device, matrix) for matrix in (a, b)]
    if mask is None:
        indptr, indices, sums = _whole(device, _same_widths(*given), numbers)
    else:
        rows = _same_widths(*given, rows_on(device, mask, weights=False))
        indptr, indices, sums = _masked(device, rows, numbers)
    host: Any = device.download(indices).astype(a.indices.dtype, copy=False)
    return Adjacency(device.download(indptr), host, device.download(sums))


def _same_widths(*matrices: DeviceRows) -> list[DeviceRows]:
    """The matrices with ids and offsets of the same width, the largest of all."""
    index = max((rows.neighbours.dtype for rows in matrices), key=lambda dtype: dtype.itemsize)
    offset = max((rows.offsets.dtype for rows in matrices), key=lambda dtype: dtype.itemsize)
    widened = []
    for rows in matrices:
        offsets, neighbours = rows.offsets.astype(offset, copy=False), rows.neighbours.astype(index, copy=False)
        widened.append(replace(rows, offsets=offsets, neighbours=neighbours, plan=None))
    return widened


def _macros(rows: DeviceRows, numbers: Arithmetic) -> dict[str, Any]:
    wide = rows.offsets.dtype.itemsize == 8
    return {**index_defines(np.dtype(rows.neighbours.dtype), 2**40 if wide else 0), **numbers.defines}


def _masked(device: Device, rows: list[DeviceRows], numbers: Arithmetic) -> tuple[Any, Any, Any]:
    """Entries at the edges of the mask."""
    a, b, mask = rows
    indptr = device.zeros(a.num_vertices + 1, OFFSET)
    if mask.num_arcs == 0:
        return indptr, device.empty(0, mask.neighbours.dtype), device.empty(0, numbers.result)
    lanes = lanes_for(a.num_arcs / a.num_vertices)
    kernel = device.kernel("spgemm_masked.cuh", "spgemm_masked", {**_macros(a, numbers), "V": lanes}, numbers.operators)
    present, sums = device.empty(mask.num_arcs, np.bool_), device.empty(mask.num_arcs, numbers.result)
    counts = (np.uint64(a.num_vertices), np.uint64(mask.num_arcs))
    given = (*a.arrays, *b.arrays, mask.offsets, mask.neighbours, *counts, present, sums)
    blocks = blocks_for(device, mask.num_arcs * lanes, THREADS, 16)
    device.launch(kernel, blocks, THREADS, *given, numbers.identity, numbers.nothing)
    entries, sums = true_places(device, present, mask.num_arcs, np.int64, values=sums)
    indptr[...] = device.xp.searchsorted(entries, mask.offsets.astype(np.int64))
    return indptr, mask.neighbours[entries], sums


def _whole(device: Device, matrices: list[DeviceRows], numbers: Arithmetic) -> tuple[Any, Any, Any]:
    """All entries: those of short rows are counted first, those of long rows made at once."""
    xp, (a, b) = device.xp, matrices
    lengths = device.zeros(a.num_vertices + 1, np.int64)
    products = _products(device, a, b)
    degrees = a.offsets[1:].astype(np.int64) - a.offsets[:-1]
    is_small = (products <= ROOM) & (degrees <= ROOM)
    small, _ = true_places(device, is_small & (products > 0), a.num_vertices, np.int64)
    large, _ = true_places(device, ~is_small & (products > 0), a.num_vertices, np.int64)
    _small_rows(device, a, b, numbers, small, lengths, None)
    pieces = [
        _large_rows(device, a, b, numbers, large[start:end], lengths)
        for start, end in _pieces(device.download(products[large]))
    ]
    indptr = xp.concatenate([lengths[-1:] * 0, xp.cumsum(lengths[:-1])])
    total = int(indptr[-1])
    indices, sums = device.empty(total, a.neighbours.dtype), device.empty(total, numbers.result)
    _small_rows(device, a, b, numbers, small, indptr, (indices, sums))
    for rows, starts, columns, found in pieces:
        # Entry e of the piece is the (e - starts[g])-th of its row.
        group = xp.searchsorted(starts, xp.arange(columns.size), side="right") - 1
        place = indptr[rows[group]] + xp.arange(columns.size) - starts[group]
        indices[place], sums[place] = columns, found
    return indptr, indices, sums


def _products(device: Device, a: DeviceRows, b: DeviceRows) -> Any:
    """The number of products of every row."""
    xp = device.xp
    ends = device.zeros(a.num_arcs + 1, np.int64)
    degrees = b.offsets[1:].astype(np.int64) - b.offsets[:-1]
    xp.cumsum(degrees[a.neighbours], out=ends[1:])
    return ends[a.offsets[1:]] - ends[a.offsets[:-1]]


def _small_rows(
    device: Device, a: DeviceRows, b: DeviceRows, numbers: Arithmetic, rows: Any, lengths: Any, filled: Any
) -> None:
    """Without ``filled``, put the lengths of rows into ``lengths``; with it, make the rows where that says."""
    if rows.size == 0:
        return
    defines = {**_macros(a, numbers), "FILL": int(filled is not None)}
    kernel = device.kernel("spgemm_small.cuh", "spgemm_small", defines, numbers.operators)
    where = (lengths, None, None, None) if filled is None else (None, lengths, *filled)
    given = (*a.arrays, *b.arrays, rows, np.uint64(rows.size), *where, numbers.identity, numbers.nothing)
    device.launch(kernel, blocks_for(device, rows.size, 1, 16), THREADS, *given)


def _pieces(products: Any) -> list[tuple[int, int]]:
    """Stretches of rows with at most LISTED products each, or a single row."""
    ends = np.cumsum(products)
    bounds = [0]
    while bounds[-1] < products.size:
        done = ends[bounds[-1] - 1] if bounds[-1] else 0
        bounds.append(max(bounds[-1] + 1, int(np.searchsorted(ends, done + LISTED, side="right"))))
    return list(pairwise(bounds))


def _large_rows(
    device: Device, a: DeviceRows, b: DeviceRows, numbers: Arithmetic, rows: Any, lengths: Any
) -> tuple[Any, Any, Any, Any]:
    """The entries of some rows: the rows, where each one's entries start, the columns, and the sums."""
    xp = device.xp
    starts = a.offsets[rows].astype(np.int64)
    ends = xp.cumsum(a.offsets[rows + 1].astype(np.int64) - starts)
    places = xp.arange(int(ends[-1]))
    group = xp.searchsorted(ends, places, side="right")
    before = xp.concatenate([ends[:1] * 0, ends[:-1]])
    edges = starts[group] + places - before[group]
    values = None if a.weights is None else a.weights[edges]
    pushes = pushes_of(device, b, a.neighbours[edges], values)
    weighted = replace(numbers, defines={**numbers.defines, "WEIGHTED": int(b.weights is not None)})
    keys, products = push_list(device, pushes, weighted, 2, groups=group.astype(a.neighbours.dtype))
    order = stable_order(keys)
    keys = keys[order]
    bounds = runs_of(device, keys, pushes.num_edges)
    entries = keys[bounds[:-1]]
    sums = sum_runs(device, products[order], bounds, numbers.monoid)
    first = xp.searchsorted(entries, xp.arange(rows.size + 1).astype(np.uint64) << np.uint64(32))
    lengths[rows] = first[1:] - first[:-1]
    columns = (entries & np.uint64(0xFFFFFFFF)).astype(a.neighbours.dtype)
    return rows, first[:-1], columns, sums
