"""The answer of an algorithm, as tables or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.cli import output
from clew.cli.files import File
from clew.cli.output import Column
from clew.cli.pairs import Ranking, ranking_of
from clew.graph import Graph
from clew.result import Result

if TYPE_CHECKING:
    from clew.plan import Plan


class Answer:
    """The result, its time, and the file that was read."""

    def __init__(
        self,
        graph: Graph,
        was_read: File,
        result: Result,
        seconds: float,
        verified: bool,
        destination: Path | None,
        plan: Plan | None = None,
    ) -> None:
        self.graph, self.was_read, self.result, self.plan = graph, was_read, result, plan
        self.seconds, self.verified, self.destination = seconds, verified, destination
        self._ranking = ranking_of(graph, result) or _by_vertex(result)

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
            **({} if self.plan is None else {"plan": self.plan.to_dict()}),
        }

    def show(self, top: int) -> None:
        """A table of facts and one of vertices."""
        result, ranking = self.result, self._ranking
        output.heading(f"{result.algorithm} on {self.was_read.name}")
        facts = [("graph", output.size(self.graph)), ("time", output.duration(self.seconds))]
        facts.append(("iterations", f"{result.iterations:,}{'' if result.converged else ' (not converged)'}"))
        facts += [(_words(name), _text(value)) for name, value in self._facts().items()]
        facts += self.was_read.decisions()
        if self.verified:
            facts.append(("verified", "yes, by an independent checker"))
        if self.destination is not None:
            facts.append(("written", str(self.destination)))
        output.facts(facts)
        rows = ranking.rows(top)
        if rows and ranking.columns:
            output.heading(f"Top {len(rows)} by {_words(ranking.columns[0])}")
            columns = [Column(ranking.of, style="bold"), *(Column(_words(name), "right") for name in ranking.columns)]
            output.table(columns, [[_text(cell) for cell in row] for row in rows])
        if self.plan is not None:
            output.heading("Predicted and measured")
            output.plain(self.plan.comparison(output.results.width - 2), indent=2)

    def _facts(self) -> dict[str, Any]:
        found = {name: _plain(value) for name, value in self.result.facts.items() if np.isscalar(value)}
        return found | {name: _plain(value) for name, value in self._ranking.facts.items()}


def _by_vertex(result: Result) -> Ranking:
    """The vertices with the largest first values; unreached vertices come last."""
    columns = [name for name, values in result.values.items() if values.ndim == 1]

    def rows(top: int) -> list[tuple[Any, ...]]:
        names = [name for name, _ in result.top(top, columns[0])] if columns else []
        return [(name, *(result.of(name, value) for value in columns)) for name in names]

    return Ranking("vertex", columns, rows, {})


def _words(name: str) -> str:
    return name.removeprefix("num_").replace("_", " ")


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
