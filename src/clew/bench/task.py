"""What a contender receives and returns, and how answers are compared.

Unique answers must be equal. PageRank is compared after scaling both to a sum of 1. GAP and Ligra drop the rank of
vertices without out-edges, while clew and NetworkX spread it over all vertices. Both converge to ranks that differ by a
factor. After a fixed number of iterations contenders are at different distances from the limit. GAP uses new ranks
within an iteration, and igraph solves for the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clew.algorithms.registry import ALGORITHMS, Algorithm
from clew.checks import counted
from clew.graph import Graph

#: Runs per turn, of which the best counts: 16 as in GAP's rules, but no more than fit in LONG seconds.
TRIALS, FEWEST, LONG = 16, 3, 0.5
ROUNDS, TOLERANCE = 20, 1e-6  # of PageRank with a fixed number of iterations, and of converged PageRank
RELATIVE = 1e-6  # tolerance for sums of floats that were added in another order
RANKS = {"pagerank": 5e-3, "pagerank_converged": 1e-4}  # the largest sum of differences of scaled ranks
LIMIT_OF_TOP = 2e-2  # of single ranks


def function_name(algorithm: str) -> str:
    """The clew function of a raced algorithm: PageRank is raced twice."""
    return algorithm.removesuffix("_converged")


def record_of(algorithm: str) -> Algorithm:
    """The record of clew's function."""
    return ALGORITHMS[function_name(algorithm)]


class Task(NamedTuple):
    """A graph without loops, duplicate edges and names, the source of searches, and how to run."""

    graph: Graph
    source: int
    threads: int
    device: str
    folder: Path  # for files that programs read

    def require_undirected(self) -> None:
        """Raise UnableError if the graph is directed."""
        if self.graph.directed:
            raise UnableError("only of undirected graphs")

    def arguments(self, algorithm: str) -> dict[str, Any]:
        """The arguments that make clew do the same work as its peers."""
        settings: dict[str, dict[str, Any]] = {
            "pagerank": {"tolerance": 0, "max_iterations": ROUNDS, "dtype": "float32"},
            "pagerank_converged": {"tolerance": TOLERANCE},
            "triangles": {"per_vertex": False},
            "betweenness": {"samples": [self.source]},
        }
        record = record_of(algorithm)
        if record.needs_sources:
            return {"sources": range(min(64, self.graph.num_vertices))}
        ends = {"source": self.source} if record.needs_source else {}
        ends |= {"sink": 0 if self.source else self.graph.num_vertices - 1} if record.needs_sink else {}
        return settings.get(algorithm, {}) | ends

    def is_weighted(self, algorithm: str) -> bool:
        """Whether an algorithm runs on the graph with weights."""
        return "weights" in record_of(algorithm).needs


class Timed(NamedTuple):
    """What a program returns that has timed itself."""

    seconds: float
    printed: str


class Answer(NamedTuple):
    """The answer of a contender: a number for every vertex, or the facts that a program prints."""

    values: Any = None
    facts: Mapping[str, Any] = {}


class Ready(NamedTuple):
    """A prepared run: the call to time, and how to read what it returns."""

    call: Callable[[], Any]
    answer: Callable[[Any], Answer]


Prepare = Callable[[Task], Ready]


class UnableError(Exception):
    """A contender cannot do this. The message says why."""


def compare(algorithm: str, ours: Answer, theirs: Answer) -> str | None:
    """The difference between clew's answer and another's in words, or None."""
    expected = np.asarray(ours.values)
    if theirs.values is not None:
        return _compare_values(algorithm, expected, np.asarray(theirs.values))
    differences = (_compare_fact(algorithm, expected, *fact) for fact in theirs.facts.items())
    return next(filter(None, differences), None)


def how_compared(algorithm: str, theirs: Answer) -> str:
    """What was compared, in a word or two."""
    if theirs.values is not None:
        return "values" if algorithm not in RANKS else "ranks, scaled"
    return ", ".join(theirs.facts) or "nothing"


def smallest_labels(labels: Any) -> Any:
    """The labels of components, each replaced by its smallest vertex."""
    _, first, numbers = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    return first[numbers]


def _compare_values(algorithm: str, ours: Any, theirs: Any) -> str | None:
    if ours.shape != theirs.shape:
        return f"{theirs.size:,} values instead of {ours.size:,}"
    if algorithm in RANKS:
        distance = float(np.abs(ours / ours.sum() - theirs / theirs.sum()).sum())
        return None if distance <= RANKS[algorithm] else f"ranks differ by {distance:.2g} in all"
    if ours.dtype.kind == "f":
        same = np.isclose(theirs, ours, rtol=RELATIVE, atol=RELATIVE)
    else:
        same = theirs == ours
    if same.all():
        return None
    first = int(np.flatnonzero(~np.atleast_1d(same))[0])
    found, expected = np.atleast_1d(theirs)[first], np.atleast_1d(ours)[first]
    return f"{int((~same).sum()):,} values differ, the first at {first}: {found} instead of {expected}"


def _compare_fact(algorithm: str, ours: Any, fact: str, value: Any) -> str | None:
    if fact == "top":
        return _compare_top(algorithm, ours, value)
    if fact == "reached":
        expected = int((ours >= 0 if algorithm == "bfs" else np.isfinite(ours)).sum())
        text = f"{counted(value, 'vertex')} reached"
    elif fact == "components":
        expected, text = int(np.unique(ours).size), f"{value:,} components"
    else:
        expected, text = int(ours), f"{value:,}"
    return None if value == expected else f"{text} instead of {expected:,}"


def _compare_top(algorithm: str, ours: Any, top: Mapping[int, float]) -> str | None:
    """Compare the highest scores, each relative to the first of them."""
    vertices = list(top)
    theirs = np.array([top[v] for v in vertices])
    if not np.isfinite(theirs).all():
        return "scores are not numbers"
    if not theirs.size or theirs[0] == 0 or ours[vertices[0]] == 0:
        return None if not theirs.any() and not ours[vertices].any() else "the highest scores differ"
    off = float(np.abs(theirs / theirs[0] - ours[vertices] / ours[vertices[0]]).max())
    limit = LIMIT_OF_TOP if algorithm in RANKS else 1e-3  # programs print a few digits
    return None if off <= limit else f"the highest scores differ by {off:.2g}"
