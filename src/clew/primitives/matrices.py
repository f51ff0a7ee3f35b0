"""Matrix times matrix over a semiring."""

from __future__ import annotations

from clew.engines.retry import tried_again
from clew.errors import GraphError
from clew.graph import Graph
from clew.layouts import Layout, csr
from clew.operators import Semiring, semirings
from clew.primitives.arguments import check_semiring, engine_of


@tried_again
def spgemm(
    a: Graph | Layout,
    b: Graph | Layout,
    semiring: Semiring = semirings.plus_times,
    *,
    mask: Graph | Layout | None = None,
    device: str = "auto",
) -> Graph:
    """Sparse matrix times sparse matrix: ``C[i, j] = add over k of multiply(a[i, k], b[k, j])``.

    Parameters
    ----------
    a, b
        Graphs or layouts over the same vertices. Edges without weights count as 1 in the dtype of the other's weights.
        If neither has weights, they count as the integer 1.
    semiring
        The add and multiply operations.
    mask
        Compute only the entries where this graph has an edge. Its weights are ignored.
    device
        "auto", "cpu", "cuda" or "reference".

    Returns
    -------
    Graph
        Directed. It has an edge i->j if an edge i->k of ``a`` and an edge k->j of ``b`` exist, even if the weights sum
        to 0.

    Notes
    -----
    Each row is accumulated in a dense table. Rows with few products in a matrix with many columns use a hash table, and
    rows with very few products need no table. Rows of the result are sorted. Time is proportional to the number of
    products.

    Examples
    --------
    >>> import clew
    >>> path = clew.Graph.from_edges([0, 1], [1, 2], [3.0, 4.0], num_vertices=3)
    >>> source, target, weights = clew.spgemm(path, path).edges()
    >>> source.tolist(), target.tolist(), weights.tolist()
    ([0], [2], [12.0])
    """
    check_semiring(semiring)
    rows = [csr(matrix) for matrix in (a, b)] + ([] if mask is None else [csr(mask)])
    sizes = {matrix.num_vertices for matrix in rows}
    if len(sizes) > 1:
        raise GraphError(
            f"the matrices have {' and '.join(map(str, sorted(sizes)))} vertices; expected the same number."
        )
    engine = engine_of(device, rows[0].num_arcs)
    return Graph(engine.spgemm(rows[0], rows[1], semiring, rows[2] if mask is not None else None), directed=True)
