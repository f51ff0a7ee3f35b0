"""Rows from edges that are on a GPU already, as CuPy's, PyTorch's or cuDF's arrays: sorted there, copied to the host.

Everything here is the array library's: ``xp`` is CuPy, and NumPy in tests. The sorted rows stay on the GPU as well, so
that the first algorithm that runs there need not send them back (``made_here``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew import dtypes
from clew.adjacency import Adjacency, BuildReport
from clew.build.rows import Built, check_extent, check_policies, check_symmetric, merge
from clew.errors import GraphError, MissingDependencyError, ResourceError
from clew.names import VertexNames
from clew.weak import WeakIdentityDict

#: An edge as one number, row times vertices plus neighbour, must fit 63 bits.
MOST_VERTICES = 3 * 10**9

LEFT_OUT = np.int64(2**63 - 1)
#: Arrays on the GPU by their copy on the host.
made: WeakIdentityDict[Any] = WeakIdentityDict()


def made_here(array: npt.NDArray[Any]) -> Any:
    """The same array on the GPU, where it was made there; else None."""
    return made.get(array)


def build(
    source: Any,
    target: Any,
    weights: Any,
    *,
    num_vertices: int | None,
    directed: bool,
    duplicates: str,
    loops: str,
    id_dtype: npt.DTypeLike | None = None,
    both_directions: bool = False,
    names: VertexNames | None = None,
    xp: Any = None,
) -> Built:
    """Compressed rows of edges in GPU memory; arguments as in ``Graph.from_edges``."""
    check_policies(directed, duplicates, loops)
    if xp is None:
        xp = _cupy()
    mirror = not directed and not both_directions
    try:
        built = _build(xp, source, target, weights, num_vertices, directed, mirror, duplicates, loops, id_dtype)
    except MemoryError as error:
        raise ResourceError(
            f"the edges cannot be sorted in GPU memory: {error}. Sorting takes 16 bytes for every stored edge, 32 with "
            "weights, beside the edges themselves. Bring source and target to the host (source.get()) to build there."
        ) from None
    if both_directions and not directed:
        check_symmetric(built.adjacency, names)
    return built


def _build(
    xp: Any,
    source: Any,
    target: Any,
    weights: Any,
    num_vertices: int | None,
    directed: bool,
    mirror: bool,
    duplicates: str,
    loops: str,
    dtype: npt.DTypeLike | None,
) -> Built:
    source, target = _ids(xp, source, "source"), _ids(xp, target, "target")
    if source.size != target.size:
        raise GraphError(f"source has {source.size:,} entries and target {target.size:,}; expected as many.")
    weights = None if weights is None else _weights(xp, weights, source.size)
    low = high = 0
    if source.size:
        low, high = min(int(source.min()), int(target.min())), max(int(source.max()), int(target.max()))
    n = check_extent(low, high if source.size else -1, source.size, num_vertices)
    if n > MOST_VERTICES:
        raise GraphError(
            f"there are {n:,} vertices; edges of up to {MOST_VERTICES:,} can be sorted on a GPU. Bring source and "
            "target to the host (source.get()) to build there."
        )
    is_loop = source == target
    found = int(xp.count_nonzero(is_loop))
    report = BuildReport(given=source.size, loops=found, loops_dropped=found if loops == "drop" else 0)
    key, carried = _keys(xp, source, target, weights, n, is_loop, mirror=mirror, drop_loops=loops == "drop")
    del is_loop, source, target
    offsets, neighbours, carried, merged = _sorted_rows(
        xp, key, carried, n, dtypes.id_dtype(n, dtype), unique=duplicates != "keep" and weights is None
    )
    rows = Adjacency(*(_to_host(xp, array) for array in (offsets, neighbours, carried)))
    if duplicates != "keep" and weights is not None:
        rows, report = merge(rows, report, directed, duplicates, loops)
        return Built(rows, report)
    if merged:
        report = _with_merged(report, merged, directed)
    _remember(rows.indices, neighbours)
    if rows.weights is not None:
        _remember(rows.weights, carried)
    return Built(rows, report)


def _keys(
    xp: Any, source: Any, target: Any, weights: Any, n: int, is_loop: Any, *, mirror: bool, drop_loops: bool
) -> tuple[Any, Any]:
    """Edges as numbers that sort by row, then by neighbour; those that are LEFT_OUT sort behind all others.

    They are not cut out here, because CuPy's masks end at 2^31 entries. Undirected edges are there twice, loops once;
    side by side, so that of equal edges the one that was given first comes first in both rows.
    """
    key = xp.empty(source.size * (1 + mirror), np.int64)
    there = key[:: 1 + mirror]
    there[...] = source
    there *= n
    there += target
    if drop_loops:
        xp.copyto(there, LEFT_OUT, where=is_loop)
    if not mirror:
        return key, weights
    back = key[1::2]
    back[...] = target
    back *= n
    back += source
    xp.copyto(back, LEFT_OUT, where=is_loop)
    return key, None if weights is None else xp.repeat(weights, 2)


def _sorted_rows(
    xp: Any, key: Any, weights: Any, n: int, ids: np.dtype[Any], *, unique: bool
) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Offsets, neighbours, weights, and how many equal edges were left out: all, and loops."""
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
    """How many of the sorted edges are not left out."""
    return int(xp.searchsorted(key, xp.asarray([LEFT_OUT]))[0])


def _with_merged(report: BuildReport, merged: tuple[int, int], directed: bool) -> BuildReport:
    every, loops = merged
    edges = every if directed else (every + loops) // 2  # others stood in two rows
    return BuildReport(report.given, report.loops, report.loops_dropped, edges)


def _ids(xp: Any, values: Any, what: str) -> Any:
    array = xp.asarray(values)
    if array.ndim != 1:
        raise GraphError(f"{what} has {array.ndim} dimensions; expected a 1-D array of vertex ids.")
    if array.dtype.kind not in "iu":
        raise GraphError(f"{what} has dtype {array.dtype}; expected integers (vertex ids).")
    return array


def _weights(xp: Any, values: Any, count: int) -> Any:
    array = xp.asarray(values)
    if array.shape != (count,):
        raise GraphError(f"there are {count:,} edges, but weights of shape {array.shape}; expected one for each.")
    if array.dtype not in dtypes.WEIGHT_DTYPES:
        raise GraphError(f"weights have dtype {array.dtype}; expected numbers or truth values.")
    return array


def _to_host(xp: Any, array: Any) -> Any:
    return array if array is None or isinstance(array, np.ndarray) else xp.asnumpy(array)


def _remember(array: npt.NDArray[Any], on_gpu: Any) -> None:
    if not isinstance(on_gpu, np.ndarray):
        made[array] = on_gpu


def _cupy() -> Any:
    try:
        import cupy
    except ImportError:
        raise MissingDependencyError(
            'edges in GPU memory need CuPy; install it with: pip install "clew[cuda13]" (or clew[cuda12]).'
        ) from None
    return cupy
