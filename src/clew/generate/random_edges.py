"""Graphs whose edges are drawn independently: uniform, preferential attachment, R-MAT, Kronecker; random weights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.checks import real, whole
from clew.dtypes import Array, IdArray, as_bits, id_dtype, weight_dtype
from clew.errors import GraphError
from clew.generate.arguments import MAX_SCALE, check_memory, probability, scramble_ids, stream
from clew.generate.drawn import Drawn
from clew.graph import Duplicates, Graph, Loops, check_graph

Quadrants = tuple[float, float, float, float | None]  # a, b, c, d; None is the remainder
GRAPH500: Quadrants = (0.57, 0.19, 0.19, 0.05)
SUM_TOLERANCE = 1e-6
ALL_64_BITS = 2**64


def uniform(
    num_vertices: int,
    num_edges: int,
    *,
    seed: int = 0,
    directed: bool = True,
    duplicates: Duplicates = "keep",
    loops: Loops = "keep",
    packed: bool = False,
) -> Graph:
    """Uniform random graph: edges drawn uniformly and independently, with replacement.

    Parameters
    ----------
    num_vertices, num_edges
        The size of the graph; edges need at least one vertex.
    seed
        The random seed.
    directed
        Whether edges are directed. If not, every drawn pair is an edge in both directions.
    duplicates, loops
        What to do with repeated pairs and self-loops (see ``Graph.from_edges``). Dropping both gives a simple graph
        with fewer edges than requested.
    packed
        Pack the graph range by range, so that it is never plain as a whole: see "Packed graphs". Every range draws all
        edges again.

    Notes
    -----
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from 2^31 vertices on).

    References
    ----------
    P. Erdős, A. Rényi: "On random graphs I", Publicationes Mathematicae 6, 1959; here with replacement, as in
    benchmarks.
    """
    from clew.generate import kernels

    count, size = whole("num_vertices", num_vertices, 0), whole("num_edges", num_edges, 0)
    if size and not count:
        raise GraphError(f"num_edges is {size:,}, but num_vertices is 0; expected at least one vertex.")
    draw = partial(_draw, kernels.uniform_edges, count, stream(seed, "uniform"), count)
    return Drawn(count, size, draw, directed, duplicates, loops, packed).graph()


def barabasi_albert(
    num_vertices: int, edges_per_vertex: int, *, seed: int = 0, duplicates: Duplicates = "keep", packed: bool = False
) -> Graph:
    """Barabási-Albert graph: new vertices attach to earlier ones in proportion to their degrees; undirected.

    It starts as a complete graph of ``edges_per_vertex + 1`` vertices, so every vertex has at least
    ``edges_per_vertex`` edges. The edges of a vertex are drawn independently, so some are duplicates. There are no
    self-loops.

    Parameters
    ----------
    num_vertices
        The number of vertices, at least ``edges_per_vertex + 1``.
    edges_per_vertex
        The number of edges that a new vertex adds, at least 1.
    seed
        The random seed.
    duplicates
        What to do with duplicate edges; "drop" makes the graph simple.
    packed
        Pack the graph range by range, so that it is never plain as a whole: see "Packed graphs". Every range draws all
        edges again.

    Notes
    -----
    Each edge is computed independently in an expected constant number of steps, without reading the graph so far.
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from 2^31 vertices on).

    References
    ----------
    A.-L. Barabási, R. Albert: "Emergence of scaling in random networks", Science 286, 1999.
    P. Sanders, C. Schulz: "Scalable generation of scale-free graphs", Information Processing Letters 116, 2016.
    """
    from clew.generate import kernels

    per_vertex = whole("edges_per_vertex", edges_per_vertex, 1)
    count = whole("num_vertices", num_vertices, 0)
    if count <= per_vertex:
        raise GraphError(
            f"num_vertices is {count:,} and edges_per_vertex is {per_vertex:,}; expected at least {per_vertex + 1:,} "
            "vertices, with which the graph starts."
        )
    size = per_vertex * (per_vertex + 1) // 2 + (count - per_vertex - 1) * per_vertex
    draw = partial(_draw, kernels.attached_edges, count, stream(seed, "attachment"), per_vertex)
    return Drawn(count, size, draw, False, duplicates, packed=packed).graph()


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
    packed: bool = False,
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
    packed
        Pack the graph range by range, so that it is never plain as a whole: see "Packed graphs". Every range draws all
        edges again.

    Notes
    -----
    Besides the memory of ``Graph.from_edges``, the endpoints take 8 bytes per edge (16 from scale 31 on).

    References
    ----------
    D. Chakrabarti, Y. Zhan, C. Faloutsos: "R-MAT: a recursive model for graph mining", SDM 2004.
    """
    count, size = _sizes(scale, edge_factor)
    draw = _rmat_draw(int(scale), (a, b, c, d), seed, scramble)
    return Drawn(count, size, draw, directed, duplicates, loops, packed).graph()


