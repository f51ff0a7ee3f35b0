"""Searches by levels, best paths, and searches from many vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.all_pairs import cpu as all_pairs_cpu
from clew.algorithms.all_pairs import cuda as all_pairs_cuda
from clew.algorithms.bfs import kernels as bfs_kernels
from clew.algorithms.bfs.cuda import BIG, PULL_COST
from clew.algorithms.distances import DEPTHS, FEWEST, MOST
from clew.algorithms.multi_source_bfs.cpu import BATCHES_PER_THREAD, threads_search_alone
from clew.algorithms.multi_source_bfs.kernels import SEARCHES
from clew.algorithms.paths.cuda_problem import DEFAULT, tuning_of
from clew.algorithms.sssp.cpu import default_delta, fits_int32
from clew.algorithms.sswp.cpu import BUCKETS as WIDEST_BUCKETS
from clew.algorithms.sswp.cuda import default_buckets
from clew.engines.cuda.balance.frontiers import DENSE, LARGE, is_large_and_dense
from clew.plan.models.common import ONCE, Sketch, model
from clew.plan.models.convergence import spectrum_of
from clew.plan.parts import Span

# Numbers looked up, as measured: by a search that pulls, for every vertex and every edge, and by one that never does.
PULLED_VERTEX, PULLED_EDGE, PUSHED_EDGE = 12.0, 0.5, 6.0
# By 64 searches at once: for every edge, and for an edge in every level; most of them near by. Where a search spreads
# fast, most vertices are seen by all 64 after a few levels.
BATCH_EDGE, BATCH_LEVEL, SLOW_BATCH_LEVEL, BATCH_NEAR = 4.0, 4.0, 10.0, 0.8
PAIR_BYTES, REACHED_PAIR = 18.0, 7.0  # bytes for each vertex and source, allocated, filled and counted; and numbers
# looked up where the source reaches the vertex
BATCHES_FIRST = 7e-5  # seconds to set these up, as measured
BOUNDS_FIRST = 8e-4  # and those of eccentricities, whose bounds follow from a few searches after each other
GPU_HEARD = 12.0  # bytes that a GPU could have read in the time that an edge takes in a level of many searches
GPU_VERTEX = 240.0  # bytes that a GPU could have read in the time that a vertex takes

# For every edge and vertex of best paths.
SSSP_EDGE, SSWP_EDGE, VERTEX = 14.0, 35.0, 10.0
BELLMAN_FORD_EDGE = 2.0  # in a round
SLOW_AGAIN = 1.8  # times that buckets read an edge where a search spreads slowly
SLOW_SHARE = 0.8  # of the edges in a round where a search spreads slowly
ROUNDS, SLOW_ROUNDS = Span(1, 3.5, 8), Span(1, 1.5, 3)  # for every level, in small worlds and elsewhere
CHECKING = 2.5e-5  # seconds for a check of the weights, as measured
BUCKETS = Span(10, 60, 300)
GPU_EDGE = 80.0  # bytes that a GPU could have read in the time that an edge takes
GPU_STEPS, GPU_WIDEST_STEPS = 1.5, 5.0  # that a level takes; of widest paths, which are corrected more often

PAIR = 0.35  # of a number looked up in a core's first cache: what a pair takes in Floyd and Warshall's tiles
GPU_PAIR = 0.6  # bytes that a GPU could have read in the time of a pair
USUAL_SEARCHES = 512  # until the bounds of all eccentricities meet: at least this many, if there are enough vertices
# And the share of the vertices, as measured: in graphs with hubs, in other small worlds, and in meshes.
FEW_BOUNDS, MANY_BOUNDS, MESH_BOUNDS, HUBS = 0.04, 0.5, 0.1, 0.5
PAIRS_FIRST = 2e-4  # seconds to set up, as measured


@model
def bfs(sketch: Sketch) -> None:
    """Direction-optimizing breadth-first search."""
    levels = sketch.iterations = sketch.shape.levels
    balanced = sketch.on_gpu and sketch.arguments.get("balance", "auto") != "auto"
    sketch.count_graph(incoming=not balanced)
    sketch.count_workspace(**({key: sketch.arguments[key] for key in ("balance", "cut")} if balanced else {}))
    if balanced:
        sketch.choose("direction", "push throughout", "the caller set balance, which has no pull")
        _search_on_gpu(sketch)
        return
    if sketch.on_gpu:
        why = f"a search for a parent is assumed to cost as much as pushing along {PULL_COST:g} edges"
        sketch.choose("direction", "push or pull, level by level", why)
        sketch.choose("load balance", "a warp to a row", f"rows of more than {BIG:,} edges are cut and shared by warps")
        sketch.do("reading edges", sketch.reached_vertices, streamed=GPU_VERTEX, steps=levels)
        return
    rule = (
        f"pulls while the frontier has more than 1/{bfs_kernels.ALPHA} of the edges left, until it has fewer than "
        f"1/{bfs_kernels.BETA} of the vertices; a search here spreads "
    )
    if sketch.shape.expanding and sketch.shape.mean_degree >= 2:
        sketch.choose("direction", "push, then pull, then push", rule + "fast enough")
        items = PULLED_VERTEX * sketch.reached_vertices + PULLED_EDGE * sketch.reached_arcs
    else:
        sketch.choose("direction", "push throughout", rule + "slowly, so it seldom has")
        items = PUSHED_EDGE * sketch.reached_arcs
    sharing = f"threads take {bfs_kernels.CHUNK} vertices at a time; frontiers up to {bfs_kernels.ALONE} stay with one"
    sketch.choose_team(sketch.arcs, sharing)
    sketch.do("reading edges", items, sketch.spread(4), streamed=sketch.id_bytes / 4, steps=levels)
    if sketch.arguments.get("deterministic"):
        sketch.do("smallest parents", sketch.reached_arcs, sketch.spread(4), streamed=sketch.id_bytes)


@model
def multi_source_bfs(sketch: Sketch) -> None:
    """64 searches at a time."""
    sketch.iterations = sketch.shape.levels
    sketch.count_graph()
    sources = sketch.count_of("sources")
    sketch.count_workspace(num_sources=sources)
    if sketch.on_gpu:
        _batches_on_gpu(sketch, sources)
    else:
        _batches(sketch, sources)


def _batches_on_gpu(sketch: Sketch, sources: int) -> None:
    """Searches from ``sources`` vertices, on a GPU."""
    count, levels, edges = -(-sources // SEARCHES), sketch.shape.levels, sketch.arcs + sketch.vertices
    sketch.choose("direction", "pull", f"{SEARCHES} searches read an edge once, together")
    sketch.do("levels", count * edges, times=levels, streamed=GPU_HEARD, steps=levels.times(2.0 * count))


def _batches(sketch: Sketch, sources: int) -> None:
    """Searches from ``sources`` vertices, on the CPU."""
    count, levels = -(-sources // SEARCHES), sketch.shape.levels
    sketch.choose("direction", "push or pull, level by level", f"{SEARCHES} searches read an edge once, together")
    if threads_search_alone(sources):
        why = f"{count:,} batches of {SEARCHES} sources are at least {BATCHES_PER_THREAD} per thread"
        sketch.choose("load balance", "a batch to a thread", why)
    else:
        sketch.choose_team(sketch.arcs, f"{count} batches of {SEARCHES} sources are too few for a thread each")
    sketch.setting_up += BATCHES_FIRST
    # A search passes an edge in one level, so an edge is read in at most as many levels as there are searches.
    each = BATCH_LEVEL if sketch.shape.expanding else SLOW_BATCH_LEVEL
    looks = count * sketch.arcs * min(1.0, SEARCHES * sketch.reach)
    items = Span(*(looks * (BATCH_EDGE + each * min(level, SEARCHES)) for level in levels))
    pairs = float(sources) * sketch.vertices
    sketch.do("distances", pairs, streamed=PAIR_BYTES)
    sketch.do("distances found", REACHED_PAIR * pairs * sketch.reach, streamed=0.0)
    streamed, steps = sketch.id_bytes / 4, levels.times(count)
    sketch.do("reading edges", 1, sketch.spread(8), times=items, streamed=streamed, steps=steps, near=BATCH_NEAR)


@model
def sssp(sketch: Sketch) -> None:
    """Delta-stepping."""
    weights, value_bytes = _begin_paths(sketch)
    delta = sketch.arguments.get("delta")
    if sketch.on_gpu:
        dense = is_large_and_dense(sketch.graph.outgoing)  # type: ignore[arg-type]
        why = f"{LARGE:,} edges or more and {DENSE} per vertex" if dense else "few or sparse edges: steps cost more"
        _choose_buckets(sketch, delta, "narrow, growing towards the end" if dense else "wide", why)
        _search_on_gpu(sketch)
        return
    width = default_delta(sketch.graph, weights) if delta is None and sketch.vertices else delta
    why = f"{sketch.shape.mean_degree:.3g} edges per vertex: the more, the narrower, or edges are followed twice"
    _choose_buckets(sketch, delta, "" if width is None else f"{width:.4g} wide", why)
    if fits_int32(sketch.graph, weights):
        value_bytes = 4
        sketch.choose("sums", "32 bits", "no path is longer than 32 bits can hold")
    else:
        why = "a path may be longer than 32 bits can hold, or is a float"
        sketch.choose("sums", f"{8 * value_bytes} bits", why)
    sketch.choose_team(sketch.arcs, "threads share the edges of the bucket's vertices")
    items = SSSP_EDGE * sketch.reached_arcs + VERTEX * sketch.reached_vertices
    items, steps = (items, BUCKETS) if sketch.shape.expanding else (items * SLOW_AGAIN, sketch.shape.levels.times(0.5))
    sketch.do("following edges", items, sketch.spread(value_bytes), streamed=1.0, steps=steps)


@model
def sswp(sketch: Sketch) -> None:
    """Delta-stepping over weights turned upside down."""
    weights, _ = _begin_paths(sketch)
    if sketch.on_gpu:
        count = default_buckets(sketch.graph.outgoing)  # type: ignore[arg-type]
        sketch.choose("buckets", f"{count}", "by the number of edges, over the range of the weights")
        _search_on_gpu(sketch, steps=GPU_WIDEST_STEPS)
        return
    sketch.choose("buckets", f"{WIDEST_BUCKETS}", "over the range of the weights, the widest first")
    sketch.choose_team(sketch.arcs, "threads share the edges of the bucket's vertices")
    items = SSWP_EDGE * sketch.reached_arcs + VERTEX * sketch.reached_vertices
    steps = Span(50, WIDEST_BUCKETS, WIDEST_BUCKETS * 2)
    sketch.do("following edges", items, sketch.spread(weights.itemsize), streamed=1.0, steps=steps)


@model
def bellman_ford(sketch: Sketch) -> None:
    """Rounds over the vertices that improved."""
    _, value_bytes = _begin_paths(sketch)
    expanding = sketch.shape.expanding
    rounds = sketch.iterations = sketch.shape.levels.times(ROUNDS if expanding else SLOW_ROUNDS)
    if sketch.on_gpu:
        sketch.choose("buckets", "one", "weights may be negative, so no path is ever known to be the shortest")
        _search_on_gpu(sketch)
        return
    sketch.choose_team(sketch.arcs, "threads take vertices of the frontier")
    items = BELLMAN_FORD_EDGE * (1.0 if expanding else SLOW_SHARE) * sketch.reached_arcs
    sketch.do("following edges", items, sketch.spread(value_bytes), times=rounds, streamed=1.0, steps=rounds)


def _begin_paths(sketch: Sketch) -> tuple[Any, int]:
    """Count the graph and the workspace; the weights, and the bytes of a path's length."""
    sketch.setting_up = CHECKING
    weights: Any = sketch.graph.weights
    if weights is None:
        weights = np.empty(0, dtype=np.int32)
    else:
        options = ("balance", "cut") if sketch.on_gpu else ()
        sketch.count_workspace(**{key: sketch.arguments[key] for key in options if key in sketch.arguments})
    sketch.count_graph()
    sketch.choose("direction", "push throughout", "only vertices whose value improved have something to offer")
    return weights, 8 if weights.dtype.kind != "f" else weights.itemsize


