"""Sampled neighbourhoods, for graph neural networks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from clew.algorithms.arguments import check_flow_weights, vertices_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import whole
from clew.dtypes import Array
from clew.edge_result import EdgeResult
from clew.errors import GraphError
from clew.generate.arguments import stream
from clew.graph import Graph
from clew.names import Name


class Samples(NamedTuple):
    """The checked arguments: where to start, how many neighbours per hop, how to draw, and the key of the numbers."""

    sources: Array
    fanouts: tuple[int, ...]
    replace: bool
    weighted: bool
    key: np.uint64


@algorithm(needs=("in_edges",), per_edge=True)
def sample_neighbors(
    graph: Graph,
    sources: Iterable[Name],
    *,
    fanouts: Iterable[int] = (10, 10),
    replace: bool = False,
    weighted: bool = False,
    seed: int = 0,
    device: str = "auto",
) -> EdgeResult:
    """Sampled neighbourhoods: random in-neighbours, in-neighbours of these, and so on, as graph neural networks need.

    The arrays are those that PyTorch Geometric's and DGL's loaders make of a batch.

    Parameters
    ----------
    graph
        Directed or undirected. In-neighbours send messages to a vertex. Use ``graph.reversed()`` for out-neighbours.
    sources
        The vertices of the batch, by name, each once.
    fanouts
        How many neighbours to draw per vertex in each hop. -1 takes all.
    replace
        Draw with replacement, so that an edge may be drawn several times.
    weighted
        Draw edges in proportion to their weights, which must be 0 or more. By default all edges are equally likely.
    seed
        Selects the random numbers. Use another for every batch or epoch.
    device
        "auto", "cpu" or "cuda". Arrays of a GPU stay there.

    Returns
    -------
    EdgeResult
        ``node``: the ids of all vertices, those of the batch first. ``row`` and ``col``: the ends of every drawn edge
        as places in ``node``, from neighbour to vertex. ``edge``: its place in ``graph.indices`` and
        ``graph.weights``. ``num_sampled_nodes`` and ``num_sampled_edges``: how many each hop added; the first number
        of vertices is that of the batch. ``num_nodes`` and ``num_edges`` are their sums. Tables have the edges by name.

    Notes
    -----
    Every hop draws for the vertices that the hop before added. A vertex with no more neighbours than the fan-out gets
    all of them, unless ``replace`` is set. Time and memory depend on the sample, not on the graph. The random numbers
    of a vertex depend on the seed, the hop and the vertex alone. So samples are the same on a GPU and for any number of
    threads.

    References
    ----------
    W. Hamilton, R. Ying, J. Leskovec: "Inductive representation learning on large graphs", NeurIPS 2017.
    P. Efraimidis, P. Spirakis: "Weighted random sampling with a reservoir", Information Processing Letters 97, 2006.

    Examples
    --------
    >>> import clew
    >>> batch = clew.sample_neighbors(clew.Graph.from_edges(["a", "b", "c"], ["b", "c", "d"]), ["d"], fanouts=[5, 5])
    >>> batch.node.tolist(), batch.row.tolist(), batch.col.tolist(), batch.num_sampled_edges
    ([3, 2, 1], [1, 2], [0, 1], [1, 1])
    """
    if weighted:
        check_flow_weights(graph, "sample_neighbors")
    if isinstance(fanouts, (int, np.integer, str)):
        raise GraphError(f"fanouts is {fanouts!r}; expected a number per hop, such as [10, 10].")
    counts = tuple(whole("a fan-out", fanout, -1, 2**31) for fanout in fanouts)
    starts = vertices_of(graph, sources)
    if np.unique(starts).size < starts.size:
        raise GraphError("sources has a vertex twice; expected every vertex of a batch once.")
    given = Samples(starts, counts, replace, weighted, stream(seed, "neighbour samples"))
    found = run("sample_neighbors", graph, device, given=given)
    assert isinstance(found, EdgeResult)
    return found


#: For vertices, the number of a hop and a fan-out: how many edges were drawn for each, their sources and their places.
Draw = Callable[[Any, int, int], tuple[Any, Any, Any]]
#: Append the ids that are new to those known, in order of appearance, and where each id is then.
Number = Callable[[Any, Any], tuple[Any, Any]]


def grow(xp: Any, given: Samples, sources: Any, draw: Draw, number: Number) -> Answer:
    """Hop after hop, with arrays of NumPy or of a GPU."""
    node, begun = sources, 0
    nodes, parts = [int(sources.size)], []
    for hop, fanout in enumerate(given.fanouts):
        counts, neighbors, edges = draw(node[begun:], hop, fanout)
        # The vertex of every edge, as np.repeat would give it: CuPy's takes no array of numbers.
        columns = begun + xp.searchsorted(xp.cumsum(counts), xp.arange(int(neighbors.size)), side="right")
        begun = int(node.size)
        node, rows = number(node, neighbors)
        nodes.append(int(node.size) - begun)
        parts.append((rows, columns, edges))
    nothing = xp.empty(0, np.int64)
    row, col, edge = (xp.concatenate([nothing, *each]) for each in (zip(*parts, strict=True) if parts else [()] * 3))
    facts = {
        "num_nodes": int(node.size),
        "num_edges": int(row.size),
        "node": node,
        "row": row,
        "col": col,
        "edge": edge,
        "num_sampled_nodes": nodes,
        "num_sampled_edges": [int(rows.size) for rows, *_ in parts],
    }

    def ends() -> Any:
        pairs = xp.stack([node[row], node[col]])
        return pairs if xp is np else pairs.get()

    return Answer({}, facts, iterations=len(given.fanouts), pairs=ends)


def number_by_sorting(xp: Any, known: Any, ids: Any) -> tuple[Any, Any]:
    """As ``Number``, on any array library."""
    both = xp.concatenate([known, ids])
    order = xp.argsort(both, kind="stable")
    first = xp.concatenate([xp.ones(min(1, both.size), bool), both[order][1:] != both[order][:-1]])
    heads = order[first]
    new = xp.sort(heads[heads >= known.size])
    place = xp.where(heads < known.size, heads, known.size + xp.searchsorted(new, heads))
    found = xp.empty(both.size, np.int64)
    found[order] = place[xp.cumsum(first) - 1]
    return xp.concatenate([known, both[new]]), found[known.size :]
