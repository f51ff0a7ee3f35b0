"""Matrices of SciPy and NumPy, where entry (i, j) is the edge from i to j; and NetworkX graphs, through arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.checks import array as as_array
from clew.checks import kind_of
from clew.convert.arrow import about_ignored
from clew.convert.edges import Edges
from clew.dtypes import OFFSET, WEIGHT_DTYPES, Array, IdArray
from clew.errors import GraphError, MissingDependencyError
from clew.names import VertexNames

if TYPE_CHECKING:
    import networkx as nx
    import scipy.sparse as sp

DEFAULT = "weight"  # nobody asked for it: where no edge has it, the graph is unweighted


def from_scipy(matrix: Any) -> Adjacency:
    """The rows of a SciPy sparse matrix or array; they share its arrays where they can."""
    import scipy.sparse as sp

    sparse: Any = sp
    if not sparse.issparse(matrix):
        raise GraphError(f"a {type(matrix).__name__} is not a SciPy sparse matrix; for a dense one use from_numpy.")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"the matrix has shape {matrix.shape}; expected a square one, a row and a column per vertex.")
    rows: Any = (_duplicates_kept(matrix) if matrix.format == "coo" else matrix).tocsr()
    # Views, so that the graph's arrays become read-only and not the matrix's.
    return Adjacency(rows.indptr.astype(OFFSET, copy=False).view(), rows.indices.view(), rows.data.view())


def _duplicates_kept(matrix: Any) -> Any:
    """A view of a matrix of coordinates that says it has no duplicates: SciPy would add them up, in their own dtype."""
    import scipy.sparse as sp

    view: Any = sp.coo_array((matrix.data, (matrix.row, matrix.col)), shape=matrix.shape)
    view.has_canonical_format = True
    return view


def from_dense(matrix: npt.ArrayLike) -> Adjacency:
    """The rows of a dense matrix; 0 and NaN mean that there is no edge."""
    array = as_array("the matrix", matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise GraphError(f"the matrix has shape {array.shape}; expected a square one, a row and a column per vertex.")
    if array.dtype.kind not in "biuf":
        raise GraphError(f"the matrix has dtype {array.dtype}; expected booleans, integers or floats.")
    present = (array != 0) & (array == array)
    indptr = np.zeros(array.shape[0] + 1, dtype=OFFSET)
    np.cumsum(present.sum(axis=1), out=indptr[1:])
    return Adjacency(indptr, np.nonzero(present)[1], None if array.dtype == np.bool_ else array[present])


def to_scipy(rows: Adjacency) -> sp.csr_array[Any]:
    """A SciPy CSR array over the same memory; unweighted edges are 1.

    SciPy wants offsets and ids of one width, so the offsets (n of them) are narrowed where the ids are 32 bits wide.
    """
    import scipy.sparse as sp

    weights = np.ones(rows.num_arcs, dtype=np.int8) if rows.weights is None else rows.weights
    fits = rows.indices.dtype == np.int32 and rows.num_arcs < 2**31
    index = np.dtype(np.int32) if fits else np.dtype(np.int64)
    shape = (rows.num_vertices, rows.num_vertices)
    indptr, indices = rows.indptr.astype(index, copy=False), rows.indices.astype(index, copy=False)
    return sp.csr_array((weights, indices, indptr), shape=shape)


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


def about_attributes(graph: nx.Graph[Any], weight: str | None, weighted: bool) -> tuple[dict[str, str], list[str]]:
    """Every edge attribute and whether it became the weight, and what was decided about edges without one."""
    given: dict[Any, None] = {}
    without = 0
    for *_, attributes in graph.edges(data=True):
        given.update(dict.fromkeys(attributes))
        without += attributes.get(weight) is None
    roles = {str(name): "weight" if weighted and name == weight else "ignored" for name in given}
    if not weighted or not without:
        return roles, about_ignored(roles, weight)
    have = "edge has" if without == 1 else "edges have"
    return roles, [f"{without:,} {have} no attribute {weight!r}: the weight 1 was taken, as NetworkX does."]


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
