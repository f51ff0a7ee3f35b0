"""Assortativity: which degrees or attributes edges join, and the degrees of neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.assortativity.correlation import _numeric_ac, attribute_ac
from networkx.utils import dict_to_numpy_array

from clew.dtypes import Array
from clew.nx.degrees import degrees, edge_weights, one_type, plain, sums
from clew.nx.graph import ClewGraph, Node, Weight, bunch
from clew.nx.interface import no_parallel_edges, no_weight_function, served

# ruff: noqa: N803, signatures are those of NetworkX

Nodes = Iterable[Node] | None
Direction = str


def _no_single_node(G: Any, nodes: Any) -> str | None:
    """NetworkX fails, or takes the parts of the node for nodes."""
    return "nodes is one node; NetworkX needs several, or none." if nodes is not None and nodes in G else None


def _directions(G: ClewGraph, x: Direction, y: Direction) -> tuple[Direction, Direction]:
    if not G.is_directed():
        return "in+out", "in+out"
    for name in (x, y):
        if name not in ("in", "out"):
            raise KeyError(name)
    return x, y


def _arcs(G: ClewGraph, nodes: Nodes) -> tuple[Array, Array]:
    """Both ends of every edge between some nodes, in the order in which NetworkX has a set of them."""
    order = G.vertices(node for node in (set(G) if nodes is None else set(nodes)) if node in G)
    place = np.full(len(G), -1)
    place[order] = np.arange(order.size)
    inside = np.flatnonzero((place[G.sources] >= 0) & (place[G.indices] >= 0))
    inside = inside[np.argsort(place[G.sources[inside]], kind="stable")]
    return G.sources[inside], G.indices[inside]


def _pairs(G: ClewGraph, x: Direction, y: Direction, weight: Weight, nodes: Nodes) -> tuple[list[Any], list[Any]]:
    """The degrees that edges join, as Python's numbers."""
    one_type(G, weight)
    x, y = _directions(G, x, y)
    source, target = _arcs(G, nodes)
    ends = ((source, x), (target, y))
    found = [(vertices, plain(G, degrees(G, side, weight), side)) for vertices, side in ends]
    return tuple([values[vertex] for vertex in vertices.tolist()] for vertices, values in found)  # type: ignore[return-value]


@served(no_weight_function, _no_single_node)
def node_degree_xy(
    G: ClewGraph, x: Direction = "out", y: Direction = "in", weight: Weight = None, nodes: Nodes = None
) -> Iterator[tuple[Any, Any]]:
    """The degrees of both ends of every edge, of undirected edges in both directions."""
    return zip(*_pairs(G, x, y, weight, nodes), strict=True)


def _mixing(
    G: ClewGraph, x: Direction, y: Direction, weight: Weight, nodes: Nodes, normalized: bool = False
) -> dict[Any, dict[Any, Any]]:
    one_type(G, weight)
    x, y = _directions(G, x, y)
    source, target = _arcs(G, nodes)
    ends = degrees(G, x, weight), degrees(G, y, weight)
    i, j = (np.unique(values, return_inverse=True)[1] for values in ends)
    return _count_pairs(source, target, (i, j), (plain(G, ends[0], x), plain(G, ends[1], y)), normalized)


def _count_pairs(
    source: Array, target: Array, kinds: tuple[Array, Array], named: tuple[list[Any], list[Any]], normalized: bool
) -> dict[Any, dict[Any, Any]]:
    """How many edges join every two kinds of vertices; each vertex has the number and the name of its kind."""
    # A pair of numbers is one number, counted where it comes first.
    pairs = kinds[0][source].astype(np.int64) * (int(kinds[1].max(initial=0)) + 1) + kinds[1][target]
    _, first, count = np.unique(pairs, return_index=True, return_counts=True)
    order = np.argsort(first)
    total = float(pairs.size)
    found: dict[Any, dict[Any, Any]] = {}
    for place, edges in zip(first[order].tolist(), count[order].tolist(), strict=True):
        row = found.setdefault(named[0][source[place]], {})
        column = named[1][target[place]]
        found.setdefault(column, {})
        row[column] = edges / total if normalized else edges
    return found


@served(no_weight_function, _no_single_node)
def degree_mixing_dict(
    G: ClewGraph,
    x: Direction = "out",
    y: Direction = "in",
    weight: Weight = None,
    nodes: Nodes = None,
    normalized: bool = False,
) -> dict[Any, dict[Any, Any]]:
    """How many edges join every two degrees."""
    return _mixing(G, x, y, weight, nodes, normalized)


