"""The graphs of a race: generated ones by a short name, and any other made fit for all contenders."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clew import generate
from clew.errors import GraphError
from clew.graph import Graph

SEED = 1
HEAVIEST = 255


class Recipe(NamedTuple):
    """A family of graphs; the number after its name says how large."""

    largest: int
    text: str
    make: Callable[[int], Graph]


RECIPES = {
    "kron": Recipe(28, "Graph500's Kronecker graph, 2^N vertices", lambda n: generate.kronecker(n, seed=SEED)),
    "rmat": Recipe(
        28,
        "R-MAT 0.45/0.22/0.22, directed, 2^N vertices, 16 edges each",
        lambda n: generate.rmat(n, 16, 0.45, 0.22, 0.22, seed=SEED, duplicates="drop", loops="drop"),
    ),
    "delaunay": Recipe(26, "Delaunay triangulation of 2^N points", lambda n: generate.delaunay(1 << n, seed=SEED)),
    "grid": Recipe(
        20_000, "grid of N × N, every tenth edge removed", lambda n: generate.grid(n, n, delete=0.1, seed=SEED)
    ),
}
KNOWN = "; ".join(f"{name}N ({recipe.text})" for name, recipe in RECIPES.items())


def recipe_of(name: str) -> tuple[Recipe, int] | None:
    """What a name such as kron16 stands for, if it is one."""
    found = re.fullmatch(r"([a-z]+)(\d+)d?", name)
    return (RECIPES[found[1]], int(found[2])) if found and found[1] in RECIPES else None


def generated(name: str) -> Graph:
    """The graph that a name such as kron16 stands for; without weights."""
    known = recipe_of(name)
    if known is None or not 1 <= known[1] <= known[0].largest:
        raise GraphError(f"there is no graph called {name!r}; expected one of: {KNOWN}.")
    return known[0].make(known[1])


def simple(graph: Graph) -> Graph:
    """The graph without what contenders treat differently: loops, duplicate edges, names and missing weights."""
    source, target, weights = graph.edges()
    plain = Graph.from_edges(
        source,
        target,
        weights,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        duplicates="first",
        loops="drop",
    )
    return plain if plain.weighted else generate.random_weights(plain, 1, HEAVIEST, SEED, "int32")


def busiest(graph: Graph) -> int:
    """The vertex with the most edges: a search from it reaches much."""
    return int(np.argmax(graph.degrees())) if graph.num_vertices else 0
