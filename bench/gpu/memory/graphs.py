"""The graphs of the tables, with weights from 1 to 255; smaller ones of the same kind for trials."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import clew


@dataclass(frozen=True)
class Named:
    """A graph, what it is called in tables, and where searches begin: at the vertex with the most edges."""

    name: str
    graph: clew.Graph
    source: int

    @property
    def label(self) -> str:
        """For the caption of a table."""
        kind = "directed" if self.graph.directed else "both ways"
        return f"{self.name} ({self.graph.num_vertices:,} vertices, {self.graph.num_arcs:,} stored edges, {kind})"


def _file(name: str) -> Callable[[int, Path], clew.Graph]:
    """A graph of the data folder, whatever the scale."""

    def read(_: int, data: Path) -> clew.Graph:
        found = sorted(data.rglob(name + ".*"))
        if not found:
            raise FileNotFoundError(f"{data} has no file {name}.*")
        if found[0].suffix == ".npz":
            arrays = np.load(found[0])
            return clew.Graph.from_edges(arrays["src"], arrays["dst"], directed=False)
        return clew.read(found[0], ids="keep")

    return read


def _kronecker(scale: int, factor: int) -> Callable[[int, Path], clew.Graph]:
    return lambda smaller, _: clew.generate.kronecker(max(3, scale - smaller), factor, seed=1)


def _rmat(scale: int, directed: bool) -> Callable[[int, Path], clew.Graph]:
    """EtaGraph's: 0.45, 0.22, 0.22 and 0.11."""
    return lambda smaller, _: clew.generate.rmat(
        max(3, scale - smaller), 16, 0.45, 0.22, 0.22, seed=1, directed=directed
    )


def _graph500(scale: int) -> Callable[[int, Path], clew.Graph]:
    """R-MAT with Graph500's 0.57, 0.19, 0.19 and 0.05, both ways, with its duplicates and ids as drawn."""
    return lambda smaller, _: clew.generate.rmat(max(3, scale - smaller), 16, seed=1).symmetrized()


def _streets(side: int, delete: float = 0.1) -> Callable[[int, Path], clew.Graph]:
    """A square grid with a tenth of its edges left out."""

    def made(smaller: int, _: Path) -> clew.Graph:
        length = max(4, side >> (smaller // 2))
        return clew.generate.grid(length, length, delete=delete, seed=1)

    return made


MAKERS: dict[str, Callable[[int, Path], clew.Graph]] = {
    "rmat25": _rmat(25, directed=False),
    "rmat25d": _rmat(25, directed=True),
    "rmat22": _rmat(22, directed=False),
    **{f"rmat{scale}": _graph500(scale) for scale in (20, 23)},
    **{f"kron{scale}": _kronecker(scale, 16) for scale in (22, 23, 24)},
    "kron21": _kronecker(21, 48),
    "grid5000": _streets(5000),
    "grid3000": _streets(3000),
    "grid2000": _streets(2000, delete=0),
    "web": _file("web-NotreDame"),
    "slashdot": _file("soc-Slashdot0902"),
    "roadtokyo": _file("roadtokyo"),
}


#: Graphs of which the host has room for the edges once: they are packed, and have no weights.
LARGEST = {"rmat28": _rmat(28, directed=False)}


def make(name: str, smaller: int, data: Path) -> Named:
    """One of them; ``smaller`` takes so many bits off the number of vertices of those that are generated."""
    started = time.perf_counter()
    if name in LARGEST:
        graph = LARGEST[name](smaller, data).packed()
    else:
        graph = clew.generate.random_weights(MAKERS[name](smaller, data), 1, 255, seed=1)
    made = Named(name, graph, int(np.argmax(graph.outgoing.degrees())))
    print(f"# {made.label}, made in {time.perf_counter() - started:.1f} s", flush=True)
    return made
