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
        Graphs or layouts over the same vertices. Edges without weights count as 1 in the dtype of the other's weights,
        or as the integer 1 where neither has any.
    semiring
        What add and multiply are.
    mask
        Compute only the entries where this graph has an edge; its weights do not matter.
    device
        "auto", "cpu", "cuda" or "reference".

    Returns
    -------
    Graph
        Directed, with an edge i->j wherever an edge of ``a`` and one of ``b`` lead from i to j, even if the weights add
        up to 0.

    Notes
    -----
    Row by row, each in a dense table or, where it has few products and the matrix many columns, in a hash table, or
    without a table where a few are all; rows of the result are sorted. Time in proportion to the number of products.

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
