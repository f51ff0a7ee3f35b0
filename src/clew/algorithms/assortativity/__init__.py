"""Assortativity."""

from __future__ import annotations

from typing import Literal

import numpy as np

from clew.algorithms.registry import algorithm, run
from clew.attributes import vertex_column
from clew.checks import counted, one_of, text
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result

Direction = Literal["out", "in"]


@algorithm(distributed=True)
def assortativity(
    graph: Graph, attribute: str | None = None, *, x: Direction = "out", y: Direction = "in", device: str = "auto"
) -> Result:
    """Assortativity: whether edges connect similar vertices, from -1 to 1.

    For degrees and other numbers, it is the correlation of the values at both ends of the edges. For categories, it is
    the share of edges within a category, compared with what it would be at random.

    Parameters
    ----------
    graph
        Directed or undirected. An undirected edge counts in both directions.
    attribute
        The name of a vertex column. Numbers are correlated; strings and booleans are categories. By default, degrees.
    x, y
        Of a directed graph, the degree to use at the source and at the target of an edge. A self-loop counts once.
    device
        "auto", "cpu" or "cuda". "cuda" runs a product on the GPU.

    Returns
    -------
    Result
        ``coefficient``: NaN if all edges have the same value at an end, or if there are no edges.

    Notes
    -----
    One product with the graph. Time O(n + m).

    References
    ----------
    M. E. J. Newman: "Mixing patterns in networks", Physical Review E 67, 2003.

    Examples
    --------
    >>> import clew
    >>> round(clew.assortativity(clew.generate.path(4)).coefficient, 6)
    -0.5
    >>> g = clew.Graph.from_edges(["ann", "bob", "cy"], ["bob", "cy", "dan"], directed=False)
    >>> g = g.with_vertex_columns({"team": ["red", "red", "blue", "blue"]})
    >>> round(clew.assortativity(g, "team").coefficient, 6)
    0.333333
    """
    one_of("x", x, ("out", "in"))
    one_of("y", y, ("out", "in"))
    column, numeric = (None, True) if attribute is None else _column(graph, text("attribute", attribute))
    return run("assortativity", graph, device, column=column, numeric=numeric, ends=(x, y))


def _column(graph: Graph, name: str) -> tuple[Array, bool]:
    """A vertex column as numbers, and whether they are values or the numbers of categories."""
    column = vertex_column(graph, name)
    if column.null_count:
        raise GraphError(
            f"the vertex column {name!r} has {counted(column.null_count, 'null')}; expected a value everywhere. "
            "Fill them, or leave those vertices out with graph.subgraph(mask)."
        )
    values = column.to_numpy()
    if values.dtype.kind in "iuf":
        return values.astype(np.float64), True
    return np.unique(values, return_inverse=True)[1], False
