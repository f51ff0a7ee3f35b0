"""Products with a graph on a cluster: whole vectors in and out, cut into segments for the workers.

A graph on a cluster comes here in two forms. The process that opened the cluster has a handle, which calls all workers.
A worker has its share, and calls this together with the others, as ``start`` of a vertex program does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.engines.base import Engine
from clew.engines.cluster import products
from clew.engines.cluster.share import Share, is_handle
from clew.errors import GraphError
from clew.operators import Semiring
from clew.primitives.arguments import array_of, vector_of


def is_on_cluster(edges: Any) -> bool:
    """Whether the edges are with the workers of a cluster."""
    return isinstance(edges, Share) or is_handle(edges)


def is_column(x: Any) -> bool:
    """Whether this is a column of a result that is with the workers of a cluster."""
    return hasattr(x, "on_cluster")


def refuse_on_cluster(**options: Any) -> None:
    """Reject options that products on a cluster do not support."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise GraphError(f"products on a cluster do not support {' or '.join(given)}; omit it.")


def spmv(edges: Any, x: Any, semiring: Semiring, transpose: bool, mask: Array | None, device: str) -> Any:
    """Pull, with a number per vertex in x and in the result; both may be columns that stay with the workers."""
    if is_handle(edges) and is_column(x):
        if mask is not None:
            raise GraphError("a product with a column on a cluster does not support mask; omit it.")
        return edges.product_with(x, semiring, transpose, device)
    x = vector_of(x, edges.num_vertices, "x")
    whole: Array
    if is_handle(edges):
        whole = edges.product("spmv", x, semiring, transpose, device)
    else:
        own = spmv_here(edges, x[edges.ids], semiring, transpose, device)
        whole = edges.member.gather_by_id(edges.ids, own, edges.num_vertices)
    if mask is not None:
        whole[~mask] = semiring.add.identity(whole.dtype)
    return whole


def spmspv(
    edges: Any, frontier: Any, semiring: Semiring, transpose: bool, mask: Array | None, device: str
) -> tuple[Array, Array]:
    """Push, with vertices by their ids; the result has them in ascending order."""
    active, values = np.asarray(frontier[0], np.int64), array_of(frontier[1], "the frontier's values")
    if active.shape != values.shape or (active.size and not 0 <= active.min() <= active.max() < edges.num_vertices):
        raise GraphError(f"active vertices must be integers from 0 to {edges.num_vertices - 1}, with a value each.")
    if is_handle(edges):
        found, sums = edges.product("spmspv", (active, values), semiring, transpose, device)
    else:
        parts = spmspv_here(edges, (active, values), semiring, transpose, device)
        found, sums = (np.concatenate(edges.member.all_gather("all", part)) for part in parts)
    order = np.argsort(found)
    found, sums = found[order], sums[order]
    return (found, sums) if mask is None else (found[mask[found]], sums[mask[found]])


def spmv_here(share: Share, x: Array, semiring: Semiring, transpose: bool, device: str) -> Array:
    """One worker's part, of x and of the result: the entries for its own vertices."""
    engine = _engine(share, device)
    return products.spmv(engine, share, np.ascontiguousarray(x), semiring, transpose=transpose)


def spmspv_here(
    share: Share, frontier: tuple[Array, Array], semiring: Semiring, transpose: bool, device: str
) -> tuple[Array, Array]:
    """One worker's part: those of its own vertices that the product reaches, by id, and the sums there."""
    active, values = frontier
    owner, local = share.partition.place(active)
    mine = np.flatnonzero(owner == share.member.rank)
    mine = mine[np.argsort(local[mine])]
    engine = _engine(share, device)
    places, sums = products.spmspv(engine, share, local[mine], values[mine], semiring, transpose=transpose)
    return share.ids[places], sums


def _engine(share: Share, device: str) -> Engine:
    """What multiplies with the block of this worker."""
    from clew.engines.cluster.gpu import engine_for

    return engine_for(device, share.member)
