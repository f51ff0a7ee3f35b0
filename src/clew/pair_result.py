"""PairResult: distances from many sources, and the paths that have these lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import Name
from clew.result import Result

#: Sums of floats in another order differ by less than this share.
ROUNDING = {4: 1e-5, 8: 1e-12}


class PairResult(Result):
    """Distances with an entry per vertex and source: a column per source, or a row where all vertices are sources.

    Everything else is as in ``Result``. It keeps the graph, since ``path_to`` follows in-edges.
    """

    def __init__(self, algorithm: str, values: Any, *, graph: Graph, **others: Any) -> None:
        super().__init__(algorithm, values, names=graph.names, **others)
        self._graph = graph

    def path_to(self, name: Name, source: Name | None = None) -> list[Name]:
        """The vertices on a shortest path to the vertex called ``name`` from the one called ``source``.

        ``source`` is optional where there is only one.
        """
        graph = self._graph
        start, distance = self._distances_from(source)
        weighted = graph.weighted and "depth" not in self.values
        rows, end = graph.incoming.plain(), graph.vertex(name)
        after, left = {end: end}, [end]  # in-edges that shortest paths can end with lead back to the source
        while start not in after:
            if not left or distance[end] == self.unreached:
                raise GraphError(f"there is no path to {name!r}: the search did not reach it.")
            vertex = left.pop()
            row = slice(rows.indptr[vertex], rows.indptr[vertex + 1])
            before = rows.indices[row]
            edges = rows.weights[row].astype(distance.dtype) if weighted and rows.weights is not None else 1
            kept = _ends_paths(distance[before], edges, distance[vertex]) & (distance[before] != self.unreached)
            fresh = [u for u in dict.fromkeys(before[kept].tolist()) if u not in after]
            after.update(dict.fromkeys(fresh, vertex))
            left += fresh
        path = [start]
        while path[-1] != end:
            path.append(after[path[-1]])
        return self.names_of(np.array(path))

    def _distances_from(self, source: Name | None) -> tuple[int, Array]:
        """The vertex of that name, and the distances from it."""
        distances, known = self.numpy()._column(None), self.facts.get("sources")
        sources = [] if known is None else list(known.tolist())
        if source is None:
            if len(sources) != 1:
                raise GraphError(
                    f"this result of {self.algorithm} has several sources; pass one: path_to(name, source)."
                )
            source = sources[0]
        start = self._graph.vertex(source)
        if known is None:
            return start, distances[start]
        if source not in sources:
            raise GraphError(f"{source!r} is not one of the sources, such as {sources[0]!r}.")
        return start, distances[:, sources.index(source)]


def _ends_paths(before: Array, edges: Any, length: Any) -> Array:
    """Whether a path of that length can end with each edge, given the distances before it; floats up to rounding."""
    if before.dtype.kind != "f":
        return np.asarray(before + edges == length)
    with np.errstate(invalid="ignore"):  # infinite where there is no path
        gap = np.abs(before + edges - length)
    return np.asarray(gap <= ROUNDING[before.dtype.itemsize] * (np.abs(before) + np.abs(edges)))
