"""Matrix times dense vector on the GPU, in each layout, and sums of segments.

Products over compressed rows are made ready once: kernels are looked up and grids chosen. A call is its launches and no
more. On small graphs the GPU finishes a product before the host could look up its kernels.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cuda.balance import tiling
from clew.engines.cuda.memory.device_graph import graph_on, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.packed_rows import packed_on
from clew.engines.cuda.products import algebra
from clew.engines.cuda.products.algebra import Arithmetic
from clew.engines.cuda.products.sweep import can_sweep, earned_layout, run_sweep, sweep_of
from clew.engines.cuda.products.vectors import packed
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines
from clew.layouts import COO, ELL, Layout, weight_dtype
from clew.operators import Monoid, Semiring
from clew.packed.code import GROUP

THREADS = 256
#: Blocks that one processor should have room for: fewer leave each thread more registers, and fewer threads.
RESIDENT = 5
#: A warp for every tile: processors that are done early are given others' blocks, and none is idle at the end.
MOST_BLOCKS = 1 << 20

#: Takes the device, x, a mask of results (None for all), and the output. It holds arrays of rows but not
#: the rows, which may hold it.
Product = Callable[[Device, Any, Any, Any], None]
LANES = (1, 2, 4, 8, 16, 32)
METHODS = ("auto", "rows", "tiles", "sweep")
#: A row this much longer than the mean keeps its lanes busy when all others have ended.
SKEW = 64
#: 32-edge rounds that a warp takes of a list of coordinates.
CHUNK_ROUNDS = 16
#: The macros of sums of segments, which have offsets of 64 bits and no neighbours.
SEGMENTS = index_defines(np.dtype(np.int64), 2**62)


def by_rows(device: Device, rows: DeviceRows, macros: dict[str, str], numbers: Arithmetic, lanes: int) -> Product:
    """A product over rows, with ``lanes`` lanes each."""
    defines = {**macros, **numbers.defines, "V": lanes, "STOP": numbers.stop}
    kernel = device.kernel("spmv_rows.cuh", "spmv_rows", defines, numbers.operators)
    blocks, edges = blocks_for(device, rows.num_vertices * lanes, THREADS), rows.arrays
    known = (np.uint64(rows.num_vertices), numbers.identity, numbers.nothing, numbers.terminal)

    def run(device: Device, x: Any, mask: Any, out: Any) -> None:
        device.launch(kernel, blocks, THREADS, *edges, x, mask, out, *known)

    return run


def by_tiles(
    device: Device, rows: DeviceRows, macros: dict[str, str], tiles: tiling.Tiles, numbers: Arithmetic
) -> Product:
    """Over tiles of equal work, then over the rows that span several."""
    shape = {"EACH": tiles.each, "THREADS": THREADS, "RESIDENT": RESIDENT, "TWO_MEMORIES": int(rows.in_two_memories)}
    form: dict[str, Any] = {"ON_HOST": 1} if rows.on_host else {}  # read over the link, and by whole lines
    if rows.packed is not None:
        form |= {"PACKED": 1, **rows.stored}
    defines = {**macros, **numbers.defines, **shape, **form}
    kernel = device.kernel("spmv_tiles.cuh", "spmv_tiles", defines, numbers.operators)
    join = device.kernel("spmv_tiles.cuh", "join_tiles", defines, numbers.operators)
    join_blocks = blocks_for(device, tiles.count, THREADS)
    shared = THREADS * tiles.each * max(4, numbers.result.itemsize)
    if rows.packed is not None:
        shared = shared_for_packed(rows, tiles.each, numbers.result.itemsize)
    blocks = blocks_for(device, tiles.count * tiling.WARP, THREADS, MOST_BLOCKS)
    edges, count = rows.arrays, np.uint64(tiles.count)
    share = np.uint64(tiling.tiles_on_host(device, rows, tiles) * 2**32 // max(1, tiles.count))
    known = (np.uint64(rows.num_vertices), np.uint64(tiles.num_items), count, tiles.rows, share)
    constants = (numbers.identity, numbers.nothing, *(() if rows.packed is None else rows.packed.given))

    def run(device: Device, x: Any, mask: Any, out: Any) -> None:
        carries = device.empty(tiles.count, numbers.result)
        # x is read again and again, and what shared memory leaves of a processor's memory is its cache.
        device.leave_to_cache(kernel, THREADS, shared)
        device.launch(kernel, blocks, THREADS, *edges, x, mask, out, *known, carries, *constants, shared=shared)
        device.launch(join, join_blocks, THREADS, edges[0], mask, out, count, tiles.rows, carries)

    return run


def shared_for_packed(rows: DeviceRows, each: int, result_bytes: int) -> int:
    """The shared memory of a block that unpacks tiles: places, and per warp the words and row starts of its groups."""
    groups = (tiling.WARP * each + 2 * GROUP - 2) // GROUP
    group_words = 64 if rows.id_dtype.itemsize == 4 else 128
    words = groups * (group_words + 2) + tiling.WARP + 4 + 2 * groups  # WARP_WORDS in spmv_tiles.cuh
    places = THREADS * each * max(4, result_bytes, rows.id_dtype.itemsize)
    return places + THREADS // tiling.WARP * words * 4


@dataclass(frozen=True)
class SpmvMethod:
    """How spmv reads compressed rows: one of ``METHODS``. "rows" takes ``lanes`` lanes per row, "auto" chooses.

    ``bits`` packs truth values. ``each`` is how many items of a tile a lane processes, an odd number.
    """

    name: str = "auto"
    lanes: int | None = None
    bits: bool = False
    each: int = tiling.EACH


AUTO = SpmvMethod()


def spmv(
    device: Device, edges: Layout, x: Any, semiring: Semiring, mask: Any, out: Any, method: SpmvMethod = AUTO
) -> None:
    """out[i] = ⊕ over edges i → j of w ⊗ x[j], where ``mask`` is true; all arrays on the device."""
    if edges.num_vertices == 0:
        return
    numbers = algebra.of_semiring(semiring, weight_dtype(edges), x.dtype, out.dtype)
    if isinstance(edges, Adjacency):
        packs = numbers.stop == algebra.NEVER and method.name in ("auto", "tiles")
        rows = (packed_on(device, edges, weights=True) if packs else None) or rows_on(device, edges)
        _ready(device, rows, numbers, method)(device, x, mask, out)
    elif isinstance(edges, COO):
        _over_list(device, layout_on(device, edges), numbers, x, mask, out)
    else:
        _table(device, edges, numbers, x, mask, out)


def spmv_bits(
    device: Device, rows: DeviceRows, words: Any, semiring: Semiring, mask: Any, out: Any, method: SpmvMethod = AUTO
) -> None:
    """The same from a bit vector into a bit vector of zeros, for semirings of truth values."""
    truth = np.dtype(np.bool_)
    weight = None if rows.weights is None else rows.weights.dtype
    numbers = _with_bits(algebra.of_semiring(semiring, weight, truth, truth), out=True)
    _ready(device, rows, numbers, replace(method, name="rows", bits=False))(device, words, mask, out)


def _ready(device: Device, rows: DeviceRows, numbers: Arithmetic, method: SpmvMethod) -> Product:
    """The product over these rows, made once for these numbers and this method."""
    return rows.prepared((numbers, method), lambda: _prepared(device, rows, numbers, method))


def _prepared(device: Device, rows: DeviceRows, numbers: Arithmetic, method: SpmvMethod) -> Product:
    left_open = method.name == "auto" and rows.packed is None
    if rows.packed is not None:
        method = replace(method, name="tiles")
    method = choose(tiling.degrees_of(rows), numbers, method)
    if method.name == "sweep" and not (numbers.starts_from_identity and can_sweep(rows)):
        method = replace(method, name="tiles")
    if method.name == "sweep":
        return partial(_over_sweep, weakref.ref(rows), numbers)
    bits = method.bits and numbers.value.kind == "b"
    if bits:
        numbers = _with_bits(numbers)
    if method.name == "rows":
        product = by_rows(device, rows, rows.defines, numbers, method.lanes or 1)
    else:
        product = by_tiles(device, rows, rows.defines, tiling.tiles_of(device, rows, method.each), numbers)
    if bits:
        return lambda device, x, mask, out: product(device, packed(device, x), mask, out)
    if left_open and method.name == "tiles":
        return partial(_over_what_is_earned, weakref.ref(rows), numbers, product)
    return product


def _over_sweep(of: weakref.ref[DeviceRows], numbers: Arithmetic, device: Device, x: Any, mask: Any, out: Any) -> None:
    """Over a layout that is a second copy of the rows, and may be dropped between products."""
    rows = of()
    assert rows is not None, "a product is run by who has the rows"
    run_sweep(device, sweep_of(device, rows), numbers, x, mask, out)


def _over_what_is_earned(
    of: weakref.ref[DeviceRows], numbers: Arithmetic, tiles: Product, device: Device, x: Any, mask: Any, out: Any
) -> None:
    """Over tiles until enough products have made a sweep worthwhile."""
    rows = of()
    assert rows is not None, "a product is run by who has the rows"
    if earned_layout(device, rows, sweeps=numbers.starts_from_identity) == "tiles":
        tiles(device, x, mask, out)
    else:
        _over_sweep(of, numbers, device, x, mask, out)


@lru_cache(maxsize=64)
def _with_bits(numbers: Arithmetic, *, out: bool = False) -> Arithmetic:
    """The same arithmetic with x, and the results too, as bits."""
    return replace(numbers, defines={**numbers.defines, "X_BITS": 1, "OUT_BITS": int(out)})


def choose(degrees: tiling.Degrees, numbers: Arithmetic, method: SpmvMethod) -> SpmvMethod:
    """The method that suits the degrees, unless one is prescribed."""
    name = method.name
    if name == "auto":
        even = degrees.largest <= SKEW * max(1.0, degrees.mean) or degrees.largest <= tiling.WARP * method.each
        name = "rows" if even or numbers.stop != algebra.NEVER else "tiles"
    if numbers.stop == algebra.FIRST:  # the other kernels know no products that stand for all
        return replace(method, name="rows", lanes=method.lanes or 1)
    return replace(method, name=name, lanes=method.lanes or lanes_for(degrees.mean))


def lanes_for(mean: float) -> int:
    """Lanes of a row: each should have a few edges, since they all wait for the last one's gather."""
    return next((lanes for lanes in LANES if mean <= 4 * lanes), LANES[-1])


