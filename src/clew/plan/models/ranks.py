"""Rank that flows along edges: pagerank, random_walk_with_restart, hits."""

from __future__ import annotations

import math
from typing import Any

from clew.algorithms.pagerank.arguments import check_fraction, check_rounds
from clew.plan.models.common import Question, around, choose_team, count_graph, itemsize, model, over_products
from clew.plan.parts import Sketch
from clew.plan.span import Span

# By how much a round shrinks the error beside the damping, as measured: in small worlds; in grids and roads, from ranks
# that begin alike everywhere; and from a single vertex, where nothing but the damping does.
MIXING, SLOW_MIXING, NO_MIXING = 0.5, 0.66, 1.0
EDGE, VERTEX = 1.2, 4.0  # numbers looked up in a round, as measured
HITS_ROUNDS = Span(7, 12, 40)  # in small worlds; elsewhere as many as are allowed
GPU_EDGE = 22.0  # bytes that a GPU could have read in the time that an edge takes, of float32; of float64, 1.5 times


def rounds(ask: Question, damping: float, *, personal: bool) -> Span:
    """How many rounds there may be."""
    tolerance, most = check_rounds(ask.arguments["tolerance"], ask.arguments["max_iterations"])
    if ask.graph.num_vertices == 0:
        return Span.exactly(0)
    if tolerance <= 0:
        return Span.exactly(most)
    if not 0 < damping < 1:
        return Span(1, 2, most) if damping <= 0 else Span(1, most, most)
    mixing = MIXING if ask.shape.expanding else NO_MIXING if personal else SLOW_MIXING
    bound = math.log(tolerance / 2) / math.log(damping) + 1
    likely = math.log(tolerance) / math.log(damping * mixing)
    return Span(max(1.0, likely / 1.5), likely, max(bound, likely)).at_most(most)


@model("pagerank")
def pagerank(ask: Question) -> Sketch:
    """Rounds of pulling."""
    personal = ask.arguments.get("personalization") is not None
    return _ranks(ask, "rank", check_fraction("damping", ask.arguments["damping"]), personal=personal)


@model("random_walk_with_restart")
def random_walk_with_restart(ask: Question) -> Sketch:
    """PageRank whose jumps lead to one vertex."""
    return _ranks(ask, "visiting", 1 - check_fraction("restart", ask.arguments["restart"]), personal=True)


def _ranks(ask: Question, name: str, damping: float, *, personal: bool) -> Sketch:
    graph, n, arcs = ask.graph, ask.graph.num_vertices, ask.graph.num_arcs
    wide, weighted = itemsize(ask.arguments["dtype"]), bool(ask.arguments["weighted"])
    sketch = Sketch(iterations=rounds(ask, damping, personal=personal))
    assert sketch.iterations is not None
    sketch.passes = sketch.iterations
    count_graph(sketch, ask, incoming=True)
    sketch.keep(name, "result", n, wide, ask.memory)
    sketch.keep("what is passed on, now and next", "scratch", 2 * n, wide, ask.memory)
    if personal:
        sketch.keep("where jumps lead", "scratch", n, 8)
    if ask.arguments.get("start") is not None:
        sketch.keep("where the walk starts", "scratch", n, 8)
    if weighted:
        sketch.keep("shares of the edges", "scratch", arcs, wide, ask.memory)
        sketch.keep("weights as float64", "scratch", 3 * arcs, 8)
    sketch.choose(
        "direction", "pull throughout", "every vertex sums up its in-edges: no atomics, and the same bits always"
    )
    if ask.on_gpu:
        _on_gpu(sketch, ask, wide, weighted)
        return sketch
    from clew.algorithms.pagerank.cpu import TRACED_ROUNDS
    from clew.engines.cpu.blocks import AHEAD, ahead_of, fixed_blocks

    rows = graph.incoming if not graph.directed or graph.has_incoming else graph.outgoing
    sketch.keep("what part vertices pass on", "scratch", n, wide)
    sketch.keep("trace", "scratch", min(int(ask.arguments["max_iterations"]), TRACED_ROUNDS) + 1, 16)
    blocks = fixed_blocks(rows).size - 1 if n else 0
    choose_team(sketch, arcs + n, f"members take blocks of about as many edges each, of which there are {blocks:,}")
    looks_ahead = n > 0 and ahead_of(rows, _like(n, wide)) > 0
    sketch.choose(
        "prefetch",
        f"{AHEAD} edges ahead" if looks_ahead else "none",
        "ranks are larger than a core's cache and rows are long"
        if looks_ahead
        else "ranks are in the cache, or rows too short to ask ahead",
    )
    items = sketch.iterations.times(around(EDGE * arcs + VERTEX * n))
    sketch.do(
        "rounds", items, ask.spread(wide, incoming=True), streamed=ask.id_bytes / EDGE, steps=sketch.iterations
    )  # fmt: skip
    return sketch


