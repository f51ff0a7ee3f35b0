"""What a contender is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from clew.graph import Graph

#: Runs in a turn, the best of which counts: as many as GAP's own rules have, or as few as LONG has room for.
TRIALS, FEWEST, LONG = 16, 3, 0.5


def trials_of(seconds: float) -> int:
    """How many runs of so many seconds a program should make in one start."""
    return max(FEWEST, min(TRIALS, int(LONG / max(seconds, 1e-9))))


class Task(NamedTuple):
    """One graph, without loops, duplicate edges and names; where searches start; and how to run."""

    graph: Graph
    source: int
    threads: int
    device: str
    folder: Path  # for files that programs read


class Timed(NamedTuple):
    """What a call returns that has measured itself: a program that reads a file first."""

    seconds: float
    found: Any


class Answer(NamedTuple):
    """What a contender found: a number for every vertex, or the facts that a program prints."""

    values: Any = None
    facts: Mapping[str, Any] = {}


class Ready(NamedTuple):
    """An algorithm on a graph, all preparations made: what is timed, and how to read what it returned."""

    call: Callable[[], Any]
    answer: Callable[[Any], Answer]


Maker = Callable[[Task], Ready]


class UnableError(Exception):
    """A contender cannot do this; the text says why."""
