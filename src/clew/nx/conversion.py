"""NetworkX graphs to arrays and back.

NetworkX stores a dict of neighbours per node, and undirected edges in both: these are compressed rows already. All
loops over edges run inside ``itertools`` and NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from clew.graph import Graph
from clew.nx.dicts import Dicts, EdgeValues, rows_as_arrays
from clew.nx.graph import ClewGraph


def convert_from_nx(
    graph: nx.Graph[Any],
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,  # noqa: ARG001, NetworkX passes these
    graph_name: str | None = None,  # noqa: ARG001
) -> ClewGraph:
    """A NetworkX graph as arrays, with the requested edge attributes; NetworkX calls this and caches the result."""
    _refuse_own_neighbors(graph)
    original = graph
    if hasattr(graph, "_graph"):  # a view, which does not notice changes of its graph: nothing may be cached
        graph.__networkx_cache__ = None
    if type(graph._adj) is not dict:  # a view that filters, whose rows may say they are longer than they are
        graph = graph.copy()
    rows: Dicts = graph._adj
    nodes = list(rows)
    indptr, indices = rows_as_arrays(rows, nodes, multigraph=graph.is_multigraph())
    # Results that are graphs have all attributes, which are copied from the original. NetworkX may use a graph with all
    # attributes again for a function that needs one of them.
    whole = preserve_edge_attrs is True or preserve_node_attrs is True or bool(node_attrs)
    return ClewGraph(
        nodes,
        indptr,
        indices,
        directed=graph.is_directed(),
        multigraph=graph.is_multigraph(),
        dicts=rows,
        in_dicts=graph._pred if graph.is_directed() else None,
        defaults={} if whole else edge_attrs,
        original=original if whole else None,
        attributes=graph.graph if preserve_graph_attrs or whole else None,
    )


def _refuse_own_neighbors(graph: nx.Graph[Any]) -> None:
    """A subclass may compute its edges, as NetworkX's complement view does: then the dicts do not hold them."""
    bases = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    for name in ("__getitem__", "__iter__", "adj", "adjacency", "neighbors"):
        if not any(getattr(type(graph), name) is getattr(base, name) for base in bases):
            raise NotImplementedError(
                f"{type(graph).__name__} has its own {name}; clew reads edges from the dicts of NetworkX's classes."
            )


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:  # noqa: ARG001, NetworkX passes it
    """A NetworkX graph of a ``ClewGraph``; anything else unchanged."""
    return to_networkx(result) if isinstance(result, ClewGraph) else result


def to_networkx(graph: ClewGraph) -> nx.Graph[Any]:
    """The converted graph if it is cached, otherwise a new one with its nodes and edges."""
    if graph.original is not None:
        return graph.original
    classes = ((nx.Graph, nx.DiGraph), (nx.MultiGraph, nx.MultiDiGraph))
    converted = classes[graph.is_multigraph()][graph.is_directed()](**graph.graph)
    converted.add_nodes_from(graph.nodes)
    sources, once = graph.sources, slice(None) if graph.once is None else graph.once
    ends = (graph.named(sources[once]), graph.named(graph.indices[once]))
    known = graph.known_values()
    if not known:
        converted.add_edges_from(zip(*ends, strict=True))
    else:
        columns = [array[once].tolist() for array in known.values()]
        data = (dict(zip(known, row, strict=True)) for row in zip(*columns, strict=True))
        converted.add_edges_from(zip(*ends, data, strict=True))
    return converted


def from_clew(graph: Graph) -> ClewGraph:
    """Wrap a clew graph for NetworkX's functions: ``nx.pagerank(from_clew(graph))``.

    Its weights are the edge attribute "weight".
    """
    nodes = list(range(graph.num_vertices)) if graph.names is None else graph.names.array.to_pylist()
    weights = graph.weights
    known = {} if weights is None else {"weight": EdgeValues(weights, weights.dtype.kind == "f")}
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    pairs = sources * graph.num_vertices + graph.indices  # in ascending order
    multigraph = bool((np.diff(pairs) == 0).any())
    return ClewGraph(nodes, graph.indptr, graph.indices, directed=graph.directed, multigraph=multigraph, values=known)