def _on_gpu(sketch: Sketch, ask: Question, wide: int, weighted: bool) -> None:
    from clew.algorithms.pagerank.cuda import products_pay
    from clew.algorithms.pagerank.cuda_pull import UNEVEN_FROM

    n, arcs = ask.graph.num_vertices, ask.graph.num_arcs
    longest = int(ask.graph.degrees("in").max(initial=0))
    assert sketch.iterations is not None
    products = products_pay(longest, arcs) and not weighted
    if products:
        sketch.choose("method", "products", f"{arcs:,} edges, and a row of {longest:,}")
    else:
        sketch.choose("method", "all rounds in one launch", "the graph is small, or its rows are alike")
    why = f"the longest row has {longest:,} edges, against {UNEVEN_FROM:,} from which on rows are sorted by length"
    sketch.choose(
        "load balance",
        "tiles of equal work" if products else "rows in classes" if longest > UNEVEN_FROM else "even",
        why,
    )
    per_edge = GPU_EDGE * (1.5 if wide == 8 else 1.0) * (1.0 if longest > UNEVEN_FROM else 0.6)
    launches = 3.0 if products else 0.5
    steps = sketch.iterations.times(launches)
    sketch.do("rounds", sketch.iterations.times(around(arcs + n)), 0, streamed=per_edge, steps=steps)


@model("hits")
def hits(ask: Question) -> Sketch:
    """Two products a round."""
    n, arcs = ask.graph.num_vertices, ask.graph.num_arcs
    tolerance, most = check_rounds(ask.arguments["tolerance"], ask.arguments["max_iterations"])
    expected = HITS_ROUNDS if ask.shape.expanding else Span(most / 4, most, most)
    if tolerance <= 0:
        expected = Span.exactly(most)
    sketch = Sketch(iterations=expected.at_most(most) if arcs else Span.exactly(0))
    assert sketch.iterations is not None
    count_graph(sketch, ask, incoming=True)
    sketch.passes = sketch.iterations.times(2)
    sketch.keep("hub and authority", "result", 2 * n, 8)
    sketch.keep("hubs of the next round", "scratch", n, 8)
    sketch.choose("direction", "pull, along edges and against them", "a product with the matrix and one with its turn")
    if ask.on_gpu:
        over_products(sketch, ask, sketch.iterations.times(2))
        return sketch
    choose_team(sketch, 2 * (arcs + n), "members take blocks of about as many edges each")
    items = sketch.iterations.times(around(2 * (EDGE * arcs + VERTEX * n)))
    sketch.do(
        "rounds", items, ask.spread(8, incoming=True), streamed=ask.id_bytes / EDGE, steps=sketch.iterations.times(3)
    )
    return sketch


def _like(n: int, wide: int) -> Any:
    """Something as large as an array of ranks."""
    import numpy as np

    return np.broadcast_to(np.zeros(1, dtype=f"V{wide}"), n)
