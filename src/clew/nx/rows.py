"""The dicts in which NetworkX keeps neighbours as arrays: compressed rows, in the order of the dicts."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from operator import methodcaller
from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import MAX_INT32_VERTICES, Array

Dicts = Mapping[Any, Mapping[Any, Any]]
VALUES = methodcaller("values")


def rows_as_arrays(rows: Dicts, nodes: list[Any], *, multigraph: bool) -> tuple[npt.NDArray[np.int64], Array]:
    """Offsets and neighbours; parallel edges are adjacent."""
    degrees = np.fromiter(map(len, rows.values()), dtype=np.int64, count=len(nodes))
    ids = np.int32 if len(nodes) <= MAX_INT32_VERTICES else np.int64
    targets: Any = chain.from_iterable(rows.values())
    if nodes != list(range(len(nodes))):
        targets = map(dict(zip(nodes, range(len(nodes)), strict=True)).__getitem__, targets)
    indices: Array = np.fromiter(targets, dtype=ids, count=int(degrees.sum()))
    if multigraph:
        parallel = chain.from_iterable(map(VALUES, rows.values()))  # the edges of every pair of nodes
        repeats = np.fromiter(map(len, parallel), dtype=np.int64, count=indices.size)
        sources = np.repeat(np.arange(len(nodes)), degrees)
        degrees = np.bincount(sources, weights=repeats, minlength=len(nodes)).astype(np.int64)
        indices = np.repeat(indices, repeats)
    indptr = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(degrees, out=indptr[1:])
    return indptr, indices
