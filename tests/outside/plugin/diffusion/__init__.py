"""Diffusion centrality for clew: an algorithm that clew does not have, from outside the package."""

import numpy as np

import clew
from clew.algorithms import Answer, algorithm, run


def generic(waist, graph, probability, rounds):
    """x = probability A (1 + x), again and again; ``waist`` has the products of whatever engine this runs on."""
    x = np.zeros(graph.num_vertices)
    for _ in range(rounds):
        x = probability * waist.spmv(graph, 1 + x, clew.semirings.plus_second)
    return Answer({"centrality": x}, iterations=rounds)


@algorithm(generic=generic)
def diffusion(graph: clew.Graph, *, probability: float = 0.1, rounds: int = 5, device: str = "auto") -> clew.Result:
    """Diffusion centrality: how often others hear a piece of news that starts at each vertex.

    Parameters
    ----------
    graph
        Directed or not; weights do not matter.
    probability
        How likely the news passes along an edge in a round.
    rounds
        How many times it is passed on.
    device
        "auto", "cpu", "cuda" or "reference".
    """
    return run("diffusion", graph, device, probability=probability, rounds=rounds)
