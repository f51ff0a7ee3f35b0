"""Several start vertices, checked before any work is done."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clew.errors import GraphError
from clew.graph import Graph


def vertices_of(graph: Graph, sources: Any) -> npt.NDArray[np.int64]:
    """The ids of the vertices that the user calls ``sources``, in their order."""
    if isinstance(sources, (str, bytes)) or not hasattr(sources, "__iter__"):
        raise GraphError(f"the sources are {sources!r}; expected several vertices, such as a list of names.")
    names = sources.tolist() if isinstance(sources, np.ndarray) else list(sources)
    if graph.names is not None:
        return graph.names.ids_of(names)
    return np.array([graph.vertex(name) for name in names], dtype=np.int64)
