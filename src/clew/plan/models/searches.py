"""Searches by levels, best paths, and searches from many vertices; and bipartite_matching."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clew import threads
from clew.plan.models.common import Question, around, choose_team, count_graph, count_workspace, model, over_products
from clew.plan.parts import Sketch, Span

# Numbers looked up, as measured: by a search that pulls, for every vertex and every edge, and by one that never does.
PULLED_VERTEX, PULLED_EDGE, PUSHED_EDGE = 12.0, 0.5, 6.0
# By 64 searches at once: for every edge, and for an edge in every level; most of them near by.
BATCH_EDGE, BATCH_LEVEL, BATCH_NEAR = 50.0, 5.0, 0.8
BATCHES_FIRST = 7e-5  # seconds to set these up, as measured
GPU_VERTEX = 240.0  # bytes that a GPU could have read in the time that a vertex takes


@model("bfs")
def bfs(ask: Question) -> Sketch:
    """Direction-optimizing breadth-first search."""
    sketch = Sketch(iterations=ask.shape.levels)
    balanced = ask.on_gpu and ask.arguments.get("balance", "auto") != "auto"
    count_graph(sketch, ask, incoming=not balanced)
    count_workspace(sketch, ask, "bfs", **({key: ask.arguments[key] for key in ("balance", "cut")} if balanced else {}))
    if balanced:
        sketch.choose("direction", "push throughout", "edges are shared as the caller said, which has no pulling")
        search_on_gpu(sketch, ask)
        return sketch
    if ask.on_gpu:
        _bfs_on_gpu(sketch, ask)
        return sketch
    from clew.algorithms.bfs import kernels

    wide = ask.id_bytes
    pulls = ask.shape.expanding and ask.shape.mean_degree >= 2
    sketch.choose(
        "direction",
        "push, then pull, then push" if pulls else "push throughout",
        f"pulls while the frontier has more than 1/{kernels.ALPHA} of the edges left, until it has fewer than "
        f"1/{kernels.BETA} of the vertices; "
        + ("a search here spreads fast enough" if pulls else "a search here spreads slowly, so it seldom has"),
    )
    choose_team(
        sketch,
        ask.graph.num_arcs,
        f"members take {kernels.CHUNK} vertices at a time; frontiers up to {kernels.ALONE} stay with one",
    )
    if pulls:
        items = PULLED_VERTEX * ask.reached_vertices + PULLED_EDGE * ask.reached_arcs
    else:
        items = PUSHED_EDGE * ask.reached_arcs
    sketch.do("looking at edges", around(items), ask.spread(4), streamed=wide / 4, steps=ask.shape.levels)
    if ask.arguments.get("deterministic"):
        sketch.do("smallest parents", around(ask.reached_arcs), ask.spread(4), streamed=wide)
    return sketch


def _bfs_on_gpu(sketch: Sketch, ask: Question) -> None:
    from clew.algorithms.bfs.cuda import BIG, PULL_COST

    sketch.choose(
        "direction",
        "push or pull, level by level",
        f"looking for a parent is taken to cost a vertex as much as pushing along {PULL_COST:g} edges",
    )
    sketch.choose("load balance", "a warp to a row", f"rows of more than {BIG:,} edges are cut and shared by warps")
    sketch.do("looking at edges", around(ask.reached_vertices), 0, streamed=GPU_VERTEX, steps=ask.shape.levels)


@model("multi_source_bfs")
def multi_source_bfs(ask: Question) -> Sketch:
    """64 searches at a time."""
    sketch = Sketch(iterations=ask.shape.levels)
    count_graph(sketch, ask, incoming=True)
    sources = ask.count_of("sources")
    count_workspace(sketch, ask, "multi_source_bfs", num_sources=sources)
    if ask.on_gpu:
        over_products(sketch, ask, ask.shape.levels.times(float(sources)))
    else:
        batches(sketch, ask, sources)
    return sketch


def batches(sketch: Sketch, ask: Question, sources: int) -> None:
    """Searches from so many vertices, on the CPU."""
    from clew.algorithms.multi_source_bfs import kernels
    from clew.algorithms.multi_source_bfs.cpu import BATCHES_PER_THREAD, threads_search_alone

    wide, arcs = ask.id_bytes, ask.graph.num_arcs
    count = -(-sources // kernels.SEARCHES)
    alone = threads_search_alone(sources)
    sketch.choose("direction", "push or pull, level by level", f"{kernels.SEARCHES} searches share one look at an edge")
    if alone:
        why = f"{count:,} batches of {kernels.SEARCHES} sources are enough for {BATCHES_PER_THREAD} to a thread or more"
        sketch.choose("load balance", "a batch to a thread", why)
    else:
        choose_team(sketch, arcs, f"{count} batches of {kernels.SEARCHES} sources are too few for a thread each")
    sketch.setting_up += BATCHES_FIRST
    levels = ask.shape.levels
    items = Span(*(count * arcs * (BATCH_EDGE + BATCH_LEVEL * level) for level in levels))
    steps = levels.times(count)
    sketch.do(
        "looking at edges", items.times(around(1)), ask.spread(8), streamed=wide / 4, steps=steps, near=BATCH_NEAR
    )


# Numbers looked up for every edge and vertex, as measured.
SSSP_EDGE, SSWP_EDGE, VERTEX = 14.0, 35.0, 10.0
BELLMAN_FORD_EDGE = 2.0  # in a round
SLOW_AGAIN = 1.8  # times that buckets look at an edge where a search spreads slowly
SLOW_SHARE = 0.4  # of the edges in a round where a search spreads slowly
ROUNDS, SLOW_ROUNDS = Span(1, 3.5, 8), Span(1, 1.5, 3)  # for every level, in small worlds and elsewhere
CHECKING = 2.5e-5  # seconds for a look at the weights, as measured
BUCKETS = Span(10, 60, 300)
GPU_EDGE = 80.0  # bytes that a GPU could have read in the time that an edge takes
GPU_STEPS, GPU_WIDEST_STEPS = 1.5, 5.0  # that a level takes; of widest paths, which are corrected more often


@model("sssp")
def sssp(ask: Question) -> Sketch:
    """Delta-stepping."""
    sketch, weights = _begun(ask, "sssp")
    n, value = ask.graph.num_vertices, 8 if weights.dtype.kind != "f" else weights.itemsize
    delta = ask.arguments.get("delta")
    if ask.on_gpu:
        from clew.engines.cuda.balance.frontiers import DENSE, LARGE, is_large_and_dense

        dense = is_large_and_dense(ask.graph.outgoing)  # type: ignore[arg-type]
        why = f"{LARGE:,} edges or more and {DENSE} to a vertex" if dense else "few or sparse edges: steps cost more"
        _buckets(sketch, delta, "narrow, growing towards the end" if dense else "wide", why)
        search_on_gpu(sketch, ask)
        return sketch
    from clew.algorithms.sssp.cpu import default_delta, fits_int32

    width = default_delta(ask.graph, weights) if delta is None and n else delta
    narrow = fits_int32(ask.graph, weights)
    why = f"{ask.shape.mean_degree:.3g} edges to a vertex: the more, the narrower, or edges are followed twice"
    _buckets(sketch, delta, "" if width is None else f"{width:.4g} wide", why)
    sums = "no path is longer than 32 bits hold" if narrow else "a path may be longer than 32 bits hold, or is a float"
    sketch.choose("sums", "32 bits" if narrow else f"{8 * value} bits", sums)
    choose_team(sketch, ask.graph.num_arcs, "members take vertices of the bucket, by their edges")
    items = (SSSP_EDGE * ask.reached_arcs + VERTEX * ask.reached_vertices) * (1 if ask.shape.expanding else SLOW_AGAIN)
    buckets = BUCKETS if ask.shape.expanding else ask.shape.levels.times(0.5)
    sketch.do("following edges", around(items), ask.spread(4 if narrow else value), streamed=1.0, steps=buckets)
    return sketch


@model("sswp")
def sswp(ask: Question) -> Sketch:
    """Delta-stepping over weights turned upside down."""
    sketch, weights = _begun(ask, "sswp")
    if ask.on_gpu:
        from clew.algorithms.sswp.cuda import default_buckets

        count = default_buckets(ask.graph.outgoing)  # type: ignore[arg-type]
        sketch.choose("buckets", f"{count}", "by the number of edges, over the range of the weights")
        search_on_gpu(sketch, ask, steps=GPU_WIDEST_STEPS)
        return sketch
    from clew.algorithms.sswp.cpu import BUCKETS as COUNT

    sketch.choose("buckets", f"{COUNT}", "over the range of the weights, the widest first")
    choose_team(sketch, ask.graph.num_arcs, "members take vertices of the bucket, by their edges")
    items = SSWP_EDGE * ask.reached_arcs + VERTEX * ask.reached_vertices
    sketch.do(
        "following edges", around(items), ask.spread(weights.itemsize), streamed=1.0, steps=Span(50, COUNT, COUNT * 2)
    )
    return sketch


@model("bellman_ford")
def bellman_ford(ask: Question) -> Sketch:
    """Rounds over the vertices that improved."""
    sketch, weights = _begun(ask, "bellman_ford")
    value = 8 if weights.dtype.kind != "f" else weights.itemsize
    sketch.iterations = ask.shape.levels.times(ROUNDS if ask.shape.expanding else SLOW_ROUNDS)
    if ask.on_gpu:
        sketch.choose("buckets", "one", "weights may be negative, so no path is ever known to be the shortest")
        search_on_gpu(sketch, ask)
        return sketch
    choose_team(sketch, ask.graph.num_arcs, "members take vertices of the frontier")
    active = 1.0 if ask.shape.expanding else SLOW_SHARE
    items = sketch.iterations.times(around(BELLMAN_FORD_EDGE * active * ask.reached_arcs))
    sketch.do("following edges", items, ask.spread(value), streamed=1.0, steps=sketch.iterations)
    return sketch


def _begun(ask: Question, name: str) -> tuple[Sketch, Any]:
    sketch = Sketch(setting_up=CHECKING)
    weights = ask.graph.weights
    if weights is not None:
        balanced = {key: ask.arguments[key] for key in ("balance", "cut") if ask.on_gpu and key in ask.arguments}
        count_workspace(sketch, ask, name, **balanced)
    else:
        sketch.notes.append("this graph has no weights, so the run will be refused")
        weights = np.empty(0, dtype=np.int32)
    count_graph(sketch, ask, weights=True)
    sketch.choose("direction", "push throughout", "only vertices whose value fell have something to offer")
    return sketch, weights


def _buckets(sketch: Sketch, delta: Any, chosen: str, why: str) -> None:
    if delta is not None:
        chosen, why = f"{delta:g} wide", "as the caller said"
    sketch.choose("buckets", chosen, why)


def search_on_gpu(sketch: Sketch, ask: Question, *, steps: float = GPU_STEPS) -> None:
    """A search by near_far.cuh, its edges shared as the caller says."""
    from clew.algorithms.paths.cuda_problem import DEFAULT, tuning_of

    balance = ask.arguments.get("balance", DEFAULT.balance)
    if balance == "degree_cut":
        cut = tuning_of(balance, ask.arguments.get("cut")).cut
        sketch.choose("load balance", balance, f"as the caller said: a thread follows a piece of at most {cut} edges")
    else:
        why = "the edges of a frontier are cut into ranks of equal work" if balance == "auto" else "as the caller said"
        sketch.choose("load balance", balance, why)
    meetings = BUCKETS if ask.shape.expanding else ask.shape.levels.times(steps)
    sketch.do("following edges", around(ask.reached_arcs), 0, streamed=GPU_EDGE, steps=meetings)


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
    looks = arcs * (1.5 if graph.directed else 1.0)
    sketch.choose("direction", "level by level, then back", "paths are counted forward, shares handed out backwards")
    if ask.on_gpu:
        _betweenness_on_gpu(sketch, ask, sources, looks)
        return sketch
    from clew.algorithms.betweenness.cpu import in_a_round, searches_run_at_once

    at_once = searches_run_at_once(graph, sources)
    count_workspace(sketch, ask, "betweenness", num_sources=sources, at_once=at_once)
    sketch.setting_up += SEARCHES_FIRST
    spread, items = ask.spread(8), around((SEARCH_EDGE * looks + SEARCH_VERTEX * n) * sources)
    if n and at_once:
        members = min(threads.count(), sources)
        kept = in_a_round(graph, sources)
        why = f"{sources:,} sources are enough for {threads.count()} threads, and there is memory for their work"
        sketch.choose("load balance", "a search to a thread", why)
        steps = Span.exactly(-(-sources // kept))
        sketch.do("searches", items, members * spread, streamed=0.5, steps=steps, near=SEARCH_NEAR)
    else:
        choose_team(sketch, arcs, "all threads share one search after the other: few sources, or little memory")
        steps = ask.shape.levels.times(2.0 * sources)
        sketch.do("searches", items, spread, streamed=0.5, steps=steps)
    return sketch


def _betweenness_on_gpu(sketch: Sketch, ask: Question, sources: int, looks: float) -> None:
    from clew.algorithms.betweenness.cuda import ENTRIES, MANY_BYTES, a_block_each_pays, search_space

    graph = ask.graph
    one = search_space(graph.num_vertices, graph.num_arcs, graph.indices.dtype, graph.directed)
    at_once = MANY_BYTES // max(1, one.nbytes)
    processors = getattr(ask.gpu, "num_processors", USUAL_PROCESSORS)
    many = a_block_each_pays(sources, at_once, processors)
    teams = min(sources, at_once, 2 * processors) if many else 1
    kept = min(sources, max(teams, ENTRIES // max(1, graph.num_vertices))) if many else 0
    count_workspace(sketch, ask, "betweenness", teams=max(1, teams), in_round=kept)
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
    dense = chosen == "floyd_warshall"
    if ask.on_gpu and dense:
        count_workspace(sketch, ask, "all_pairs")
    else:
        count_workspace(sketch, replace(ask, on_gpu=False), "all_pairs", method=chosen)
    why = "as the caller said" if asked != "auto" else (
        f"{n:,} vertices and {graph.num_arcs:,} edges: searches are taken to cost {engine.PAIRS_PER_VERTEX} pairs a "
        f"vertex and {engine.PAIRS_PER_ARC} an edge" if weights is not None else "64 searches share a look at an edge"
    )  # fmt: skip
    sketch.choose("method", chosen.replace("_", "-"), why)
    pairs = float(n) ** 3
    if not dense and weights is None:
        if ask.on_gpu:
            sketch.choose("engine of the searches", "cpu", "the GPU engine has none for this")
        batches(sketch, replace(ask, on_gpu=False), n)
        return sketch
    if ask.on_gpu and dense:
        sketch.choose("load balance", "tiles of 64 by 64", "a tile is read once for 64 pivots")
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
    count_workspace(sketch, ask, "bipartite_matching", maximum=maximum)
    if ask.on_gpu:
        assert sketch.iterations is not None
        over_products(sketch, ask, sketch.iterations.times(ask.shape.levels).times(2))
        return sketch
    start = "Karp and Sipser's heuristic finds most pairs in one pass"
    sketch.choose("method", "searches for augmenting paths" if maximum else "one pass", start)
    sketch.team = 1
    sketch.choose("load balance", "one thread", "each path depends on the ones before")
    assert sketch.iterations is not None
    items = sketch.iterations.times(around(MATCHING_EDGE * arcs / 2))
    sketch.do("phases", items, ask.spread(8), streamed=0.5, threads=1)
    return sketch
