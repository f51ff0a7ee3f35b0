"""The answer of an algorithm: as tables, as JSON, or in a file.

Results with a number for every pair of vertices are summarised by closeness.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from clew.cli import output
from clew.cli.files import File
from clew.cli.output import Column, numeric
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.sink import Sink
from clew.names import called
from clew.result import Result
from clew.walk_result import WalkResult

if TYPE_CHECKING:
    from clew.plan import Plan


@runtime_checkable
class OnWorkers(Protocol):
    """A result whose arrays are with the workers of a cluster."""

    def write(self, folder: Path) -> Any:
        """Write a file per worker."""


PARTITIONS = ("label", "community", "component")  # values that say which set a vertex or an edge is in
SUFFIXES = (".parquet", ".arrow", ".csv", ".npy")


@dataclass
class Answer:
    """The result, its time, and the file that was read."""

    graph: Graph
    was_read: File
    result: Result
    seconds: float
    verified: bool
    destination: Path | None
    plan: Plan | None = None
    path: list[Any] | None = None

    @cached_property
    def _ranking(self) -> Ranking:
        found = _by_closeness(self.graph, self.result) or _by_size(self.result) or _by_edge(self.result)
        found = found or _by_pair(self.graph, self.result) or _by_walk(self.result)
        return found or _by_vertex(self.result)

    def as_dict(self, top: int) -> dict[str, Any]:
        """Everything, for JSON."""
        result, ranking = self.result, self._ranking
        return {
            "algorithm": result.algorithm,
            "read": self.was_read.as_dict(),
            "vertices": self.graph.num_vertices,
            "edges": self.graph.num_edges,
            "seconds": round(self.seconds, 6),
            "iterations": result.iterations,
            "converged": result.converged,
            "verified": self.verified,
            "facts": self._facts(),
            "top": [dict(zip((ranking.of, *ranking.columns), row, strict=True)) for row in ranking.rows(top)],
            "written": None if self.destination is None else str(self.destination),
            **({} if self.path is None else {"path": self.path}),
            **({} if self.plan is None else {"plan": self.plan.to_dict()}),
        }

    def show(self, top: int) -> None:
        """A table of facts and one of vertices or edges."""
        result, ranking = self.result, self._ranking
        output.heading(f"{result.algorithm} on {self.was_read.name}")
        facts = [("graph", output.size(self.graph)), ("time", output.duration(self.seconds))]
        facts.append(("iterations", f"{result.iterations:,}{'' if result.converged else ' (not converged)'}"))
        facts += [(_words(name), _text(value)) for name, value in self._facts().items()]
        facts += self.was_read.decisions()
        if self.path is not None:
            facts.append((f"path to {self.path[-1]}", " → ".join(map(str, self.path))))
        if self.verified:
            facts.append(("verified", "yes, by an independent checker"))
        if self.destination is not None:
            facts.append(("written", str(self.destination)))
            if self.destination.suffix == ".npy" and (len(result.values) > 1 or self.graph.names is not None):
                facts.append(("not kept", f"everything but the array {next(iter(result.values))!r}"))
        output.facts(facts)
        rows = ranking.rows(top)
        if rows and ranking.columns:
            output.heading(f"Top {len(rows)} by {_words(ranking.by or ranking.columns[0])}")
            columns = [Column(ranking.of, style="bold"), *numeric(*map(_words, ranking.columns))]
            # Vertices as they are: with a thousands separator, an id could not be pasted back.
            plain = [True, *(name in ranking.vertices for name in ranking.columns)]
            shown = [
                [str(cell) if ids and cell is not None else _text(cell) for cell, ids in zip(row, plain, strict=True)]
                for row in rows
            ]
            output.table(columns, shown)
        if self.plan is not None:
            output.heading("Predicted and measured")
            output.plain(self.plan.comparison(output.results.width - 2), indent=2)

    def _facts(self) -> dict[str, Any]:
        facts = {name: value for name, value in self.result.facts.items() if np.isscalar(value)} | self._ranking.facts
        return {name: value.item() if isinstance(value, np.generic) else value for name, value in facts.items()}


def _by_vertex(result: Result) -> Ranking:
    """The vertices with the largest first values; unreached vertices come last."""
    columns = result.single_values()

    def rows(top: int) -> list[tuple[Any, ...]]:
        names = [name for name, _ in result.top(top, columns[0])] if columns else []
        return [(name, *(result.of(name, value) for value in columns)) for name in names]

    return Ranking("vertex", columns, rows, {}, result.vertex_values)


def _by_edge(result: Result) -> Ranking | None:
    """The edges with the largest first values; None for results with values of vertices."""
    if not isinstance(result, EdgeResult) or not result.values:
        return None
    columns = list(result.values)

    def rows(top: int) -> list[tuple[Any, ...]]:
        if isinstance(result, OnWorkers) and len(columns) == 1:  # which gathers nothing
            ranked: Any = result.top(top)
            return [(*ends, value) for ends, value in ranked]
        chosen = result.ranked(top)
        shown = (result.values[name][chosen].tolist() for name in columns)
        return list(zip(*(ends.tolist() for ends in result.edges(chosen)), *shown, strict=True))

    return Ranking("source", ["target", *columns], rows, {}, {"target"}, columns[0])


def _by_pair(graph: Graph, result: Result) -> Ranking | None:
    """The pairs with the largest scores, of results with a list of others for every vertex; None for other results."""
    if result.algorithm != "most_similar":
        return None

    def rows(top: int) -> list[tuple[Any, ...]]:
        vertex, place = np.nonzero(result.similar >= 0)
        best = np.argsort(-result.score[vertex, place], kind="stable")[:top]
        chosen = (vertex[best], place[best])
        named = (called(graph.names, ids).tolist() for ids in (vertex[best], result.similar[chosen]))
        return list(zip(*named, result.score[chosen].tolist(), strict=True))

    return Ranking("vertex", ["similar", "score"], rows, {}, {"similar"}, "score")


def _by_walk(result: Result) -> Ranking | None:
    """The first walks; None for other results."""
    if not isinstance(result, WalkResult):
        return None

    def rows(top: int) -> list[tuple[Any, ...]]:
        return [(number, " → ".join(map(str, names))) for number, names in enumerate(result.first(top))]

    return Ranking("walk", ["vertices"], rows, {}, {"vertices"}, "number")


def _by_size(result: Result) -> Ranking | None:
    """The largest sets of a partition of the vertices or edges; None for other results."""
    parts = next((name for name in PARTITIONS if list(result.values) == [name]), None)
    if parts is None or isinstance(result, OnWorkers):
        return None
    known = result.values[parts] if result.unreached is None else result.values[parts][result.reached]
    values, sizes = np.unique(known, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    one = "component" if parts == "component" or result.algorithm.endswith("components") else "community"

    def rows(top: int) -> list[tuple[Any, ...]]:
        named = values[order[:top]]
        names = result.names_of(named) if parts in result.vertex_values else named.tolist()
        return list(zip(names, sizes[order[:top]].tolist(), strict=True))

    return Ranking(one, ["size"], rows, {})


def _words(name: str) -> str:
    return name.removeprefix("num_").replace("_", " ")


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


class Ranking(NamedTuple):
    """A table whose first rows are shown, and facts about all rows."""

    of: str
    columns: list[str]
    rows: Callable[[int], list[tuple[Any, ...]]]
    facts: dict[str, Any]
    vertices: Collection[str] = ()  # the columns that are vertices
    by: str = ""  # what the rows are ordered by, if it is not the first column


def _by_closeness(graph: Graph, result: Result) -> Ranking | None:
    """Closeness ranking of a result with a number for every pair; None for other results."""
    if result.algorithm == "all_pairs":
        everybody = np.arange(graph.num_vertices)
        return _ranked(graph, "vertex", result.distance, everybody, result.reached, called(graph.names, everybody))
    if result.algorithm == "multi_source_bfs":
        names = np.asarray(result.sources)
        starts = np.array([graph.vertex(name) for name in names.tolist()], dtype=np.int64)
        return _ranked(graph, "source", result.depth.T, starts, result.reached.T, names)
    return None


def _ranked(graph: Graph, of: str, away: Array, starts: Array, known: Array, names: Array) -> Ranking:
    """Rank by closeness; ``away`` has a row per start with the distances to all vertices, valid where ``known``.

    Closeness is the share of the other vertices that can be reached, divided by their mean distance.
    """
    sums = [_summed(row, there, start) for row, there, start in zip(away, known, starts.tolist(), strict=True)]
    joined, total, nearest, farthest = np.array(sums).reshape(-1, 4).T
    farthest = farthest.astype(away.dtype)
    mean = np.divide(total, joined, out=np.zeros(joined.size), where=joined > 0)
    reached = joined.astype(np.int64)
    columns: dict[str, Array] = {"num_reached": reached, "mean_distance": mean, "largest_distance": farthest}
    if not np.any(nearest < 0):  # else near and far mean nothing
        share = joined / max(1, graph.num_vertices - 1)
        columns = {"closeness": np.divide(share, mean, out=np.zeros(joined.size), where=mean > 0), **columns}
    order = np.argsort(-next(iter(columns.values())), kind="stable")

    def rows(top: int) -> list[tuple[Any, ...]]:
        first = order[:top]
        return list(zip(names[first].tolist(), *(values[first].tolist() for values in columns.values()), strict=True))

    pairs = int(joined.sum())
    facts = {
        "joined_pairs": pairs,
        "possible_pairs": starts.size * max(0, graph.num_vertices - 1),
        "mean_distance": float(total.sum() / pairs) if pairs else None,
        "largest_distance": farthest[joined > 0].max().item() if pairs else None,
    }
    return Ranking(of, list(columns), rows, facts)


def _summed(row: Array, there: Array, start: int) -> tuple[int, float, Any, Any]:
    """For the other vertices with a path: their number, and the sum, minimum and maximum of the distances."""
    there = there.copy()
    there[start] = False
    found = row[there]
    if not found.size:
        return 0, 0.0, 0, 0
    return int(found.size), float(found.sum(dtype=np.float64)), found.min(), found.max()


def check_destination(path: Path) -> None:
    """Reject an unsupported suffix, or a missing folder, before any work is done."""
    sink = Sink(path)
    if sink.suffix not in SUFFIXES:
        raise GraphError(f"cannot write results to {path.name!r}; expected a name that ends in {', '.join(SUFFIXES)}.")
    sink.check()


def save(result: Result, path: Path) -> None:
    """Write all values; ``.npy`` stores the first array only, and a cluster a file per worker."""
    if isinstance(result, OnWorkers):
        result.write(path)
        return
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    with Sink(path) as sink:
        buffer = BytesIO()
        if sink.suffix == ".npy":
            np.save(buffer, np.asarray(result), allow_pickle=False)
        elif sink.suffix == ".parquet":
            pa.parquet.write_table(result.to_arrow(), buffer, compression="zstd")
        elif sink.suffix == ".arrow":
            table = result.to_arrow()
            with pa.ipc.new_file(buffer, table.schema) as writer:
                writer.write_table(table)
        elif any(values.ndim > 1 for values in result.values.values()):
            problem = f"{result.algorithm} has several values per vertex, which .csv cannot store"
            raise GraphError(f"{problem}; expected a name ending in .parquet, .arrow or .npy.")
        else:
            pa.csv.write_csv(result.to_arrow(), buffer)
        sink.write(buffer.getbuffer())