@served(no_weight_function, _no_single_node)
def degree_mixing_matrix(
    G: ClewGraph,
    x: Direction = "out",
    y: Direction = "in",
    weight: Weight = None,
    nodes: Nodes = None,
    normalized: bool = True,
    mapping: Mapping[Any, int] | None = None,
) -> Array:
    """The same as a matrix, whose rows and columns NetworkX orders as a set."""
    found = dict_to_numpy_array(_mixing(G, x, y, weight, nodes), mapping=mapping)
    return np.asarray(found / found.sum() if normalized else found)


@served(no_weight_function, _no_single_node)
def degree_assortativity_coefficient(
    G: ClewGraph, x: Direction = "out", y: Direction = "in", weight: Weight = None, nodes: Nodes = None
) -> float:
    """The correlation of degrees, from the matrix of mixing."""
    x, y = _directions(G, x, y)
    one_type(G, weight)
    chosen = bunch(G, None if nodes is None else list(nodes))
    kinds: set[Any] = set()
    for side in [name for name in ("in", "out") if name in (x, y)] if G.is_directed() else ["in+out"]:
        kinds |= set(degrees(G, side, weight)[chosen].tolist())
    mapping = {degree: place for place, degree in enumerate(kinds)}
    matrix = np.zeros((len(mapping), len(mapping)))
    known = np.array(sorted(mapping), dtype=np.float64)
    place = np.array([mapping[degree] for degree in sorted(mapping)], dtype=np.int64)
    source, target = _arcs(G, nodes)
    rows, columns = (
        place[np.searchsorted(known, degrees(G, side, weight)[ends])] for ends, side in ((source, x), (target, y))
    )
    np.add.at(matrix, (rows, columns), 1)
    return float(_numeric_ac(matrix / matrix.sum(), mapping))


@served(no_weight_function, _no_single_node)
def degree_pearson_correlation_coefficient(
    G: ClewGraph, x: Direction = "out", y: Direction = "in", weight: Weight = None, nodes: Nodes = None
) -> float:
    """Pearson's correlation of the degrees of both ends."""
    from scipy.stats import pearsonr

    x, y = _directions(G, x, y)
    source, target = _arcs(G, nodes)
    if source.size == 0:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return float(pearsonr(degrees(G, x, weight)[source], degrees(G, y, weight)[target])[0])


def _attributes(G: ClewGraph, attribute: Any) -> tuple[Array, list[Any]]:
    """The value that every node has now, None where it has none, and a number for every value."""
    known = {} if G.original is None else dict(G.original.nodes(data=attribute))
    values = [known.get(node) for node in G.nodes]
    numbers: dict[Any, int] = {}
    try:
        return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64), values
    except TypeError as error:
        raise NotImplementedError(f"some values of the attribute cannot be counted: {error}.") from error


def _arcs_from(G: ClewGraph, nodes: Nodes) -> tuple[Array, Array]:
    """Both ends of every edge that starts at some nodes."""
    if nodes is None:
        return G.sources, G.indices
    chosen = np.zeros(len(G), dtype=np.bool_)
    chosen[G.vertices(node for node in set(nodes) if node in G)] = True
    inside = chosen[G.sources]
    return G.sources[inside], G.indices[inside]


@served(_no_single_node)
def attribute_mixing_dict(
    G: ClewGraph, attribute: Any, nodes: Nodes = None, normalized: bool = False
) -> dict[Any, dict[Any, Any]]:
    """How many edges join every two values of a node attribute."""
    numbers, values = _attributes(G, attribute)
    return _count_pairs(*_arcs_from(G, nodes), (numbers, numbers), (values, values), normalized)


@served(_no_single_node)
def attribute_mixing_matrix(
    G: ClewGraph,
    attribute: Any,
    nodes: Nodes = None,
    mapping: Mapping[Any, int] | None = None,
    normalized: bool = True,
) -> Array:
    """The same as a matrix, whose rows and columns NetworkX orders as a set."""
    found = dict_to_numpy_array(attribute_mixing_dict(G, attribute, nodes), mapping=mapping)
    return np.asarray(found / found.sum() if normalized else found)


