"""Rows from edges that are on a GPU already, as CuPy's, PyTorch's or cuDF's arrays: sorted there, copied to the host.

Everything here is the array library's: ``xp`` is CuPy, and NumPy in tests. The sorted rows stay on the GPU as well, so
that the first algorithm that runs there need not send them back (``device_copy``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import dtypes
from clew.adjacency import Adjacency, BuildReport
from clew.build.rows import Built, Policies, as_ids, check_extent, merge
from clew.errors import GraphError, MissingDependencyError, ResourceError, install_command
from clew.weak import WeakIdentityDict

#: An edge as one number, row times vertices plus neighbour, must fit 63 bits.
MOST_VERTICES = 3 * 10**9

LEFT_OUT = np.int64(2**63 - 1)
#: Arrays on the GPU by their copy on the host.
device_copies: WeakIdentityDict[Any] = WeakIdentityDict()


def device_copy(array: npt.NDArray[Any]) -> Any:
    """The copy of an array that is on the GPU, or None."""
    return device_copies.get(array)


def build(source: Any, target: Any, weights: Any, policies: Policies) -> Built:
    """Compressed rows of edges in GPU memory."""
    try:
        return _build(_cupy(), source, target, weights, policies)
    except MemoryError as error:
        raise ResourceError(
            f"the edges cannot be sorted in GPU memory: {error}. Sorting takes 16 bytes for every stored edge, 32 with "
            "weights, besides the edges. Bring source and target to the host (source.get()) to build there."
        ) from None


def _build(xp: Any, source: Any, target: Any, weights: Any, policies: Policies) -> Built:
    source, target = as_ids(source, "source", xp), as_ids(target, "target", xp)
    if source.size != target.size:
        raise GraphError(f"source has {source.size:,} entries and target {target.size:,}; expected as many.")
    weights = None if weights is None else dtypes.checked_weights(xp.asarray(weights), source.size)
    low = high = 0
    if source.size:
        low, high = min(int(source.min()), int(target.min())), max(int(source.max()), int(target.max()))
    n = check_extent(low, high if source.size else -1, source.size, policies.num_vertices)
    if n > MOST_VERTICES:
        raise GraphError(
            f"there are {n:,} vertices; edges of up to {MOST_VERTICES:,} can be sorted on a GPU. Bring source and "
            "target to the host (source.get()) to build there."
        )
    is_loop = source == target
    loops = int(xp.count_nonzero(is_loop))
    key, carried = _keys(xp, source, target, weights, n, is_loop, policies)
    report = BuildReport(source.size, loops, loops if policies.drop_loops else 0)
    del is_loop, source, target
    merges = policies.duplicates != "keep"
    ids = dtypes.id_dtype(n, policies.id_dtype)
    offsets, neighbours, carried, repeated = _sorted_rows(xp, key, carried, n, ids, unique=merges and weights is None)
    rows = Adjacency(*(_to_host(xp, array) for array in (offsets, neighbours, carried)))
    if merges and weights is not None:
        return Built(*merge(rows, report, policies))
    for array, copy in ((rows.indices, neighbours), (rows.weights, carried)):
        if copy is not None and not isinstance(copy, np.ndarray):
            device_copies[array] = copy
    every, loops = repeated
    edges = every if policies.directed else (every + loops) // 2  # other edges are in two rows
    return Built(rows, replace(report, duplicates_merged=edges))


def _keys(xp: Any, source: Any, target: Any, weights: Any, n: int, is_loop: Any, policies: Policies) -> tuple[Any, Any]:
    """Edges as numbers that sort by row, then by neighbour; those that are LEFT_OUT sort behind all others.

    They are not cut out here, because CuPy's masks end at 2^31 entries. Undirected edges are listed twice, loops once.
    Both copies are adjacent, so that equal edges keep their order in both rows.
    """
    directions = 2 if policies.mirror else 1
    key = xp.empty(source.size * directions, np.int64)
    for direction, (first, second) in enumerate([(source, target), (target, source)][:directions]):
        keys = key[direction::directions]
        keys[...] = first
        keys *= n
        keys += second
        if direction or policies.drop_loops:
            xp.copyto(keys, LEFT_OUT, where=is_loop)
    return key, weights if weights is None or directions == 1 else xp.repeat(weights, 2)


def _sorted_rows(
    xp: Any, key: Any, weights: Any, n: int, ids: np.dtype[Any], *, unique: bool
) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Offsets, neighbours, weights, and the number of equal edges that were dropped: all, and loops."""
    if weights is None:
        key.sort()
    else:
        order = key.argsort(kind="stable") if isinstance(key, np.ndarray) else key.argsort()  # CuPy's is stable
        key, weights = key[order], weights[order]
        del order
    key = key[: _kept(xp, key)]
    merged = (0, 0)
    if unique and key.size:
        repeated = key[1:] == key[:-1]
        if xp.any(repeated):
            loops = (key[1:] // n == key[1:] % n) & repeated
            merged = (int(xp.count_nonzero(repeated)), int(xp.count_nonzero(loops)))
            xp.copyto(key[1:], LEFT_OUT, where=repeated)
            key.sort()
            key = key[: _kept(xp, key)]
    # Where the first edge of a row would stand among the sorted ones.
    offsets = xp.searchsorted(key, xp.arange(n + 1, dtype=np.int64) * n).astype(dtypes.OFFSET)
    neighbours = (key % max(n, 1)).astype(ids)
    return offsets, neighbours, None if weights is None else weights[: key.size], merged


def _kept(xp: Any, key: Any) -> int:
    """The number of sorted edges that are kept."""
    return int(xp.searchsorted(key, xp.asarray([LEFT_OUT]))[0])


def _to_host(xp: Any, array: Any) -> Any:
    return array if array is None or isinstance(array, np.ndarray) else xp.asnumpy(array)


def _cupy() -> Any:
    try:
        import cupy
    except ImportError:
        raise MissingDependencyError(
            f"edges in GPU memory need CuPy; install it with: {install_command('clew[cuda13]')} (or clew[cuda12])."
        ) from None
    return cupy
