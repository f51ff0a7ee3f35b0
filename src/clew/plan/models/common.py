"""What models share: the question they answer, the bytes of a graph, and who does the work.

``shape_of`` says how fast a search spreads in a graph. A search from one vertex is begun, until it has seen a few
thousand vertices. In a social or random graph it gets there in a few levels, each many times larger than the one
before; in a grid or a road network it takes dozens, and the number of vertices seen grows like a power of the number of
levels. From that the number of levels of a whole search follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.arguments import vertices_of
from clew.algorithms.registry import ALGORITHMS
from clew.checks import counted
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.engines.cpu.team import FAR, NEAR, is_scattered
from clew.graph import Graph
from clew.plan.parts import Sketch, Span

PRODUCT, LAUNCHES = 33.0, 8.0  # bytes that a GPU could have read in the time of an edge; launches and read-backs
TURNING = 12  # numbers looked up for each edge when the in-edges are made
TURNING_FIRST = 1.5e-4  # seconds before, as measured: bounds, counts and threads
ROUNDS = Span(1, 20, 1000)  # of an algorithm that nothing is known of
ASIDE = 0.5, 3.0  # a machine with other work to do, or none at all: how far off what is likely may be
SEEN = 4096  # vertices after which a glance ends
EDGES = 1 << 18  # and it looks at no more edges of a level
FAST = 4.0  # a power of the levels: what spreads faster is a small world


@dataclass(frozen=True)
class Question:
    """What is asked of a model: an algorithm's arguments, defaults included, and the graph as far as it is known."""

    graph: Graph
    arguments: Mapping[str, Any]
    shape: Shape
    on_gpu: bool
    gpu: Any = None

    @property
    def id_bytes(self) -> int:
        """The width of a vertex id."""
        return int(self.graph.indices.itemsize)

    @property
    def reached_vertices(self) -> float:
        """How many vertices a search from the source may reach."""
        return self.graph.num_vertices * self.shape.reached

    @property
    def reached_arcs(self) -> float:
        """The edges of those."""
        return self.graph.num_arcs * self.shape.reached

    @property
    def memory(self) -> str:
        """The memory that the engine works in."""
        return "gpu" if self.on_gpu else "host"

    def count_of(self, name: str) -> int:
        """How many vertices an argument lists; refused as the algorithm refuses it."""
        given = self.arguments[name]
        return vertices_of(self.graph, given).size if self.graph.num_vertices else len(list(given))

    def spread(self, itemsize: int, *, incoming: bool = False) -> float:
        """The bytes that the neighbours' values lie in, as caches see it."""
        graph = self.graph
        rows = graph.incoming if incoming and (not graph.directed or graph.has_incoming) else graph.outgoing
        return spread_of(rows, itemsize)


Model = Callable[[Question], Sketch]

MODELS: dict[str, Model] = {}


def model(name: str) -> Callable[[Model], Model]:
    """Register the model of an algorithm."""

    def register(sketch: Model) -> Model:
        MODELS[name] = sketch
        return sketch

    return register


def model_of(name: str) -> Model:
    """The model of an algorithm; of one that has none, what its generic form does: products, nobody knows how many."""
    return MODELS.get(name, _over_the_waist)


def _over_the_waist(ask: Question) -> Sketch:
    sketch = Sketch(iterations=ROUNDS)
    count_graph(sketch, ask, incoming=True, weights=True)
    if ask.on_gpu:
        over_products(sketch, ask, ROUNDS)
        return sketch
    sketch.choose("method", "products", "there is no compiled form of this algorithm: its generic form runs")
    sketch.keep("vectors of a product", "scratch", 3 * ask.graph.num_vertices, 8)
    sketch.do("products", ROUNDS.times(around(float(ask.graph.num_arcs))), ask.spread(8), steps=ROUNDS)
    return sketch


def around(likely: float) -> Span:
    """A number of operations that is known to about a factor of two."""
    return Span(likely * ASIDE[0], likely, likely * ASIDE[1])


