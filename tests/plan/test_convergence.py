"""Predicted rounds: as many as runs take, by the causes that the model names."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import clew
from clew.plan.models.convergence import reciprocity, spectrum_of, walks_in


def stars(count: int = 300, leaves: int = 4) -> clew.Graph:
    """Small components beside a Kronecker graph: ranks swing between the middle of a star and its leaves."""
    core = clew.generate.kronecker(10, seed=1)
    first = core.num_vertices + np.arange(count) * (leaves + 1)
    middles = np.repeat(first, leaves)
    ends = middles + 1 + np.tile(np.arange(leaves), count)
    source, target, _ = core.edges()
    return clew.Graph.from_edges(
        np.concatenate([source, middles]), np.concatenate([target, ends]), directed=False, loops="drop"
    )


GRAPHS: dict[str, Callable[[], clew.Graph]] = {
    "hubs": lambda: clew.generate.kronecker(11, seed=1),
    "stars": stars,
    "mesh": lambda: clew.generate.delaunay(2000, seed=1),
    "ring with shortcuts": lambda: clew.generate.small_world(3000, 8, 0.1, seed=1),
    "attached": lambda: clew.generate.barabasi_albert(3000, 6, seed=1),
    "at random": lambda: clew.generate.uniform(3000, 12000, seed=1),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("algorithm", ["pagerank", "random_walk_with_restart", "hits", "eigenvector", "katz"])
def test_rounds_are_within_a_factor_of_three(name: str, algorithm: str) -> None:
    graph = GRAPHS[name]()
    arguments = {"source": 0} if algorithm == "random_walk_with_restart" else {}
    predicted = clew.explain(graph, algorithm, "cpu", **arguments).iterations
    measured = getattr(clew, algorithm)(graph, device="cpu", **arguments).iterations
    assert predicted is not None
    assert measured is not None
    assert measured / 3 <= predicted.likely <= measured * 3


@pytest.mark.parametrize("algorithm", ["pagerank", "random_walk_with_restart"])
def test_ranks_in_chains_take_as_many_rounds_as_the_damping_does(algorithm: str) -> None:
    first = np.flatnonzero(np.arange(3000) % 60 < 59)
    graph, arguments = clew.Graph.from_edges(first, first + 1), {} if algorithm == "pagerank" else {"source": 0}
    predicted = clew.explain(graph, algorithm, "cpu", **arguments).iterations
    measured = getattr(clew, algorithm)(graph, device="cpu", **arguments).iterations
    assert predicted is not None
    assert measured is not None
    assert measured / 2 <= predicted.likely <= measured * 2


@pytest.mark.quick
def test_small_components_take_pagerank_as_many_rounds_as_the_damping_does() -> None:
    plain = clew.explain(clew.generate.kronecker(10, seed=1), "pagerank", "cpu").iterations
    swinging = clew.explain(stars(), "pagerank", "cpu").iterations
    assert plain is not None
    assert swinging is not None
    assert swinging.likely > 2 * plain.likely
    assert swinging.likely <= math.log(1e-6) / math.log(0.85) + 1


@pytest.mark.quick
def test_walkers_know_small_parts_chains_and_dead_ends() -> None:
    pairs = clew.Graph.from_edges(np.arange(0, 200, 2), np.arange(1, 200, 2), directed=False)
    assert walks_in(pairs).stuck == walks_in(pairs).paired == 1
    ring = clew.Graph.from_edges(np.arange(1000), (np.arange(1000) + 1) % 1000)
    assert walks_in(ring).led == walks_in(ring).left == walks_in(ring).fresh == 1
    assert walks_in(clew.generate.path(10, directed=True)).left == 0
    assert walks_in(clew.Graph.from_edges([], [], num_vertices=5)).left == 0


@pytest.mark.quick
def test_reciprocity_and_the_largest_eigenvalue() -> None:
    both = clew.Graph.from_edges([0, 1, 1, 2], [1, 0, 2, 1])
    assert reciprocity(both) == 1
    assert reciprocity(clew.Graph.from_edges([0, 1], [1, 2])) == 0
    star = clew.Graph.from_edges(np.zeros(100, np.int64), np.arange(1, 101), directed=False)
    assert 10 <= spectrum_of(star).largest <= 100  # it is the root of 100
    assert spectrum_of(clew.generate.complete(50)).largest == pytest.approx(49)
