"""Condensation, from strong components and a topological order on any engine."""

from __future__ import annotations

import numpy as np

from clew.algorithms.registry import Answer, run
from clew.algorithms.waist import Waist
from clew.graph import Graph


def condensation(waist: Waist, graph: Graph) -> Answer:
    """The graph of the strong components; see ``clew.condensation``."""
    found = run("strongly_connected_components", graph.with_weights(None), waist.device).numpy()
    label, inverse = np.unique(found.label, return_inverse=True)
    source, target, _ = graph.edges()
    outer = inverse[source] != inverse[target]
    ends = inverse[source[outer]], inverse[target[outer]]
    joined = Graph.from_edges(*ends, num_vertices=label.size, duplicates="drop")
    position = run("topological_order", joined, waist.device).numpy().position
    source, target, _ = joined.edges()
    joined = Graph.from_edges(position[source], position[target], num_vertices=label.size)
    component = position[inverse]
    sizes = np.bincount(component, minlength=label.size)
    facts = {"graph": joined.with_vertex_columns({"size": sizes}), "count": label.size, "sizes": sizes}
    return Answer({"component": component}, facts)