def kronecker(
    scale: int,
    edge_factor: float = 16,
    *,
    seed: int = 0,
    directed: bool = False,
    duplicates: Duplicates = "drop",
    loops: Loops = "drop",
    scramble: bool = True,
    packed: bool = False,
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
    packed
        Pack the graph range by range, so that it is never plain as a whole: see "Packed graphs". Every range draws all
        edges again.

    Notes
    -----
    Memory as in ``rmat``.

    References
    ----------
    Graph500 benchmark specification, https://graph500.org/?page_id=12, section on graph generation.
    S. Beamer, K. Asanović, D. Patterson: "The GAP benchmark suite", arXiv:1508.03619, 2015.
    """
    policies: dict[str, Any] = {"directed": directed, "duplicates": duplicates, "loops": loops, "packed": packed}
    return rmat(scale, edge_factor, *GRAPH500, seed=seed, scramble=scramble, **policies)


def rmat_edges(
    scale: int, edge_factor: float = 16, quadrants: Quadrants = GRAPH500, *, seed: int = 0, scramble: bool = False
) -> tuple[IdArray, IdArray]:
    """The edges of ``rmat`` as two arrays (source, target) in the order drawn, without building a graph."""
    count, size = _sizes(scale, edge_factor)
    draw = _rmat_draw(int(scale), quadrants, seed, scramble)
    check_memory(2 * id_dtype(count).itemsize * size, count, size)
    return draw(0, size)


def _rmat_draw(
    scale: int, quadrants: Quadrants, seed: int, scramble: bool
) -> Callable[[int, int], tuple[IdArray, IdArray]]:
    """A function that draws some edges of ``rmat``."""
    from clew.generate import kernels

    matrix = _matrix(quadrants)
    cells: Array = np.ones((1, 1))
    for _ in range(kernels.LEVELS):
        cells = np.kron(cells, matrix)
    table, key = alias_table(cells.ravel()), stream(seed, "rmat")

    def draw(first: int, size: int) -> tuple[IdArray, IdArray]:
        source, target = _draw(kernels.recursive_edges, 1 << scale, key, scale, table, first, size)
        if scramble:
            scramble_ids(scale, seed, source, target)
        return source, target

    return draw


def _draw(kernel: Callable[..., None], num_vertices: int, key: np.uint64, *rest: Any) -> tuple[IdArray, IdArray]:
    """Sources and targets of edges, which the kernel draws in parallel; the rest is a model, the first and the size."""
    *model, first, size = rest
    source = np.empty(size, dtype=id_dtype(num_vertices))
    target = np.empty_like(source)
    threads.in_pieces(kernel, size, first, key, *model, source, target)
    return source, target


def _sizes(scale: int, edge_factor: float) -> tuple[int, int]:
    """The numbers of vertices and of edges."""
    count = 1 << whole("scale", scale, 0, MAX_SCALE)
    per_vertex = real("edge_factor", edge_factor)
    if per_vertex < 0:
        raise GraphError(f"edge_factor is {per_vertex:g}; expected 0 or more.")
    return count, round(per_vertex * count)


def _matrix(quadrants: Quadrants) -> Array:
    """The probabilities as a matrix, checked."""
    *abc, d = quadrants
    given = [probability(name, value) for name, value in zip("abc", abc, strict=True)]
    rest = 1 - sum(given)
    last = probability("d", max(0.0, rest) if d is None else d)
    if abs(rest - last) > SUM_TOLERANCE:
        raise GraphError(f"a, b, c and d sum to {sum(given) + last:g}; expected probabilities that sum to 1.")
    return np.array([*given, last]).reshape(2, 2)


def alias_table(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Walker's alias method: for each of 2^k outcomes, a threshold in 64-k high bits and an alias in k low bits.

    Every column of the table has the same probability and holds at most two outcomes. Below a threshold it is the
    column's own number, and above it another one, its alias. A single 64-bit random number draws an outcome: k bits
    select the column, and 64-k are compared with the threshold. Probabilities are exact up to the rounding of doubles.
    (Vose, "A linear algorithm for generating random numbers with a given distribution", 1991.)
    """
    outcomes = probabilities.size
    index_bits = outcomes.bit_length() - 1
    full = 1 << (64 - index_bits)
    share = (probabilities * (outcomes / probabilities.sum())).tolist()  # of a column; 1 on average
    table = [(full - 1) << index_bits | column for column in range(outcomes)]  # a full column is its own alias
    poor = [column for column in range(outcomes) if share[column] < 1]
    rich = [column for column in range(outcomes) if share[column] >= 1]
    while poor and rich:
        column, giver = poor.pop(), rich[-1]
        table[column] = min(int(share[column] * full), full - 1) << index_bits | giver
        share[giver] -= 1 - share[column]
        if share[giver] < 1:
            poor.append(rich.pop())
    return np.array(table, dtype=np.uint64)


def random_weights(
    graph: Graph, low: float = 1, high: float = 255, seed: int = 0, dtype: npt.DTypeLike | None = None
) -> Graph:
    """The same graph with a random weight on every edge.

    The weight of an edge is a hash of the seed, its endpoints (in either order) and its index among parallel edges. So
    both directions of an edge have the same weight, also in a directed graph. An edge keeps its weight when others are
    added or removed.

    Parameters
    ----------
    graph
        The graph; existing weights are replaced.
    low, high
        The range: integers are uniform in low…high, inclusive; floats in [low, high).
    seed
        The random seed.
    dtype
        The dtype. The default for integers is int32, or int64 if ``low`` or ``high`` needs it. Otherwise it is float64.

    Notes
    -----
    Takes the memory of the weights. The other arrays are shared with ``graph``.
    """
    from clew.generate import kernels

    check_graph(graph)
    chosen = _weight_dtype(low, high, dtype)
    rows, key = graph.outgoing, stream(seed, "weights")
    weights = np.empty(rows.num_arcs, dtype=chosen)
    bounds = blocks_of(rows)
    edges = (bounds, rows.indptr, rows.indices, key)
    if chosen.kind == "f":
        limits = _float_range(low, high, chosen)
        threads.each(kernels.float_weights, bounds.size - 1, *edges, *limits, weights)
    else:
        limits = _integer_range(low, high, chosen)
        threads.each(kernels.integer_weights, bounds.size - 1, *edges, *limits, as_bits(weights))
    # Graph.with_weights would check that both directions of an edge weigh the same; these do by construction.
    weighted = Adjacency(rows.indptr, rows.indices, weights)
    return graph._with(weighted)


def _integer_range(low: float, high: float, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """The smallest integer and how many there are, both modulo 2^64."""
    first, last = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    smallest, largest = whole("low", low, first, last), whole("high", high, first, last)
    if smallest > largest:
        raise GraphError(f"low is {smallest:,} and high is {largest:,}; expected low ≤ high.")
    return np.uint64(smallest % ALL_64_BITS), np.uint64((largest - smallest + 1) % ALL_64_BITS)


def _float_range(low: float, high: float, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """The smallest float, the length of the range and its largest float."""
    smallest, end = real("low", low), real("high", high)
    limit = float(np.finfo(dtype).max) / 2  # so that the difference of two of them is a number, too
    if max(abs(smallest), abs(end)) > limit or not dtype.type(smallest) < dtype.type(end):
        raise GraphError(f"low is {low} and high is {high}; expected low < high, both {dtype} and within ±{limit:.2g}.")
    return smallest, end - smallest, float(np.nextafter(dtype.type(end), dtype.type(smallest)))


def _weight_dtype(low: float, high: float, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    if dtype is None:
        if not all(isinstance(value, (int, np.integer)) for value in (low, high)):
            return np.dtype(np.float64)
        fits = low >= -(2**31) and high < 2**31
        return np.dtype(np.int32 if fits else np.int64)
    return weight_dtype("dtype", dtype)
