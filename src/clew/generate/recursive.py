"""R-MAT and the Kronecker graphs of Graph500: each edge recursively picks a quadrant of the adjacency matrix."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.checks import real, whole
from clew.dtypes import Array, IdArray, id_dtype
from clew.errors import GraphError
from clew.generate.arguments import MAX_SCALE, check_memory, check_memory_of_edges, probability
from clew.generate.streams import scramble_ids, stream
from clew.graph import Duplicates, Graph, Loops

GRAPH500 = (0.57, 0.19, 0.19, 0.05)
SUM_TOLERANCE = 1e-6


def rmat(
    scale: int,
    edge_factor: float = 16,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    d: float | None = None,
    *,
    seed: int = 0,
    directed: bool = True,
    duplicates: Duplicates = "keep",
    loops: Loops = "keep",
    scramble: bool = False,
) -> Graph:
    """R-MAT graph: a scale-free graph whose edges recursively pick a quadrant of the adjacency matrix.

    Parameters
    ----------
    scale
        log2 of the number of vertices, up to 40.
    edge_factor
        Edges per vertex: ``edge_factor * 2**scale`` edges are drawn, rounded to an integer.
    a, b, c, d
        Probabilities of the quadrants: upper left, upper right, lower left, lower right. They sum to 1; ``d`` is by
        default the remainder. Graph500 uses 0.57, 0.19, 0.19, 0.05. Another common choice is 0.45, 0.22, 0.22, 0.11.
    seed
        The random seed.
    directed
        Whether edges are directed. If not, every drawn pair is an edge in both directions.
    duplicates, loops
        What to do with repeated pairs and self-loops (see ``Graph.from_edges``).
    scramble
        Permute the ids at random. Otherwise vertices have more edges the fewer ones their id has in binary.

    Notes
    -----
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from scale 31 on).

    References
    ----------
    D. Chakrabarti, Y. Zhan, C. Faloutsos: "R-MAT: a recursive model for graph mining", SDM 2004.
    """
    count, size = _sizes(scale, edge_factor)
    check_memory_of_edges(count, size, directed=directed)
    source, target = rmat_edges(scale, edge_factor, a, b, c, d, seed=seed, scramble=scramble)
    return Graph.from_edges(source, target, None, count, directed, duplicates, loops)


def kronecker(
    scale: int,
    edge_factor: float = 16,
    *,
    seed: int = 0,
    directed: bool = False,
    duplicates: Duplicates = "drop",
    loops: Loops = "drop",
    scramble: bool = True,
) -> Graph:
    """Graph500 graph: R-MAT with 0.57, 0.19, 0.19, 0.05, undirected and with permuted ids.

    Graph500 draws ``edge_factor * 2**scale`` pairs, including duplicates and self-loops, and its kernels ignore both.
    The GAP benchmark suite drops them when it builds the graph, and so does clew. So ``num_edges`` is smaller than the
    number of pairs drawn; ``report`` has the difference. Vertices without edges stay, as in both benchmarks.

    Parameters
    ----------
    scale
        log2 of the number of vertices, up to 40.
    edge_factor
        Pairs drawn per vertex.
    seed
        The random seed.
    directed
        Whether edges are directed. If not, as in the benchmark, every drawn pair is an edge in both directions.
    duplicates, loops
        What to do with repeated pairs and self-loops (see ``Graph.from_edges``).
    scramble
        Permute the ids at random, as the benchmark requires.

    Notes
    -----
    Memory as in ``rmat``.

    References
    ----------
    Graph500 benchmark specification, https://graph500.org/?page_id=12, section on graph generation.
    S. Beamer, K. Asanović, D. Patterson: "The GAP benchmark suite", arXiv:1508.03619, 2015.
    """
    return rmat(
        scale,
        edge_factor,
        *GRAPH500,
        seed=seed,
        directed=directed,
        duplicates=duplicates,
        loops=loops,
        scramble=scramble,
    )


def rmat_edges(
    scale: int,
    edge_factor: float = 16,
    a: float = 0.57,
    b: float = 0.19,
    c: float = 0.19,
    d: float | None = None,
    *,
    seed: int = 0,
    scramble: bool = False,
) -> tuple[IdArray, IdArray]:
    """The edges of ``rmat`` as two arrays (source, target) in the order drawn, without building a graph."""
    from clew.generate import kernels_edges as kernels
    from clew.generate.alias import alias_table

    count, size = _sizes(scale, edge_factor)
    quadrants = _quadrants(a, b, c, d)
    cells: Array = np.ones((1, 1))
    for _ in range(kernels.LEVELS):
        cells = np.kron(cells, quadrants)
    table = alias_table(cells.ravel())
    dtype = id_dtype(count)
    check_memory(2 * dtype.itemsize * size, count, size)
    source = np.empty(size, dtype=dtype)
    target = np.empty_like(source)
    parts = threads.pieces(size)
    threads.each(kernels.recursive_edges, parts, parts, stream(seed, "rmat"), int(scale), table, source, target)
    if scramble:
        scramble_ids(scale, seed, source, target)
    return source, target


def _sizes(scale: int, edge_factor: float) -> tuple[int, int]:
    """The numbers of vertices and of edges."""
    count = 1 << whole("scale", scale, 0, MAX_SCALE)
    per_vertex = real("edge_factor", edge_factor)
    if per_vertex < 0:
        raise GraphError(f"edge_factor is {per_vertex:g}; expected 0 or more.")
    return count, round(per_vertex * count)


def _quadrants(a: float, b: float, c: float, d: float | None) -> Array:
    given = [probability(name, value) for name, value in zip("abc", (a, b, c), strict=True)]
    rest = 1 - sum(given)
    last = probability("d", max(0.0, rest) if d is None else d)
    if abs(rest - last) > SUM_TOLERANCE:
        raise GraphError(f"a, b, c and d sum to {sum(given) + last:g}; expected probabilities that sum to 1.")
    return np.array([*given, last]).reshape(2, 2)
