"""What the caller asked for, applied to what a file holds: weights, direction, duplicates, loops and ids.

Readers of binary formats end here, so that ``ReadOptions`` mean the same in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.options import ReadOptions, weight_dtype
from clew.names import VertexNames


def graph_from_rows(
    indptr: Array,
    indices: Array,
    weights: Array | None,
    options: ReadOptions,
    *,
    directed: bool,
    names: Any = None,
    id_dtype: npt.DTypeLike | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Graph:
    """A graph from compressed rows of unknown quality; ``directed`` is what the file says.

    Rows of an undirected graph hold every edge in both directions. That makes both overrides plain: read as directed,
    such an edge is two; and rows read as undirected must hold both directions already, which is checked.
    """
    return Graph.from_csr(
        indptr,
        indices,
        wanted_weights(weights, options),
        directed=directed if options.directed is None else options.directed,
        names=names,
        id_dtype=id_dtype,
        duplicates=options.duplicates,
        loops=options.loops,
        metadata=metadata,
    )


def graph_from_edges(
    source: Any,
    target: Any,
    weights: Array | None,
    options: ReadOptions,
    *,
    directed: bool,
    num_vertices: int | None = None,
    names: VertexNames | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Graph:
    """A graph from one row per edge; ``directed`` and ``num_vertices`` are what the file says, if it says so.

    As with rows, an edge that the file calls undirected is two when read as directed. With ``names``, source and target
    are ids already. Without, ``options.ids`` decide what integers are; "auto" keeps them as ids also where the file
    says how many vertices there are.
    """
    ids = "keep" if names is not None else options.ids
    if ids == "text":
        source, target, ids, num_vertices = _as_text(source), _as_text(target), "keep", None
    if ids == "auto":
        known = num_vertices is not None or not _integers(source, target)
        ids = "keep" if known or ids_are_dense(source, target) else "map"
    count = num_vertices if names is None else len(names)
    wanted = directed if options.directed is None else options.directed
    graph = Graph.from_edges(
        source,
        target,
        wanted_weights(weights, options),
        None if ids == "map" else count,
        directed and wanted,
        options.duplicates,
        options.loops,
        ids=ids,
        names=names,
        consume=True,
        metadata=metadata,
    )
    if graph.directed == wanted:
        return graph
    return Graph(graph.outgoing, directed=wanted, names=graph.names, report=graph.report, metadata=metadata)


def noted(graph: Graph, *decisions: str) -> Graph:
    """The same graph, with what its reader decided in its report."""
    report = replace(graph.report, decisions=(*graph.report.decisions, *decisions))
    return Graph(graph.outgoing, directed=graph.directed, names=graph.names, report=report, metadata=graph.metadata)


def ids_are_dense(source: Array, target: Array) -> bool:
    """Whether the integers of both columns are exactly 0…n-1, every one of them used."""
    if not source.size:
        return True
    high = max(int(source.max()), int(target.max()))
    if min(int(source.min()), int(target.min())) < 0 or high >= source.size + target.size:
        return False
    seen = np.zeros(high + 1, dtype=np.bool_)
    seen[source] = True
    seen[target] = True
    return bool(seen.all())


def wanted_weights(weights: Array | None, options: ReadOptions) -> Array | None:
    """The weights that a file holds, as the caller wants them: required, left out, or in another dtype."""
    if options.weights is False:
        return None
    if weights is None:
        if options.weights:
            raise GraphError("weights=True asks for edge weights, but there are none; leave weights out.")
        return None
    return weights if options.weight_dtype is None else converted(weights, options.weight_dtype)


def converted(weights: Array, wanted: npt.DTypeLike) -> Array:
    """The weights in another dtype. Floats are rounded to the nearest; any other loss is an error."""
    dtype = weight_dtype(wanted)
    if dtype == weights.dtype:
        return weights
    with np.errstate(invalid="ignore", over="ignore"):
        result = weights.astype(dtype)
        lost = ~_fitting(weights, result)
    if lost.any():
        raise GraphError(
            f"{np.count_nonzero(lost):,} weights do not fit {dtype}, the first of them {weights[lost.argmax()]}."
        )
    return result


def _fitting(weights: Array, result: Array) -> Any:
    """Which values survive the conversion to ``result``."""
    if result.dtype.kind == "f":
        return np.isfinite(result) | ~np.isfinite(weights)
    if result.dtype.kind == "b" or weights.dtype.kind == "b":
        return (weights == 0) | (weights == 1)
    limits = np.iinfo(result.dtype)
    if weights.dtype.kind == "f":
        # The largest integer may not be a float, the power of two above it is.
        return (weights >= float(limits.min)) & (weights < 2.0 ** int(limits.max).bit_length()) & (weights % 1 == 0)
    return (weights >= limits.min) & (weights <= limits.max)


def _as_text(column: Any) -> Any:
    """Integers as the text they would be written as; names are text already."""
    import pyarrow as pa

    return pa.array(column).cast(pa.large_string()) if _integers(column) else column


def _integers(*columns: Any) -> bool:
    return all(isinstance(column, np.ndarray) and column.dtype.kind in "iu" for column in columns)
