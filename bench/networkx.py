"""NetworkX's functions with clew as their backend: what a conversion costs, and what it gains.

A call pays for the conversion once per graph: "first call" counts it, "later calls" are those that find the graph
converted.
"""

from __future__ import annotations

import json
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table

import clew
from bench.harness import OUT
from clew.nx.interface import convert_from_nx

ENOUGH = 2.0  # seconds: what takes longer is timed once
COLUMNS = ("NetworkX", "conversion", "clew", "first call", "later calls")


def main(options: list[str]) -> None:
    warnings.filterwarnings("ignore", message="Note. conversions")  # that it is found again is the point
    measured = []
    for title, graph in _graphs():
        rows = [{"graph": title, **row} for row in _measured(graph)]
        _show(title, rows)
        measured += rows
    OUT.mkdir(exist_ok=True)
    (OUT / "networkx.json").write_text(json.dumps(measured, indent=1) + "\n")


def _graphs() -> Iterator[tuple[str, nx.Graph]]:
    social = clew.generate.kronecker(14, seed=1)
    social = clew.Graph.from_csr(
        social.indptr, social.indices, directed=False, duplicates="drop", loops="drop"
    ).largest_component()
    yield f"social network: {social.num_vertices:,} nodes, {social.num_edges:,} edges", _plain(social)
    roads = clew.generate.random_weights(clew.generate.grid(300, 300, delete=0.1, seed=2).largest_component(), 1, 100)
    roads = roads.with_weights(roads.weights.astype(np.float64))
    named = nx.relabel_nodes(_plain(roads), "crossing {}".format)
    yield f"roads, nodes with names: {roads.num_vertices:,} nodes, {roads.num_edges:,} edges", named


def _plain(graph: clew.Graph) -> nx.Graph:
    return nx.convert_node_labels_to_integers(graph.to_networkx())


def _measured(graph: nx.Graph) -> Iterator[dict[str, Any]]:
    start = next(iter(graph))
    calls: dict[str, Callable[..., Any]] = {
        "pagerank": partial(nx.pagerank, graph),
        "connected_components": partial(nx.connected_components, graph),
        "single_source_shortest_path_length": partial(nx.single_source_shortest_path_length, graph, start),
        "bfs_edges": partial(nx.bfs_edges, graph, start),
        "single_source_dijkstra_path_length": partial(nx.single_source_dijkstra_path_length, graph, start),
        "betweenness_centrality, 16 samples": partial(nx.betweenness_centrality, graph, 16, seed=0),
        "closeness_centrality of one node": partial(nx.closeness_centrality, graph, start),
        "core_number": partial(nx.core_number, graph),
        "triangles": partial(nx.triangles, graph),
        "average_clustering": partial(nx.average_clustering, graph),
        "greedy_color": partial(nx.greedy_color, graph),
    }
    attributes = {"weight": 1} if nx.is_weighted(graph) else None
    conversion = _best(lambda: _converted(graph, attributes))
    for name, call in calls.items():
        _exhausted(call(backend="clew"))  # loads the kernels, converts the graph
        ours = _best(lambda call=call: _exhausted(call(backend="clew")))
        theirs = _best(lambda call=call: _exhausted(call(backend="networkx")))
        yield {"function": name, "NetworkX": theirs, "conversion": conversion, "clew": ours}


def _converted(graph: nx.Graph, attributes: dict[str, int] | None) -> object:
    return convert_from_nx(graph, edge_attrs=attributes).weighted("weight")


def _exhausted(answer: Any) -> None:
    if isinstance(answer, Iterator):
        deque(answer, maxlen=0)


def _best(call: Callable[[], Any], rounds: int = 5) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        if best > ENOUGH:
            break
    return best


def _show(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("function")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for row in rows:
        times = (f"{1000 * row[column]:,.1f} ms" for column in COLUMNS[:3])
        first, later = row["NetworkX"] / (row["conversion"] + row["clew"]), row["NetworkX"] / row["clew"]
        table.add_row(row["function"], *times, f"{first:,.1f}x", f"{later:,.1f}x")
    Console(width=130).print(table)
