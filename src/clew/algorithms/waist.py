"""The waist as generic forms see it: the primitives of one engine, with their results in host memory.

Generic forms index and combine vectors between products with NumPy. So on a GPU every vector is copied there and back.
In return they run on every device, without kernels for it.

They also run on a cluster, in every worker at once. A vector there has an entry for each of the worker's own vertices,
whose ids ``ids`` returns. Sparse vectors hold places in it. A condition that all workers must agree on goes through
``any`` or ``total``, and values of vertices elsewhere come from ``take``. On one machine, places are ids.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from clew import primitives
from clew.dtypes import Array, is_on_gpu
from clew.engines.base import check_available
from clew.engines.cluster.partition import KEY, Permutation
from clew.graph import Graph
from clew.layouts import coo
from clew.operators import Monoid, monoids, semirings


class Waist:
    """The primitives of one device; each takes what the public function of its name takes, but for ``device``."""

    distributed = False  # whether this process has a share of the graph only

    def __init__(self, device: str) -> None:
        self.device = self.given = device  # for primitives, and for algorithms that run inside another one
        self.spmv = self._bound(primitives.spmv)
        self.spmspv = self._bound(primitives.spmspv)
        self.spvisit = self._bound(primitives.spvisit)
        self.spgemm = self._bound(primitives.spgemm)
        self.reduce_segments = self._reduce_here = self._bound(primitives.reduce_segments)
        self.elementwise = self._bound(primitives.elementwise)
        self.outer = self._bound(primitives.outer)
        self.compact = self._bound(primitives.compact)

    def check_memory(self, nbytes: int, what: str) -> None:
        """Refuse ``what`` if this process has less memory than that."""
        check_available(nbytes, what, "take a part of the graph")

    def ids(self, graph: Graph) -> Array:
        """The ids of the vertices that a vector has entries for."""
        return np.arange(graph.num_vertices, dtype=graph.indices.dtype)

    def degrees(self, graph: Graph, direction: Literal["out", "in"] = "out") -> Array:
        """The number of edges out of, or into, the vertices that a vector has entries for."""
        return graph.degrees(direction)

    def any(self, flag: Any) -> bool:
        """Whether the flag is true on any worker."""
        return bool(flag)

    def checkpoint(self, step: int, *state: Any) -> tuple[Any, ...]:  # noqa: ARG002
        """The state of a loop at the head of a round; a run that lost a worker continues from the last one saved.

        ``step`` counts rounds from 0, and the state is all that rounds change: arrays, numbers and lists of numbers.
        """
        return state

    def take(self, graph: Graph, values: Array, ids: Array) -> Array:  # noqa: ARG002
        """The values of any vertices, by their ids."""
        return values[ids]

    def put(self, graph: Graph, values: Array, ids: Array, given: Array) -> Array:  # noqa: ARG002
        """Set the values of any vertices, by their distinct ids; returns the places that changed here, ascending."""
        values[ids] = given
        return np.sort(ids)

    def tally(self, graph: Graph, ids: Array) -> Array:
        """How often each vertex is among ``ids``."""
        return np.bincount(ids, minlength=graph.num_vertices)

    def label_sizes(self, graph: Graph, label: Array) -> Array:
        """How many vertices have each label that occurs, by ascending label; labels are vertex ids."""
        counts = self.tally(graph, label)
        return counts[counts > 0]

    def collect(self, values: Array) -> Array:
        """All entries, of all workers; for facts that are few."""
        return values

    def gather_by(self, graph: Graph, ids: Array, values: Array, monoid: Monoid) -> Array:
        """For every vertex, the values that are given for its id, reduced."""
        return self._gather_here(ids, values, graph.num_vertices, monoid)

    def shuffled(self, graph: Graph, seed: int) -> Array:
        """A random permutation of 0…n-1: the number of every vertex. It depends on the seed alone."""
        return Permutation(graph.num_vertices, KEY * (2 * seed + 1))(self.ids(graph))

    def select(self, graph: Graph, keep: Callable[[Any, Any, Any], Any], x: Array) -> Graph:
        """The graph of the edges u -> v for which ``keep(weight, x[u], x[v])`` is true, without weights."""
        arcs = coo(graph)
        chosen = self.compact(keep(arcs.weights, x[arcs.rows], x[arcs.columns]))
        return Graph.from_edges(arcs.rows[chosen], arcs.columns[chosen], num_vertices=graph.num_vertices)

    def out_edges(self, graph: Graph) -> tuple[Array, Array, Array | None]:
        """The edges out of the vertices that vectors have entries for: places, the ids of the targets, weights."""
        arcs = coo(graph)
        return arcs.rows, arcs.columns, arcs.weights

    def simple(self, graph: Graph, *, directed: bool) -> Graph:
        """The graph without weights, loops and duplicates; undirected if asked."""
        source, target, _ = graph.edges()
        return Graph.from_edges(source, target, None, graph.num_vertices, directed and graph.directed, "drop", "drop")

    def both_directions(self, graph: Graph) -> Graph:
        """The edges of a directed graph in both directions, a loop twice; without weights."""
        if not graph.directed:
            return graph.with_weights(None)
        source, target, _ = graph.edges()
        ends = np.concatenate([source, target]), np.concatenate([target, source])
        return Graph.from_edges(*ends, num_vertices=graph.num_vertices)

    def neighbor_counts(self, graph: Graph, label: Array) -> tuple[Array, Array, Array]:
        """How many neighbours of a vertex have each label, a vertex id: arrays (place, label, count), by place."""
        ids = self.ids(graph)
        # C = A P, with an entry P[u, label of u] in every row: C[v, l] is how many neighbours of v have label l.
        labels = Graph.from_edges(ids, label, num_vertices=graph.num_vertices)
        counts = coo(self.spgemm(graph, labels, semirings.plus_pair))
        assert counts.weights is not None
        return counts.rows, counts.columns, counts.weights

    def total(self, values: Array, monoid: Monoid = monoids.plus) -> Any:
        """All values reduced to one."""
        return self.reduce_segments((values, [0, values.size]), monoid)[0]

    def _gather_here(self, places: Array, values: Array, size: int, monoid: Monoid) -> Array:
        gathered = np.full(size, monoid.identity(values.dtype), values.dtype)
        order = np.argsort(places, kind="stable")
        first = np.flatnonzero(np.diff(places[order], prepend=-1))
        gathered[places[order][first]] = self._reduce_here((values[order], np.append(first, places.size)), monoid)
        return gathered

    def _bound(self, primitive: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            return _to_host(primitive(*args, **options, device=self.device))

        return run


def _to_host(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_to_host, value))
    return value.get() if is_on_gpu(value) else value
