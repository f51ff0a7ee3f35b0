"""R-MAT graphs, against NetworKit's generator."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import clew
from bench.harness import Row, race
from clew.generate.random_edges import GRAPH500, rmat_edges

SCALE, EDGE_FACTOR = 20, 16


def run() -> list[Row]:
    # NetworKit's graph is undirected and keeps duplicates; so must ours be for a fair race.
    contenders: dict[str, Callable[[], object]] = {
        "clew": lambda: clew.generate.rmat(SCALE, EDGE_FACTOR, *GRAPH500, directed=False)
    }
    if importlib.util.find_spec("networkit") is None:
        print("networkit is not installed: clew runs alone. `make bench` installs it.")
    else:
        import networkit

        contenders["networkit"] = lambda: networkit.generators.RmatGenerator(SCALE, EDGE_FACTOR, *GRAPH500).generate()
    work = f"R-MAT, 2^{SCALE} vertices, {EDGE_FACTOR} edges each"
    size = {"amount": (EDGE_FACTOR << SCALE) / 1e6, "unit": "M edges"}
    edges = race(f"{work}, edges alone", {"clew": lambda: rmat_edges(SCALE, EDGE_FACTOR, GRAPH500)}, **size)
    return race(work, contenders, rounds=2, **size) + edges
