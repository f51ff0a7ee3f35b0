"""Whether two contenders found the same.

Answers that are unique must be equal. PageRank is compared after scaling both to a sum of 1: contenders that let the
rank of vertices without out-edges vanish (GAP, Ligra) and those that spread it over all (clew, NetworkX) converge to
ranks that differ by a factor alone. Most go round by round, GAP uses new ranks at once, and igraph solves for the
limit; after a fixed number of rounds they are at different distances from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clew.bench.task import Answer
from clew.checks import counted

RELATIVE = 1e-6  # of sums of floats that were added in another order
RANKS = {"pagerank": 5e-3, "pagerank_converged": 1e-4}  # the largest difference of scaled ranks, summed up
LIMIT_OF_TOP = 2e-2  # of single ranks


def compare(algorithm: str, ours: Answer, theirs: Answer) -> str | None:
    """What is different between clew's answer and another's, or None."""
    if theirs.values is not None:
        return _compare_values(algorithm, np.asarray(ours.values), np.asarray(theirs.values))
    for fact, value in theirs.facts.items():
        difference = FACTS[fact](algorithm, np.asarray(ours.values), value)
        if difference is not None:
            return difference
    return None


def how_compared(algorithm: str, theirs: Answer) -> str:
    """What was looked at, in a word or two."""
    if theirs.values is not None:
        return "values" if algorithm not in RANKS else "ranks, scaled"
    return ", ".join(theirs.facts) or "nothing"


def smallest_labels(labels: Any) -> Any:
    """Labels of components, named by their smallest vertex."""
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


def _reached(algorithm: str, ours: Any, count: int) -> str | None:
    expected = int((ours >= 0).sum() if algorithm == "bfs" else np.isfinite(ours).sum())
    return None if count == expected else f"{counted(count, 'vertex')} reached instead of {expected:,}"


def _components(_algorithm: str, ours: Any, count: int) -> str | None:
    expected = int(np.unique(ours).size)
    return None if count == expected else f"{count:,} components instead of {expected:,}"


def _total(_algorithm: str, ours: Any, count: int) -> str | None:
    return None if count == int(ours) else f"{count:,} instead of {int(ours):,}"


def _top(algorithm: str, ours: Any, top: Mapping[int, float]) -> str | None:
    """The highest scores, each relative to the first of them."""
    vertices = list(top)
    theirs = np.array([top[v] for v in vertices])
    if not np.isfinite(theirs).all():
        return "scores are not numbers"
    if not theirs.size or theirs[0] == 0 or ours[vertices[0]] == 0:
        return None if not theirs.any() and not ours[vertices].any() else "the highest scores differ"
    off = float(np.abs(theirs / theirs[0] - ours[vertices] / ours[vertices[0]]).max())
    limit = LIMIT_OF_TOP if algorithm in RANKS else 1e-3  # programs print a few digits
    return None if off <= limit else f"the highest scores differ by {off:.2g}"


FACTS: dict[str, Callable[[str, Any, Any], str | None]] = {
    "reached": _reached,
    "components": _components,
    "total": _total,
    "top": _top,
}