@served(_no_single_node)
def attribute_assortativity_coefficient(G: ClewGraph, attribute: Any, nodes: Nodes = None) -> float:
    """Whether edges join nodes of equal attributes, more than by chance."""
    return float(attribute_ac(attribute_mixing_matrix(G, attribute, nodes)))


@served(_no_single_node)
def numeric_assortativity_coefficient(G: ClewGraph, attribute: Any, nodes: Nodes = None) -> float:
    """The correlation of a numeric attribute at both ends of edges."""
    chosen = G.nodes if nodes is None else list(nodes)
    data = {} if G.original is None else G.original.nodes
    mapping = {value: place for place, value in enumerate({data[node][attribute] for node in chosen})}
    numbers, values = _attributes(G, attribute)
    place = np.full(int(numbers.max(initial=-1)) + 1, -1)
    place[numbers] = [mapping.get(value, -1) for value in values]  # other values have no row, as in NetworkX
    rows, columns = (place[numbers[ends]] for ends in _arcs_from(G, nodes if nodes is None else chosen))
    matrix = np.zeros((len(mapping), len(mapping)))
    known = (rows >= 0) & (columns >= 0)
    np.add.at(matrix, (rows[known], columns[known]), 1)
    return float(_numeric_ac(matrix / matrix.sum(), mapping))


def _neighbors_sum(G: ClewGraph, side: Direction, values: Array, weights: Array) -> Array:
    """The sum of weight · value over the neighbours on one side of every vertex."""
    here, there = (G.indices, G.sources) if side == "in" else (G.sources, G.indices)
    return sums(here, weights * values[there], len(G))


@served(no_parallel_edges, no_weight_function, _no_single_node)
def average_neighbor_degree(
    G: ClewGraph, source: Direction = "out", target: Direction = "out", nodes: Any = None, weight: Weight = None
) -> dict[Node, float]:
    """The mean degree of the neighbours of every node."""
    if G.is_directed():
        for name, side in (("source", source), ("target", target)):
            if side not in ("in", "out", "in+out"):
                raise nx.NetworkXError(f"{name} argument {side} must be 'in', 'out' or 'in+out'")
    elif source != "out" or target != "out":
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    chosen = bunch(G, nodes)
    weights = edge_weights(G, weight).astype(np.float64)
    around = degrees(G, target if G.is_directed() else "in+out")
    sides = source.split("+") if G.is_directed() else ["out"]
    total = sum(_neighbors_sum(G, side, around, weights) for side in sides)
    own = degrees(G, source if G.is_directed() else "in+out", weight)
    mean = np.divide(total, own, out=np.zeros(len(G)), where=own != 0)
    return G.some_by_node(chosen, mean[chosen])


@served(no_parallel_edges, no_weight_function)
def average_degree_connectivity(
    G: ClewGraph,
    source: Direction = "in+out",
    target: Direction = "in+out",
    nodes: Any = None,
    weight: Weight = None,
) -> dict[int, float]:
    """The mean degree of the neighbours of all nodes of the same degree."""
    if G.is_directed():
        for name, side in (("source", source), ("target", target)):
            if side not in ("in", "out", "in+out"):
                raise nx.NetworkXError(f'{name} must be one of "in", "out", or "in+out"')
    elif source != "in+out" or target != "in+out":
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    one_type(G, weight)
    single = nodes is None or nodes in G
    chosen = bunch(G, nodes) if single else G.vertices(node for node in nodes if node in G)
    weights = edge_weights(G, weight)
    total = _neighbors_sum(G, "in" if source == "in" else "out", degrees(G, target), weights)[chosen]
    own, strength = degrees(G, source)[chosen], degrees(G, source, weight)[chosen]
    kinds, first, place = np.unique(own, return_index=True, return_inverse=True)
    total, strength = (sums(place, values, kinds.size) for values in (total, strength))
    found: dict[int, float] = {}
    for kind in np.argsort(first).tolist():
        degree, sum_, norm = kinds[kind].item(), total[kind].item(), strength[kind].item()
        found[degree] = sum_ / norm if norm else (sum_ if degree else 0)
    return found


@served()
def s_metric(G: ClewGraph) -> float:
    """The sum, over all edges, of the product of the degrees of both ends."""
    products = G.degrees[G.sources].astype(np.float64) * G.degrees[G.indices]
    return float(products.sum() if G.once is None else products[G.once].sum())
