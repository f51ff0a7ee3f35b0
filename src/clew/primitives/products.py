"""Matrix times vector over a semiring.

Matrix times matrix over a semiring.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array, is_on_gpu
from clew.engines.base import Memory
from clew.engines.retry import tried_again
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import Layout, csr, weight_dtype
from clew.operators import Monoid, Operator, Semiring, functions, monoids, semirings
from clew.primitives import cluster
from clew.primitives.arguments import (
    check_out,
    check_semiring,
    engine_by,
    engine_of,
    frontier_of,
    layout_of,
    selection_of,
    size_of,
    vector_of,
)
from clew.primitives.vectors import visit_bits

MERGES = ("auto", "none", "merge", "radix")
VISIT = Semiring(monoids.lor, functions.second, name="or_second")


@tried_again
def spmv(
    edges: Graph | Layout,
    x: npt.ArrayLike,
    semiring: Semiring = semirings.plus_times,
    *,
    transpose: bool = False,
    mask: npt.ArrayLike | None = None,
    complement: bool = False,
    accumulate: Operator | Monoid | Any = None,
    out: Array | None = None,
    way: str = "auto",
    lanes: int | None = None,
    device: str = "auto",
) -> Array:
    """Sparse matrix times dense vector: ``y[i] = add over edges i->j of multiply(weight, x[j])``.

    Parameters
    ----------
    edges
        A graph, or its edges in a layout from ``clew.layouts``.
    x
        A number per vertex. For a graph on a cluster, ``result.column(name)`` of one of its results stays with the
        workers, and so does the product then.
    semiring
        The add and multiply operations.
    transpose
        Follow the edges backwards: ``y[j] = add over edges i->j of multiply(weight, x[i])``. A graph builds its
        in-edges on the first call and caches them. A layout is transposed on every call.
    mask, complement
        Compute only the entries where the mask is true (or whose ids it lists). With ``complement``, only the others.
    accumulate
        A function of (old, new) that combines ``out`` with the result. By default ``out`` is overwritten.
    out
        The array for the result. Masked entries are unchanged. In a new array they are the identity of add.
    way, lanes
        How a GPU traverses the rows. The CPU supports "auto" only, which chooses by the degrees. "rows" assigns lanes
        of a warp to every row, as many as suit the mean degree (or ``lanes``: 1, 2, 4, 8, 16 or 32). "tiles" assigns
        the same number of edges to every warp, regardless of row length. "sweep" sorts edges by target, for repeated
        products with the same graph. It first makes a copy of the graph.
    device
        "auto", "cpu", "cuda", "hybrid" or "reference". With "hybrid" the vectors are on the host, and ``clew.memory``
        controls where the edges are.

    Returns
    -------
    ndarray
        ``out``, or a new array of the dtype that NumPy gives ``multiply(weight, x)`` (``Operator.result_dtype``).
        Without weights, the weight is 1 in the dtype of x. Vertices without edges get the identity of add.

    Notes
    -----
    Integers wrap around, as in NumPy. The order of additions depends only on the graph, so results are bit-identical
    for any number of threads. Time O(n + m).

    ``way`` changes only the order of additions. Sums over ``monoids.any`` always use "rows". "sweep" falls back to
    "tiles" for 64-bit ids, and if the identity of add cannot start a sum.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [3.0, 4.0, 5.0])
    >>> clew.spmv(g, [1.0, 10.0, 100.0]).tolist()
    [430.0, 500.0, 0.0]
    >>> clew.spmv(g, [0.0, 1.0, 2.0], clew.semirings.min_plus, transpose=True).tolist()
    [inf, 3.0, 4.0]

    On a GPU, with eight lanes for every row:

    >>> clew.spmv(g, [1.0, 10.0, 100.0], way="rows", lanes=8, device="cuda")  # doctest: +SKIP
    array([430., 500.,   0.])
    """
    check_semiring(semiring)
    if cluster.is_on_cluster(edges):
        cluster.refuse_on_cluster(accumulate=accumulate, out=out, way=None if way == "auto" else way, lanes=lanes)
        selection = selection_of(mask, complement, edges.num_vertices)
        product: Array = cluster.spmv(edges, x, semiring, transpose, selection, device)
        return product
    layout = layout_of(edges, transpose=transpose)
    engine = engine_of(device, size_of(layout), x, out=out, hybrid=True)
    if way != "auto" or lanes is not None:
        engine = engine_by(engine, layout, way, lanes)
    memory, xp = engine.memory, engine.memory.xp
    x = vector_of(x, layout.num_vertices, "x", memory)
    selection = selection_of(mask, complement, x.size, memory)
    dtype = semiring.result_dtype(weight_dtype(layout) or x.dtype, x.dtype)
    if out is None:
        if accumulate is not None:
            raise GraphError("accumulate needs out, the array to combine the result with; pass out=.")
        fresh = _blank(memory, x.size, dtype, semiring, selection)
        engine.spmv(layout, x, semiring, selection, fresh)
        return fresh
    check_out(out, x.size, memory)
    read = (x,) if selection is None else (x, selection)  # while results are written
    apart = out.flags.c_contiguous and not any(xp.may_share_memory(out, array) for array in read)
    if accumulate is None and out.dtype == dtype and apart:
        engine.spmv(layout, x, semiring, selection, out)
        return out
    result = _blank(memory, x.size, dtype, semiring, selection)
    engine.spmv(layout, x, semiring, selection, result)
    if accumulate is not None:
        combined = memory.empty(x.size, out.dtype)
        engine.elementwise(Operator(accumulate), xp.ascontiguousarray(out), result, combined)
        result = combined
    chosen = {} if selection is None else {"where": selection}
    xp.copyto(out, result, casting="unsafe", **chosen)
    return out


def min_plus(edges: Graph | Layout, x: npt.ArrayLike, **options: Any) -> Array:
    """``y[i] = min over edges i->j of weight + x[j]``: spmv over ``semirings.min_plus``, with the same options.

    It is one relaxation step of shortest paths. Infinity, or the largest value of an integer dtype, means "no path".

    Examples
    --------
    >>> import clew
    >>> clew.min_plus(clew.Graph.from_edges([0, 0], [1, 2], [3, 1]), [0, 4, 5]).tolist()
    [6, 9223372036854775807, 9223372036854775807]
    """
    return spmv(edges, x, semirings.min_plus, **options)


def spvisit(edges: Graph | Layout, x: npt.ArrayLike, *, bits: bool = False, **options: Any) -> Array:
    """Which vertices have an edge to a vertex where x is true; weights are ignored. Takes the options of spmv.

    Parameters
    ----------
    edges
        A graph or layout.
    x
        A boolean per vertex.
    bits
        x is a bit vector, and so is the result (see ``pack_bits``). It needs an eighth of the space in a GPU's cache. A
        CPU unpacks it. Only the options ``transpose``, ``mask``, ``complement`` and ``device`` are supported then.
    options
        As in ``spmv``.

    Examples
    --------
    >>> import clew
    >>> g = clew.generate.path(4)
    >>> clew.spvisit(g, [True, False, False, False]).tolist()
    [False, True, False, False]
    >>> near = clew.spvisit(g, clew.pack_bits([True, False, False, False]), bits=True)
    >>> clew.unpack_bits(near, g.num_vertices).tolist()
    [False, True, False, False]
    """
    if bits:
        others = sorted(options.keys() - {"transpose", "mask", "complement", "device"})
        if others:
            raise GraphError(f"bits=True does not support {' or '.join(others)}; omit it, or use booleans.")
        return visit_bits(edges, x, VISIT, **options)
    given: Any = x
    return spmv(edges, given.astype(np.bool_) if is_on_gpu(x) else np.asarray(x, dtype=np.bool_), VISIT, **options)


@tried_again
def spmspv(
    edges: Graph | Layout,
    frontier: tuple[npt.ArrayLike, npt.ArrayLike],
    semiring: Semiring = semirings.plus_times,
    *,
    merge: str = "auto",
    transpose: bool = False,
    mask: npt.ArrayLike | None = None,
    complement: bool = False,
    device: str = "auto",
) -> tuple[Array, Array]:
    """Sparse matrix times sparse vector: push from the active vertices along their out-edges.

    ``y[j] = add over active i with an edge i->j of multiply(weight, x[i])``, for every j that has such an edge. It is
    ``spmv(..., transpose=True)`` for a sparse x: only the edges of the active vertices are read.

    Parameters
    ----------
    edges
        A graph or layout.
    frontier
        (vertices, values): the active vertices, each once and in any order, and their values.
    semiring
        The add and multiply operations.
    merge
        How products for the same vertex are combined. "none" scatters them into a dense vector, "merge" and "radix"
        sort them, and "auto" picks the fastest for the number of edges. All give the same bits, except that a GPU adds
        floats to a dense vector in arbitrary order.
    transpose
        Push along the in-edges.
    mask, complement
        Skip vertices where the mask is false (or true, with ``complement``), such as those already visited.
    device
        "auto", "cpu", "cuda" or "reference".

    Returns
    -------
    vertices, values
        The vertices reached, ascending, and the sums there.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [3.0, 4.0, 5.0])
    >>> vertices, values = clew.spmspv(g, ([0, 1], [0.0, 1.0]), clew.semirings.min_plus)
    >>> vertices.tolist(), values.tolist()
    ([1, 2], [3.0, 4.0])
    """
    if merge not in MERGES:
        raise GraphError(f"merge is {merge!r}; expected one of {', '.join(map(repr, MERGES))}.")
    check_semiring(semiring)
    if cluster.is_on_cluster(edges):
        selection = selection_of(mask, complement, edges.num_vertices)
        return cluster.spmspv(edges, frontier, semiring, transpose, selection, device)
    rows = csr(layout_of(edges, transpose=transpose))
    engine = engine_of(device, rows.num_arcs, *(frontier if isinstance(frontier, tuple) else ()))
    active, values = frontier_of(frontier, rows, engine.memory)
    selection = selection_of(mask, complement, rows.num_vertices, engine.memory)
    return engine.spmspv(rows, active, values, semiring, selection, merge)


def _blank(memory: Memory, size: int, dtype: np.dtype[Any], semiring: Semiring, selection: Any) -> Array:
    """An array for the result, filled with identities where the engine will not write."""
    return memory.empty(size, dtype) if selection is None else memory.full(size, semiring.add.identity(dtype), dtype)


@tried_again
def spgemm(
    a: Graph | Layout,
    b: Graph | Layout,
    semiring: Semiring = semirings.plus_times,
    *,
    mask: Graph | Layout | None = None,
    device: str = "auto",
) -> Graph:
    """Sparse matrix times sparse matrix: ``C[i, j] = add over k of multiply(a[i, k], b[k, j])``.

    Parameters
    ----------
    a, b
        Graphs or layouts over the same vertices. Edges without weights count as 1 in the dtype of the other's weights.
        If neither has weights, they count as the integer 1.
    semiring
        The add and multiply operations.
    mask
        Compute only the entries where this graph has an edge. Its weights are ignored.
    device
        "auto", "cpu", "cuda" or "reference".

    Returns
    -------
    Graph
        Directed. It has an edge i->j if an edge i->k of ``a`` and an edge k->j of ``b`` exist, even if the weights sum
        to 0.

    Notes
    -----
    Each row is accumulated in a dense table. Rows with few products in a matrix with many columns use a hash table, and
    rows with very few products need no table. Rows of the result are sorted. Time is proportional to the number of
    products.

    Examples
    --------
    >>> import clew
    >>> path = clew.Graph.from_edges([0, 1], [1, 2], [3.0, 4.0], num_vertices=3)
    >>> source, target, weights = clew.spgemm(path, path).edges()
    >>> source.tolist(), target.tolist(), weights.tolist()
    ([0], [2], [12.0])
    """
    check_semiring(semiring)
    rows = [csr(matrix) for matrix in (a, b)] + ([] if mask is None else [csr(mask)])
    sizes = {matrix.num_vertices for matrix in rows}
    if len(sizes) > 1:
        raise GraphError(
            f"the matrices have {' and '.join(map(str, sorted(sizes)))} vertices; expected the same number."
        )
    engine = engine_of(device, rows[0].num_arcs)
    return Graph(engine.spgemm(rows[0], rows[1], semiring, rows[2] if mask is not None else None), directed=True)
