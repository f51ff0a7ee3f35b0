"""The waist as generic forms see it: the primitives of one engine, with their results in host memory.

Generic forms index and combine vectors between products with NumPy. So on a GPU every vector is copied there and back.
In return they run on every device, without kernels for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew import primitives
from clew.dtypes import Array, is_on_gpu
from clew.graph import Graph
from clew.operators import Monoid, monoids


class Waist:
    """The primitives of one device; each takes what the public function of its name takes, but for ``device``."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.spmv = self._bound(primitives.spmv)
        self.spmspv = self._bound(primitives.spmspv)
        self.spvisit = self._bound(primitives.spvisit)
        self.spgemm = self._bound(primitives.spgemm)
        self.reduce_segments = self._bound(primitives.reduce_segments)
        self.elementwise = self._bound(primitives.elementwise)
        self.outer = self._bound(primitives.outer)
        self.compact = self._bound(primitives.compact)

    def total(self, values: Array, monoid: Monoid = monoids.plus) -> Any:
        """All values reduced to one."""
        return self.reduce_segments((values, [0, values.size]), monoid)[0]

    def _bound(self, primitive: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            return _to_host(primitive(*args, **options, device=self.device))

        return run


def simple(graph: Graph, *, directed: bool) -> Graph:
    """The graph without weights, loops and duplicates; undirected if asked."""
    source, target, _ = graph.edges()
    return Graph.from_edges(source, target, None, graph.num_vertices, directed and graph.directed, "drop", "drop")


def _to_host(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_to_host, value))
    return value.get() if is_on_gpu(value) else value
