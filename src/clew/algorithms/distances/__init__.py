"""What closeness, harmonic and eccentricity share: searches from many vertices, and sums of their distances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew.algorithms.arguments import vertices_of
from clew.algorithms.paths.weights import check_sums, weights_of
from clew.algorithms.registry import run
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
    if isinstance(samples, (int, np.integer)):
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


def distances(graph: Graph, sources: Array, device: str, *, weighted: bool) -> Iterator[tuple[Array, Array]]:
    """Blocks of sources, and the distances from them: a row per vertex, a column per source, -1 where unreached."""
    if weighted:
        for source in sources.tolist():
            options = {"source": source, "delta": None, "deterministic": False, "balance": "auto", "cut": None}
            found = run("sssp", graph, device, **options).numpy()
            yield np.array([source]), np.where(found.parent < 0, -1, found.distance)[:, np.newaxis]
        return
    size = min(MOST, max(FEWEST, DEPTHS // max(1, graph.num_vertices) // FEWEST * FEWEST))
    for first in range(0, sources.size, size):
        block = sources[first : first + size]
        yield block, run("multi_source_bfs", graph, device, sources=block).numpy().depth


def sums_of(graph: Graph, sources: Array, device: str, *, weighted: bool) -> Sums:
    """The sums of the distances from all sources."""
    from clew.algorithms.distances import kernels

    n = graph.num_vertices
    sums = Sums(np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, float(sources.size)))
    sums.counted[sources] -= 1
    for block, depth in distances(graph, sources, device, weighted=weighted):
        depth[block, np.arange(block.size)] = -1
        kernels.add_rows(depth, sums.reached, sums.total, sums.inverse)
    return sums