def _over_list(device: Device, listed: tuple[Any, Any, Any], numbers: Arithmetic, x: Any, mask: Any, out: Any) -> None:
    """Over edges given as rows, columns and weights, in the order of the rows."""
    out[... if mask is None else mask] = numbers.identity
    rows, columns, weights = listed
    num_edges = int(columns.size)
    if num_edges == 0:
        return
    macros = index_defines(np.dtype(columns.dtype), num_edges)
    defines = {**macros, **numbers.defines, "EACH": CHUNK_ROUNDS}
    chunks = -(-num_edges // (tiling.WARP * CHUNK_ROUNDS))
    heads, tails = device.empty(chunks, out.dtype), device.empty(chunks, out.dtype)
    counts = (np.uint64(num_edges), np.uint64(chunks))
    blocks = blocks_for(device, chunks * tiling.WARP, THREADS)
    kernel = device.kernel("spmv_coo.cuh", "spmv_coo", defines, numbers.operators)
    join = device.kernel("spmv_coo.cuh", "join_chunks", defines, numbers.operators)
    given = (rows, columns, weights, x, mask, out, *counts, heads, tails, numbers.identity, numbers.nothing)
    device.launch(kernel, blocks, THREADS, *given)
    device.launch(join, blocks, THREADS, rows, mask, out, *counts, heads, tails)


def _table(device: Device, edges: ELL, numbers: Arithmetic, x: Any, mask: Any, out: Any) -> None:
    _, columns, weights = layout_on(device, edges)
    defines = {**index_defines(np.dtype(columns.dtype), 2**62), **numbers.defines}
    kernel = device.kernel("spmv_ell.cuh", "spmv_ell", defines, numbers.operators)
    given = (columns, weights, x, mask, out, np.uint64(edges.num_vertices), np.uint64(edges.width))
    blocks = blocks_for(device, edges.num_vertices, THREADS)
    device.launch(kernel, blocks, THREADS, *given, numbers.identity, numbers.nothing)


def reduce_segments(device: Device, values: Any, indptr: Any, monoid: Monoid, out: Any) -> None:
    """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
    if out.size == 0:
        return
    numbers = algebra.of_monoid(monoid, values.dtype, out.dtype)
    num_values = int(indptr[-1]) - int(indptr[0])
    rows = DeviceRows(indptr, None, None, out.size, num_values)
    if numbers.stop == algebra.NEVER:
        tiles = tiling.find_tiles(device, indptr, out.size, num_values, SEGMENTS)
        product = by_tiles(device, rows, SEGMENTS, tiles, numbers)
    else:
        product = by_rows(device, rows, SEGMENTS, numbers, lanes_for(num_values / out.size))
    product(device, values, None, out)


def layout_on(device: Device, edges: COO | ELL) -> tuple[Any, Any, Any]:
    """Rows (None of a table), columns and weights (None without) on the device."""
    # Layouts may share columns and differ in rows or weights; the last ones are kept.
    forms = graph_on(device, edges.columns).forms
    columns = _copy_of(device, forms, "columns", edges.columns)
    rows = _copy_of(device, forms, "rows", edges.rows if isinstance(edges, COO) else None)
    return rows, columns, _copy_of(device, forms, "weights", edges.weights)


def _copy_of(device: Device, forms: dict[str, Any], name: str, array: Array | None) -> Any:
    """An array on the device; None where there is none."""
    if array is None:
        return None
    whose, copy = forms.get(name, (None, None))
    if whose is None or whose() is not array:
        copy = device.upload(np.ascontiguousarray(array))
        forms[name] = (weakref.ref(array), copy)
    return copy