def count_graph(sketch: Sketch, ask: Question, *, incoming: bool = False, weights: bool = False) -> None:
    """The arrays of the graph, where they are and where they have to go; the in-edges, if they are to be made first."""
    graph = ask.graph
    _count_rows(sketch, "out-edges", graph.outgoing, ask, weights)
    if ask.on_gpu:
        why = "32-bit offsets, because the edges can be counted so" if graph.num_arcs < 2**32 else "64-bit offsets"
        sketch.choose("layout", "compressed rows on the GPU", f"{why}; copied once and kept as long as the graph lives")
    else:
        wide = f"{8 * ask.id_bytes}-bit ids"
        sketch.choose("layout", f"compressed rows, {wide}", "the graph's own arrays, sorted by source; nothing copied")
    if not incoming or not graph.directed:
        return
    if graph.has_incoming:
        _count_rows(sketch, "in-edges", graph.incoming, ask, weights)
        sketch.choose("in-edges", "as they are", "an earlier call has made them")
        return
    rows = graph.outgoing
    made = Adjacency(rows.indptr, rows.indices, rows.weights)  # as many bytes, in another order
    _count_rows(sketch, "in-edges", made, ask, weights, on_host=not ask.on_gpu)
    sketch.choose(
        "in-edges",
        "made first",
        "the graph is directed, and this looks along edges backwards; they are kept for the next call",
    )
    if not ask.on_gpu:
        sketch.setting_up += TURNING_FIRST
        sketch.do("making in-edges", around(TURNING * graph.num_arcs), ask.spread(8), streamed=2.0 * ask.id_bytes)


def _count_rows(
    sketch: Sketch, what: str, rows: Adjacency, ask: Question, weights: bool, *, on_host: bool = True
) -> None:
    if on_host:
        sketch.keep(f"{what}: offsets", "graph", rows.indptr.size, rows.indptr.itemsize)
        sketch.keep(f"{what}: neighbours", "graph", rows.num_arcs, rows.indices.itemsize)
        if rows.weights is not None:
            sketch.keep(f"{what}: weights", "graph", rows.num_arcs, rows.weights.itemsize)
    if not ask.on_gpu:
        return
    offset = 4 if rows.num_arcs < 2**32 else 8
    sketch.keep(f"{what}: offsets", "graph", rows.indptr.size, offset, "gpu")
    sketch.keep(f"{what}: neighbours", "graph", rows.num_arcs, rows.indices.itemsize, "gpu")
    if weights and rows.weights is not None:
        sketch.keep(f"{what}: weights", "graph", rows.num_arcs, rows.weights.itemsize, "gpu")


def count_workspace(sketch: Sketch, ask: Question, name: str, **arguments: Any) -> None:
    """The arrays that an implementation declares (``workspace`` in its module), where the engine has one."""
    if ask.on_gpu and ALGORITHMS[name].cuda is None:
        on_cpu = ALGORITHMS[name].workspace("cpu", ask.graph, **arguments)
        for what, space in on_cpu:  # its generic form makes the same results, in host memory
            if space.role == "result":
                sketch.keep(what.replace("_", " "), space.role, space.nbytes, 1)
        return
    for what, space in ALGORITHMS[name].workspace("cuda" if ask.on_gpu else "cpu", ask.graph, **arguments):
        sketch.keep(what.replace("_", " "), space.role, space.nbytes, 1, ask.memory)


def over_products(sketch: Sketch, ask: Question, products: Span) -> None:
    """So many products on a GPU, for algorithms without kernels of their own there."""
    n, arcs = ask.graph.num_vertices, ask.graph.num_arcs
    sketch.choose("method", "products", "there are no kernels for this; vectors travel to the GPU and back")
    sketch.keep("vectors of a product", "scratch", 3 * n, 8, "gpu")
    sketch.passes = products
    sketch.do("products", products.times(around(arcs + 4 * n)), 0, streamed=PRODUCT, steps=products.times(LAUNCHES))


