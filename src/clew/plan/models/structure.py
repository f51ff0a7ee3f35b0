"""The structure of a graph: components, triangles and matchings."""

from __future__ import annotations

import numpy as np

from clew.algorithms.clustering_coefficient import has_means
from clew.algorithms.connected_components.cuda import LONG_ROW, SAMPLED_FROM, sampling_pays
from clew.algorithms.strongly_connected_components.cpu import SEARCHED_FIRST
from clew.algorithms.triangles import cpu as triangles_cpu
from clew.algorithms.triangles import cuda as triangles_cuda
from clew.graph import Graph
from clew.plan.models.common import ONCE, TURNING_FIRST, Sketch, model
from clew.plan.models.searches import PULLED_EDGE, PULLED_VERTEX
from clew.plan.parts import Span

VERTEX = 40.0  # numbers looked up for every vertex, as measured: joining over two edges, flattening, counting
JOINED_NEAR = 0.5  # of them near by
EDGE_ONE_WAY = 1.0  # for every edge where edges are stored one way only
STRONG_EDGE, STRONG_VERTEX = 6.0, 20.0  # by one thread's depth-first search
GPU_VERTEX = 250.0  # bytes that a GPU could have read in the time that a vertex takes
SAMPLES, NEIGHBOURS = 512, 32  # edges read, and neighbours of their ends
MERGED, MARKED, COUNTED = 1.0, 1.6, 2.2  # numbers looked up for each entry of the lists, as measured: merged, marked
# in a table, and counted for every vertex besides
LISTS = 30.0  # and for every edge, to sort vertices by degree and make the lists
SYMMETRIZED_EDGE = 30.0  # the same, to bring edges of both directions together
DIVIDING, DIVIDED = 4e-5, 20.0  # what is divided by what: seconds before, and numbers for every vertex, as measured
GPU_ENTRY, GPU_LISTS = 4.0, 200.0  # bytes that a GPU could have read in the time of an entry, of an edge
MATCHING_EDGE, PHASES = 12.0, Span(1, 3, 12)
TRUSS_EDGE, TRUSS_FIRST = 35.0, 1e-4  # numbers for every edge and entry of the lists, as measured; seconds before
CENSUS_FIRST, SUMS_FIRST = 2e-4, 1e-4  # seconds before: edges in both directions; degrees and means
FLOW_EDGE, FLOW_PHASES = 4.0, Span(1, 8, 1000)  # numbers looked up for every arc in a phase
CONDENSED_FIRST = 2e-4  # seconds before, to build the graph of the components twice
CONDENSED = 2.5  # times the work of an undirected graph, whose components have no edges between them
BLOCK_EDGE, BLOCK_VERTEX = 65.0, 250.0  # by one thread's depth-first search, as measured
BLOCKS_FIRST = 2e-5  # seconds before it
FOREST_EDGE, FOREST_VERTEX = 75.0, 200.0  # numbers looked up for every edge, and for one that is taken, as measured
GPU_SPREAD, GPU_FREED = 100.0, 60.0  # bytes that a GPU could have read in the time of an edge of a round, of a wave
GPU_FOREST, GPU_TRUSS = 300.0, 8.0  # bytes that a GPU could have read in the time of an edge, of an entry of two rows


@model
def connected_components(sketch: Sketch) -> None:
    """Two edges of every vertex first, the rest only where they may still join something."""
    sketch.iterations = ONCE
    sketch.count_graph(incoming=sketch.graph.has_incoming)
    sketch.count_workspace()
    if not sketch.on_gpu:
        _weak(sketch)
        return
    sampled = sampling_pays(sketch.vertices, sketch.arcs)
    why = f"{sketch.shape.mean_degree:.3g} edges per vertex; from {SAMPLED_FROM} on, two edges are a small part"
    sketch.choose("method", "two edges of every vertex first" if sampled else "edges within tiles first", why)
    sketch.choose("load balance", "rows by length", f"rows of more than {LONG_ROW:,} edges are shared by a block")
    sketch.do("joining", sketch.vertices, streamed=GPU_VERTEX, steps=Span.exactly(10))


