"""Katz centrality."""

from __future__ import annotations

from functools import partial

import numpy as np

from clew.algorithms.arguments import check_flow_weights, check_rounds, vertex_numbers
from clew.algorithms.registry import algorithm, run
from clew.dtypes import Numbers
from clew.errors import GraphError
from clew.graph import Graph
from clew.result import Result


@algorithm(needs=("in_edges",), distributed=True, dense_rounds=True)
def katz(
    graph: Graph,
    *,
    alpha: float | None = None,
    beta: float | Numbers = 1.0,
    weighted: bool = False,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    start: Numbers | None = None,
    device: str = "auto",
) -> Result:
    """Katz centrality: how many walks end at each vertex, long ones counting less.

    A walk of k edges counts ``alpha`` to the power of k. So a vertex's score is ``beta`` plus ``alpha`` times the sum
    of the scores of its in-neighbours.

    Parameters
    ----------
    graph
        Directed or undirected. Parallel edges count individually. In a directed graph, in-edges count. Use
        ``graph.reversed()`` for out-edges.
    alpha
        How much every further edge of a walk counts. It must be below the inverse of the largest eigenvalue, or scores
        grow without bound. The default is 1 / (1 + the largest sum of a vertex's in-edges), which always converges.
    beta
        The score that a vertex has by itself, 0 or more: one number for all, or one per vertex. Pass these as an array,
        a dict by name or a pandas Series.
    weighted
        Multiply by the weights of the edges: 0 or more. By default every edge counts 1.
    tolerance
        Stop when the scores change by less than this in total per iteration. With 0, exactly ``max_iterations``
        iterations are run.
    max_iterations
        The maximum number of iterations.
    start
        The initial scores, in the forms of ``beta``. Scores of an earlier run save iterations. The default is 0.
    device
        "auto", "cpu" or "cuda". "cuda" runs products on the GPU, with vectors copied there and back.

    Returns
    -------
    Result
        ``centrality`` (float64) and ``alpha``. ``converged``: whether the tolerance was reached. The trace has
        ``change``.

    Raises
    ------
    DivergenceError
        If the scores exceed the largest number because ``alpha`` is too large.

    Notes
    -----
    Time O(n + m) per iteration. Scores do not depend on the number of threads. NetworkX divides the scores by their
    Euclidean length.

    References
    ----------
    L. Katz: "A new status index derived from sociometric analysis", Psychometrika 18 (1), 1953.

    Examples
    --------
    >>> import clew
    >>> clew.katz(clew.Graph.from_edges([0, 1], [1, 2]), alpha=0.5).centrality.tolist()
    [1.0, 1.5, 1.75]
    """
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    if alpha is not None and (not isinstance(alpha, (int, float, np.number)) or not 0 <= alpha < np.inf):
        raise GraphError(f"alpha is {alpha!r}; expected a number of 0 or more.")
    if weighted:
        check_flow_weights(graph, "katz")
    own, first = (
        vertex_numbers(
            graph, partial(np.full_like, fill_value=given, dtype=float) if np.isscalar(given) else given, name
        )
        for name, given in (("beta", beta), ("start", 0.0 if start is None else start))
    )
    options = {"weighted": weighted, "tolerance": tolerance, "max_iterations": max_iterations}
    return run("katz", graph, device, alpha=alpha, beta=own, start=first, **options)
