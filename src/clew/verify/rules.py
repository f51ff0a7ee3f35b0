"""What checkers are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import VerificationError
from clew.graph import Graph


def require(holds: Any, rule: str, where: str = "vertex") -> None:
    """Every entry of ``holds`` is true; else the error names the rule and the first place where it is broken."""
    broken = np.flatnonzero(~np.atleast_1d(np.asarray(holds, dtype=np.bool_)))
    if broken.size:
        raise VerificationError(f"{rule}; broken {broken.size:,} times, first at {where} {broken[0]}.")


def arcs(graph: Graph) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The source and the target of every stored entry."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    return source, graph.indices.astype(np.int64)


def arc_places(graph: Graph, source: Array, target: Array) -> npt.NDArray[np.int64]:
    """Where the first entry of each arc (source, target) is, or -1 where there is no such arc."""
    first, second = arcs(graph)
    keys = first * graph.num_vertices + second
    wanted = source.astype(np.int64) * graph.num_vertices + target
    places = np.searchsorted(keys, wanted)
    found = places < keys.size
    found[found] = keys[places[found]] == wanted[found]
    return np.where(found, places, -1)
