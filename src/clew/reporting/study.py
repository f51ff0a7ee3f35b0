"""Study: the graph of a report, with shared results computed once and every step timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array, OffsetArray
from clew.graph import Graph
from clew.plan import Plan, explain
from clew.reporting import words
from clew.result import Result


class Step(NamedTuple):
    """A step of the work, and its time."""

    what: str
    seconds: float


class Run(NamedTuple):
    """An algorithm that was run for the report, as planned."""

    title: str
    plan: Plan
    result: Result

    @property
    def seconds(self) -> float:
        """The time of the run, without loading compiled code."""
        return 0.0 if self.plan.measured is None else self.plan.measured.seconds


@dataclass
class Study:
    """A graph, the user's options, and the results so far.

    ``source`` is the name of the vertex to measure distances from (None: the one with the most edges). ``fast_memory``
    is in bytes (None: a quarter of the rows). ``everything`` requests the parts that take long.
    """

    graph: Graph
    title: str
    origin: Sequence[tuple[str, str]] = ()
    device: str = "auto"
    source: Any = None
    fast_memory: int | None = None
    everything: bool = False
    steps: list[Step] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._source = None if self.source is None else self.graph.vertex(self.source)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Time a block of code."""
        started = perf_counter()
        yield
        self.steps.append(Step(what, perf_counter() - started))

    def too_large(self, arcs: int) -> bool:
        """Whether to skip a step that is quick only up to this many stored edges."""
        return not self.everything and self.graph.num_arcs > arcs

    def run(self, title: str, algorithm: str, graph: Graph, **arguments: Any) -> Result:
        """Plan and run an algorithm, timed; its arrays are in host memory afterwards."""
        with self.step("Planning"):
            plan = explain(graph, algorithm, self.device, **arguments)
        started = perf_counter()
        result = plan.run().numpy()
        loading = plan.measured.loading if plan.measured is not None else 0.0
        self.steps += [Step("Loading compiled code", loading), Step(title, perf_counter() - started - loading)]
        self.runs.append(Run(title, plan, result))
        return result

    @cached_property
    def out_degrees(self) -> OffsetArray:
        """The number of edges out of every vertex."""
        return self.graph.degrees("out")

    @cached_property
    def in_degrees(self) -> OffsetArray:
        """The number of edges into every vertex."""
        return self.graph.degrees("in")

    @cached_property
    def hub(self) -> int:
        """The vertex that distances are measured from."""
        return int(self.out_degrees.argmax()) if self._source is None else self._source

    @cached_property
    def goal(self) -> int:
        """The vertex that distances are measured to, if edges have a direction."""
        return int(self.in_degrees.argmax()) if self._source is None else self._source

    @cached_property
    def search(self) -> Result:
        """Breadth-first search from the hub."""
        return self.run("Search from the hub", "bfs", self.graph, source=self.graph.name(self.hub))

    @cached_property
    def search_back(self) -> Result:
        """Breadth-first search against the edges."""
        goal = self.graph.name(self.goal)
        return self.run("Search against the edges", "bfs", self.graph.reversed(), source=goal)

    @cached_property
    def ranks(self) -> Result:
        """PageRank."""
        return self.run("PageRank", "pagerank", self.graph)

    @cached_property
    def weak_sizes(self) -> Array:
        """The sizes of the components, largest first."""
        return _sizes(self.run("Components", "connected_components", self.graph))

    @cached_property
    def strong_sizes(self) -> Array:
        """The sizes of the strongly connected components, largest first."""
        return _sizes(self.run("Strong components", "strongly_connected_components", self.graph))

    @cached_property
    def plain(self) -> Graph:
        """The graph without directions and weights."""
        with self.step("Edges without direction"):
            return (self.graph.with_weights(None) if self.graph.weighted else self.graph).symmetrized()

    @cached_property
    def cores(self) -> Result:
        """Core numbers of the graph without directions."""
        return self.run("Cores", "k_core", self.plain)

    @cached_property
    def communities(self) -> Result:
        """Communities of the graph without directions, the largest first."""
        return self.run("Communities", "leiden", self.plain)

    @cached_property
    def all_degrees(self) -> OffsetArray:
        """The number of edges at every vertex, in and out."""
        return self.out_degrees + self.in_degrees if self.graph.directed else self.out_degrees

    def called(self, vertex: int) -> str:
        """The name of a vertex, short enough for a sentence."""
        return words.name(self.graph.name(vertex))


def _sizes(result: Result) -> Array:
    counts = np.bincount(result.label) if len(result) else np.zeros(0, dtype=np.int64)
    return -np.sort(-counts[counts > 0])
