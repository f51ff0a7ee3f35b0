"""Condensation on a GPU: components, an order of them, and the edges between them, which are copied to the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.connected_components.cuda import component_labels
from clew.algorithms.registry import Answer
from clew.algorithms.strongly_connected_components.cuda import strong_labels
from clew.algorithms.strongly_connected_components.cuda import workspace as space_of_labels
from clew.algorithms.topological_order.cuda import topological_order
from clew.engines.cuda.balance.edge_numbers import sources_of
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph) -> Workspace:
    """The components, the arrays that find them, and the components of both ends of every edge."""
    n, m = graph.num_vertices, graph.num_arcs
    found = {name: space._replace(role="scratch", later=True) for name, space in space_of_labels(graph)}
    return Workspace(component=result(n, np.int64, later=True), ends=scratch(3 * m, np.int64, later=True), **found)


def condensation(device: Device, graph: Graph) -> Answer:
    """The graph of the strong components; see ``clew.condensation``."""
    xp, n = device.xp, graph.num_vertices
    label = strong_labels(device, graph)[0] if graph.directed else component_labels(device, graph)
    if n == 0:
        none = np.zeros(0, np.int64)
        empty = Graph.from_edges([], []).with_vertex_columns({"size": none})
        return Answer({"component": device.zeros(0, np.int64)}, {"graph": empty, "count": 0, "sizes": none})
    number = xp.cumsum((label == xp.arange(n)).astype(np.int64)) - 1
    component, count = number[label], int(number[-1]) + 1
    rows = rows_on(device, graph.outgoing, weights=False)
    source, target = component[sources_of(device, rows)], component[rows.neighbours]
    outer = source != target
    keys = source[outer] * count + target[outer]
    del source, target, outer
    keys = xp.unique(keys) if keys.size else keys
    position = xp.asarray(topological_order(device, _graph_of(device, keys, count)).position)
    if keys.size:
        keys = xp.sort(position[keys // count] * count + position[keys % count])
    component = position[component]
    sizes = device.download(xp.bincount(component, minlength=count))
    joined = _graph_of(device, keys, count).with_vertex_columns({"size": sizes})
    return Answer({"component": component}, {"graph": joined, "count": count, "sizes": sizes})


def _graph_of(device: Device, keys: Any, count: int) -> Graph:
    """The directed graph of the edges source · count + target, ascending."""
    offsets = device.xp.searchsorted(keys, device.xp.arange(count + 1) * count)
    return Graph.from_csr(device.download(offsets), device.download(keys % count), directed=True)