def _weak(sketch: Sketch) -> None:
    graph, n = sketch.graph, sketch.vertices
    items = VERTEX * n
    if graph.directed and not graph.has_incoming:
        sketch.choose("direction", "out-edges alone", "building in-edges would cost more than it saves")
        items += EDGE_ONE_WAY * sketch.arcs
    else:
        why = "two edges of every vertex join most of the largest component; its other edges are skipped"
        sketch.choose("direction", "edges of either direction" if graph.directed else "edges as they are", why)
    sketch.choose_team(sketch.arcs + n, "threads share blocks of roughly equal edge count")
    spread = sketch.spread(sketch.id_bytes)
    sketch.do("joining", items, spread, streamed=1.0, steps=Span.exactly(8), near=JOINED_NEAR)


@model
def strongly_connected_components(sketch: Sketch) -> None:
    """One depth-first search; of a large graph, the largest component by two breadth-first searches before it."""
    sketch.iterations = ONCE
    graph, levels = sketch.graph, sketch.shape.levels
    first = graph.directed and sketch.arcs > SEARCHED_FIRST and not sketch.on_gpu
    sketch.count_graph(incoming=first or (graph.has_incoming and not sketch.on_gpu))
    sketch.count_workspace()
    if sketch.on_gpu and graph.directed:
        why = "the first vertex of a component reaches all of it, and all of it reaches that vertex"
        sketch.choose("method", "signatures", why)
        sketch.iterations = Span(1, 3, 20)
        sketch.do("rounds", sketch.arcs + sketch.vertices, streamed=GPU_SPREAD, times=sketch.iterations, steps=levels)
        return
    if sketch.on_gpu:
        sketch.do("joining", sketch.vertices, streamed=GPU_VERTEX, steps=Span.exactly(10))
        return
    if not graph.directed:
        sketch.choose("method", "connected components", "in an undirected graph they are the same")
        _weak(sketch)
        return
    edges, vertices = float(sketch.arcs), float(sketch.vertices)
    if first:
        why = f"more than {SEARCHED_FIRST:,} edges: the largest component is found by all threads first"
        sketch.choose("method", "two searches, then depth first", why)
        items = 2 * (PULLED_VERTEX * vertices + PULLED_EDGE * edges)
        sketch.do("searches both ways", items, sketch.spread(4), streamed=1.0, steps=levels.times(2))
        edges, vertices = edges / 4, vertices / 2  # what is left of a graph with one large component
    else:
        sketch.choose("method", "depth first", f"{sketch.arcs:,} edges; two searches pay above {SEARCHED_FIRST:,}")
        sketch.team = 1
    sketch.choose("load balance", "one thread", "each step of a depth-first search needs the step before")
    items = STRONG_EDGE * edges + STRONG_VERTEX * vertices
    sketch.do("depth-first search", items, sketch.spread(sketch.id_bytes), streamed=1.0, threads=1)


@model
def triangles(sketch: Sketch) -> None:
    """Lists of neighbours of higher degree."""
    sketch.count_workspace(per_vertex=sketch.arguments["per_vertex"])
    _count(sketch, COUNTED if sketch.arguments["per_vertex"] else MARKED)


@model
def clustering_coefficient(sketch: Sketch) -> None:
    """Triangles, divided by what is possible."""
    weighted, graph = sketch.arguments["weighted"], sketch.graph
    if has_means(graph, sketch.arguments["method"], weighted=weighted):
        sketch.iterations = ONCE
        sketch.count_graph(weights=weighted)
        sketch.count_workspace(means=True, weighted=weighted)
        if sketch.on_gpu:
            _triangles_on_gpu(sketch)
            return
        sketch.choose("method", "weights of triangles", "edges of both directions are added up first")
        sketch.setting_up = TRUSS_FIRST
        items = SYMMETRIZED_EDGE * sketch.arcs + 3 * COUNTED * looked_at(graph)
        sketch.do("adding up", items, sketch.spread(8), streamed=8.0)
        return
    sketch.count_workspace()
    sketch.setting_up = DIVIDING
    _count(sketch, COUNTED)
    if not sketch.on_gpu:
        sketch.do("dividing", DIVIDED * sketch.vertices, 1 << 15, streamed=8.0, threads=1)


