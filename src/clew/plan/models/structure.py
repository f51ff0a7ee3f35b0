"""What a graph is made of: components and triangles."""

from __future__ import annotations

import numpy as np

from clew.graph import Graph
from clew.plan.models.common import Question, around, choose_team, count_graph, count_workspace, model, over_products
from clew.plan.models.searches import PULLED_EDGE, PULLED_VERTEX
from clew.plan.parts import Sketch, Span

VERTEX = 40.0  # numbers looked up for every vertex, as measured: joining over two edges, flattening, counting
JOINED_NEAR = 0.5  # of them near by
EDGE_ONE_WAY = 1.0  # for every edge where edges are stored one way only
STRONG_EDGE, STRONG_VERTEX = 6.0, 20.0  # by one thread's depth-first search
GPU_VERTEX = 250.0  # bytes that a GPU could have read in the time that a vertex takes


@model("connected_components")
def connected_components(ask: Question) -> Sketch:
    """Two edges of every vertex first, the rest only where they may still join something."""
    sketch = Sketch(iterations=Span.exactly(1))
    count_graph(sketch, ask, incoming=ask.graph.has_incoming)
    count_workspace(sketch, ask, "connected_components")
    if ask.on_gpu:
        _components_on_gpu(sketch, ask)
        return sketch
    _weak(sketch, ask)
    return sketch


def _weak(sketch: Sketch, ask: Question) -> None:
    graph, n = ask.graph, ask.graph.num_vertices
    one_way = graph.directed and not graph.has_incoming
    sketch.choose(
        "direction",
        "out-edges alone" if one_way else "edges of either direction" if graph.directed else "edges as they are",
        "making in-edges would cost more than it saves"
        if one_way
        else "two edges of every vertex join most of the largest component; its other edges are left out",
    )
    choose_team(sketch, graph.num_arcs + n, "members take blocks of rows with about as many edges each")
    items = VERTEX * n + (EDGE_ONE_WAY * graph.num_arcs if one_way else 0.0)
    sketch.do("joining", around(items), ask.spread(ask.id_bytes), streamed=1.0, steps=Span.exactly(8), near=JOINED_NEAR)


def _components_on_gpu(sketch: Sketch, ask: Question) -> None:
    from clew.algorithms.connected_components.cuda import LONG_ROW, SAMPLED_FROM, sampling_pays

    n, arcs = ask.graph.num_vertices, ask.graph.num_arcs
    sampled = sampling_pays(n, arcs)
    sketch.choose(
        "method",
        "two edges of every vertex first" if sampled else "edges within tiles first",
        f"{ask.shape.mean_degree:.3g} edges to a vertex, against {SAMPLED_FROM} from which on two are a small part",
    )
    sketch.choose("load balance", "rows by length", f"rows of more than {LONG_ROW:,} edges are shared by a block")
    sketch.do("joining", around(n), 0, streamed=GPU_VERTEX, steps=Span.exactly(10))


@model("strongly_connected_components")
def strongly_connected_components(ask: Question) -> Sketch:
    """One depth-first search; of a large graph, the largest component by two breadth-first searches before it."""
    from clew.algorithms.strongly_connected_components.cpu import SEARCHED_FIRST

    sketch = Sketch(iterations=Span.exactly(1))
    graph, n, wide = ask.graph, ask.graph.num_vertices, ask.id_bytes
    first = graph.directed and graph.num_arcs > SEARCHED_FIRST
    count_graph(sketch, ask, incoming=first or (not graph.directed) or graph.has_incoming)
    count_workspace(sketch, ask, "strongly_connected_components")
    if not graph.directed:
        if ask.on_gpu:
            over_products(sketch, ask, ask.shape.levels.times(Span(2, 6, 50)))
            return sketch
        sketch.choose("method", "connected components", "in an undirected graph they are the same")
        _weak(sketch, ask)
        return sketch
    if ask.on_gpu:
        over_products(sketch, ask, ask.shape.levels.times(Span(4, 12, 100)))
        return sketch
    edges, vertices = float(graph.num_arcs), float(n)
    if first:
        sketch.choose(
            "method",
            "two searches, then depth first",
            f"more than {SEARCHED_FIRST:,} edges: the largest component is found by all threads first",
        )
        items = 2 * (PULLED_VERTEX * n + PULLED_EDGE * graph.num_arcs)
        sketch.do("searches both ways", around(items), ask.spread(4), streamed=1.0, steps=ask.shape.levels.times(2))
        edges, vertices = edges / 4, vertices / 2  # what is left of a graph with one large component
    else:
        sketch.choose("method", "depth first", f"{graph.num_arcs:,} edges, of {SEARCHED_FIRST:,} from which on it pays")
        sketch.team = 1
    sketch.choose("load balance", "one thread", "a depth-first search is a chain, each step of which needs the last")
    items = STRONG_EDGE * edges + STRONG_VERTEX * vertices
    sketch.do("depth-first search", around(items), ask.spread(wide), streamed=1.0, threads=1)
    return sketch