def _choose_buckets(sketch: Sketch, delta: Any, chosen: str, why: str) -> None:
    if delta is not None:
        chosen, why = f"{delta:g} wide", "set by the caller"
    sketch.choose("buckets", chosen, why)


def _search_on_gpu(sketch: Sketch, *, steps: float = GPU_STEPS) -> None:
    """A search by near_far.cuh, its edges shared as the caller says."""
    balance = sketch.arguments.get("balance", DEFAULT.balance)
    why = "the edges of a frontier are cut into ranks of equal work" if balance == "auto" else "set by the caller"
    if balance == "degree_cut":
        cut = tuning_of(balance, sketch.arguments.get("cut")).cut
        why = f"set by the caller: a thread follows a piece of at most {cut} edges"
    sketch.choose("load balance", balance, why)
    meetings = BUCKETS if sketch.shape.expanding else sketch.shape.levels.times(steps)
    sketch.do("following edges", sketch.reached_arcs, streamed=GPU_EDGE, steps=meetings)


@model
def closeness(sketch: Sketch) -> None:
    """A search from every sample, 64 at a time."""
    _from_many(sketch, num_samples(sketch), 8)


@model
def harmonic(sketch: Sketch) -> None:
    """A search from every sample, 64 at a time."""
    _from_many(sketch, num_samples(sketch), 8)