def _count(sketch: Sketch, entry: float) -> None:
    sketch.iterations = ONCE
    sketch.count_graph(incoming=True)
    if sketch.on_gpu:
        _triangles_on_gpu(sketch)
        return
    spread = sketch.spread(sketch.id_bytes)
    if sketch.arcs and triangles_cpu.rows_are_short(sketch.graph):
        sketch.choose("method", "merging rows", f"neighbours have {triangles_cpu.SHORT} neighbours or fewer on average")
        sketch.choose_team(sketch.arcs, "threads take blocks of rows")
        sketch.do("merging", MERGED * entry * sketch.arcs * 2, spread, streamed=1.0)
        return
    both = 2 if sketch.graph.directed else 1
    if sketch.graph.directed:
        sketch.do("joining both directions", SYMMETRIZED_EDGE * sketch.arcs, spread, streamed=1.0)
    why = f"neighbours have more than {triangles_cpu.SHORT} neighbours on average, or edges are directed"
    sketch.choose("method", "lists by degree, marked", why)
    sketch.choose("direction", "from low degree to high", "no list is longer than the square root of twice the edges")
    sketch.choose_team(sketch.arcs, "threads take vertices; each counts hubs on its own, and the counts are added")
    sketch.do("making lists", LISTS * both * sketch.arcs, spread, streamed=1.0)
    sketch.do("looking up entries", entry * looked_at(sketch.graph), sketch.vertices, streamed=sketch.id_bytes)


def _triangles_on_gpu(sketch: Sketch) -> None:
    sketch.choose(
        "method",
        "tables in shared memory, or merging",
        f"merging where a neighbour has {triangles_cuda.SHORT} or fewer",
    )
    why = f"tables of {triangles_cuda.SMALL_SLOTS:,} or {triangles_cuda.LARGE_SLOTS:,} slots"
    sketch.choose("load balance", "a warp or a block to a vertex", why)
    sketch.do("making lists", (2 if sketch.graph.directed else 1) * sketch.arcs, streamed=GPU_LISTS)
    sketch.do("looking up entries", looked_at(sketch.graph), streamed=GPU_ENTRY, steps=Span.exactly(6))


def looked_at(graph: Graph, seed: int = 0) -> float:
    """About how many entries of lists are read, from a sample of edges.

    Of an edge, the end of higher degree is looked up from the other: its neighbours of still higher degree.
    """
    arcs = graph.num_arcs
    if arcs == 0:
        return 0.0
    random = np.random.default_rng(seed)
    degrees, indptr, indices = graph.degrees(), graph.indptr, graph.indices
    rows = degrees
    if graph.directed:  # lists are of both directions; the sample sees one, and stands for the other too
        degrees = degrees + graph.degrees("in")
    chosen = random.integers(0, arcs, SAMPLES)
    sources = np.searchsorted(indptr, chosen, side="right") - 1
    targets = indices[chosen]
    high = np.where(degrees[targets] >= degrees[sources], targets, sources)
    high = high[rows[high] > 0]
    places = (random.random((high.size, NEIGHBOURS)) * rows[high][:, None]).astype(np.int64) + indptr[high][:, None]
    above = (degrees[indices[places]] > degrees[high][:, None]).mean(axis=1) * degrees[high]
    higher = degrees.size - np.searchsorted(np.sort(degrees), degrees[high], side="right")  # of all vertices
    above = np.minimum(above, higher)
    edges = arcs if graph.directed else arcs / 2
    return float(edges * above.mean()) if above.size else 0.0


@model
def bipartite_matching(sketch: Sketch) -> None:
    """A heuristic for the start, then searches for augmenting paths."""
    wide, arcs = sketch.id_bytes, sketch.arcs
    maximum = sketch.arguments["method"] == "maximum"
    phases = sketch.iterations = PHASES if maximum else ONCE
    sketch.count_graph()
    if sketch.graph.directed:
        arcs *= 2
        sketch.keep("edges both ways: offsets", "scratch", sketch.vertices + 1, 8)
        sketch.keep("edges both ways: neighbours", "scratch", 3 * arcs, wide)
        sketch.do("joining both directions", SYMMETRIZED_EDGE * arcs, sketch.spread(wide), streamed=4.0)
    sketch.count_workspace(maximum=maximum)
    if sketch.on_gpu:
        sketch.over_products(phases.times(sketch.shape.levels).times(2))
        return
    start = "Karp and Sipser's heuristic finds most pairs in one pass"
    sketch.choose("method", "searches for augmenting paths" if maximum else "one pass", start)
    _one_thread(sketch, "each path depends on the ones before")
    sketch.do("phases", MATCHING_EDGE * arcs / 2, sketch.spread(8), times=phases, streamed=0.5, threads=1)


