"""What closeness, harmonic and eccentricity share: searches from many vertices, and sums of their distances."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.algorithms.arguments import vertices_of
from clew.algorithms.paths.weights import check_sums, weights_of
from clew.algorithms.registry import run
from clew.algorithms.waist import Waist
from clew.checks import counted, whole
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.names import Name

DEPTHS = 1 << 26  # entries of the depths of sources that are searched from together
FEWEST, MOST = 64, 1024  # such sources: a word of bits, and enough for every thread


class Sums(NamedTuple):
    """Of the distances from sources to every vertex: how many there are, their sum, and the sum of their inverses.

    The distance of a source to itself does not count. ``counted`` has the number of sources that could reach a vertex.
    """

    reached: Array
    total: Array
    inverse: Array
    counted: Array


def samples_of(graph: Graph, samples: int | Iterable[Name] | None, seed: int) -> npt.NDArray[np.int64]:
    """The vertices to search from: all, as many random ones, or those of some names."""
    n = graph.num_vertices
    if samples is None:
        return np.arange(n)
    if not hasattr(samples, "__iter__"):
        count = whole("samples", samples, 1, n)
        return np.random.default_rng(whole("seed", seed, 0)).choice(n, count, replace=False)
    sources = vertices_of(graph, samples)
    if sources.size == 0 or np.unique(sources).size < sources.size:
        raise GraphError(f"samples has {counted(sources.size, 'vertex')}; expected at least one, and no vertex twice.")
    return sources


def check_lengths(graph: Graph, algorithm: str, *, weighted: bool) -> None:
    """With ``weighted``, reject weights that are no lengths of edges."""
    if weighted:
        check_sums(weights_of(graph, algorithm=f"{algorithm}(weighted=True)"), graph.num_vertices)


def blocks_of(graph: Graph, sources: Array, *, weighted: bool) -> list[Array]:
    """Sources that are searched from together."""
    size = 1 if weighted else min(MOST, max(FEWEST, DEPTHS // max(1, graph.num_vertices) // FEWEST * FEWEST))
    return [sources[first : first + size] for first in range(0, sources.size, size)]


def distances(waist: Waist, graph: Graph, sources: Array, *, weighted: bool) -> Array:
    """The distances from a block of sources: a row per vertex, a column per source, -1 where unreached."""
    if not weighted:
        depth: Array = run("multi_source_bfs", graph, waist.given, sources=sources).numpy().depth
        return depth
    options = {"source": int(sources[0]), "delta": None, "deterministic": False, "balance": "auto", "cut": None}
    found = run("sssp", graph, waist.given, **options).numpy()
    return np.where(found.parent < 0, -1, found.distance)[:, np.newaxis]


def sums_of(waist: Waist, graph: Graph, sources: Array, *, weighted: bool) -> Sums:
    """The sums of the distances from all sources."""
    from clew.algorithms.distances import kernels

    starts_here = np.isin(waist.ids(graph), sources)
    sums = [np.zeros(starts_here.size) for _ in range(3)]
    blocks, done = blocks_of(graph, sources, weighted=weighted), 0
    while done < len(blocks):
        if not weighted:  # sssp saves its own state
            done, *sums = waist.checkpoint(done, done, *sums)
        kernels.add_rows(distances(waist, graph, blocks[done], weighted=weighted), *sums)
        done += 1
    sums[0] -= starts_here  # the distance from a source to itself is 0, and counts in no other sum
    reached, total, inverse = sums
    return Sums(reached, total, inverse, float(sources.size) - starts_here)
