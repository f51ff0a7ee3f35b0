"""The contract of an algorithm: its results pass its own checker on every engine and every unusual graph.

clew's tests run ``clew.testing.check_algorithm("bfs")`` for each of its algorithms. Authors of other algorithms can do
the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from clew import generate
from clew.algorithms.registry import ALGORITHMS, Algorithm
from clew.errors import GraphError, VerificationError
from clew.graph import Graph

#: "emulated" runs the kernels of the GPU on the CPU and needs g++; "cuda" needs a GPU.
DEVICES = ("cpu", "reference", "emulated")


def check_algorithm(name: str, devices: tuple[str, ...] = DEVICES) -> int:
    """Run an algorithm on every contract graph and device, verify each result, and return the number of runs.

    Parameters
    ----------
    name
        A registered algorithm.
    devices
        The devices to run on.

    Raises
    ------
    GraphError
        If the algorithm has no checker.
    VerificationError
        If a result breaks a rule. The message has the graph, the device and the rule.
    """
    record = ALGORITHMS[name]
    if record.check is None:
        raise GraphError(f"{name} has no checker; pass check= when you register it.")
    runs = 0
    for title, graph in contract_graphs(weighted="weights" in record.needs):
        for device in devices:
            arguments = _arguments(record, graph)
            try:
                result = record.function(graph, **arguments, device=device)
            except GraphError:
                continue  # this algorithm does not take such graphs
            try:
                verify(record, graph, result, arguments)
            except VerificationError as error:
                raise VerificationError(f"{name} on {title}, device={device!r}: {error}") from error
            runs += 1
    return runs


def verify(record: Algorithm, graph: Graph, result: Any, arguments: dict[str, Any]) -> None:
    """Call the checker with the arguments that it takes."""
    check = record.load("check")
    known = {"graph": graph, "result": result, **arguments}
    check(**{name: known[name] for name in inspect.signature(check).parameters if name in known})


def contract_graphs(*, weighted: bool) -> Iterator[tuple[str, Graph]]:
    """Small graphs of every unusual type, each with a title; all have a vertex 0."""
    for title, graph in _shapes():
        if weighted:
            for kind in ("int32", "float64"):
                yield f"{title}, {kind} weights", generate.random_weights(graph, 0, 9, seed=1, dtype=kind)
        else:
            yield title, graph


def _shapes() -> Iterator[tuple[str, Graph]]:
    yield "one vertex", Graph.from_edges([], [], num_vertices=1)
    yield "no edges", Graph.from_edges([], [], num_vertices=5)
    yield "one self-loop", Graph.from_edges([0], [0])
    yield "self-loops and duplicates", Graph.from_edges([0, 0, 0, 1, 2, 2], [0, 1, 1, 2, 2, 0])
    yield "two pieces, undirected", Graph.from_edges([0, 1, 3], [1, 2, 4], directed=False, num_vertices=6)
    yield "a path", generate.path(40)
    yield "a cycle", generate.cycle(33)
    yield "a star", generate.star(70)
    yield "a complete graph", generate.complete(9)
    yield "a grid", generate.grid(7, 9)
    yield "skewed, directed", generate.rmat(6, 6, seed=3)
    yield "named vertices", Graph.from_edges(np.array([0, 0, 1]), np.array([1, 2, 2]), names=["01234", "1234", "x y"])


def _arguments(record: Algorithm, graph: Graph) -> dict[str, Any]:
    """The required arguments of an algorithm: its source or sources, and its sink."""
    first = graph.name(0)
    known = {"source": first} if record.needs_source else {"sources": [first]} if record.needs_sources else {}
    return known | ({"sink": graph.name(graph.num_vertices - 1)} if record.needs_sink else {})
