"""Widest paths on the CPU: delta-stepping over weights turned upside down."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.paths import summary
from clew.algorithms.paths.weights import few_dtype
from clew.algorithms.registry import Answer
from clew.algorithms.sssp.cpu import best_paths, path_space
from clew.graph import Graph
from clew.operators import monoids
from clew.workspace import Workspace, result, scratch

BUCKETS = 256  # over the range of the weights


def workspace(graph: Graph) -> Workspace:
    """The arrays of a search over a graph with weights; its values, turned back, are the result."""
    assert graph.weight_dtype is not None
    few = few_dtype(graph.weight_dtype)
    search = path_space(graph, few, None)
    search.spaces["distance"] = scratch(graph.num_vertices, few)
    width = result(graph.num_vertices, graph.weight_dtype, later=True)
    return Workspace(width=width, **search.spaces, turned_weights=scratch(graph.num_arcs, few, later=True))


def sswp(graph: Graph, source: int, deterministic: bool = False) -> Answer:
    """The largest smallest weight of a path to every vertex.

    Turned upside down, that is the smallest largest weight: a value that, like a sum of weights of 0 or more, never
    falls along a path.
    """
    stored, dtype = graph.outgoing.stored_weights, graph.weight_dtype
    assert stored is not None
    assert dtype is not None
    few = stored.astype(few_dtype(dtype), copy=False)
    ends = (monoids.min.identity(dtype), monoids.max.identity(dtype))
    first, unreached = (turned_over(few.dtype.type(end)) for end in ends)
    turned = turned_over(few)
    finite = turned[np.isfinite(turned)] if turned.dtype.kind == "f" else turned
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    delta = high / BUCKETS - low / BUCKETS
    search = (graph, source, turned, first, unreached, delta or 1.0)
    value, *found = best_paths(*search, low=low, deterministic=deterministic)
    return summary("width", turned_over(value).astype(dtype, copy=False), *found)


def turned_over(numbers: Any) -> Any:
    """The numbers in opposite order, exactly and in the same dtype; doing it twice changes nothing."""
    return -numbers if numbers.dtype.kind == "f" else ~numbers
