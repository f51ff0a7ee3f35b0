"""ClusterGraph: the driver's view of a graph on a cluster. It has facts; arrays are with the workers."""

from __future__ import annotations

import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clew.checks import counted, one_of
from clew.describe import Description
from clew.distributed.results import ClusterColumn, ClusterEdgeResult, ClusterResult, ClusterWalkResult
from clew.dtypes import Array, id_dtype
from clew.engines.cluster.partition import Grid
from clew.engines.cluster.ranges import Cut
from clew.errors import GraphError
from clew.graph import Duplicates, Graph
from clew.io import FOLDER, tiles
from clew.io.ranges import url_of
from clew.names import VertexNames

if TYPE_CHECKING:
    from clew.distributed.session import Cluster


class NotOnClusterError(GraphError, AttributeError):
    """Something that a graph in one process has, and a graph on a cluster has not."""


class ClusterGraph:
    """A graph whose edges and vertices are with the workers of a cluster.

    Algorithms and vertex programs take it like a ``Graph``. Make one with ``graph.spread()``, or with ``clew.read``
    inside ``with clew.cluster(...)``.
    """

    def __getattr__(self, name: str) -> Any:
        """What a ``Graph`` has, and this has not, is an error with a remedy."""
        if name.startswith("_") or not hasattr(Graph, name):
            raise AttributeError(f"a graph on a cluster has no {name!r}.")
        raise NotOnClusterError(
            f"graph.{name} needs the graph in one process, and this one is on a cluster.",
            remedy=f"Use graph.gather().{name}, if this process has the memory for the whole graph.",
        )

    def __init__(self, cluster: Cluster, key: int, facts: list[dict[str, Any]]) -> None:
        self.cluster, self.key = cluster, key
        self.origin: ClusterGraph | None = None  # the graph that this one was made from
        first = facts[0]
        self.num_vertices: int = first["num_vertices"]
        self.num_arcs: int = first["num_arcs"]
        self.directed: bool = first["directed"]
        self.num_loops: int = first["num_loops"]
        self.num_edges: int = self.num_arcs if self.directed else (self.num_arcs + self.num_loops) // 2
        self.weight_dtype = None if first["weights"] is None else np.dtype(first["weights"])
        self.name_type: str | None = first["names"]
        self.report = first["report"]
        self.bytes_per_worker = [each["nbytes"] for each in facts]
        cuts = [each["cut"] for each in facts if each["cut"] is not None]
        self.cut = Cut(*map(sum, zip(*cuts, strict=True))) if cuts else None
        weakref.finalize(self, cluster.forget_later, key)

    @property
    def has_ranges(self) -> bool:
        """Whether every worker has a range of vertices with all their out-edges; ``cut`` says what leaves them."""
        return self.cut is not None

    @property
    def grid(self) -> Grid:
        """The rows and columns of workers that have the edges."""
        return Grid(self.cluster.grid.workers, one_column=self.has_ranges)

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self.weight_dtype is not None

    @property
    def named(self) -> bool:
        """Whether vertices have names other than 0…n-1."""
        return self.name_type is not None

    @property
    def nbytes(self) -> int:
        """The bytes of the graph on all workers."""
        return sum(self.bytes_per_worker)

    def describe(self) -> Description:
        """The facts of the graph. The workers count their degrees; no array is gathered."""
        degrees, counts, isolated = self._degree_counts("out")
        ends, half = np.cumsum(counts), self.num_vertices // 2
        # The middle value, or the mean of the two in the middle.
        middle = degrees[np.searchsorted(ends, [(self.num_vertices - 1) // 2, half], "right")] if degrees.size else [0]
        return Description(
            vertices=self.num_vertices,
            edges=self.num_edges,
            directed=self.directed,
            weights=None if self.weight_dtype is None else str(self.weight_dtype),
            self_loops=self.num_loops,
            isolated=isolated,
            degree_min=int(degrees.min(initial=degrees[0] if degrees.size else 0)),
            degree_mean=self.num_arcs / max(1, self.num_vertices),
            degree_median=float(np.mean(middle)),
            degree_max=int(degrees.max(initial=0)),
            id_dtype=str(np.dtype(id_dtype(self.num_vertices))),
            names=self.name_type,
            bytes=self.nbytes,
            report=self.report.counts,
        )

    def degree_counts(self, direction: Literal["out", "in"] = "out") -> tuple[Array, Array]:
        """The distinct degrees, and how many vertices have each; no array of all vertices is gathered."""
        return self._degree_counts(direction)[:2]

    def _degree_counts(self, direction: Literal["out", "in"]) -> tuple[Array, Array, int]:
        parts = self.cluster.call("degree_counts", self.key, direction == "in")
        degrees, where = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([part[1] for part in parts])).astype(np.int64)
        return degrees, counts, sum(part[2] for part in parts)

    def degrees(self, direction: Literal["out", "in"] = "out") -> Array:
        """The number of edges out of, or into, every vertex, gathered in this process."""
        one_of("direction", direction, ("out", "in"))
        values = np.empty(self.num_vertices, np.int64)
        for ids, part in self.cluster.call("degrees", self.key, direction == "in"):
            values[ids] = part
        return values

    def spread(self) -> ClusterGraph:
        """The graph itself, which is on the cluster already."""
        return self

    def reversed(self) -> ClusterGraph:
        """The graph with every edge reversed, on the same workers."""
        return self.cluster.derive(self, "reversed")

    def symmetrized(self, duplicates: Duplicates = "first") -> ClusterGraph:
        """The undirected graph with an edge wherever this one has one in either direction."""
        return self.cluster.derive(self, "symmetrized", duplicates)

    def __repr__(self) -> str:
        direction = "directed" if self.directed else "undirected"
        weights = "unweighted" if self.weight_dtype is None else f"{self.weight_dtype} weights"
        grid = self.grid
        return (
            f"ClusterGraph: {counted(self.num_vertices, 'vertex')}, {self.num_edges:,} {direction} edges, {weights}, "
            f"on {counted(grid.workers, 'worker')} ({grid.rows} × {grid.columns}), "
            f"{max(self.bytes_per_worker) / 2**20:,.1f} MiB on the largest"
        )

    def run_algorithm(self, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> ClusterResult:
        """Run an algorithm on all workers; ``clew.bfs(graph, …)`` and the others call this."""
        weights = None if self.weight_dtype is None else self.weight_dtype.str
        self.cluster.rehearse(name, args, options, weights)
        key, found = self.cluster.run(self.key, name, args, options)
        kinds = {"edges": ClusterEdgeResult, "walks": ClusterWalkResult}
        return kinds.get(found["kind"], ClusterResult)(self, key, found["title"], found)

    def run_program(self, program: Any, device: str) -> ClusterResult:
        """Run a vertex program on all workers; ``clew.run(program, graph)`` calls this."""
        self.cluster.check_sendable(type(program).__name__, program)
        return self.run_algorithm("run", (program,), {"device": device})

    def product(self, name: str, x: Any, semiring: Any, transpose: bool, device: str) -> Any:
        """A product with a vector of this process, gathered; ``clew.spmv`` and ``clew.spmspv`` call this."""
        self.cluster.check_sendable("the semiring", semiring)
        parts = self.cluster.call("product", self.key, name, self.cluster.put(x), semiring, transpose, device)
        if name == "spmspv":
            return tuple(np.concatenate([part[k] for part in parts]) for k in (0, 1))
        whole = np.empty(self.num_vertices, parts[0][1].dtype)
        for ids, values in parts:
            whole[ids] = values
        return whole

    def product_with(self, column: ClusterColumn, semiring: Any, transpose: bool, device: str) -> ClusterColumn:
        """A product with a column of a result, which stays with the workers as the product does."""
        self.cluster.check_sendable("the semiring", semiring)
        key, found = self.cluster.multiply(self.key, column.on_cluster, semiring, transpose, device)
        product = ClusterResult(self, key, found["title"], found)
        product.origin = column  # a worker that replaces a lost one computes this column first
        return product.column("value")

    def vertex(self, name: Any) -> int:
        """The id of the vertex that the user calls ``name``."""
        return int(self.cluster.call("vertex", self.key, name)[0])

    def names_of(self, ids: Array) -> list[Any]:
        """What the user calls some vertices, by their ids."""
        if not self.named:
            return list(ids.tolist())
        names: list[Any] = [None] * ids.size
        for here, found in self.cluster.call("names_of", self.key, ids):
            for place, name in zip(here, found, strict=True):
                names[place] = name
        return names

    def write_tiles(self, path: str | Path, format_name: str | None = None) -> None:
        """Write a folder of tiles, a tile per worker; ``clew.write(graph, "graph.clewd")`` calls this."""
        target = str(path if url_of(path) is not None else Path(path).absolute())
        if format_name not in (None, FOLDER) or not target.partition("?")[0].endswith(".clewd"):
            raise GraphError(
                f"a graph on a cluster is written as a folder of tiles, such as graph.clewd, not as {str(path)!r}.",
                remedy="For other formats, write graph.gather().",
            )
        with tiles.written_folder(target) as folder:
            written = self.cluster.call("write_tiles", self.key, folder)
            tiles.write_header(folder, replace(written[0][0], tiles=tuple(tile for _, tile in written)))

    def gather(self) -> Graph:
        """The same graph in this process, which must have the memory for it."""
        parts = self.cluster.call("rows", self.key)
        source, target = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        weights = np.concatenate([part[2] for part in parts]) if self.weighted else None
        names = VertexNames(self.names_of(np.arange(self.num_vertices))) if self.named else None
        built = Graph.from_edges(
            source, target, weights, self.num_vertices, self.directed, both_directions=not self.directed
        )
        return Graph(built.outgoing, directed=self.directed, names=names, report=self.report)
