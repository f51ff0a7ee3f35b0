"""EdgeResult: the arrays of an algorithm that has a value for every edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import Name, called
from clew.result import Result

if TYPE_CHECKING:
    import pyarrow as pa


class EdgeResult(Result):
    """Arrays with one entry per edge, in the order of ``graph.edges()``, and single facts.

    An undirected edge has one entry, and parallel edges have one each. A mask selects edges as it is:
    ``graph.filter_edges(clew.bridges(graph).bridge)``. ``graph.with_edge_columns(result)`` makes edge columns.
    Everything else is as in ``Result``, where an edge is called by its ends: ("ann", "bob").

    Parameters
    ----------
    algorithm
        Its name.
    values
        Arrays with an entry per edge. ``top`` and ``to_dict`` use the first by default.
    graph
        The graph of those edges.
    pairs
        The pairs of vertices of the entries, where these are not edges. Two arrays of ids, or a function that fetches
        them at their first use.
    **others
        As in ``Result``.
    """

    def __init__(self, algorithm: str, values: Any, *, graph: Graph, pairs: Any = None, **others: Any) -> None:
        super().__init__(algorithm, values, names=graph.names, **others)
        self._graph, self._pairs = graph, pairs

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_pairs": self.pairs() if callable(self._pairs) else self._pairs}

    def edges(self, chosen: Any = slice(None)) -> tuple[Array, Array]:
        """The sources and the targets of some edges by name; ``chosen`` is a mask or numbers of edges (default: all).

        Examples
        --------
        >>> import clew
        >>> forest = clew.minimum_spanning_forest(clew.Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], [3, 1, 2]))
        >>> [ends.tolist() for ends in forest.edges(forest.member)]
        [['a', 'b'], ['c', 'c']]
        """
        source, target = self.pairs()
        return called(self._names, source[chosen]), called(self._names, target[chosen])

    def pairs(self) -> tuple[Array, Array]:
        """The ids of the two ends that every entry is about."""
        if self._pairs is None:
            source, target, _ = self._graph.edges()
            return source, target
        if callable(self._pairs):
            self._pairs = self._pairs()
        source, target = self._pairs
        return source, target

    def of(self, name: Any, value: str | None = None) -> Any:
        """The value of the edge called ``name``, a pair of vertices; of parallel edges, the first one's."""
        if not isinstance(name, (tuple, list)) or len(name) != 2:
            raise GraphError(f"{name!r} is not an edge; expected its two vertices, such as ('ann', 'bob').")
        first, second = map(self._graph.vertex, name)
        if self._pairs is not None:
            source, target = self.pairs()
            found = np.flatnonzero((source == first) & (target == second))
            if not found.size:
                raise GraphError(f"{name[0]!r} and {name[1]!r} are no pair of this result.")
            return self._shown(value, found[:1])[0]
        if not self._graph.directed:
            first, second = sorted((first, second))
        source, target, _ = self._graph.edges()
        begin, end = np.searchsorted(source, (first, first + 1))
        place = begin + np.searchsorted(target[begin:end], second)
        if place == end or target[place] != second:
            raise GraphError(f"there is no edge from {name[0]!r} to {name[1]!r}.")
        return self._shown(value, np.array([place]))[0]

    def names_of(self, vertices: Array) -> list[Name]:
        """The two ends of some edges, given by their numbers."""
        pairs: Any = zip(*(ends.tolist() for ends in self.edges(vertices)), strict=True)
        return list(pairs)

    def to_dict(self, value: str | None = None) -> dict[Any, Any]:
        """``{(source, target): value}``, for small graphs; parallel edges must have equal values."""
        found = super().to_dict(value)
        if len(found) < len(self):
            edges = np.arange(len(self))
            names: list[Any] = self.names_of(edges)
            for ends, one in zip(names, self._shown(value, edges), strict=True):
                if found.get(ends, one) != one:
                    raise GraphError(
                        f"parallel edges from {ends[0]!r} to {ends[1]!r} have different values, and a dict has one "
                        "entry for both. Use to_arrow() or to_pandas(), which have a row per edge."
                    )
        return found

    def to_arrow(self) -> pa.Table:
        """An Arrow table: the columns of ``graph.to_arrow()``, and a column per array (null where it has no value).

        An edge column with the name of an array gets the prefix ``edge_``.
        """
        import pyarrow as pa

        known = self._known()
        if self._pairs is not None:
            ends = dict(zip(("source", "target"), self.edges(), strict=True))
            return pa.table({**ends, **{name: self._arrow(name, known) for name in self.values}})
        table = self._graph.to_arrow()
        table = table.rename_columns([f"edge_{name}" if name in self.values else name for name in table.column_names])
        for name in self.values:
            table = table.append_column(name, self._arrow(name, known))
        return table
