"""NetworkX's dicts as arrays: compressed rows in the order of the dicts, and edge attributes.

NetworkX caches a converted graph until a node or an edge is added or removed. It does not notice
``G[u][v]["weight"] = 2``. So every call that uses an attribute compares it with the cached values: of all edges, or of
a sample in large graphs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, compress
from operator import is_, itemgetter, methodcaller
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clew.dtypes import MAX_INT32_VERTICES, WEIGHT_DTYPES, Array

Dicts = Mapping[Any, Mapping[Any, Any]]
VALUES = methodcaller("values")


def rows_as_arrays(rows: Dicts, nodes: list[Any], *, multigraph: bool) -> tuple[npt.NDArray[np.int64], Array]:
    """Offsets and neighbours; parallel edges are adjacent."""
    degrees = np.fromiter(map(len, rows.values()), dtype=np.int64, count=len(nodes))
    ids = np.int32 if len(nodes) <= MAX_INT32_VERTICES else np.int64
    targets: Any = chain.from_iterable(rows.values())
    if nodes != list(range(len(nodes))):
        targets = map(dict(zip(nodes, range(len(nodes)), strict=True)).__getitem__, targets)
    indices: Array = np.fromiter(targets, dtype=ids, count=int(degrees.sum()))
    if multigraph:
        parallel = chain.from_iterable(map(VALUES, rows.values()))  # the edges of every pair of nodes
        multiplicity = np.fromiter(map(len, parallel), dtype=np.int64, count=indices.size)
        sources = np.repeat(np.arange(len(nodes)), degrees)
        degrees = np.bincount(sources, weights=multiplicity, minlength=len(nodes)).astype(np.int64)
        indices = np.repeat(indices, multiplicity)
    indptr = np.zeros(len(nodes) + 1, dtype=np.int64)
    np.cumsum(degrees, out=indptr[1:])
    return indptr, indices


#: A float holds every integer below this one, and rounds some above it to it.
EXACT = 2**53


class EdgeValues:
    """The values of an edge attribute.

    Parameters
    ----------
    array
        In the order of the rows.
    is_float
        Whether the values are floats for Python: all or none, or of some edges an array that says which.
    complete
        Whether every edge has the attribute.
    default
        The value of the edges that lack it.
    """

    def __init__(self, array: Array, is_float: bool | Array, *, complete: bool = True, default: Any = 1) -> None:
        self.array, self.is_float, self.complete, self.default = array, is_float, complete, default
        self._edges: Sequence[dict[Any, Any]] = ()
        self._seen: list[Any] = []
        self._value_of: Any = None

    @classmethod
    def read(cls, rows: Dicts, attribute: str, default: Any, *, multigraph: bool, once: Array | None) -> EdgeValues:
        """The values that edges have now; ``once`` marks one of the two entries of every undirected edge."""
        data: Any = chain.from_iterable(map(VALUES, rows.values()))
        edges = list(chain.from_iterable(map(VALUES, data)) if multigraph else data)
        value_of: Any = itemgetter(attribute)
        try:
            values = list(map(value_of, edges))
        except KeyError:
            value_of = methodcaller("get", attribute, default)
            values = list(map(value_of, edges))
        found = cls(*_as_array(values, attribute), complete=isinstance(value_of, itemgetter), default=default)
        if once is not None:
            edges, values = list(compress(edges, once)), list(compress(values, once))
        # All edges are compared up to this number, otherwise a tenth of it, since few of them are in a cache.
        limit = nx.config.backends.clew.check_edges
        step = 1 if len(edges) <= limit else -(-len(edges) // max(1, limit // 10))
        found._edges, found._seen, found._value_of = edges[::step], values[::step], value_of
        return found

    def are_current(self) -> bool:
        """Whether the edges that are compared have the values that were read.

        Equal is not enough, it has to be the same object: 1 and 1.0 are equal, and their sums have different types.
        """
        try:
            return all(map(is_, map(self._value_of, self._edges), self._seen)) if self._edges else True
        except KeyError:  # all edges had the attribute
            return False


def _as_array(values: list[Any], attribute: str) -> tuple[Array, bool | Array]:
    """Values as an array, and which of them are floats; ``NotImplementedError`` for all but numbers of 64 bits."""
    kinds = {kind: issubclass(kind, (float, np.floating)) for kind in set(map(type, values))}
    try:
        array = np.asarray(values) if values else np.empty(0, dtype=np.int64)
    except ValueError:  # such as lists of different lengths
        array = np.empty(0, dtype=np.object_)
    if array.dtype not in WEIGHT_DTYPES or array.shape != (len(values),):
        raise NotImplementedError(f"the edge attribute {attribute!r} has values that are not 64-bit numbers.")
    if array.dtype.kind == "b":
        array = array.astype(np.int64)  # True + True is 2
    if all(kinds.values()) or not any(kinds.values()):
        is_float: bool | Array = any(kinds.values())
        exact = is_float or array.dtype.kind != "f"
    else:
        is_float = np.array([kinds[type(value)] for value in values])
        exact = bool((np.abs(array[~is_float]) < EXACT).all())  # 2**53 may be 2**53 + 1, rounded
    if not exact:
        raise NotImplementedError(f"the edge attribute {attribute!r} has integers that do not fit in a float.")
    return array, is_float
