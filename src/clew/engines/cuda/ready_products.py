"""Matrix times dense vector over compressed rows, made ready: kernels are found and grids chosen once.

A call of what is made here is its launches and no more. On small graphs the GPU has done a product sooner than the host
has looked its kernels up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.engines.cuda import balance
from clew.engines.cuda.algebra import Arithmetic
from clew.engines.cuda.device import Device, blocks_for

THREADS = 256
#: Blocks that one processor should have room for: fewer leave each thread more registers, and fewer threads.
RESIDENT = 5
#: A warp for every tile: processors that are done early are given others' blocks, and none is idle at the end.
MOST_BLOCKS = 1 << 20

#: Takes the device, x, which results are wanted (None for all), and where to put them. It holds arrays of rows but not
#: the rows, which may hold it.
Product = Callable[[Device, Any, Any, Any], None]


def by_rows(
    device: Device,
    macros: dict[str, str],
    offsets: Any,
    edges: tuple[Any, Any],
    numbers: Arithmetic,
    lanes: int,
    fetch: int = 0,
) -> Product:
    """Over rows, with ``lanes`` lanes each; ``fetch`` is how many turns a warp takes from a counter at once."""
    num_rows = offsets.size - 1
    defines = {**macros, **numbers.defines, "V": lanes, "FETCH": fetch, "STOP": numbers.stop}
    kernel = device.kernel("spmv_rows.cuh", "spmv_rows", defines, numbers.operators)
    blocks = blocks_for(device, num_rows * lanes, THREADS)
    known = (np.uint64(num_rows), numbers.identity, numbers.nothing, numbers.terminal)

    def run(device: Device, x: Any, wanted: Any, out: Any) -> None:
        counter = device.zeros(1, np.uint64) if fetch else None
        device.launch(kernel, blocks, THREADS, offsets, *edges, x, wanted, out, *known, counter)

    return run


def by_tiles(
    device: Device,
    macros: dict[str, str],
    tiles: balance.Tiles,
    offsets: Any,
    edges: tuple[Any, Any],
    numbers: Arithmetic,
    *,
    both_ends: bool = False,
    on_host: bool = False,
) -> Product:
    """Over tiles of equal work, then over the rows that span several.

    ``both_ends`` is for edges in two memories; ``on_host`` says that they are read over the link, and by whole lines.
    """
    shape = {"EACH": tiles.each, "THREADS": THREADS, "RESIDENT": RESIDENT}
    defines = {**macros, **numbers.defines, **shape, "BOTH_ENDS": int(both_ends), **({"ON_HOST": 1} if on_host else {})}
    kernel = device.kernel("spmv_tiles.cuh", "spmv_tiles", defines, numbers.operators)
    join = device.kernel("spmv_tiles.cuh", "join_tiles", defines, numbers.operators)
    join_blocks = blocks_for(device, tiles.count, THREADS)
    shared = THREADS * tiles.each * max(4, numbers.result.itemsize)
    num_rows = offsets.size - 1
    blocks = blocks_for(device, tiles.count * balance.WARP, THREADS, MOST_BLOCKS)
    count = np.uint64(tiles.count)
    known = (np.uint64(num_rows), np.uint64(tiles.num_items), count, tiles.rows)
    constants = (numbers.identity, numbers.nothing)

    def run(device: Device, x: Any, wanted: Any, out: Any) -> None:
        carries = device.empty(tiles.count, numbers.result)
        # x is read again and again, and what shared memory leaves of a processor's memory is its cache.
        device.leave_to_cache(kernel, THREADS, shared)
        given = (offsets, *edges, x, wanted, out, *known, carries, *constants)
        device.launch(kernel, blocks, THREADS, *given, shared=shared)
        device.launch(join, join_blocks, THREADS, offsets, wanted, out, count, tiles.rows, carries)

    return run
