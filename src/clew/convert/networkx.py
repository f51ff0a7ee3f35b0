"""NetworkX graphs, through arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew.checks import kind_of
from clew.convert.edges import Edges
from clew.dtypes import WEIGHT_DTYPES, Array, IdArray
from clew.errors import GraphError, MissingDependencyError
from clew.names import VertexNames

if TYPE_CHECKING:
    import networkx as nx

DEFAULT = "weight"  # nobody asked for it: where no edge has it, the graph is unweighted


def from_networkx(graph: nx.Graph[Any], weight: str | None) -> Edges:
    """The edges of a NetworkX graph, each once, in the order of its nodes; nodes 0…n-1 in order need no names."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "edges")) or isinstance(graph, type):
        raise GraphError(f"this is {kind_of(graph)}; expected a NetworkX graph.")
    nodes = list(graph)
    position = {node: index for index, node in enumerate(nodes)}
    pairs = list(graph.edges())
    source = np.fromiter((position[u] for u, _ in pairs), dtype=np.int64, count=len(pairs))
    target = np.fromiter((position[v] for _, v in pairs), dtype=np.int64, count=len(pairs))
    names = None if nodes == list(range(len(nodes))) else _names(nodes)
    return Edges(source, target, _weights(graph, weight), len(nodes), names)


def _names(nodes: list[Any]) -> VertexNames:
    if all(isinstance(node, int | np.integer) and not isinstance(node, bool) for node in nodes):
        return VertexNames(list(map(int, nodes)))  # NumPy's among them: nodes made from arrays are
    if all(isinstance(node, str) for node in nodes):
        return VertexNames(nodes)
    odd = next(node for node in nodes if not isinstance(node, str))
    raise GraphError(
        f"the node {odd!r} is a {type(odd).__name__}; expected all nodes to be integers or all to be strings. "
        "Relabel them first, for example with networkx.relabel_nodes(graph, str)."
    )


def _weights(graph: nx.Graph[Any], weight: str | None) -> Array | None:
    if weight is None:
        return None
    values = [value for _, _, value in graph.edges(data=weight)]
    if all(value is None for value in values):
        if values and weight != DEFAULT:
            raise GraphError(
                f"no edge has the attribute {weight!r}; expected the name of one that holds weights. "
                "Pass weight=None for an unweighted graph."
            )
        return None
    array = np.asarray([1 if value is None else value for value in values])
    if array.dtype not in WEIGHT_DTYPES:
        raise GraphError(f"the edge attribute {weight!r} holds values of {array.dtype}; expected numbers.")
    return array


def to_networkx(
    source: IdArray,
    target: IdArray,
    weights: Array | None,
    num_vertices: int,
    names: VertexNames | None,
    directed: bool,
) -> nx.Graph[Any]:
    """A NetworkX graph; a multigraph only where some edge occurs more than once."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependencyError(
            "networkx is not installed; install it with: pip install 'clew[networkx]'"
        ) from None

    pairs = np.stack([source, target], axis=1)
    repeated = len(np.unique(pairs, axis=0)) < len(pairs)
    kinds = ((nx.Graph, nx.DiGraph), (nx.MultiGraph, nx.MultiDiGraph))
    graph = kinds[repeated][directed]()
    graph.add_nodes_from(range(num_vertices) if names is None else names.array.to_pylist())
    ends = [ids.tolist() if names is None else names.take(ids).to_pylist() for ids in (source, target)]
    if weights is None:
        graph.add_edges_from(zip(*ends, strict=True))
    else:
        graph.add_weighted_edges_from(zip(*ends, weights.tolist(), strict=True))
    return graph
