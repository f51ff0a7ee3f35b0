"""Checker of Katz centrality: the graph and NumPy alone."""

import numpy as np

from clew import VerificationError


def katz(graph, result, alpha=0.01):
    """Every score is 1 plus alpha times the scores of the vertices that lead to it."""
    expected = np.ones(graph.num_vertices)
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    np.add.at(expected, graph.indices, alpha * result.centrality[source])
    wrong = np.flatnonzero(np.abs(expected - result.centrality) > 1e-9)
    if wrong.size:
        raise VerificationError(f"a score is 1 plus alpha times its neighbours'; broken at vertex {wrong[0]}.")
