"""Study: the graph of a report, with shared results computed once and every step timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    """A step of the work, and how long it took."""

    what: str
    seconds: float


class Run(NamedTuple):
    """An algorithm that was run for the report, as planned."""

    title: str
    plan: Plan
    result: Result

    @property
    def seconds(self) -> float:
        """How long it took, without loading compiled code."""
        return 0.0 if self.plan.measured is None else self.plan.measured.seconds


class Study:
    """A graph, the user's options, and the results so far.

    Parameters
    ----------
    graph
        The graph.
    title
        The title of the page.
    origin
        Where the graph came from, as pairs of label and value.
    device
        Where algorithms run.
    source
        The vertex to measure distances from; None for the one with the most edges.
    fast_memory
        The bytes of fast memory to place rows in; None for a quarter of the rows.
    everything
        Whether to compute parts that take long on a graph of this size.
    steps
        Earlier steps and their times.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        title: str,
        origin: Sequence[tuple[str, str]] = (),
        device: str = "auto",
        source: Any = None,
        fast_memory: int | None = None,
        everything: bool = False,
        steps: Sequence[Step] = (),
    ) -> None:
        self.graph, self.title, self.origin, self.device = graph, title, tuple(origin), device
        self.fast_memory, self.everything = fast_memory, everything
        self.steps = list(steps)
        self.runs: list[Run] = []
        self._source = None if source is None else graph.vertex(source)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Time what is done in this block."""
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

    # ------------------------------------------------------------------ what several sections need

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
        """The vertex that distances are measured to, where edges have a direction."""
        return int(self.in_degrees.argmax()) if self._source is None else self._source

    @cached_property
    def search(self) -> Result:
        """Breadth-first search from the hub."""
        name = self.graph.name(self.hub)
        return self.run("Search from the hub", "bfs", self.graph, source=name)

    @cached_property
    def search_back(self) -> Result:
        """Breadth-first search against the edges."""
        name = self.graph.name(self.goal)
        return self.run("Search against the edges", "bfs", self.graph.reversed(), source=name)

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
        found = self.run("Strong components", "strongly_connected_components", self.graph)
        return _sizes(found)

    @cached_property
    def plain(self) -> Graph:
        """The graph without directions and weights."""
        with self.step("Edges without direction"):
            return (self.graph.with_weights(None) if self.graph.weighted else self.graph).symmetrized()

    @cached_property
    def cores(self) -> Result:
        """Core numbers of the graph without directions."""
        return self.run("Cores", "k_core", self.plain)

    def called(self, vertex: int) -> str:
        """The name of a vertex, short enough for a sentence."""
        return words.name(self.graph.name(vertex))


def _sizes(result: Result) -> Array:
    counts = np.bincount(result.label) if len(result) else np.zeros(0, dtype=np.int64)
    return -np.sort(-counts[counts > 0])
