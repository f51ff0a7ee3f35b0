"""Katz centrality for clew: an algorithm that clew does not have, from outside the package."""

import numpy as np

import clew
from clew.algorithms import Answer, algorithm, run


def generic(waist, graph, alpha, tolerance, max_iterations):
    """x = 1 + alpha A' x, again and again; ``waist`` has the products of whatever engine this runs on."""
    x = np.ones(graph.num_vertices)
    for iteration in range(1, max_iterations + 1):
        after = 1 + alpha * waist.spmv(graph, x, clew.semirings.plus_second, transpose=True)
        change, x = np.abs(after - x).sum(), after
        if change < tolerance:
            return Answer({"centrality": x}, iterations=iteration)
    return Answer({"centrality": x}, iterations=max_iterations, converged=False)


@algorithm(generic=generic)
def katz(
    graph: clew.Graph,
    *,
    alpha: float = 0.01,
    tolerance: float = 1e-12,
    max_iterations: int = 1000,
    device: str = "auto",
) -> clew.Result:
    """Katz centrality: how many walks end at each vertex, long ones counting less.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter.
    alpha
        How much less a walk counts with every edge.
    tolerance
        Stop when a round changes the scores by less than this in all.
    max_iterations
        The most rounds to run.
    device
        "auto", "cpu", "cuda" or "reference".
    """
    return run("katz", graph, device, alpha=alpha, tolerance=tolerance, max_iterations=max_iterations)
