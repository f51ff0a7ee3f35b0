"""Checker of diffusion centrality: the graph and NumPy alone."""

import numpy as np

from clew import VerificationError


def diffusion(graph, result, probability=0.1, rounds=5):
    """Every score is the number of walks of each length, times the probability that news takes all of their edges."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    walks, expected = np.ones(graph.num_vertices), np.zeros(graph.num_vertices)
    for length in range(1, rounds + 1):
        walks = np.bincount(source, walks[graph.indices], graph.num_vertices)
        expected += probability**length * walks
    wrong = np.flatnonzero(np.abs(expected - result.centrality) > 1e-9 * expected)
    if wrong.size:
        raise VerificationError(f"a score is the sum over walks of their probabilities; broken at vertex {wrong[0]}.")
