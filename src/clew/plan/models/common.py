"""What models share: the sketch that they fill in, the bytes of a graph, and the shape of a graph.

``shape_of`` says how fast a search spreads in a graph. It begins a search from one vertex, until a few thousand
vertices are seen. In a social or random graph that takes a few levels, each many times larger than the one before. In a
grid or a road network it takes dozens, and the vertices seen grow like a power of the number of levels. The number of
levels of a whole search follows from that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.algorithms.arguments import vertices_of
from clew.algorithms.registry import ALGORITHMS, Algorithm
from clew.checks import counted
from clew.dtypes import Array
from clew.engines.cpu import team
from clew.graph import Graph
from clew.plan.parts import Choice, Role, Share, Span, Work, around

PRODUCT, LAUNCHES = 33.0, 8.0  # bytes that a GPU could have read in the time of an edge; launches and read-backs
TURNING = 12  # numbers looked up for each edge when the in-edges are made
TURNING_FIRST = 1.5e-4  # seconds before, as measured: bounds, counts and threads
ROUNDS = Span(1, 20, 1000)  # of an algorithm that nothing is known of
SEEN = 4096  # vertices after which a glance ends
EDGES = 1 << 18  # and it reads no more edges of a level; fewer where it ends earlier
STARTS, SEEN_EACH = 16, 512  # searches that say how much a search reaches, and vertices after which one ends
CORNERS = 1.7  # times as many levels as from the middle of a disc, in meshes and road networks as measured
FAST = 4.0  # a power of the levels: what spreads faster is a small world
ONCE = Span.exactly(1)


@dataclass
class Sketch:
    """What a model says of one run: choices, bytes and work, in the order they are shown.

    The first six fields are what is known beforehand; ``arguments`` include defaults. ``team`` is how many threads
    share the work; None for all. ``passes`` is how often all edges are read, where that is not about once.
    ``setting_up`` is the seconds that a call takes on the CPU besides what every call takes.
    """

    record: Algorithm
    graph: Graph
    arguments: Mapping[str, Any]
    shape: Shape
    on_gpu: bool
    gpu: Any = None
    choices: list[Choice] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    iterations: Span | None = None
    team: int | None = None
    passes: Span | None = None
    setting_up: float = 0.0

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return self.graph.num_vertices

    @property
    def arcs(self) -> int:
        """The number of stored edges."""
        return self.graph.num_arcs

    @property
    def id_bytes(self) -> int:
        """The width of a vertex id."""
        return int(self.graph.indices.itemsize)

    @property
    def reached_vertices(self) -> float:
        """How many vertices a search from the source may reach."""
        return self.vertices * self.shape.reached

    @property
    def reached_arcs(self) -> float:
        """The edges of those."""
        return self.arcs * self.shape.reached

    @property
    def surprises(self) -> float:
        """How many rows of in-edges are not as long as the one before: their ends take the processor by surprise."""
        lengths = self.graph.degrees("in")
        return float(np.count_nonzero(np.diff(lengths)))

    @cached_property
    def reach(self) -> float:
        """The share of the vertices that a search from any vertex reaches, on average, from a few that are begun.

        A search that does not end soon reaches all vertices that have edges.
        """
        if not self.arcs:
            return 0.0
        connected = float(np.count_nonzero(self.graph.degrees("in"))) / self.vertices
        starts = np.random.default_rng(0).integers(0, self.vertices, STARTS)
        found = (_glance(self.graph.outgoing, int(start), SEEN_EACH) for start in starts)
        return float(np.mean([seen[-1] / self.vertices if ended else connected for seen, ended in found]))

    def count_of(self, name: str) -> int:
        """How many vertices an argument lists; refused as the algorithm refuses it."""
        given = self.arguments[name]
        return vertices_of(self.graph, given).size if self.vertices else len(list(given))

    def spread(self, itemsize: int, *, incoming: bool = False) -> float:
        """The bytes that the neighbours' values lie in, as caches see it."""
        rows = self.graph.outgoing
        if incoming and self.graph.has_incoming:
            rows = self.graph.incoming
        size = float(rows.num_vertices * itemsize)
        if not rows.num_arcs or size <= team.NEAR:
            return size
        # The engine's own test, of which only the size of the values matters, and which looks only at large ones.
        values = values_like(max(rows.num_vertices, team.FAR // itemsize + 1), itemsize)
        return size if team.is_scattered(rows, values) else float(team.NEAR)

    def choose(self, what: str, chosen: str, why: str) -> None:
        """Note a decision."""
        self.choices.append(Choice(what, chosen, why))

    def keep(self, what: str, role: Role, count: int, itemsize: int, tier: str = "host") -> None:
        """Count an array; of nothing, none."""
        if count > 0:
            self.shares.append(Share(what, role, int(count) * itemsize, tier))

    def do(self, what: str, items: float, spread: float = 0.0, *, times: Span = ONCE, **more: Any) -> None:
        """Count work: about ``items`` items, ``times`` times; ``more`` as in ``Work``."""
        self.work.append(Work(what, times.times(around(items)), spread, **more))

    def count_graph(self, *, incoming: bool | None = None, weights: bool | None = None) -> None:
        """Count the arrays of the graph in each memory; the in-edges are built first where they are missing.

        What is not said follows from the record of the algorithm.
        """
        graph = self.graph
        incoming = "in_edges" in self.record.needs if incoming is None else incoming
        weights = "weights" in self.record.needs if weights is None else weights
        self._count_rows("out-edges", weights)
        if self.on_gpu:
            why = "32-bit offsets, because there are fewer than 2^32 edges" if self.arcs < 2**32 else "64-bit offsets"
            self.choose(
                "layout", "compressed rows on the GPU", f"{why}; copied once and kept as long as the graph lives"
            )
        else:
            ids = f"compressed rows, {8 * self.id_bytes}-bit ids"
            self.choose("layout", ids, "the graph's own arrays, sorted by source; nothing copied")
        if not incoming or not graph.directed:
            return
        self._count_rows("in-edges", weights, on_host=graph.has_incoming or not self.on_gpu)
        if graph.has_incoming:
            self.choose("in-edges", "as they are", "an earlier call built them")
            return
        why = "the graph is directed, and this follows edges backwards; they are kept for the next call"
        self.choose("in-edges", "built first", why)
        if not self.on_gpu:
            self.setting_up += TURNING_FIRST
            self.do("building in-edges", TURNING * self.arcs, self.spread(8), streamed=2.0 * self.id_bytes)

    def _count_rows(self, what: str, weights: bool, *, on_host: bool = True) -> None:
        """Count out-edges, or in-edges, which take as many bytes."""
        rows = self.graph.outgoing
        offset = 4 if rows.num_arcs < 2**32 else 8
        host = [("host", rows.indptr.itemsize, True)] if on_host else []
        for tier, offset_bytes, weighted in host + ([("gpu", offset, weights)] if self.on_gpu else []):
            self.keep(f"{what}: offsets", "graph", rows.indptr.size, offset_bytes, tier)
            self.keep(f"{what}: neighbours", "graph", rows.num_arcs, rows.indices.itemsize, tier)
            if weighted and rows.weights is not None:
                self.keep(f"{what}: weights", "graph", rows.num_arcs, rows.weights.itemsize, tier)

    def count_workspace(self, name: str = "", *, on_gpu: bool | None = None, **arguments: Any) -> None:
        """Count the arrays that an implementation declares (``workspace`` in its module), where the engine has one."""
        record = ALGORITHMS[name] if name else self.record
        on_gpu = self.on_gpu if on_gpu is None else on_gpu
        generic = on_gpu and record.cuda is None  # its generic form makes the same results, in host memory
        for what, space in record.workspace("cuda" if on_gpu and not generic else "cpu", self.graph, **arguments):
            if space.role == "result" or not generic:
                tier = "gpu" if on_gpu and not generic else "host"
                self.keep(what.replace("_", " "), space.role, space.nbytes, 1, tier)

    def over_products(self, products: Span) -> None:
        """``products`` products on a GPU, for algorithms without kernels of their own there."""
        self.choose("method", "products", "there are no kernels for this; vectors travel to the GPU and back")
        self.keep("vectors of a product", "scratch", 3 * self.vertices, 8, "gpu")
        self.passes = products
        steps = products.times(LAUNCHES)
        self.do("products", self.arcs + 4 * self.vertices, times=products, streamed=PRODUCT, steps=steps)

    def choose_team(self, work: int, sharing: str) -> None:
        """How many threads share ``work`` edges, and how."""
        self.team = team.members(work)
        if self.team > 1:
            self.choose("load balance", f"{self.team} threads", sharing)
        elif threads.count() == 1:
            self.choose("load balance", "one thread", "clew is set to one thread")
        else:
            edges = counted(work, "edge is", "edges are")
            why = f"{edges} done before a second thread wakes up; more than {team.SMALL:,} are shared"
            self.choose("load balance", "one thread", why)


Model = Callable[[Sketch], None]

MODELS: dict[str, Model] = {}


def model(function: Model) -> Model:
    """Register the model of the algorithm of this name."""
    MODELS[function.__name__] = function
    return function


def over_the_waist(sketch: Sketch) -> None:
    """The model of an algorithm that has none: its generic form does an unknown number of products."""
    sketch.iterations = ROUNDS
    sketch.count_graph(incoming=True, weights=True)
    if sketch.on_gpu:
        sketch.over_products(ROUNDS)
        return
    sketch.choose("method", "products", "there is no compiled form of this algorithm: its generic form runs")
    sketch.keep("vectors of a product", "scratch", 3 * sketch.vertices, 8)
    sketch.do("products", sketch.arcs, sketch.spread(8), times=ROUNDS, steps=ROUNDS)


def values_like(count: int, itemsize: int) -> Array:
    """An array of ``count`` values that takes no memory."""
    return np.broadcast_to(np.zeros(1, dtype=f"V{itemsize}"), count)


@dataclass(frozen=True)
class Shape:
    """Facts about a graph from a glance at it.

    ``reached`` is the share of the vertices that a search from the start of the glance may reach. It is known if the
    glance ended, else it is 1. ``expanding`` says that few levels reach everything.
    """

    mean_degree: float
    levels: Span
    reached: float
    expanding: bool


def shape_of(graph: Graph, start: int | None = None) -> Shape:
    """The shape as seen from ``start``, or from the vertex with most edges."""
    n = graph.num_vertices
    if n == 0:
        return Shape(0.0, Span.exactly(0), 0.0, True)
    begin = int(graph.degrees().argmax()) if start is None else start
    seen, ended = _glance(graph.outgoing, begin)
    levels, power = _levels(seen, n)
    if not ended:
        return Shape(graph.num_arcs / n, levels, 1.0, power >= FAST)
    expanding = power >= FAST or len(seen) <= math.log2(n) + 2
    return Shape(graph.num_arcs / n, Span.exactly(len(seen)), seen[-1] / n, expanding)


def _glance(rows: Adjacency, start: int, most: int = SEEN) -> tuple[list[int], bool]:
    """How many vertices had been seen after each level, and whether there are no more."""
    known = np.zeros(rows.num_vertices, dtype=np.bool_)
    frontier = np.array([start])
    known[start] = True
    seen = [1]
    while seen[-1] < most:
        found = np.unique(_neighbours(rows, frontier, EDGES // SEEN * most))
        frontier = found[~known[found]]
        if frontier.size == 0:
            return seen, True
        known[frontier] = True
        seen.append(seen[-1] + frontier.size)
    return seen, seen[-1] == rows.num_vertices


def _neighbours(rows: Adjacency, vertices: Array, most: int) -> Array:
    """The ends of all edges of some vertices; of very many edges, those of the first vertices."""
    starts, counts = rows.indptr[vertices], rows.indptr[vertices + 1] - rows.indptr[vertices]
    few = max(1, int(np.searchsorted(np.cumsum(counts), most)))
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
    likely = CORNERS * depth * max(1.0, n / total) ** (1 / max(power, 1.0))
    return Span(likely / 2, likely, likely * 2), power
