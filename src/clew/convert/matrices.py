"""SciPy sparse and dense NumPy matrices: entry (i, j) is the edge from i to j."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.checks import array as as_array
from clew.dtypes import OFFSET
from clew.errors import GraphError

if TYPE_CHECKING:
    import scipy.sparse as sp


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
