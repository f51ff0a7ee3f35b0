"""ClusterResult: the driver's view of a result on a cluster, per vertex, per edge, or of walks.

The driver has facts. Arrays stay with the workers until a caller needs them.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.checks import whole
from clew.distributed.kept import ENDS
from clew.dtypes import Array, id_dtype
from clew.edge_result import EdgeResult
from clew.engines.cluster.owned import joined
from clew.errors import GraphError
from clew.names import Name, VertexNames
from clew.result import Result, Trace
from clew.walk_result import WalkResult

if TYPE_CHECKING:
    from clew.distributed.graph import ClusterGraph

PART = re.compile(r"part-\d+\.(parquet|unfinished)")


class _Columns(Mapping[str, Array]):
    """The arrays of a result, gathered one by one when they are needed."""

    def __init__(
        self, graph: ClusterGraph, key: int, columns: Mapping[str, tuple[str, tuple[int, ...]]], size: int
    ) -> None:
        self._graph, self._key, self.columns, self._size = graph, key, columns, size
        self._gathered: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._gathered:
            dtype, shape = self.columns[name]
            values = np.empty((self._size, *shape), dtype)
            for ids, part in self._graph.cluster.call("column", self._key, name):
                values[ids] = part
            self._gathered[name] = values
        return self._gathered[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns  # without this, Mapping would gather the array

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


class _Facts(dict[str, Any]):
    """The facts of a result. Those that are arrays are with the workers until they are read; no loop lists them."""

    def __init__(self, graph: ClusterGraph, key: int, facts: Mapping[str, Any], arrays: Sequence[str]) -> None:
        super().__init__(facts)
        self._graph, self._key, self._arrays = graph, key, arrays

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._arrays

    def __missing__(self, name: str) -> Any:
        if name not in self._arrays:
            raise KeyError(name)
        self[name] = joined(self._graph.cluster.call("fact", self._key, name))
        return self[name]


class ClusterColumn:
    """A column of a result that stays with the workers. ``clew.spmv`` takes one, and then returns another one.

    ``result`` is the result that it belongs to, with ``top``, ``of`` and ``write``. ``numpy.asarray`` gathers it.
    """

    def __init__(self, result: ClusterResult, name: str) -> None:
        self.result, self.name = result, name
        self.on_cluster = result._key, name

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.result.values[self.name], dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.result)

    def __repr__(self) -> str:
        return f"ClusterColumn: {self.name} of {self.result!r}"


class ClusterResult(Result):
    """A result whose arrays are with the workers: facts and ``top`` need no gathering, attributes gather an array."""

    def __init__(self, graph: ClusterGraph, key: int, algorithm: str, about: dict[str, Any]) -> None:
        self._columns, self._size = about["columns"], int(about["size"])
        if graph.named and "sources" in about["facts"]:  # workers know vertices by their ids
            about["facts"]["sources"] = graph.names_of(np.asarray(about["facts"]["sources"]))
        Result.__init__(
            self,
            algorithm,
            _Columns(graph, key, about["columns"], self._size),
            vertices=about["vertices"],
            unreached=about["unreached"],
            facts={},
            iterations=about["iterations"],
            converged=about["converged"],
            trace=Trace(about["trace"]),
        )
        self.facts = _Facts(graph, key, about["facts"], about["arrays"])
        self._graph: Any = graph
        self._key = key
        self._all_names: VertexNames | None = None
        self.origin: ClusterColumn | None = None  # the column that this product was made from
        weakref.finalize(self, graph.cluster.forget_later, key)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        columns: Any = self._columns
        arrays = ", ".join(f"{name}: {np.dtype(dtype)}[{len(self):,}]" for name, (dtype, _) in columns.items())
        facts = "".join(f", {name}={value!r}" for name, value in self.facts.items() if np.isscalar(value))
        text = f"{arrays}{facts}, iterations={self.iterations}{'' if self.converged else ', not converged'}"
        return f"Result of {self.algorithm} on a cluster: {text.removeprefix(', ')}"

    def single_values(self) -> list[str]:
        """The names of the arrays that have one number per vertex."""
        return [name for name, (_, shape) in self._columns.items() if not shape]

    def numpy(self) -> Result:
        """The result itself; its arrays are gathered one by one, when they are read."""
        return self

    def column(self, name: str) -> ClusterColumn:
        """A column that stays with the workers, for ``clew.spmv``."""
        self._check_column(name)
        return ClusterColumn(self, name)

    def top(self, k: int = 10, by: str | None = None, *, smallest: bool = False) -> list[tuple[Name, Any]]:
        """As ``Result.top``: every worker names its first ``k``, and nothing else travels."""
        self._check_column(by)
        parts = self._graph.cluster.call("top", self._key, k, by, smallest)
        return self._shown_of(parts, lambda few: few.ranked(k, by, smallest=smallest), by)

    def of(self, name: Name, value: str | None = None) -> Any:
        """The value of the vertex called ``name``; None if it was not reached."""
        self._check_column(value)
        ids = np.array([self._graph.vertex(name)])
        parts = [(ids[here], values) for here, values in self._graph.cluster.call("values_of", self._key, ids)]
        return self._shown_of(parts, lambda few: np.arange(len(few)), value)[0][1]

    def write(self, folder: str | Path) -> list[str]:
        """Write a table with a Parquet file per worker into a folder that all workers see; returns the paths.

        Readers of Parquet, such as ``pandas.read_parquet(folder)``, read the folder as one table. Parts of an earlier
        table in the folder are replaced.
        """
        target = Path(folder).absolute()
        if target.exists() and (not target.is_dir() or any(not PART.fullmatch(each.name) for each in target.iterdir())):
            raise GraphError(f"{target} exists and is not the folder of a result; expected a new name.")
        written = self._write_parts(target)
        for path in set(map(str, target.glob("part-*.parquet"))).difference(written):
            Path(path).unlink()
        return written

    def _write_parts(self, folder: Path) -> list[str]:
        columns = [name for name in self.values if name in self._vertices]
        return list(self._graph.cluster.call("write", self._key, self._graph.key, str(folder), columns))

    def _shown_of(self, parts: Any, choose: Any, by: str | None) -> list[tuple[Name, Any]]:
        """Vertices of some workers as a user reads them: names and values."""
        ids = np.concatenate([part[0] for part in parts])
        order = np.argsort(ids)
        ids = ids[order]
        values = {name: np.concatenate([part[1][name] for part in parts])[order] for name in parts[0][1]}
        few = Result(self.algorithm, values, unreached=self.unreached, vertices=self._vertices)
        chosen = choose(few)
        shown: list[Any] = few._shown(by, chosen)
        if (by or next(iter(values))) in self._vertices and self._graph.named:
            vertices = np.array([-1 if each is None else each for each in shown], dtype=np.int64)
            named = np.full(vertices.shape, None, dtype=object)
            named[vertices >= 0] = self._graph.names_of(vertices[vertices >= 0])
            shown = named.tolist()
        return list(zip(self._called(ids, values, chosen), shown, strict=True))

    def _called(self, ids: Array, values: dict[str, Array], chosen: Array) -> list[Any]:  # noqa: ARG002, for edges
        """What the user calls chosen entries."""
        names: list[Any] = self._graph.names_of(ids[chosen])
        return names

    def _check_column(self, name: str | None) -> None:
        if not self.values:
            raise GraphError(f"this result of {self.algorithm} has no value per vertex, only {', '.join(self.facts)}.")
        if name is not None and name not in self.values:
            raise GraphError(f"there is no value {name!r}; expected one of {', '.join(self.values)}.")

    @property
    def _names(self) -> VertexNames | None:
        if not self._graph.named:
            return None
        if self._all_names is None:
            ids = np.arange(len(self), dtype=id_dtype(len(self)))
            self._all_names = VertexNames(self._graph.names_of(ids))
        return self._all_names

    @_names.setter
    def _names(self, value: VertexNames | None) -> None:
        """The names stay with the workers until a caller needs them."""


class _NamesThere:
    """The names of a graph's vertices, which stay with the workers. Only those that are needed are fetched."""

    def __init__(self, graph: ClusterGraph) -> None:
        self._graph = graph

    def take(self, vertices: Any) -> Any:
        """The names of several vertices."""
        import pyarrow as pa

        ids, places = np.unique(np.asarray(vertices, np.int64), return_inverse=True)
        kind = pa.int64() if self._graph.name_type == "integers" else pa.large_string()
        names: Any = pa.array(self._graph.names_of(ids), kind)
        return names.take(pa.array(places.ravel()))


