"""Two columns of anything to two arrays of vertex ids and, where they were names, the names."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.checks import array as as_array
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError
from clew.names import VertexNames, encode


@dataclass(frozen=True, slots=True)
class Edges:
    """Endpoints as vertex ids, and what else is known of the edges."""

    source: Any
    target: Any
    weights: Any = None
    num_vertices: int | None = None
    names: VertexNames | None = None


def edges(
    source: Any,
    target: Any,
    weights: npt.ArrayLike | None = None,
    *,
    num_vertices: int | None = None,
    ids: str = "keep",
    names: Any = None,
) -> Edges:
    """The edges with endpoints as ids; arguments as in ``Graph.from_edges``."""
    if ids not in ("keep", "map"):
        raise GraphError(f"ids is {ids!r}; expected 'keep' (integers are vertex ids) or 'map' (they are names).")
    if ids == "keep" and is_on_gpu(source) and is_on_gpu(target):  # sorted there, so they stay where they are
        known = None if names is None else VertexNames(names)
        count = len(known) if known is not None and num_vertices is None else num_vertices
        return Edges(source, target, weights, count, known)
    first, second = _column(source, "source"), _column(target, "target")
    if len(first) != len(second):
        raise GraphError(f"source has {len(first):,} entries and target {len(second):,}; expected as many.")
    plain = None if weights is None else as_array("weights", weights)
    if ids == "map" or not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
        if names is not None or num_vertices is not None:
            raise GraphError(
                "source and target are names, so names= and num_vertices= are not needed: vertices are what occurs. "
                "Pass vertex ids to give names separately."
            )
        (first, second), found = encode(first, second)
        return Edges(first, second, plain, len(found), found)
    if names is not None:
        known = VertexNames(names)
        return Edges(first, second, plain, len(known) if num_vertices is None else num_vertices, known)
    return Edges(first, second, plain, num_vertices)


def _column(values: Any, what: str) -> Any:
    """An integer array where the values are integers, an Arrow array of strings otherwise."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return _one_dimensional(values, what)
    pa = sys.modules.get("pyarrow")  # values can be Arrow's only if Arrow is there already
    if pa is not None and isinstance(values, (pa.Array, pa.ChunkedArray)):
        if values.null_count:
            raise GraphError(
                f"{what} has {values.null_count:,} nulls; expected a vertex in every row. Leave those rows out."
            )
        return values.to_numpy() if pa.types.is_integer(values.type) else values
    if hasattr(values, "__arrow_c_stream__") and not isinstance(getattr(values, "dtype", None), np.dtype):
        from pyarrow import chunked_array  # a column of pandas or polars that NumPy would make Python objects of

        return _column(chunked_array(values), what)
    array = as_array(what, values)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind in "iu":
        return _one_dimensional(array, what)
    if array.dtype.kind in "UTO":
        import pyarrow as pyarrow

        try:
            column = pyarrow.array(_one_dimensional(array, what).tolist())
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, OverflowError) as error:
            raise GraphError(f"{what} holds values that cannot name a vertex: {error}.") from None
        return _column(column, what)
    raise GraphError(f"{what} has dtype {array.dtype}; expected integers (vertex ids) or strings (names).")


def _one_dimensional(array: Array, what: str) -> Array:
    if array.ndim != 1:
        raise GraphError(f"{what} has {array.ndim} dimensions; expected one.")
    return array
