"""Triangles: triangles and clustering_coefficient."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.graph import Graph
from clew.plan.models.common import Question, around, choose_team, count_graph, model
from clew.plan.parts import Sketch
from clew.plan.span import Span

SAMPLES, NEAR = 512, 32  # edges looked at, and neighbours of their ends
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
    places = (random.random((high.size, NEAR)) * degrees[high][:, None]).astype(np.int64) + indptr[high][:, None]
    above = (degrees[indices[places]] > degrees[high][:, None]).mean(axis=1) * degrees[high]
    edges = arcs if graph.directed else arcs / 2
    return float(edges * above.mean()) if above.size else 0.0


@model("triangles")
def triangles(ask: Question) -> Sketch:
    """Lists of neighbours of higher degree."""
    sketch = Sketch(iterations=Span.exactly(1))
    if ask.arguments["per_vertex"]:
        sketch.keep("count", "result", ask.graph.num_vertices, 8, ask.memory)
    _count(sketch, ask, COUNTED if ask.arguments["per_vertex"] else MARKED)
    return sketch


@model("clustering_coefficient")
def clustering_coefficient(ask: Question) -> Sketch:
    """Triangles, divided by what is possible."""
    sketch = Sketch(iterations=Span.exactly(1))
    n = ask.graph.num_vertices
    sketch.keep("coefficient", "result", n, 8, ask.memory)
    sketch.keep("links, degrees, what is possible", "scratch", 3 * n, 8, ask.memory)
    sketch.setting_up = DIVIDING
    _count(sketch, ask, COUNTED)
    if not ask.on_gpu:
        sketch.do("dividing", around(DIVIDED * n), 1 << 15, streamed=8.0, threads=1)
    return sketch


def _count(sketch: Sketch, ask: Question, entry: float) -> None:
    graph, n, wide = ask.graph, ask.graph.num_vertices, ask.id_bytes
    count_graph(sketch, ask, incoming=True)
    if ask.on_gpu:
        _on_gpu(sketch, ask)
        return
    from clew.algorithms.triangles.cpu import SHORT, rows_are_short

    if graph.num_arcs and rows_are_short(graph):
        sketch.choose("method", "merging rows", f"a neighbour has {SHORT} neighbours or fewer on average")
        choose_team(sketch, graph.num_arcs, "members take blocks of rows")
        sketch.do("merging", around(MERGED * entry * graph.num_arcs * 2), ask.spread(wide), streamed=1.0)
        return
    both = 2 if graph.directed else 1
    if graph.directed:
        sketch.keep("neighbours either way", "scratch", 2 * graph.num_arcs, wide + 1)
        sketch.keep("where they start and end", "scratch", 2 * n, 8)
        sketch.do("bringing both ways together", around(BOTH_WAYS * graph.num_arcs), ask.spread(wide), streamed=1.0)
    sketch.keep("lists by degree", "scratch", both * graph.num_arcs, wide)
    sketch.keep("where lists start and end, and ranks", "scratch", n, 16 + wide)
    sketch.keep("marks of every thread", "scratch", n * threads.count(), 1)
    sketch.choose(
        "method", "lists by degree, marked", f"a neighbour has more than {SHORT} neighbours, or edges go one way"
    )
    sketch.choose("direction", "from low degree to high", "no list is longer than the square root of twice the edges")
    choose_team(sketch, graph.num_arcs, "members take vertices; hubs are counted by each and added up")
    sketch.do("making lists", around(LISTS * both * graph.num_arcs), ask.spread(wide), streamed=1.0)
    entries = looked_at(graph)
    sketch.do("looking entries up", around(entry * entries), n, streamed=wide)


def _on_gpu(sketch: Sketch, ask: Question) -> None:
    from clew.algorithms.triangles.cuda import LARGE_SLOTS, SHORT, SMALL_SLOTS

    graph, n = ask.graph, ask.graph.num_vertices
    both = 2 if graph.directed else 1
    sketch.keep("neighbours by degree", "scratch", both * graph.num_arcs, ask.id_bytes, "gpu")
    sketch.keep("sizes", "scratch", 2 * n + 1, 4, "gpu")
    sketch.choose("method", "tables in shared memory, or merging", f"merging where a neighbour has {SHORT} or fewer")
    sketch.choose(
        "load balance", "a warp or a block to a vertex", f"tables of {SMALL_SLOTS:,} or {LARGE_SLOTS:,} slots"
    )
    sketch.do("making lists", around(both * graph.num_arcs), 0, streamed=GPU_LISTS)
    sketch.do("looking entries up", around(looked_at(graph)), 0, streamed=GPU_ENTRY, steps=Span.exactly(6))
