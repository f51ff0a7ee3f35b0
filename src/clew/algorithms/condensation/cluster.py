"""Condensation on a cluster: a component is where its smallest vertex is, and components are ranked by generation.

The first member collects the edges between components, and their sizes. Vertices stay where they are.
"""

from __future__ import annotations

import numpy as np

from clew.algorithms.cluster import ClusterWaist
from clew.algorithms.registry import Answer, run
from clew.algorithms.topological_order.generic import generations
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.own_rows import own_edges
from clew.engines.cluster.share import Share, build_share
from clew.graph import Graph


def condensation(share: Share) -> Answer:
    """The graph of the strong components; see ``clew.condensation``."""
    waist, graph = ClusterWaist(share, "cpu"), share.with_weights(None)
    label = run("strongly_connected_components", graph, "cpu").label
    joined = _joined(graph, label)
    generation, _ = generations(waist, joined)
    sizes = waist.tally(share, label)
    own = np.flatnonzero(sizes)  # the components whose smallest vertices are here
    position = np.full(sizes.size, -1)
    position[own] = share.member.ranks(generation[own] * share.num_vertices + share.ids[own])
    component = waist.take(share, position, label)
    edges = own_edges(joined)
    ends = position[edges.place], waist.take(share, position, edges.target)
    counts, ids = (share.member.at_first(each) for each in (sizes[own], position[own]))
    source, target = (share.member.at_first(each) for each in ends)
    facts: dict[str, object] = {"count": int(waist.total(np.array([own.size])))}
    if share.member.rank == 0:
        ordered = np.empty_like(counts)
        ordered[ids] = counts
        whole = Graph.from_edges(source, target, num_vertices=ids.size)
        facts |= {"graph": whole.with_vertex_columns({"size": ordered}), "sizes": ordered}
    return Answer({"component": component}, facts)


def _joined(graph: Share, label: Array) -> Share:
    """The edges between components, once each; a component has the id of its smallest vertex."""
    block = graph.block
    before, behind = (products.expand(graph, label, axis).astype(np.int64) for axis in ("row", "column"))
    ends = np.repeat(before, block.degrees()), behind[block.indices]
    source, target = reversed(ends) if graph.is_reversed else ends
    return build_share(graph.member, source, target, None, graph.partition, duplicates="drop", loops="drop")
