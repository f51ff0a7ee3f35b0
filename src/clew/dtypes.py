"""The widths of ids, offsets and weights, and which one a graph gets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from clew.checks import PLURALS
from clew.checks import array as as_array
from clew.errors import GraphError

Array = npt.NDArray[Any]
IdArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]
OffsetArray = npt.NDArray[np.int64]
#: A number per vertex: an array, a dict by name, a Series, or a function of an array of ids.
Numbers = Mapping[Any, float] | Callable[[Array], npt.ArrayLike] | npt.ArrayLike

OFFSET = np.dtype(np.int64)
ID_DTYPES = (np.dtype(np.int32), np.dtype(np.int64))
WEIGHT_DTYPES = tuple(
    np.dtype(name) for name in ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "float32", "float64")
)
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
MAX_INT32_VERTICES = 2**31 - 1


def id_dtype(num_vertices: int, override: npt.DTypeLike | None = None) -> np.dtype[Any]:
    """The dtype of vertex ids: 32 bits where they fit, 64 where they don't, or what the caller requests.

    Narrow ids halve the bytes every traversal moves, which is what bounds its speed.
    """
    if override is None:
        return ID_DTYPES[0] if num_vertices <= MAX_INT32_VERTICES else ID_DTYPES[1]
    try:
        dtype = np.dtype(override)
    except TypeError:
        raise GraphError(f"id_dtype is {override!r}; expected int32 or int64.") from None
    if dtype not in ID_DTYPES:
        raise GraphError(f"id_dtype is {dtype}; expected int32 or int64.")
    if dtype == ID_DTYPES[0] and num_vertices > MAX_INT32_VERTICES:
        raise GraphError(
            f"id_dtype is int32, but {num_vertices:,} vertices need int64; leave id_dtype out to let the graph decide."
        )
    return dtype


def weight_dtype(name: str, value: npt.DTypeLike) -> np.dtype[Any]:
    """``value`` as a dtype of weights; errors call it ``name``."""
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = np.dtype(object)
    if dtype not in WEIGHT_DTYPES:
        raise GraphError(f"{name} is {value!r}; expected bool, an integer of 8 to 64 bits, float32 or float64.")
    return dtype


def is_on_gpu(values: Any) -> bool:
    """Whether an array says that it is in GPU memory."""
    return hasattr(values, "__cuda_array_interface__")


def labels_of(values: Any) -> Any:
    """The labels of pandas' values that are not in the order 0…n-1; None for all that goes by position alone."""
    pandas = sys.modules.get("pandas")  # values can be its own only if it is there already
    if pandas is None or not isinstance(values, (pandas.Series, pandas.DataFrame)):
        return None
    return None if values.index.equals(pandas.RangeIndex(len(values))) else values.index


def refuse_labels(name: str, values: Any, of: str, more: str = "") -> None:
    """Refuse pandas' values whose labels may mean another order than the one in which they would be taken."""
    if labels_of(values) is not None:
        raise GraphError(
            f"{name} is a pandas {type(values).__name__} with an index other than 0…n-1; expected one entry per {of}, "
            f"in the order of {PLURALS.get(of, of + 's')}. Put it in that order and call reset_index(drop=True).{more}"
        )


def as_weights(weights: npt.ArrayLike, count: int) -> Array:
    """``weights`` as a contiguous 1-D array of a supported dtype, checked against the number of edges."""
    array = checked_weights(as_array("weights", weights), count)
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def checked_weights(array: Any, count: int) -> Any:
    """An array in any memory, with a weight of a supported dtype for every edge."""
    if array.ndim != 1 or array.size != count:
        raise GraphError(
            f"weights have shape {array.shape}; expected one weight per edge, that is ({count},). "
            "Pass weights=None for an unweighted graph."
        )
    if array.dtype.newbyteorder("=") not in WEIGHT_DTYPES:
        raise GraphError(
            f"weights have dtype {array.dtype}; expected bool, an integer of 8 to 64 bits, float32 or float64. "
            "Convert them first, for example with weights.astype('float64')."
        )
    return array


@overload
def as_bits(array: Array) -> Array: ...
@overload
def as_bits(array: None) -> None: ...
def as_bits(array: Array | None) -> Array | None:
    """The same memory as unsigned integers: what kernels that only move or index are compiled for."""
    return None if array is None else array.view(_UNSIGNED[array.itemsize])
