"""How much of the link's ceiling each algorithm reaches where its edges are on the host, all of them or some."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import clew
from bench.gpu.memory.graphs import Named
from bench.gpu.memory.link import REGISTERED, SPLIT, Link
from bench.gpu.memory.markdown import NOTHING, Reason, geometric_mean, number, ratio, table
from bench.gpu.memory.measuring import ROUNDS, WEIGHTED, Bench, Took, edge_bytes
from clew.algorithms.bfs.cuda import bfs
from clew.algorithms.connected_components.cuda import sampling_pays

PUSHED = "bfs, pushing only"


@dataclass
class Achieved:
    """Lines of the table."""

    link: Link
    lines: list[list[str]] = field(default_factory=list)
    known: dict[tuple[str, str, float], tuple[float, float | None, float | None]] = field(default_factory=dict)

    def add(self, named: Named, algorithm: str, mode: str, part: int | None, took: Any) -> None:
        """A case, where it is known which edges it looked at."""
        if isinstance(took, Reason) or (edges := edges_followed(named.graph, algorithm, took)) is None:
            return
        slow = 1.0 if part is None else 1 - 1 / part
        each = edge_bytes(named.graph, algorithm) / max(1, named.graph.num_arcs)
        moved = edges * each * slow
        rate = moved / took.run
        kind = REGISTERED if mode == "zero_copy" else SPLIT
        in_order = algorithm in ("pagerank", "components")
        mean, of_mean, of_all = (0.0, None, None) if in_order else self._ceilings(named, kind, slow)
        where = mode if part is None else f"{mode} 1/{part}"
        self.lines.append(
            [
                named.name,
                algorithm,
                where,
                number(moved, 1e-9),
                number(took.run, 1e3),
                number(rate, 1e-9),
                _per_cent(ratio(rate, self.link.in_order)),
                "in order" if in_order else f"{mean:.0f}",
                _per_cent(ratio(rate, of_mean)),
                _per_cent(ratio(rate, of_all)),
            ]
        )

    def _ceilings(self, named: Named, kind: str, slow: float) -> tuple[float, float | None, float | None]:
        """The mean bytes of the rows on the host, the ceiling for that, and the one for rows as they are."""
        key = (named.name, kind, slow)
        if key not in self.known:
            lengths, counts = row_lengths(named.graph, slow)
            mean = float((lengths * counts).sum() / max(1, counts.sum()))
            of_mean = self.link.ceilings(kind, [mean])
            of_all = self.link.ceiling_of_all(kind, lengths, counts)
            self.known[key] = (mean, None if of_mean is None else float(of_mean[0]), of_all)
        return self.known[key]

    def add_pushed(self, bench: Bench, named: Named, mode: str, part: int | None, fast: int | None) -> None:
        """A search that never pulls, whose edges are known; it finds the edges where the searches before left them."""

        def run() -> Took:
            with clew.memory(mode, fast):
                search = partial(bfs, bench.gpu, named.graph, named.source, pull_cost=1e30)
                search()
                taken, found = bench.repeated(search)
            depth, known = found.depth, bench.known.get((named.name, "bfs"))
            if known is not None and not bool((depth == known).all()):
                raise AssertionError(f"depths on {named.name} differ from those known")
            return Took(geometric_mean(taken) or 0.0, None, len(taken), found)

        self.add(named, PUSHED, mode, part, bench.tried(f"{named.name} {PUSHED} {mode}", run))

    @property
    def text(self) -> str:
        """The table."""
        heads = [
            "graph",
            "algorithm",
            "edges",
            "GB over the link",
            "ms",
            "GB/s",
            f"of {self.link.in_order / 1e9:.1f} in order",
        ]
        heads += ["mean row, bytes", "of the ceiling for that", "of the ceiling for its rows"]
        label = (
            "Bytes are those of edges on the host that a call looked at (what the trace counts, times the part of "
            "the edges that is there; PageRank looks at all of them in every round), divided by the time of the "
            "whole call. The last column weighs the ceiling of every length of row by how many bytes are in rows of "
            "it. Left out are searches that pull, which read the beginnings of rows only, and components that are "
            "sampled, whose edges nobody counts."
        )
        return "\n\n".join(["### The share of the link", label, table(heads, self.lines)])


def _per_cent(share: float | None) -> str:
    return NOTHING if share is None else f"{share:.0%}"


def edges_followed(graph: clew.Graph, algorithm: str, took: Took) -> float | None:
    """Of a call; None where it is not known."""
    if algorithm == "pagerank":
        return float(graph.num_arcs) * ROUNDS
    if algorithm == "components":
        return None if sampling_pays(graph.num_vertices, graph.num_arcs) else float(graph.num_arcs)
    columns = clew.Result(algorithm, {}, trace=took.result.trace).trace.columns
    edges = np.asarray(columns["edges"]) if "edges" in columns else np.array([-1])
    return None if (edges < 0).any() else float(edges.sum())


def row_lengths(graph: clew.Graph, slow: float) -> tuple[Any, Any]:
    """The bytes of neighbours of rows on the host (weights are as many, elsewhere), and how many rows have them."""
    indptr = graph.outgoing.indptr
    rows = int(np.searchsorted(indptr, int(graph.num_arcs * slow), side="left"))
    counts = np.bincount(np.diff(indptr[: rows + 1]))
    lengths = np.flatnonzero(counts)
    lengths = lengths[lengths > 0]
    return lengths * graph.outgoing.indices.itemsize, counts[lengths]


def is_counted(algorithm: str) -> bool:
    """Whether a case of an algorithm is worth a line."""
    return algorithm in (*WEIGHTED, "pagerank", "components")
