"""Brandes' searches, for the betweenness of vertices and edges."""

from __future__ import annotations

from clew import threads
from clew.algorithms.betweenness.cpu import in_a_round, searches_run_at_once
from clew.algorithms.betweenness.cuda import ENTRIES, MANY_BYTES, a_block_each_pays, search_space
from clew.algorithms.betweenness.lengths import workspace as search_arrays
from clew.plan.models.common import Sketch, model
from clew.plan.models.searches import GPU_EDGE, GPU_STEPS, SSSP_EDGE, num_samples
from clew.plan.parts import Span

SEARCH_EDGE, SEARCH_VERTEX = 10.0, 90.0  # numbers looked up, forward and back, as measured
SEARCH_NEAR = 0.8  # of them near by
CLEARED = 40.0  # bytes of a vertex that are cleared for a search
GPU_SEARCH_EDGE = 130.0  # bytes that a GPU could have read in the time that an edge takes
USUAL_PROCESSORS = 128  # of a GPU, where there is none to ask
SEARCHES_FIRST, LENGTHS_FIRST = 1e-4, 3e-4  # seconds to set up, as measured


@model
def betweenness(sketch: Sketch) -> None:
    """Brandes' searches, forward and back."""
    graph, n, sources = sketch.graph, sketch.vertices, num_samples(sketch)
    sketch.iterations, sketch.passes = Span.exactly(sources), Span.exactly(2.0 * sources)
    weighted = sketch.arguments["weighted"]
    sketch.count_graph(weights=weighted)
    if weighted and sketch.on_gpu:
        _one_by_one_on_gpu(sketch, sources)
        return
    if weighted:
        sketch.keep("centrality", "result", n, 8)
        _with_distances(sketch, sources)
        return
    looks = sketch.arcs * (1.5 if graph.directed else 1.0)
    sketch.choose("direction", "level by level, then back", "paths are counted forward, dependencies backwards")
    if sketch.on_gpu:
        _betweenness_on_gpu(sketch, sources, looks)
        return
    at_once = searches_run_at_once(graph, sources)
    sketch.count_workspace(num_sources=sources, at_once=at_once)
    sketch.setting_up += SEARCHES_FIRST
    spread, items = sketch.spread(8), (SEARCH_EDGE * looks + SEARCH_VERTEX * n) * sources * sketch.reach
    sketch.do("clearing", float(sources) * n, streamed=CLEARED)
    if n and at_once:
        why = f"{sources:,} sources are enough for {threads.count()} threads, and there is memory for their work"
        sketch.choose("load balance", "a search to a thread", why)
        spread *= min(threads.count(), sources)
        steps = Span.exactly(-(-sources // in_a_round(graph, sources)))
        sketch.do("searches", items, spread, streamed=0.5, steps=steps, near=SEARCH_NEAR)
    else:
        why = "all threads share one search after the other: few sources, or little memory"
        sketch.choose_team(sketch.arcs, why)
        sketch.do("searches", items, spread, streamed=0.5, steps=sketch.shape.levels.times(2.0 * sources))


@model
def edge_betweenness(sketch: Sketch) -> None:
    """The same searches, and then a pass over all edges."""
    sources = num_samples(sketch)
    sketch.iterations, sketch.passes = Span.exactly(sources), Span.exactly(3.0 * sources)
    weighted = sketch.arguments["weighted"]
    if sketch.on_gpu:
        sketch.count_graph(incoming=True, weights=weighted)
        _one_by_one_on_gpu(sketch, sources)
        return
    sketch.count_graph(weights=weighted)
    sketch.keep("centrality", "result", sketch.graph.num_edges, 8)
    sketch.keep("scores in either direction", "scratch", sketch.arcs, 8)
    _with_distances(sketch, sources)


def _with_distances(sketch: Sketch, sources: int) -> None:
    """Searches that keep distances, by a thread of the CPU each."""
    for what, space in search_arrays(sketch.graph, sources):
        sketch.keep(what, space.role, space.nbytes, 1)
    sketch.choose("load balance", "a search to a thread", "threads take the next source when they are done")
    sketch.setting_up += LENGTHS_FIRST
    edge = SSSP_EDGE if sketch.arguments["weighted"] else SEARCH_EDGE
    items = (2 * edge * sketch.arcs + SEARCH_VERTEX * sketch.vertices) * sources * sketch.reach
    sketch.do("clearing", float(sources) * sketch.vertices, streamed=CLEARED)
    spread = sketch.spread(8) * min(threads.count(), max(1, sources))
    sketch.do("searches", items, spread, streamed=0.5, near=SEARCH_NEAR)


def _one_by_one_on_gpu(sketch: Sketch, sources: int) -> None:
    """Searches by all blocks, one source after the other; with weights, a search for distances before each."""
    weighted, levels = sketch.arguments["weighted"], sketch.shape.levels
    why = "all blocks find the distances from one source" if weighted else "no two searches add to an edge at once"
    sketch.choose("load balance", "all blocks for one source after the other", why)
    if not weighted or sketch.graph.weights is not None:
        sketch.count_workspace(weighted=weighted)
    if weighted:
        steps = levels.times(GPU_STEPS * sources)
        sketch.do("distances", sketch.reached_arcs * sources, streamed=GPU_EDGE, steps=steps)
    looks = sketch.arcs * (1.5 if sketch.graph.directed else 1.0) * sources
    sketch.do("searches", looks, streamed=GPU_SEARCH_EDGE, steps=levels.times(2.0 * sources))


def _betweenness_on_gpu(sketch: Sketch, sources: int, looks: float) -> None:
    graph = sketch.graph
    one = search_space(graph.num_vertices, graph.num_arcs, graph.indices.dtype, graph.directed)
    at_once = MANY_BYTES // max(1, one.nbytes)
    processors = getattr(sketch.gpu, "num_processors", USUAL_PROCESSORS)
    many = a_block_each_pays(sources, at_once, processors)
    teams = min(sources, at_once, 2 * processors) if many else 1
    kept = min(sources, max(teams, ENTRIES // max(1, graph.num_vertices))) if many else 0
    sketch.count_workspace(teams=max(1, teams), in_round=kept)
    chosen = "a block to a source" if many else "all blocks for one source after the other"
    why = f"{sources:,} sources and room for {at_once:,} searches, for {processors} processors"
    sketch.choose("load balance", chosen, why)
    steps = sketch.shape.levels.times(2.0 * sources / max(1, teams))
    sketch.do("searches", looks * sources, streamed=GPU_SEARCH_EDGE, steps=steps)
