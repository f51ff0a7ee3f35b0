"""Arguments of the primitives, checked and converted for the engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew import layouts
from clew.adjacency import Adjacency
from clew.dtypes import WEIGHT_DTYPES, Array, is_on_gpu
from clew.engines.base import HOST, Engine, Memory
from clew.engines.choice import REFERENCE, gpu_for, is_hybrid, partner_for
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import Layout
from clew.operators import Semiring
from clew.transform import as_mask

NATIVE = frozenset(WEIGHT_DTYPES)  # looked up by one hash, where a tuple is compared one by one


def engine_of(device: str, size: int = 0, *arrays: Any, out: Any = None, hybrid: bool = False) -> Engine:
    """The engine that a device selects.

    "auto" selects a GPU if one of the arrays is there, or if the work is large, unless ``out`` is on the host.
    ``hybrid`` says whether "hybrid" is supported.
    """
    if hybrid and is_hybrid(device):
        from clew.engines.hybrid import HybridEngine

        partner = partner_for(device)
        assert partner is not None
        return HybridEngine(partner)
    if device == REFERENCE:
        from clew.engines.reference import ReferenceEngine

        return ReferenceEngine()
    if device == "auto" and any(map(is_on_gpu, (*arrays, out))):
        device = "cuda"
    gpu = None if device == "auto" and isinstance(out, np.ndarray) else gpu_for(device, size)
    if gpu is not None:
        from clew.engines.cuda.engine import CudaEngine

        return CudaEngine(gpu)
    from clew.engines.cpu import CpuEngine

    return CpuEngine()


def engine_by(engine: Engine, layout: Layout, way: str, lanes: int | None) -> Engine:
    """The same engine with a given method of traversing the rows."""
    from clew.engines.cuda.products.spmv import LANES, METHODS, SpmvMethod

    if way == "hot":
        raise GraphError('way="hot" was removed, because way="sweep" is faster. Use way="sweep" or way="auto".')
    if way not in METHODS:
        raise GraphError(f"way is {way!r}; expected one of {', '.join(map(repr, METHODS))}.")
    if lanes is not None and (way != "rows" or lanes not in LANES):
        raise GraphError(
            f"lanes is {lanes!r} and way is {way!r}; expected one of {', '.join(map(str, LANES))} lanes with "
            'way="rows", or None.'
        )
    if engine.name in ("cpu", "reference"):
        raise GraphError(
            f"way is {way!r}, which only a GPU supports, and this product is computed on the CPU.",
            remedy='Use device="cuda" or way="auto".',
        )
    if not isinstance(layout, Adjacency):
        raise GraphError(
            f"way is {way!r}, which needs compressed rows, and the edges are a {type(layout).__name__}.",
            remedy='Use clew.layouts.csr(edges) or way="auto".',
        )
    known: Any = engine
    configured: Engine = type(known)(known.device, SpmvMethod(way, lanes))
    return configured


def layout_of(edges: Graph | Layout, *, transpose: bool) -> Layout:
    """The edges to follow, transposed if requested."""
    if transpose:
        return layouts.transposed(edges)
    return edges if isinstance(edges, layouts.COO | layouts.ELL) else layouts.csr(edges)


def size_of(layout: Layout) -> int:
    """The number of edges, or of slots for them."""
    return layout.num_arcs if isinstance(layout, Adjacency) else int(layout.columns.size)


def array_of(values: npt.ArrayLike, what: str, ndim: tuple[int, ...] = (1,), memory: Memory = HOST) -> Array:
    """Numbers as a contiguous array of a supported dtype."""
    array = memory.array(values)
    if array.ndim not in ndim:
        raise GraphError(f"{what} has shape {array.shape}; expected {' or '.join(map(str, ndim))} dimensions.")
    if array.dtype not in NATIVE and array.dtype.newbyteorder("=") not in NATIVE:
        raise GraphError(f"{what} has dtype {array.dtype}; expected bool, an integer, float32 or float64.")
    if not (array.dtype.isnative and array.flags.c_contiguous):
        array = memory.xp.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")
    found: Array = array
    return found


def vector_of(values: npt.ArrayLike, size: int, what: str, memory: Memory = HOST) -> Array:
    """A number per vertex."""
    array = array_of(values, what, memory=memory)
    if array.size != size:
        raise GraphError(f"{what} has {array.size:,} entries; expected one per vertex, {size:,}.")
    return array


def selection_of(mask: npt.ArrayLike | None, complement: bool, size: int, memory: Memory = HOST) -> Any:
    """The requested entries of the result, as booleans; None for all."""
    if mask is None:
        if complement:
            raise GraphError("complement=True needs a mask; pass mask=, or omit complement.")
        return None
    if is_on_gpu(mask) and memory.array(mask).dtype == np.bool_:
        selection = memory.array(mask)
        if selection.shape != (size,):
            raise GraphError(f"the mask has shape {selection.shape}; expected one entry per vertex, ({size},).")
    else:
        selection = memory.array(as_mask(memory.xp.asnumpy(memory.array(mask)) if is_on_gpu(mask) else mask, size))
    return ~selection if complement else memory.xp.ascontiguousarray(selection)


def frontier_of(frontier: Any, rows: Adjacency, memory: Memory = HOST) -> tuple[Any, Any]:
    """The active vertices, ascending, and their values."""
    try:
        vertices, values = frontier
    except (TypeError, ValueError):
        raise GraphError("the frontier is not a pair; expected the active vertices and a value for each.") from None
    # Checked where they are: on the host that costs nothing, on a GPU a copy would.
    here = memory if is_on_gpu(vertices) or is_on_gpu(values) else HOST
    active, values = here.array(vertices), array_of(values, "the frontier's values", memory=here)
    if active.ndim != 1 or active.shape != values.shape:
        raise GraphError(f"there are {active.size:,} active vertices and {values.size:,} values; expected one each.")
    known = active.size == 0 or active.dtype.kind in "iu"
    ascending = known and not (active[1:] <= active[:-1]).any()
    if known and not ascending:
        order = active.argsort()
        active, values = active[order], values[order]
    # In order, the first and the last one tell of all.
    if not known or (active.size and (active[0] < 0 or active[-1] >= rows.num_vertices)):
        raise GraphError(f"active vertices must be integers from 0 to {rows.num_vertices - 1}.")
    if not ascending and (active[1:] == active[:-1]).any():
        raise GraphError("an active vertex is listed twice; expected each once. Combine its values first.")
    active = active.astype(rows.id_dtype, copy=False)
    return memory.xp.ascontiguousarray(memory.array(active)), memory.array(values)


def check_semiring(semiring: Any) -> None:
    """Reject anything but a semiring, such as the name of one."""
    if not isinstance(semiring, Semiring):
        raise GraphError(f"semiring is {semiring!r}; expected a clew.Semiring, such as clew.semirings.min_plus.")


def check_out(out: Any, size: int, memory: Memory = HOST) -> None:
    """Reject an array that cannot hold the result."""
    if not isinstance(out, memory.xp.ndarray) or out.shape != (size,) or out.dtype not in WEIGHT_DTYPES:
        found = f"{out.dtype}{out.shape}" if isinstance(out, memory.xp.ndarray) else type(out).__name__
        where = "" if memory.xp is np else " in GPU memory"
        raise GraphError(f"out is {found}; expected an array of numbers of shape ({size},){where}.")
    if not getattr(out.flags, "writeable", True):
        raise GraphError("out is read-only; expected a writable array.")
