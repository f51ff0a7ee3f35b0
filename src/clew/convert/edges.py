"""Endpoints of edges as anyone may have them, to arrays of vertex ids and the names of vertices."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.checks import array as host_array
from clew.checks import counted, kind_of
from clew.convert.libraries import only_strings
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


def converted_edges(
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
    if target is None:
        raise GraphError(
            "target is missing: from_edges takes the sources and the targets of all edges. Pass pairs as "
            "from_edges(*zip(*pairs)), and an array of two columns as from_edges(edges[:, 0], edges[:, 1])."
        )
    first, second = _column(source, "source"), _column(target, "target")
    if len(first) != len(second):
        raise GraphError(f"source has {len(first):,} entries and target {len(second):,}; expected as many.")
    plain = None if weights is None else host_array("weights", weights)
    if ids == "map" or not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
        if names is not None or num_vertices is not None:
            raise GraphError(
                "source and target are names, so names= and num_vertices= are not needed: vertices are what occurs. "
                "Pass vertex ids to give names separately."
            )
        _check_one_kind(first, second)
        (first, second), found = encode(first, second)
        return Edges(first, second, plain, len(found), found)
    if names is not None:
        known = VertexNames(names)
        return Edges(first, second, plain, len(known) if num_vertices is None else num_vertices, known)
    return Edges(first, second, plain, num_vertices)


def _check_one_kind(first: Any, second: Any) -> None:
    """Refuse integers against strings: whether 1 and "1" are one vertex, only the caller knows."""
    kinds = _kind(first), _kind(second)
    if len(first) and set(kinds) == {"integers", "strings"}:
        raise GraphError(
            f"source holds {kinds[0]} and target holds {kinds[1]}; expected integers in both or strings in both. "
            "Make strings of the integers, for example with list(map(str, ids))."
        )


def _kind(column: Any) -> str:
    """What a column holds, in one word."""
    if isinstance(column, np.ndarray):
        return "integers"
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return "integers" if pa.types.is_integer(kind) else "strings" if "string" in str(kind) else str(kind)


def _column(values: Any, what: str) -> Any:
    """An integer array where the values are integers, an Arrow array of strings otherwise."""
    pa = sys.modules.get("pyarrow")  # values can be Arrow's only if Arrow is there already
    if pa is not None and isinstance(values, (pa.Array, pa.ChunkedArray)):
        if values.null_count:
            raise _missing(values.null_count, what)
        if pa.types.is_floating(values.type) or pa.types.is_boolean(values.type):
            return _column(np.asarray(values), what)
        return values.to_numpy() if pa.types.is_integer(values.type) else values
    if hasattr(values, "__arrow_c_stream__") and not isinstance(getattr(values, "dtype", None), np.dtype):
        from pyarrow import chunked_array  # a column of pandas or polars that NumPy would make Python objects of

        return _column(chunked_array(values), what)
    if isinstance(values, Iterator):
        values = list(values)
    if isinstance(values, (list, tuple)) and (strings := only_strings(values)) is not None:
        return strings
    array = host_array(what, values)
    if array.ndim != 1:
        raise GraphError(
            f"{what} has {counted(array.ndim, 'dimension')}; expected one. Pass pairs as from_edges(*zip(*pairs)), and "
            "an array of two columns as from_edges(edges[:, 0], edges[:, 1])."
        )
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind in "UTO":
        # NumPy makes strings of the integers in a list of both, so the list itself is checked.
        strings = None if isinstance(values, (list, tuple)) else only_strings(array)
        if strings is not None:
            return strings
        return _names(values if isinstance(values, (list, tuple)) else array.tolist(), what)
    raise GraphError(
        f"{what} has dtype {array.dtype}; expected integers (vertex ids) or strings (names).{_advice(array)}"
    )


def _names(values: Sequence[Any], what: str) -> Any:
    """Python objects as an Arrow array of strings, or an array of integers."""
    import pyarrow as pa

    if missing := sum(map(_is_missing, values)):
        raise _missing(missing, what)
    text = next((value for value in values if isinstance(value, str)), None)
    odd = next((value for value in values if not isinstance(value, str)), None)
    if text is not None and odd is not None:
        raise GraphError(
            f"{what} holds both strings, such as {text!r}, and {kind_of(odd)}, such as {odd!r}; expected only integers "
            "or only strings. Make strings of all, for example with list(map(str, ids))."
        )
    try:
        return _column(pa.array(values), what)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise GraphError(f"{what} holds values that cannot name a vertex: {error}.") from None


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has instead of them."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _missing(count: int, what: str) -> GraphError:
    return GraphError(f"{what} has {counted(count, 'null')}; expected a vertex in every row. Remove those rows.")


def _advice(array: Array) -> str:
    """What to do about floats: pandas makes them of integers where a value is missing."""
    if array.dtype.kind != "f":
        return ""
    missing = int(np.isnan(array).sum())
    if missing:
        return f" {counted(missing, 'value')} of it {'is' if missing == 1 else 'are'} NaN: remove these rows first."
    return (
        " Convert them, for example with ids.astype('int64')."
        if bool(((array % 1 == 0) & (abs(array) < 2**53)).all())
        else ""
    )
