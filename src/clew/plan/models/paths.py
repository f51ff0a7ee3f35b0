"""Best paths from one vertex: sssp, sswp, bellman_ford."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.plan.models.common import Question, around, choose_team, count_graph, itemsize, model
from clew.plan.parts import Sketch
from clew.plan.span import Span

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
    sketch, weights = _begun(ask)
    n, wide = ask.graph.num_vertices, ask.id_bytes
    value = 8 if weights.dtype.kind != "f" else weights.itemsize
    _answers(sketch, ask, "distance", value)
    delta = ask.arguments.get("delta")
    if ask.on_gpu:
        from clew.engines.cuda.frontiers import DENSE, LARGE, is_large_and_dense

        dense = is_large_and_dense(ask.graph.outgoing)  # type: ignore[arg-type]
        why = f"{LARGE:,} edges or more and {DENSE} to a vertex" if dense else "few or sparse edges: steps cost more"
        _buckets(sketch, delta, "narrow, growing towards the end" if dense else "wide", why)
        search_on_gpu(sketch, ask, value)
        return sketch
    from clew.algorithms.sssp.cpu import default_delta, fits_int32

    width = default_delta(ask.graph, weights) if delta is None and n else delta
    narrow = fits_int32(ask.graph, weights)
    if narrow:
        sketch.keep("distances in 32 bits", "scratch", n, 4)
    sketch.keep("queue", "scratch", n, wide)
    sketch.keep("trace", "scratch", *_trace())
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
    sketch, weights = _begun(ask)
    n, wide = ask.graph.num_vertices, ask.id_bytes
    _answers(sketch, ask, "width", weights.itemsize)
    if ask.on_gpu:
        from clew.algorithms.sswp.cuda import default_buckets

        count = default_buckets(ask.graph.outgoing)  # type: ignore[arg-type]
        sketch.choose("buckets", f"{count}", "by the number of edges, over the range of the weights")
        search_on_gpu(sketch, ask, max(4, weights.itemsize), steps=GPU_WIDEST_STEPS)
        return sketch
    from clew.algorithms.sswp.cpu import BUCKETS as COUNT

    sketch.keep("weights turned over", "scratch", ask.graph.num_arcs, max(4, weights.itemsize))
    sketch.keep("queue", "scratch", n, wide)
    sketch.keep("trace", "scratch", *_trace())
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
    sketch, weights = _begun(ask)
    n, wide = ask.graph.num_vertices, ask.id_bytes
    value = 8 if weights.dtype.kind != "f" else weights.itemsize
    _answers(sketch, ask, "distance", value)
    sketch.iterations = ask.shape.levels.times(ROUNDS if ask.shape.expanding else SLOW_ROUNDS)
    if ask.on_gpu:
        sketch.choose("buckets", "one", "weights may be negative, so no path is ever known to be the shortest")
        search_on_gpu(sketch, ask, value)
        return sketch
    from clew.algorithms.bellman_ford.cpu import TRACED_ROUNDS

    sketch.keep("two frontiers and a mark", "scratch", n, 3 * wide + 1)
    sketch.keep("trace", "scratch", min(n * n, TRACED_ROUNDS) + 1, 24)
    choose_team(sketch, ask.graph.num_arcs, "members take vertices of the frontier")
    active = 1.0 if ask.shape.expanding else SLOW_SHARE
    items = sketch.iterations.times(around(BELLMAN_FORD_EDGE * active * ask.reached_arcs))
    sketch.do("following edges", items, ask.spread(value), streamed=1.0, steps=sketch.iterations)
    return sketch


def _begun(ask: Question) -> tuple[Sketch, Any]:
    sketch = Sketch(setting_up=CHECKING)
    weights = ask.graph.weights
    if weights is None:
        sketch.notes.append("this graph has no weights, so the run will be refused")
        weights = np.empty(0, dtype=np.int32)
    count_graph(sketch, ask, weights=True)
    sketch.choose("direction", "push throughout", "only vertices whose value fell have something to offer")
    return sketch, weights


def _answers(sketch: Sketch, ask: Question, name: str, value: int) -> None:
    sketch.keep(name, "result", ask.graph.num_vertices, value, ask.memory)
    sketch.keep("parent", "result", ask.graph.num_vertices, ask.id_bytes, ask.memory)


def _buckets(sketch: Sketch, delta: Any, chosen: str, why: str) -> None:
    if delta is not None:
        chosen, why = f"{delta:g} wide", "as the caller said"
    sketch.choose("buckets", chosen, why)


def _trace() -> tuple[int, int]:
    from clew.algorithms.sssp import kernels
    from clew.algorithms.sssp.cpu import TRACED_BUCKETS

    return (TRACED_BUCKETS + 1) * int(kernels.COLUMNS), 8


def search_on_gpu(sketch: Sketch, ask: Question, value: int, *, steps: float = GPU_STEPS) -> None:
    """A search by near_far.cuh, its edges shared as the caller says."""
    from clew.algorithms.paths.cuda import DEFAULT, TRACED_STEPS, tuning_of

    n, balance = ask.graph.num_vertices, ask.arguments.get("balance", DEFAULT.balance)
    entry = 16 if ask.id_bytes == 4 and ask.graph.num_arcs < 2**32 else 32
    sketch.keep("values, marks and links", "scratch", n, 8 + (8 if value == 4 or ask.id_bytes == 4 else 4), "gpu")
    sketch.keep("two queues", "scratch", 2 * (n + 1), entry, "gpu")
    pile = 2 * max(min(n, 1024), int(n * DEFAULT.pile))
    sketch.keep("far pile", "scratch", pile, ask.id_bytes + max(4, itemsize(np.uint32)), "gpu")
    sketch.keep("trace", "scratch", min(TRACED_STEPS, 4 * n + 64) + 1, 32, "gpu")
    if balance == "degree_cut":
        cut = tuning_of(balance, ask.arguments.get("cut")).cut
        sketch.keep("pieces", "scratch", 2 * (ask.graph.num_arcs // cut + 1), entry, "gpu")
        sketch.choose("load balance", balance, f"as the caller said: a thread follows a piece of at most {cut} edges")
    else:
        why = "the edges of a frontier are cut into ranks of equal work" if balance == "auto" else "as the caller said"
        sketch.choose("load balance", balance, why)
    meetings = BUCKETS if ask.shape.expanding else ask.shape.levels.times(steps)
    sketch.do("following edges", around(ask.reached_arcs), 0, streamed=GPU_EDGE, steps=meetings)
