"""Random walks in NumPy, a step of all walks at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.random_walks import Walks
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.generate import kernels_random as random
from clew.graph import Graph
from clew.layouts import coo

bits, unit, below = (function.py_func for function in (random.bits, random.unit, random.below))
DRAWS = 21  # as in kernels.py


def random_walks(waist: Waist, graph: Graph, given: Walks) -> Answer:  # noqa: ARG001, there is no product in a walk
    """The walks of the compiled form, which has the comments; see ``clew.random_walks``."""
    walk = np.full((given.starts.size, given.length + 1), -1, graph.indices.dtype)
    walk[:, 0] = given.starts
    own = bits(given.key, np.arange(given.starts.size, dtype=np.uint64))
    back, out = 1 / given.p, 1 / given.q
    choose, arcs = _Choice(graph, given.weighted), coo(graph)
    edges = arcs.rows.astype(np.int64) * graph.num_vertices + arcs.columns
    degrees = graph.degrees()
    for step in range(given.length):
        left, attempt = np.flatnonzero(choose.can_leave[walk[:, step]] & (walk[:, step] >= 0)), 0
        while left.size:
            draw = np.array([(step << DRAWS) + 2 * attempt], np.uint64)  # no scalar: their products warn of overflow
            u, before = walk[left, step], walk[left, step - 1]
            v = choose(u, bits(own[left], draw))
            bias = np.where(np.isin(before.astype(np.int64) * graph.num_vertices + v, edges), 1.0, out)
            bias[v == before] = back
            taken = unit(bits(own[left], draw + np.uint64(1))) * max(back, out, 1.0) < bias
            taken |= (step == 0) | (back == out == 1.0) | (degrees[u] == 1)
            walk[left[taken], step + 1] = v[taken]
            left, attempt = left[~taken], attempt + 1
    return Answer({"walk": walk})


class _Choice:
    """How to choose a neighbour, and where there is one."""

    def __init__(self, graph: Graph, weighted: bool) -> None:
        self.graph, self.weights = graph, graph.weights if weighted else None
        self.can_leave = graph.degrees() > 0
        if self.weights is not None:
            self.can_leave &= np.array([row.sum() > 0 for row in np.split(self.weights, graph.indptr[1:-1])], np.bool_)

    def __call__(self, u: Array, drawn: Any) -> Array:
        """A random neighbour of every vertex."""
        start, stop = self.graph.indptr[u], self.graph.indptr[u + 1]
        if self.weights is None:
            place: Array = below(drawn, (stop - start).astype(np.uint64)).astype(np.int64)
        else:
            rows = [np.cumsum(self.weights[a:b], dtype=np.float64) for a, b in zip(start, stop, strict=True)]
            found = [np.searchsorted(row, x * row[-1], "right") for row, x in zip(rows, unit(drawn), strict=True)]
            place = np.array(found, np.int64)
        return np.asarray(self.graph.indices[start + place])