def choose_team(sketch: Sketch, work: int, sharing: str) -> int:
    """How many threads work together on so many edges, and how they share them."""
    count = sketch.team = team.members(work)
    if count == 1:
        alone = threads.count() == 1
        why = (
            "clew is set to one thread"
            if alone
            else f"{counted(work, 'edge is', 'edges are')} done before a second thread has woken up; more than "
            f"{team.SMALL:,} are shared"
        )
        sketch.choose("load balance", "one thread", why)
    else:
        sketch.choose("load balance", f"{count} threads", sharing)
    return count


def itemsize(dtype: Any) -> int:
    """Bytes of one number."""
    return int(np.dtype(dtype).itemsize)


@dataclass(frozen=True)
class Shape:
    """What is known of a graph without computing anything on it.

    ``reached`` is the share of the vertices that a search from where the glance began may reach: known where it came to
    an end, else taken for all. ``expanding`` says that few levels reach everything.
    """

    mean_degree: float
    largest_degree: int
    levels: Span
    reached: float
    expanding: bool


def shape_of(graph: Graph, start: int | None = None) -> Shape:
    """The shape as seen from ``start``, or from the vertex with most edges."""
    n = graph.num_vertices
    if n == 0:
        return Shape(0.0, 0, Span.exactly(0), 0.0, True)
    degrees = graph.degrees()
    begin = int(degrees.argmax()) if start is None else start
    seen, ended = _glance(graph.outgoing, begin)
    levels, power = _levels(seen, n)
    if ended:
        levels = Span.exactly(len(seen))
    return Shape(
        graph.num_arcs / n,
        int(degrees.max()),
        levels,
        seen[-1] / n if ended else 1.0,
        power >= FAST or (ended and len(seen) <= math.log2(n) + 2),
    )


def spread_of(rows: Adjacency, itemsize: int) -> float:
    """Over how many bytes the values at neighbours are spread, as the caches see it."""
    size = float(rows.num_vertices * itemsize)
    if not rows.num_arcs or size <= NEAR:
        return size
    # The engine's own test, of which nothing but the size of the values matters, and which looks only at large ones.
    count = max(rows.num_vertices, FAR // itemsize + 1)
    values = np.broadcast_to(np.zeros(1, dtype=f"V{itemsize}"), count)
    return size if is_scattered(rows, values) else float(NEAR)


def _glance(rows: Adjacency, start: int) -> tuple[list[int], bool]:
    """How many vertices had been seen after each level, and whether there are no more."""
    known = np.zeros(rows.num_vertices, dtype=np.bool_)
    frontier = np.array([start])
    known[start] = True
    seen = [1]
    while seen[-1] < SEEN:
        found = np.unique(_neighbours(rows, frontier))
        frontier = found[~known[found]]
        if frontier.size == 0:
            return seen, True
        known[frontier] = True
        seen.append(seen[-1] + frontier.size)
    return seen, seen[-1] == rows.num_vertices


def _neighbours(rows: Adjacency, vertices: Array) -> Array:
    """The ends of all edges of some vertices; of very many edges, those of the first vertices."""
    starts, counts = rows.indptr[vertices], rows.indptr[vertices + 1] - rows.indptr[vertices]
    few = max(1, int(np.searchsorted(np.cumsum(counts), EDGES)))
    starts, counts = starts[:few], counts[:few]
    before = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum())) + np.repeat(starts - before, counts)
    found: Array = rows.indices[places]
    return found


def _levels(seen: list[int], n: int) -> tuple[Span, float]:
    """How many levels a whole search may have, and the power by which the vertices seen grow with the levels."""
    depth, total = len(seen) - 1, seen[-1]
    if depth < 6:  # too few to fit a power: dozens of vertices a level
        power = math.inf
    else:
        power = math.log(total / seen[depth // 2]) / math.log(depth / (depth // 2))
    if power >= FAST:
        likely = depth * math.log(max(n, 2)) / math.log(max(total, 2)) + 3
        return Span(max(1.0, likely / 2), likely, likely * 4), power
    likely = depth * max(1.0, n / total) ** (1 / max(power, 1.0))
    return Span(likely / 2, likely, likely * 2), power