SAMPLES, NEIGHBOURS = 512, 32  # edges looked at, and neighbours of their ends
MERGED, MARKED, COUNTED = 1.0, 1.6, 2.2  # numbers looked up for each entry of the lists, as measured: merged, marked
# in a table, and counted for every vertex besides
LISTS = 30.0  # and for every edge, to sort vertices by degree and make the lists
BOTH_WAYS = 30.0  # the same, to bring edges of both directions together
DIVIDING, DIVIDED = 4e-5, 20.0  # what is divided by what: seconds before, and numbers for every vertex, as measured
GPU_ENTRY, GPU_LISTS = 4.0, 200.0  # bytes that a GPU could have read in the time of an entry, of an edge


def looked_at(graph: Graph, seed: int = 0) -> float:
    """About how many entries of lists are looked at, from a sample of edges.

    Of an edge, the end of higher degree is looked up from the other: its neighbours of still higher degree.
    """
    arcs = graph.num_arcs
    if arcs == 0:
        return 0.0
    random = np.random.default_rng(seed)
    degrees, indptr, indices = graph.degrees(), graph.indptr, graph.indices
    chosen = random.integers(0, arcs, SAMPLES)
    sources = np.searchsorted(indptr, chosen, side="right") - 1
    targets = indices[chosen]
    high = np.where(degrees[targets] >= degrees[sources], targets, sources)
    high = high[degrees[high] > 0]
    places = (random.random((high.size, NEIGHBOURS)) * degrees[high][:, None]).astype(np.int64) + indptr[high][:, None]
    above = (degrees[indices[places]] > degrees[high][:, None]).mean(axis=1) * degrees[high]
    edges = arcs if graph.directed else arcs / 2
    return float(edges * above.mean()) if above.size else 0.0


@model("triangles")
def triangles(ask: Question) -> Sketch:
    """Lists of neighbours of higher degree."""
    sketch = Sketch(iterations=Span.exactly(1))
    count_workspace(sketch, ask, "triangles", per_vertex=ask.arguments["per_vertex"])
    _count(sketch, ask, COUNTED if ask.arguments["per_vertex"] else MARKED)
    return sketch


@model("clustering_coefficient")
def clustering_coefficient(ask: Question) -> Sketch:
    """Triangles, divided by what is possible."""
    sketch = Sketch(iterations=Span.exactly(1))
    n = ask.graph.num_vertices
    count_workspace(sketch, ask, "clustering_coefficient")
    sketch.setting_up = DIVIDING
    _count(sketch, ask, COUNTED)
    if not ask.on_gpu:
        sketch.do("dividing", around(DIVIDED * n), 1 << 15, streamed=8.0, threads=1)
    return sketch


def _count(sketch: Sketch, ask: Question, entry: float) -> None:
    graph, n, wide = ask.graph, ask.graph.num_vertices, ask.id_bytes
    count_graph(sketch, ask, incoming=True)
    if ask.on_gpu:
        _triangles_on_gpu(sketch, ask)
        return
    from clew.algorithms.triangles.cpu import SHORT, rows_are_short

    if graph.num_arcs and rows_are_short(graph):
        sketch.choose("method", "merging rows", f"a neighbour has {SHORT} neighbours or fewer on average")
        choose_team(sketch, graph.num_arcs, "members take blocks of rows")
        sketch.do("merging", around(MERGED * entry * graph.num_arcs * 2), ask.spread(wide), streamed=1.0)
        return
    both = 2 if graph.directed else 1
    if graph.directed:
        sketch.do("bringing both ways together", around(BOTH_WAYS * graph.num_arcs), ask.spread(wide), streamed=1.0)
    sketch.choose(
        "method", "lists by degree, marked", f"a neighbour has more than {SHORT} neighbours, or edges go one way"
    )
    sketch.choose("direction", "from low degree to high", "no list is longer than the square root of twice the edges")
    choose_team(sketch, graph.num_arcs, "members take vertices; hubs are counted by each and added up")
    sketch.do("making lists", around(LISTS * both * graph.num_arcs), ask.spread(wide), streamed=1.0)
    entries = looked_at(graph)
    sketch.do("looking entries up", around(entry * entries), n, streamed=wide)


def _triangles_on_gpu(sketch: Sketch, ask: Question) -> None:
    from clew.algorithms.triangles.cuda import LARGE_SLOTS, SHORT, SMALL_SLOTS

    graph = ask.graph
    both = 2 if graph.directed else 1
    sketch.choose("method", "tables in shared memory, or merging", f"merging where a neighbour has {SHORT} or fewer")
    sketch.choose(
        "load balance", "a warp or a block to a vertex", f"tables of {SMALL_SLOTS:,} or {LARGE_SLOTS:,} slots"
    )
    sketch.do("making lists", around(both * graph.num_arcs), 0, streamed=GPU_LISTS)
    sketch.do("looking entries up", around(looked_at(graph)), 0, streamed=GPU_ENTRY, steps=Span.exactly(6))
