"""Arguments of the primitives, checked and brought into the one form that engines take."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew import layouts
from clew.adjacency import Adjacency
from clew.dtypes import WEIGHT_DTYPES, Array
from clew.engines.base import Engine
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import Layout
from clew.transform import as_mask

DEVICES = ("auto", "cpu", "reference")


def engine_of(device: str) -> Engine:
    """The engine that a device's name stands for."""
    if device not in DEVICES:
        raise GraphError(f"device is {device!r}; expected one of {', '.join(map(repr, DEVICES))}.")
    if device == "reference":
        from clew.engines.reference import ReferenceEngine

        return ReferenceEngine()
    from clew.engines.cpu.engine import CpuEngine

    return CpuEngine()


def layout_of(edges: Graph | Layout, *, transpose: bool) -> Layout:
    """The edges to go along, turned round if asked."""
    if transpose:
        return layouts.transposed(edges)
    return edges if isinstance(edges, layouts.COO | layouts.ELL) else layouts.csr(edges)


def array_of(values: npt.ArrayLike, what: str, ndim: tuple[int, ...] = (1,)) -> Array:
    """Numbers as a contiguous array of a supported dtype."""
    array = np.asarray(values)
    if array.ndim not in ndim:
        raise GraphError(f"{what} has shape {array.shape}; expected {' or '.join(map(str, ndim))} dimensions.")
    if array.dtype.newbyteorder("=") not in WEIGHT_DTYPES:
        raise GraphError(f"{what} has dtype {array.dtype}; expected bool, an integer, float32 or float64.")
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def vector_of(values: npt.ArrayLike, size: int, what: str) -> Array:
    """A number per vertex."""
    array = array_of(values, what)
    if array.size != size:
        raise GraphError(f"{what} has {array.size:,} entries; expected one per vertex, {size:,}.")
    return array


def selection_of(mask: npt.ArrayLike | None, complement: bool, size: int) -> Array | None:
    """Which entries of the result are wanted, as booleans; None for all."""
    if mask is None:
        if complement:
            raise GraphError("complement=True needs a mask to be the complement of.")
        return None
    wanted = as_mask(mask, size)
    return ~wanted if complement else wanted


def frontier_of(frontier: Any, rows: Adjacency) -> tuple[Array, Array]:
    """The active vertices, ascending, and their values."""
    try:
        vertices, values = frontier
    except (TypeError, ValueError):
        raise GraphError("the frontier must be a pair: the active vertices, and a value for each.") from None
    active, values = np.asarray(vertices), array_of(values, "the frontier's values")
    if active.ndim != 1 or active.shape != values.shape:
        raise GraphError(f"there are {active.size:,} active vertices and {values.size:,} values; expected one each.")
    if active.size and (active.dtype.kind not in "iu" or active.min() < 0 or active.max() >= rows.num_vertices):
        raise GraphError(f"active vertices must be integers from 0 to {rows.num_vertices - 1:,}.")
    active = active.astype(rows.indices.dtype, copy=False)
    if (active[1:] <= active[:-1]).any():
        order = np.argsort(active, kind="stable")
        active, values = active[order], values[order]
        if (active[1:] == active[:-1]).any():
            raise GraphError("an active vertex is listed twice; combine its values first.")
    return active, values


def check_out(out: Any, size: int) -> None:
    """Refuse an array that results cannot be put in."""
    if not isinstance(out, np.ndarray) or out.shape != (size,) or out.dtype not in WEIGHT_DTYPES:
        found = f"{out.dtype}{out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise GraphError(f"out is {found}; expected an array of numbers of shape ({size},).")
    if not out.flags.writeable:
        raise GraphError("out is read-only; expected an array that can be written to.")
