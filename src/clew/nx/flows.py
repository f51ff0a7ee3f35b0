"""Maximum flows and minimum cuts, with NetworkX's capacities: an edge without one takes any amount.

``minimum_cut`` has NetworkX's sides: the sink's is as small as possible, which makes it unique. ``maximum_flow`` may
give another flow of the same value.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from clew.algorithms.flows import MOST, kernels
from clew.dtypes import Array, as_bits, id_dtype
from clew.nx.graph import ClewGraph, Node, Weight
from clew.nx.interface import served

# ruff: noqa: ARG001, N803, signatures are those of NetworkX


class Network:
    """Arcs and what they take in both directions; flows between any two vertices of it.

    Parameters
    ----------
    size
        The number of vertices.
    tails, heads
        Where every arc begins and ends.
    forward, backward
        How much every arc takes in its direction, and in the other one.
    """

    def __init__(self, size: int, tails: Array, heads: Array, forward: Array, backward: Array) -> None:
        self._tails, self._heads, self._backward = tails, heads, backward
        self._capacity = np.stack([forward, backward], axis=1).reshape(-1)
        ids, both = id_dtype(max(size, self._capacity.size)), np.concatenate([tails, heads])
        order = np.argsort(both, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(both, minlength=size))])
        indices = np.concatenate([heads, tails])[order].astype(ids)
        indptr.flags.writeable = indices.flags.writeable = False  # as in a graph: kernels are compiled once
        codes = np.concatenate([np.arange(0, 2 * tails.size, 2), np.arange(1, 2 * tails.size, 2)])[order]
        self._rows = as_bits(indptr), as_bits(indices), as_bits(codes.astype(ids))
        self._size = size

    def flow(self, source: int, sink: int) -> tuple[Any, Array, Array]:
        """The value of a maximum flow, the flow of every arc, and a mask of the vertices that no longer reach the sink.

        A flow against the direction of an arc is negative.
        """
        left, side = self._capacity.copy(), np.empty(self._size, dtype=np.bool_)
        kernels.dinic(*self._rows, left, np.uint64(source), np.uint64(sink), side)
        flow = left[1::2] - self._backward
        value = flow[self._tails == source].sum() - flow[self._heads == source].sum()
        return value.item(), flow, side


def ends_of(G: ClewGraph, source: Node, sink: Node) -> tuple[int, int]:
    """The vertices of two nodes, or the errors of NetworkX's flow functions."""
    for node in (source, sink):
        if node not in G:
            raise nx.NetworkXError(f"node {node} not in graph")
    if source == sink:
        raise nx.NetworkXError("source and sink are the same node")
    return G.positions[source], G.positions[sink]


def own_function(flow_func: Any) -> str | None:
    """For flows by any algorithm."""
    return None if flow_func is None else "flow_func is given; clew has one algorithm for flows, which is Dinic's."


def _capacities(G: ClewGraph, capacity: Weight, source: int, sink: int) -> Array:
    """How much every entry of ``indices`` takes. Instead of an infinite amount, it is as much as all others take."""
    values = G.values(capacity, float("inf"))
    given = np.full(G.indices.size, np.inf) if values is None else values.array
    positive = given > 0  # NetworkX drops the others, and those that are NaN
    infinite = np.isinf(given) & positive
    finite = np.where(positive & ~infinite, given, 0)
    counts = given.dtype.kind != "f" or values is None or not np.any(values.is_float & (finite > 0))
    if counts and float(finite.sum(dtype=np.float64)) > MOST:
        raise NotImplementedError("the capacities add up to more than 2**61.")
    if infinite.any():
        _check_bounded(G, infinite, source, sink)
    found = finite.astype(np.int64 if counts else np.float64)
    found[infinite] = found.sum() + 1 if counts else min(found.sum(), np.finfo(np.float64).max / 4)
    found[G.sources == G.indices] = 0
    return found


