"""Graphs, vectors and masks that every engine is tried on."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import clew
from tests.algorithms.graphs import graphs

#: Every engine that must agree with the reference.
ENGINES = ("cpu", "emulated")

SEMIRINGS = {name: value for name, value in vars(clew.semirings).items() if isinstance(value, clew.Semiring)}


def numbers(rng: np.random.Generator, dtype: str, size: int) -> np.ndarray:
    """Small numbers, whose sums of products are exact in floats; a few extremes where a dtype has them."""
    low = 0 if dtype == "bool" or dtype.startswith("u") else -4
    found = rng.integers(low, 2 if dtype == "bool" else 9, size).astype(dtype)
    if dtype.startswith(("int", "uint")):
        found[rng.random(size) < 0.1] = np.iinfo(dtype).max
    return found


def weighted(graph: clew.Graph, dtype: str | None, seed: int = 0) -> clew.Graph:
    """The same edges, directed, with weights that need not be the same both ways."""
    if dtype is None:
        return clew.Graph.from_csr(graph.indptr, graph.indices)
    return clew.Graph.from_csr(graph.indptr, graph.indices, numbers(np.random.default_rng(seed), dtype, graph.num_arcs))


@st.composite
def cases(draw: st.DrawFn, dtype: str, *, weights: bool | None = None) -> tuple[clew.Graph, np.random.Generator]:
    """A small graph with or without weights of a dtype, and a source of everything else."""
    seed = draw(st.integers(0, 2**20))
    has = draw(st.booleans()) if weights is None else weights
    return weighted(draw(graphs()), dtype if has else None, seed), np.random.default_rng(seed + 1)


def examples(engine: str, count: int) -> settings:
    """How many random graphs to try: fewer where a thread of a GPU is a fiber of a CPU."""
    return settings(max_examples=count if engine == "cpu" else max(5, count // 4), deadline=None)


#: Shapes with empty rows, one row so long that it is cut, many threads' worth of rows.
LARGE = {
    "kronecker": lambda: clew.generate.kronecker(13, seed=3),
    "star": lambda: clew.generate.star(300_000),
    "grid": lambda: clew.generate.grid(150, 200, delete=0.1, seed=5),
    "empty": lambda: clew.Graph.from_edges([], [], num_vertices=100_000),
}

#: The same shapes, still larger than the emulated GPU's grid.
LARGE_ENOUGH = {
    "kronecker": lambda: clew.generate.kronecker(9, seed=3),
    "star": lambda: clew.generate.star(3000),
    "grid": lambda: clew.generate.grid(30, 40, delete=0.1, seed=5),
    "empty": lambda: clew.Graph.from_edges([], [], num_vertices=5000),
}


def large(engine: str, name: str) -> clew.Graph:
    """One of the large graphs, as large as an engine can take."""
    return (LARGE if engine == "cpu" else LARGE_ENOUGH)[name]()