@model
def k_truss(sketch: Sketch) -> None:
    """The triangles of every edge, then edges by ascending count."""
    sketch.count_graph()
    sketch.count_workspace()
    if sketch.on_gpu:
        sketch.choose("method", "waves of edges", "edges that fall together are removed together")
        looked = looked_at(sketch.graph)
        sketch.iterations = ONCE
        sketch.do("counting triangles", GPU_LISTS * sketch.arcs + GPU_TRUSS * looked, streamed=1.0)
        sketch.do("removing edges", TRUSS_EDGE * GPU_TRUSS * looked, streamed=1.0, steps=Span(10, 300, 5000))
        return
    sketch.iterations = ONCE
    sketch.choose_team(sketch.arcs, "threads take vertices, and one removes edges")
    sketch.setting_up += TRUSS_FIRST
    arcs = sketch.arcs * (2 if sketch.graph.directed else 1)
    spread, looked = sketch.spread(8), looked_at(sketch.graph)
    sketch.do("counting triangles", LISTS * arcs + COUNTED * looked, spread, streamed=4.0)
    sketch.do("removing edges", TRUSS_EDGE * (2 * arcs + looked), spread, streamed=4.0, threads=1)


@model
def triadic_census(sketch: Sketch) -> None:
    """Triangles by code; the other triads follow from degrees."""
    sketch.iterations = ONCE
    sketch.count_graph(incoming=sketch.on_gpu)
    sketch.count_workspace()
    if sketch.on_gpu:
        _triangles_on_gpu(sketch)
        return
    sketch.setting_up += CENSUS_FIRST
    sketch.choose_team(sketch.arcs, "threads take vertices")
    edges = (2 if sketch.graph.directed else 1) * sketch.arcs
    items = (SYMMETRIZED_EDGE + LISTS) * edges + COUNTED * looked_at(sketch.graph)
    sketch.do("listing triangles", items, sketch.spread(8), streamed=8.0)


@model
def assortativity(sketch: Sketch) -> None:
    """One product, and sums over vertices."""
    sketch.iterations = ONCE
    sketch.count_graph()
    if sketch.on_gpu:
        sketch.over_products(ONCE)
        return
    sketch.keep("vectors of a product", "scratch", 3 * sketch.vertices, 8)
    sketch.setting_up += SUMS_FIRST
    sketch.do("product", 2.0 * sketch.arcs + DIVIDED * sketch.vertices, sketch.spread(8), streamed=4.0)


@model
def maximum_flow(sketch: Sketch) -> None:
    """Shortest augmenting paths, in phases."""
    _flow(sketch)


@model
def minimum_cut(sketch: Sketch) -> None:
    """A maximum flow."""
    _flow(sketch)


def _flow(sketch: Sketch) -> None:
    phases = sketch.iterations = FLOW_PHASES
    sketch.count_graph(weights=True)
    sketch.count_workspace()
    edges, sketch.setting_up = (2 if sketch.graph.directed else 1) * sketch.arcs, CENSUS_FIRST
    sketch.notes.append("the number of phases cannot be predicted: a few, or thousands where paths are long")
    if sketch.on_gpu:
        sketch.choose("method", "pushing excess downhill", "vertices push at once; heights are measured now and then")
        waves = sketch.shape.levels.times(phases)
        sketch.do("searches and waves", edges, times=phases, streamed=GPU_FREED, steps=waves)
        return
    _one_thread(sketch, "each path depends on the ones before")
    sketch.do("finding the arcs of edges", SYMMETRIZED_EDGE * edges, sketch.spread(8), streamed=8.0, threads=1)
    sketch.do("phases", FLOW_EDGE * edges, 8.0 * edges, times=phases, streamed=8.0, threads=1)


