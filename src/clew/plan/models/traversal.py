"""Searches by levels: bfs and multi_source_bfs."""

from __future__ import annotations

from clew.plan.models.common import Question, around, choose_team, count_graph, count_workspace, model, over_products
from clew.plan.models.paths import search_on_gpu
from clew.plan.parts import Sketch
from clew.plan.span import Span

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
    if balanced:
        n = ask.graph.num_vertices
        sketch.keep("depth", "result", n, 4, ask.memory)
        sketch.keep("parent", "result", n, ask.id_bytes, ask.memory)
        sketch.choose("direction", "push throughout", "edges are shared as the caller said, which has no pulling")
        search_on_gpu(sketch, ask, 4)
        return sketch
    count_workspace(sketch, ask, "bfs")
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
    n = ask.graph.num_vertices
    sources = ask.count_of("sources")
    sketch.keep("depth", "result", n * sources, 4)
    if ask.on_gpu:
        over_products(sketch, ask, ask.shape.levels.times(float(sources)))
    else:
        batches(sketch, ask, sources)
    return sketch


def batches(sketch: Sketch, ask: Question, sources: int) -> None:
    """Searches from so many vertices, on the CPU."""
    from clew import threads
    from clew.algorithms.multi_source_bfs import kernels
    from clew.algorithms.multi_source_bfs.cpu import BATCHES_PER_THREAD, threads_search_alone

    n, wide, arcs = ask.graph.num_vertices, ask.id_bytes, ask.graph.num_arcs
    count = -(-sources // kernels.SEARCHES)
    alone = threads_search_alone(sources)
    sketch.choose("direction", "push or pull, level by level", f"{kernels.SEARCHES} searches share one look at an edge")
    if alone:
        why = f"{count:,} batches of {kernels.SEARCHES} sources are enough for {BATCHES_PER_THREAD} to a thread or more"
        sketch.choose("load balance", "a batch to a thread", why)
    else:
        choose_team(sketch, arcs, f"{count} batches of {kernels.SEARCHES} sources are too few for a thread each")
    sketch.setting_up += BATCHES_FIRST
    at_once = threads.count() if alone else 1
    sketch.keep("seen, frontier and next", "scratch", 3 * n * at_once, 8)
    sketch.keep("queues", "scratch", 2 * n * at_once, wide)
    levels = ask.shape.levels
    items = Span(*(count * arcs * (BATCH_EDGE + BATCH_LEVEL * level) for level in levels))
    steps = levels.times(count)
    sketch.do(
        "looking at edges", items.times(around(1)), ask.spread(8), streamed=wide / 4, steps=steps, near=BATCH_NEAR
    )