class _Listed(ClusterResult):
    """A result whose entries are not for vertices. It fetches the names of the vertices in it."""

    @property
    def _names(self) -> Any:
        return _NamesThere(self._graph) if self._graph.named else None

    @_names.setter
    def _names(self, value: Any) -> None:
        """Those of the workers."""


class ClusterWalkResult(_Listed, WalkResult):
    """Walks on a cluster; every worker has some of them."""

    def first(self, count: int) -> list[list[Name]]:
        """The first walks as lists of names; the others stay with the workers."""
        return self._named(self._fetched(np.arange(min(count, len(self)))))

    def of(self, name: Any, value: str | None = None) -> Any:
        """The walk of that number, by name."""
        self._check_column(value)
        walks = self._fetched(np.array([whole("the number of a walk", name, 0, len(self) - 1)]))
        return (self._named(walks) if self._graph.named else walks.tolist())[0]

    def _fetched(self, numbers: Array) -> Array:
        """Some walks, given in ascending order; every worker has those of a range."""
        parts = self._graph.cluster.call("values_of", self._key, numbers)
        return np.concatenate([part[1]["walk"] for part in parts])


class ClusterEdgeResult(_Listed, EdgeResult):
    """Values of edges, or of pairs of vertices, on a cluster; every worker has those of some."""

    def __init__(self, graph: ClusterGraph, key: int, algorithm: str, about: dict[str, Any]) -> None:
        super().__init__(graph, key, algorithm, about)
        self._pairs: Any = self._sampled if "node" in self.facts else self._gathered

    def _sampled(self) -> tuple[Array, Array]:
        return self.node[self.row], self.node[self.col]

    def _gathered(self) -> tuple[Array, Array]:
        ends = dict.fromkeys(ENDS, (id_dtype(self._graph.num_vertices).str, ()))
        columns = _Columns(self._graph, self._key, ends, self._size)
        return columns["source"], columns["target"]

    def of(self, name: Any, value: str | None = None) -> Any:
        """The value of the edge called ``name``, a pair of vertices; of parallel edges, the first one's."""
        self._check_column(value)
        if not isinstance(name, (tuple, list)) or len(name) != 2:
            raise GraphError(f"{name!r} is not an edge; expected its two vertices, such as ('ann', 'bob').")
        ends = [self._graph.vertex(end) for end in name]
        # An undirected edge is named from its smaller end on, and a pair as it was given.
        for first, second in (ends, sorted(ends)) if not self._graph.directed else (ends,):
            parts = self._graph.cluster.call("values_between", self._key, first, second)
            if any(numbers.size for numbers, _ in parts):
                return self._shown_of(parts, lambda few: np.arange(len(few)), value)[0][1]
        raise GraphError(f"this result of {self.algorithm} has no value for {name[0]!r} and {name[1]!r}.")

    def _write_parts(self, folder: Path) -> list[str]:
        if self.values:
            return super()._write_parts(folder)
        import pyarrow.parquet as pq

        path = folder / "part-00000.parquet"  # a sample is in this process
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(self.to_arrow(), path)
        return [str(path)]

    def _called(self, ids: Array, values: dict[str, Array], chosen: Array) -> list[Any]:  # noqa: ARG002, for vertices
        ends = np.concatenate([values[end][chosen] for end in ENDS])
        names = self._graph.names_of(ends)
        return list(zip(names[: chosen.size], names[chosen.size :], strict=True))