@model
def minimum_spanning_forest(sketch: Sketch) -> None:
    """Kruskal's algorithm, which sorts few edges."""
    sketch.iterations = ONCE
    sketch.count_graph(weights=True)
    sketch.count_workspace()
    if sketch.on_gpu:
        sketch.choose("method", "Borůvka's rounds", "every tree takes its lightest edge to another tree")
        sketch.iterations = Span(2, 6, 20)
        sketch.do("rounds", sketch.graph.num_edges, streamed=GPU_FOREST, steps=sketch.iterations.times(6))
        return
    why = "edges whose ends lighter edges connect are dropped before they are sorted"
    sketch.choose("method", "filtered Kruskal", why)
    _one_thread(sketch, "each edge depends on those taken before")
    items = FOREST_EDGE * sketch.graph.num_edges + FOREST_VERTEX * sketch.vertices
    sketch.do("choosing", items, sketch.spread(sketch.id_bytes), streamed=4.0, threads=1)


@model
def bridges(sketch: Sketch) -> None:
    """One depth-first search."""
    _blocks(sketch)


@model
def articulation_points(sketch: Sketch) -> None:
    """One depth-first search."""
    _blocks(sketch)


@model
def biconnected_components(sketch: Sketch) -> None:
    """One depth-first search."""
    _blocks(sketch)


@model
def dfs_order(sketch: Sketch) -> None:
    """One depth-first search."""
    _searched(sketch, 2 * STRONG_EDGE)


@model
def topological_order(sketch: Sketch) -> None:
    """Vertices without in-edges, again and again."""
    sketch.count_graph()
    sketch.count_workspace()
    generations = sketch.iterations = sketch.shape.levels.times(Span(1, 2, 10))
    if sketch.on_gpu:
        sketch.do("waves", sketch.arcs + sketch.vertices, streamed=GPU_FREED, steps=generations)
        return
    _one_thread(sketch, "a vertex is next when all its predecessors are done")
    items = STRONG_EDGE * sketch.arcs + STRONG_VERTEX * sketch.vertices
    sketch.do("generations", items, sketch.spread(8), streamed=4.0, threads=1)


@model
def condensation(sketch: Sketch) -> None:
    """Strong components, and the edges between them."""
    strongly_connected_components(sketch)
    if sketch.on_gpu:
        sketch.do("joining edges", sketch.arcs, streamed=GPU_LISTS)
        return
    sketch.shares = [share for share in sketch.shares if share.role != "result"]
    sketch.keep("component", "result", sketch.vertices, 8)
    sketch.setting_up += CONDENSED_FIRST
    # The components of a directed graph are mostly single vertices, so the new graph is about as large.
    items = (SYMMETRIZED_EDGE * sketch.arcs + VERTEX * sketch.vertices) * (CONDENSED if sketch.graph.directed else 1)
    sketch.do("joining edges", items, sketch.spread(8), streamed=4.0)


def _blocks(sketch: Sketch) -> None:
    if sketch.on_gpu:
        sketch.iterations = ONCE
        sketch.count_graph()
        sketch.count_workspace()
        sketch.choose("method", "a spanning forest", "its edges are joined where a cycle runs through both")
        sketch.do("joining", 2 * sketch.graph.num_edges, streamed=GPU_FOREST, steps=Span.exactly(8))
        sketch.do("walks", 2 * sketch.vertices, times=Span(5, 20, 30), streamed=GPU_FREED, steps=Span(20, 80, 120))
        return
    sketch.setting_up = BLOCKS_FIRST
    if sketch.graph.directed:
        sketch.setting_up += TURNING_FIRST
        sketch.do("joining both directions", SYMMETRIZED_EDGE * sketch.arcs, sketch.spread(8), streamed=4.0)
    _searched(sketch, BLOCK_EDGE * (2 if sketch.graph.directed else 1), BLOCK_VERTEX)


def _searched(sketch: Sketch, edge: float, vertex: float = STRONG_VERTEX) -> None:
    """A depth-first search of the whole graph."""
    sketch.iterations = ONCE
    sketch.count_graph()
    sketch.count_workspace()
    _one_thread(sketch, "each step of a depth-first search needs the step before")
    items = edge * sketch.arcs + vertex * sketch.vertices
    sketch.do("depth-first search", items, sketch.spread(8), streamed=4.0, threads=1)


def _one_thread(sketch: Sketch, why: str) -> None:
    sketch.team = 1
    sketch.choose("load balance", "one thread", why)