@model
def eccentricity(sketch: Sketch) -> None:
    """Searches until the bounds of all vertices meet, or one from every vertex."""
    bounded = not (sketch.graph.directed or sketch.arguments["weighted"])
    sketch.setting_up += BOUNDS_FIRST
    hubs = sketch.shape.expanding and bounded and spectrum_of(sketch.graph).ratio < HUBS
    share = 1.0 if not bounded else FEW_BOUNDS if hubs else MANY_BOUNDS if sketch.shape.expanding else MESH_BOUNDS
    searches = max(min(sketch.vertices, USUAL_SEARCHES), int(share * sketch.vertices))
    _from_many(sketch, searches, 8 if sketch.arguments["weighted"] else 4)
    if bounded and sketch.vertices > USUAL_SEARCHES:
        sketch.notes.append("the number of searches cannot be predicted: a few, or one from every vertex")


def num_samples(sketch: Sketch) -> int:
    """How many vertices are searched from: all, as many, or those of a list."""
    samples = sketch.arguments.get("samples")
    if samples is None:
        return sketch.vertices
    return int(samples) if isinstance(samples, (int, np.integer)) else sketch.count_of("samples")


def _from_many(sketch: Sketch, sources: int, result_bytes: int) -> None:
    """Searches from ``sources`` vertices, whose distances are combined block by block."""
    weighted = sketch.arguments["weighted"]
    sketch.keep(sketch.record.name, "result", sketch.vertices, result_bytes)
    sketch.iterations = Span.exactly(sources)
    sketch.count_graph(weights=weighted)
    columns = 1 if weighted else min(sources, max(FEWEST, min(MOST, DEPTHS // max(1, sketch.vertices))))
    sketch.keep("distances of a block", "scratch", sketch.vertices * columns, 8 if weighted else 4)
    if sketch.on_gpu and weighted:
        sketch.over_products(sketch.shape.levels.times(sources))
    elif sketch.on_gpu:
        _batches_on_gpu(sketch, sources)
    elif weighted:
        sketch.choose("direction", "push throughout", "a search from every vertex, over its weights")
        items = (SSSP_EDGE * sketch.arcs + VERTEX * sketch.vertices) * sources * sketch.reach
        sketch.do("searches", items, sketch.spread(8), streamed=1.0, steps=sketch.shape.levels.times(sources))
    else:
        _batches(sketch, sources)


@model
def all_pairs(sketch: Sketch) -> None:
    """Floyd and Warshall, or a search per vertex."""
    graph, n, arcs, asked = sketch.graph, sketch.vertices, sketch.arcs, sketch.arguments["method"]
    sketch.iterations, sketch.setting_up = ONCE, PAIRS_FIRST
    able = (all_pairs_cuda if sketch.on_gpu else all_pairs_cpu).methods(graph)
    chosen = able[0] if asked == "auto" else asked
    dense = chosen == "floyd_warshall"
    sketch.count_graph(incoming=graph.weights is None and not dense, weights=True)
    if sketch.on_gpu and dense:
        sketch.count_workspace()
    else:
        sketch.count_workspace(on_gpu=False, method=chosen)
    why = "set by the caller" if asked != "auto" else "64 searches read an edge once, together"
    if asked == "auto" and graph.weights is not None:
        costs = f"{all_pairs_cpu.PAIRS_PER_VERTEX} pairs a vertex and {all_pairs_cpu.PAIRS_PER_ARC} an edge"
        why = f"{n:,} vertices and {arcs:,} edges: searches are assumed to cost {costs}"
    sketch.choose("method", chosen.replace("_", "-"), why)
    if dense and sketch.on_gpu:
        sketch.choose("load balance", "tiles of 64 by 64", "a tile is read once for 64 pivots")
        sketch.do("tiles", float(n) ** 3, streamed=GPU_PAIR, steps=Span.exactly(3 * -(-n // 64)))
    elif dense:
        sketch.choose_team(n * n, "threads take tiles that stay in the cache")
        sketch.do("pairs", PAIR * float(n) ** 3, 1 << 15, streamed=0.0, steps=Span.exactly(max(1, n // 64)))
    elif graph.weights is not None:
        sketch.choose("load balance", "a search to a thread", "threads take the next vertex when they are done")
        pairs = float(n) * (all_pairs_cpu.PAIRS_PER_VERTEX * n + all_pairs_cpu.PAIRS_PER_ARC * arcs)
        sketch.do("pairs", PAIR * pairs * sketch.reach, 1 << 15, streamed=0.0)
        sketch.do("distances", float(n) * n, streamed=PAIR_BYTES)
    else:
        if sketch.on_gpu:
            sketch.choose("engine of the searches", "cpu", "the GPU engine has no kernels for this")
        _batches(sketch, n)