def _check_bounded(G: ClewGraph, infinite: Array, source: int, sink: int) -> None:
    """Raise NetworkX's error if a path of edges without a limit leads to the sink."""
    ones = infinite.astype(np.int64)
    network = Network(len(G), G.sources, G.indices.astype(np.int64), ones, np.zeros_like(ones))
    if network.flow(source, sink)[0]:
        raise nx.NetworkXUnbounded("Infinite capacity path, flow unbounded above.")


def _solved(
    G: ClewGraph, source: Node, sink: Node, capacity: Weight, options: dict[str, Any]
) -> tuple[Any, Array, Array]:
    """The value, the flow of every entry of ``indices`` that is positive, and the source's side."""
    if options:
        raise nx.NetworkXError("You have to explicitly set a flow_func if you need to pass parameters via kwargs.")
    start, end = ends_of(G, source, sink)
    if G.is_multigraph():
        raise nx.NetworkXError("MultiGraph and MultiDiGraph not supported (yet).")
    amounts, once = _capacities(G, capacity, start, end), slice(None) if G.once is None else G.once
    forward = amounts[once]
    backward = np.zeros_like(forward) if G.is_directed() else forward
    network = Network(len(G), G.sources[once], G.indices[once].astype(np.int64), forward, backward)
    value, flow, side = network.flow(start, end)
    return value or 0, flow, side


def _net(G: ClewGraph, flow: Array) -> Array:
    """The flow of every entry of ``indices``. Opposite flows between two nodes cancel out, and no flow is negative."""
    amounts = np.zeros(G.indices.size, dtype=flow.dtype)
    amounts[slice(None) if G.once is None else G.once] = flow
    # An entry and its opposite have the same key. In an undirected graph one of them has the flow of both.
    size, targets = len(G), G.indices.astype(np.int64)
    low, high = np.minimum(G.sources, targets), np.maximum(G.sources, targets)
    _, pair = np.unique(low * size + high, return_inverse=True)
    signed = np.where(G.sources <= targets, amounts, -amounts)
    total = np.zeros(pair.max(initial=-1) + 1, dtype=flow.dtype)
    np.add.at(total, pair, signed)
    return np.maximum(np.where(G.sources <= targets, total[pair], -total[pair]), 0)


@served(own_function)
def maximum_flow(
    flowG: ClewGraph, _s: Node, _t: Node, capacity: Weight = "capacity", flow_func: Any = None, **kwargs: Any
) -> tuple[Any, dict[Node, dict[Node, Any]]]:
    """The value of a maximum flow, and the flow of every edge."""
    value, flow, _ = _solved(flowG, _s, _t, capacity, kwargs)
    amounts = [amount or 0 for amount in _net(flowG, flow).tolist()]  # NetworkX has the integer 0 where nothing flows
    targets, bounds = flowG.named(flowG.indices), flowG.indptr.tolist()
    rows = (slice(*ends) for ends in pairwise(bounds))
    flows = {
        node: dict(zip(targets[row], amounts[row], strict=True)) for node, row in zip(flowG.nodes, rows, strict=True)
    }
    return value, flows


@served(own_function)
def maximum_flow_value(
    flowG: ClewGraph, _s: Node, _t: Node, capacity: Weight = "capacity", flow_func: Any = None, **kwargs: Any
) -> Any:
    """The value of a maximum flow."""
    return _solved(flowG, _s, _t, capacity, kwargs)[0]


@served(own_function)
def minimum_cut(
    flowG: ClewGraph, _s: Node, _t: Node, capacity: Weight = "capacity", flow_func: Any = None, **kwargs: Any
) -> tuple[Any, tuple[set[Node], set[Node]]]:
    """The capacity of a minimum cut, and the nodes on both sides of it."""
    value, _, side = _solved(flowG, _s, _t, capacity, kwargs)
    return value, (set(flowG.named(np.flatnonzero(side))), set(flowG.named(np.flatnonzero(~side))))


@served(own_function)
def minimum_cut_value(
    flowG: ClewGraph, _s: Node, _t: Node, capacity: Weight = "capacity", flow_func: Any = None, **kwargs: Any
) -> Any:
    """The capacity of a minimum cut."""
    return _solved(flowG, _s, _t, capacity, kwargs)[0]
