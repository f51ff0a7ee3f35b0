"""Packed rows in ``.clew`` files of version 2: three sections for the offsets, three for the neighbours, and weights.

The header's ``packed`` has the numbers of ``vertices`` and ``arcs``, and the dtypes of ``ids`` and ``weights``. Weights
may be stored in a narrower one. ``clew.packed.code`` describes the sections ``offsets/words``, ``offsets/heads``,
``offsets/bases``, and the same three of ``neighbours``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clew.dtypes import ID_DTYPES, MAX_INT32_VERTICES, OFFSET, WEIGHT_DTYPES, Array
from clew.errors import GraphError
from clew.packed import PackedAdjacency
from clew.packed.code import PARTS, PackedArray

_DTYPES = {dtype.newbyteorder("<").str: dtype for dtype in WEIGHT_DTYPES}


def to_sections(rows: PackedAdjacency) -> tuple[dict[str, Any], dict[str, Array]]:
    """What the header says about packed rows, and their sections."""
    kinds = {"ids": rows.id_dtype, "weights": rows.weight_dtype}
    facts: dict[str, Any] = {"vertices": rows.num_vertices, "arcs": rows.num_arcs}
    facts |= {name: None if dtype is None else dtype.newbyteorder("<").str for name, dtype in kinds.items()}
    arrays = {
        f"{name}/{part}": getattr(array, part)
        for name, array in (("offsets", rows.offsets), ("neighbours", rows.neighbours))
        for part in PARTS
    }
    return facts, arrays if rows.stored_weights is None else {**arrays, "weights": rows.stored_weights}


def from_sections(facts: Any, array: Callable[[str], Array]) -> PackedAdjacency:
    """Packed rows, checked as far as possible without reading them; ``array`` finds a section by its name."""
    match facts:
        case {"vertices": int(n), "arcs": int(m), "ids": str(ids), "weights": None | str() as weights} if (
            0 <= n < 2**62 and 0 <= m < 2**62 and not isinstance(n, bool) and not isinstance(m, bool)
        ):
            id_dtype, weight_dtype = _DTYPES.get(ids), None if weights is None else _DTYPES.get(weights)
            fits = n <= MAX_INT32_VERTICES or id_dtype == ID_DTYPES[1]
            if id_dtype in ID_DTYPES and fits and (weights is None or weight_dtype is not None):
                return _rows(n, m, id_dtype, weight_dtype, array)
    raise GraphError(f"the header says packed is {str(facts)[:200]}; expected vertices, arcs and dtypes.")


def _rows(n: int, m: int, ids: Any, weights: Any, array: Callable[[str], Array]) -> PackedAdjacency:
    starts, found = ({part: array(f"{name}/{part}") for part in PARTS} for name in ("offsets", "neighbours"))
    offsets = PackedArray(**starts, size=n + 1, largest=m, dtype=OFFSET)
    neighbours = PackedArray(**found, size=m, largest=max(0, n - 1), dtype=ids)
    stored = None if weights is None else array("weights")
    if stored is not None and (stored.shape != (m,) or not np.can_cast(stored.dtype, weights, "same_kind")):
        raise GraphError(f"weights have shape {stored.shape} and dtype {stored.dtype}; expected {m:,} of {weights}.")
    return PackedAdjacency(offsets, neighbours, stored, weights)
