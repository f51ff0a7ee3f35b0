"""Searches from many vertices or all: betweenness and all_pairs; and bipartite_matching."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.plan.models.common import Question, around, choose_team, count_graph, model, over_products
from clew.plan.models.traversal import batches
from clew.plan.parts import Sketch
from clew.plan.span import Span

SEARCH_EDGE, SEARCH_VERTEX = 10.0, 90.0  # numbers looked up, forward and back, as measured
SEARCH_NEAR = 0.8  # of them near by
GPU_SEARCH_EDGE = 130.0  # bytes that a GPU could have read in the time that an edge takes
PAIR = 0.35  # of a number looked up in a core's first cache: what a pair takes in Floyd and Warshall's tiles
GPU_PAIR = 0.6  # bytes that a GPU could have read in the time of a pair
USUAL_PROCESSORS = 128  # of a GPU, where there is none to ask
MATCHING_EDGE, PHASES = 12.0, Span(1, 3, 12)
SEARCHES_FIRST, PAIRS_FIRST = 1e-4, 2e-4  # seconds to set up, as measured


@model("betweenness")
def betweenness(ask: Question) -> Sketch:
    """Brandes' searches, forward and back."""
    graph, n, arcs = ask.graph, ask.graph.num_vertices, ask.graph.num_arcs
    samples = ask.arguments.get("samples")
    if samples is None:
        sources = n
    else:
        sources = int(samples) if isinstance(samples, (int, np.integer)) else ask.count_of("samples")
    sketch = Sketch(iterations=Span.exactly(sources))
    count_graph(sketch, ask, incoming=True)
    sketch.passes = Span.exactly(2.0 * sources)
    sketch.keep("centrality", "result", n, 8, ask.memory)
    looks = arcs * (1.5 if graph.directed else 1.0)
    sketch.choose("direction", "level by level, then back", "paths are counted forward, shares handed out backwards")
    if ask.on_gpu:
        _betweenness_on_gpu(sketch, ask, sources, looks)
        return sketch
    from clew.algorithms.betweenness.cpu import BYTES_PER_VERTEX, ENTRIES, searches_run_at_once

    sketch.setting_up += SEARCHES_FIRST
    spread, items = ask.spread(8), around((SEARCH_EDGE * looks + SEARCH_VERTEX * n) * sources)
    if n and searches_run_at_once(n, sources):
        members = min(threads.count(), sources)
        kept = min(sources, max(members, ENTRIES // n))
        sketch.keep("dependencies of a round", "scratch", kept * n, 8)
        sketch.keep("searches", "scratch", members * n, BYTES_PER_VERTEX)
        why = f"{sources:,} sources are enough for {threads.count()} threads, and there is memory for their work"
        sketch.choose("load balance", "a search to a thread", why)
        steps = Span.exactly(-(-sources // kept))
        sketch.do("searches", items, members * spread, streamed=0.5, steps=steps, near=SEARCH_NEAR)
    else:
        sketch.keep("a search", "scratch", n, 8 + BYTES_PER_VERTEX)
        choose_team(sketch, arcs, "all threads share one search after the other: few sources, or little memory")
        steps = ask.shape.levels.times(2.0 * sources)
        sketch.do("searches", items, spread, streamed=0.5, steps=steps)
    return sketch


def _betweenness_on_gpu(sketch: Sketch, ask: Question, sources: int, looks: float) -> None:
    from clew.algorithms.betweenness.cuda import BIG_ROW, MANY_BYTES, a_block_each_pays, bytes_of_a_search

    n, wide = ask.graph.num_vertices, ask.id_bytes
    one = bytes_of_a_search(n, wide, 2 * (ask.graph.num_arcs // BIG_ROW) + 1)
    at_once = MANY_BYTES // max(1, one)
    processors = getattr(ask.gpu, "num_processors", USUAL_PROCESSORS)
    many = a_block_each_pays(sources, at_once, processors)
    teams = min(sources, at_once, 2 * processors) if many else 1
    sketch.keep("searches", "scratch", max(1, teams), one, "gpu")
    sketch.choose(
        "load balance",
        "a block to a source" if many else "all blocks for one source after the other",
        f"{sources:,} sources and room for {at_once:,} searches, for {processors} processors",
    )
    steps = ask.shape.levels.times(2.0 * sources / max(1, teams))
    sketch.do("searches", around(looks * sources), 0, streamed=GPU_SEARCH_EDGE, steps=steps)


@model("all_pairs")
def all_pairs(ask: Question) -> Sketch:
    """Floyd and Warshall, or a search per vertex."""
    from clew.algorithms.all_pairs import cpu as engine

    graph, n = ask.graph, ask.graph.num_vertices
    sketch = Sketch(iterations=Span.exactly(1), setting_up=PAIRS_FIRST)
    weights = graph.weights
    able = engine.methods(graph)
    if ask.on_gpu:
        from clew.algorithms.all_pairs.cuda import methods

        able = methods(graph)
    asked = ask.arguments["method"]
    chosen = able[0] if asked == "auto" else asked
    count_graph(sketch, ask, incoming=weights is None and chosen == "sparse", weights=True)
    wide = 8 if weights is None or weights.dtype.kind != "f" else weights.itemsize
    dense = chosen == "floyd_warshall"
    where = "gpu" if ask.on_gpu and dense else "host"
    sketch.keep("distance", "result", n * n, wide, where)
    why = "as the caller said" if asked != "auto" else (
        f"{n:,} vertices and {graph.num_arcs:,} edges: searches are taken to cost {engine.PAIRS_PER_VERTEX} pairs a "
        f"vertex and {engine.PAIRS_PER_ARC} an edge" if weights is not None else "64 searches share a look at an edge"
    )  # fmt: skip
    sketch.choose("method", chosen.replace("_", "-"), why)
    pairs = float(n) ** 3
    if not dense and weights is None:
        if ask.on_gpu:
            sketch.choose("engine of the searches", "cpu", "the GPU engine has none for this")
        batches(sketch, Question(graph, ask.arguments, ask.shape, False), n)
        return sketch
    if ask.on_gpu and dense:
        sketch.choose("load balance", "tiles of 64 by 64", "a tile is read once for 64 pivots")
        if wide == 8 and (weights is None or weights.dtype.kind != "f"):
            sketch.keep("distances in 32 bits", "scratch", n * n, 4, "gpu")
        sketch.do("tiles", around(pairs), 0, streamed=GPU_PAIR, steps=Span.exactly(3 * -(-n // 64)))
        return sketch
    if not dense:
        pairs = float(n) * (engine.PAIRS_PER_VERTEX * n + engine.PAIRS_PER_ARC * graph.num_arcs)
        sketch.choose("load balance", "a search to a thread", "threads take the next vertex when they are done")
    else:
        choose_team(sketch, n * n, "members take tiles that stay in the cache")
    sketch.do("pairs", around(PAIR * pairs), 1 << 15, streamed=0.0, steps=Span.exactly(max(1, n // 64) if dense else 1))
    return sketch


@model("bipartite_matching")
def bipartite_matching(ask: Question) -> Sketch:
    """A heuristic for the start, then searches for augmenting paths."""
    graph, n, wide = ask.graph, ask.graph.num_vertices, ask.id_bytes
    maximum = ask.arguments["method"] == "maximum"
    sketch = Sketch(iterations=PHASES if maximum else Span.exactly(1))
    count_graph(sketch, ask)
    arcs = graph.num_arcs * (2 if graph.directed else 1)
    if graph.directed:
        sketch.keep("edges both ways: offsets", "scratch", n + 1, 8)
        sketch.keep("edges both ways: neighbours", "scratch", 3 * arcs, wide)
        sketch.do("bringing both ways together", around(30.0 * arcs), ask.spread(wide), streamed=4.0)
    sketch.keep("mate", "result", n, wide)
    sketch.keep("left", "result", n, 1)
    if ask.on_gpu:
        assert sketch.iterations is not None
        over_products(sketch, ask, sketch.iterations.times(ask.shape.levels).times(2))
        return sketch
    sketch.keep("sides, counts, stack, marks", "scratch", n, 2 + 16 + 4 + 2 * wide)
    start = "Karp and Sipser's heuristic finds most pairs in one pass"
    sketch.choose("method", "searches for augmenting paths" if maximum else "one pass", start)
    sketch.team = 1
    sketch.choose("load balance", "one thread", "each path depends on the ones before")
    assert sketch.iterations is not None
    items = sketch.iterations.times(around(MATCHING_EDGE * arcs / 2))
    sketch.do("phases", items, ask.spread(8), streamed=0.5, threads=1)
    return sketch
