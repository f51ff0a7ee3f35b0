"""Algorithms that go round by round: ranks that flow along edges, and vertices that are peeled or changed."""

from __future__ import annotations

import math
from typing import Any

from clew.algorithms.arguments import check_fraction, check_most_rounds, check_rounds
from clew.plan.models.common import (
    Question,
    around,
    choose_team,
    count_graph,
    count_workspace,
    itemsize,
    model,
    over_products,
)
from clew.plan.parts import Sketch, Span

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
    return _ranks(ask, check_fraction("damping", ask.arguments["damping"]), personal=personal)


@model("random_walk_with_restart")
def random_walk_with_restart(ask: Question) -> Sketch:
    """PageRank whose jumps lead to one vertex."""
    return _ranks(ask, 1 - check_fraction("restart", ask.arguments["restart"]), personal=True)


def _ranks(ask: Question, damping: float, *, personal: bool) -> Sketch:
    graph, n, arcs = ask.graph, ask.graph.num_vertices, ask.graph.num_arcs
    wide, weighted = itemsize(ask.arguments["dtype"]), bool(ask.arguments["weighted"])
    sketch = Sketch(iterations=rounds(ask, damping, personal=personal))
    assert sketch.iterations is not None
    sketch.passes = sketch.iterations
    count_graph(sketch, ask, incoming=True)
    given = {key: ask.arguments[key] for key in ("dtype", "max_iterations")} | {"weighted": weighted}
    longest = int(graph.degrees("in").max(initial=0)) if ask.on_gpu else 0
    if ask.on_gpu:
        from clew.algorithms.pagerank.cuda import products_pay

        given["products"] = products_pay(longest, arcs) and not weighted
    count_workspace(sketch, ask, "pagerank", **given)
    if personal:
        sketch.keep("where jumps lead", "scratch", n, 8)
    if ask.arguments.get("start") is not None:
        sketch.keep("where the walk starts", "scratch", n, 8)
    sketch.choose(
        "direction", "pull throughout", "every vertex sums up its in-edges: no atomics, and the same bits always"
    )
    if ask.on_gpu:
        _on_gpu(sketch, ask, wide, longest, products=given["products"])
        return sketch
    from clew.engines.cpu.team import AHEAD, ahead_of, fixed_blocks

    rows = graph.incoming if not graph.directed or graph.has_incoming else graph.outgoing
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


def _on_gpu(sketch: Sketch, ask: Question, wide: int, longest: int, *, products: bool) -> None:
    from clew.algorithms.pagerank.cuda import UNEVEN_FROM

    n, arcs = ask.graph.num_vertices, ask.graph.num_arcs
    assert sketch.iterations is not None
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
    count_workspace(sketch, ask, "hits", max_iterations=most)
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


# Numbers looked up for every edge, over all rounds, as measured.
CORE_EDGE, COLOR_EDGE, COLOR_ROUNDS_EDGE, SET_EDGE = 30.0, 30.0, 19.0, 20.0
LABEL_EDGE = 7.5  # in a round
COLOR_NEAR, SET_NEAR, LABEL_NEAR = 0.5, 0.8, 0.8  # of them near by
# Bytes that a GPU could have read in the time that an edge takes.
GPU_CORE, GPU_COLOR, GPU_SET, GPU_LABEL = 800.0, 2000.0, 105.0, 128.0


def _around_both_ways(ask: Question, iterations: Span | None) -> tuple[Sketch, float]:
    """A sketch with the edges of both directions, and how many there are."""
    sketch = Sketch(iterations=iterations)
    count_graph(sketch, ask, incoming=True)
    return sketch, ask.graph.num_arcs * (2.0 if ask.graph.directed else 1.0)


@model("k_core")
def k_core(ask: Question) -> Sketch:
    """Peeling."""
    sketch, arcs = _around_both_ways(ask, None)
    count_workspace(sketch, ask, "k_core")
    sketch.choose("direction", "push from what is peeled", "each edge is looked at when one of its ends goes")
    if ask.on_gpu:
        sketch.choose("load balance", "rows by length", "a lane, a warp or a block for a vertex")
        sketch.do("peeling", around(arcs), 0, streamed=GPU_CORE, steps=Span(20, 200, 2000))
        return sketch
    choose_team(sketch, ask.graph.num_arcs, "each member peels a block of vertices with about as many edges")
    sketch.do("peeling", around(CORE_EDGE * arcs), ask.spread(ask.id_bytes), streamed=0.5, steps=Span(5, 100, 1000))
    return sketch


@model("coloring")
def coloring(ask: Question) -> Sketch:
    """In an order, or by rounds."""
    by_rounds = ask.arguments["method"] == "rounds"
    sketch, arcs = _around_both_ways(ask, Span(5, 20, 200) if by_rounds else Span.exactly(1))
    order = ask.arguments["order"]
    count_workspace(sketch, ask, "coloring", method=ask.arguments["method"], order=order)
    if by_rounds:
        sketch.choose("direction", "pull", "the largest and the smallest value around win a round")
    else:
        sketch.choose(
            "direction", "push to those that wait", f"a vertex is coloured after its neighbours before it ({order})"
        )
    edge = COLOR_ROUNDS_EDGE if by_rounds else COLOR_EDGE
    if ask.on_gpu:
        sketch.choose("load balance", "rows by length", "a lane, a warp or a block for a vertex")
        sketch.do("colouring", around(arcs), 0, streamed=GPU_SET if by_rounds else GPU_COLOR, steps=Span(20, 200, 2000))
        return sketch
    choose_team(sketch, ask.graph.num_arcs, "members take vertices as they come")
    if order == "smallest_last" and not by_rounds:
        sketch.do("order", around(2 * edge * arcs), ask.spread(8), streamed=0.5, threads=1)
    steps = sketch.iterations or Span.exactly(1)
    sketch.do("colouring", around(edge * arcs), ask.spread(8), streamed=0.5, steps=steps, near=COLOR_NEAR)
    return sketch


@model("maximal_independent_set")
def maximal_independent_set(ask: Question) -> Sketch:
    """Luby's rounds."""
    sketch, arcs = _around_both_ways(ask, Span(3, 7, 30))
    assert sketch.iterations is not None
    count_workspace(sketch, ask, "maximal_independent_set")
    sketch.choose(
        "direction", "pull", "a vertex joins when its key is the smallest around; who has such a neighbour leaves"
    )
    if ask.on_gpu:
        sketch.choose("load balance", "rows by length", "a lane, a warp or a block for a vertex")
        sketch.do("rounds", around(arcs), 0, streamed=GPU_SET, steps=sketch.iterations.times(3))
        return sketch
    choose_team(sketch, ask.graph.num_arcs, "members take vertices that are left")
    steps = sketch.iterations.times(3)
    sketch.do("rounds", around(SET_EDGE * arcs), ask.spread(8), streamed=0.5, steps=steps, near=SET_NEAR)
    return sketch


@model("label_propagation")
def label_propagation(ask: Question) -> Sketch:
    """Rounds of counting neighbours' labels."""
    from clew import threads

    most = check_most_rounds(ask.arguments["max_iterations"], least=0)
    sketch, arcs = _around_both_ways(ask, Span(2, 10, most).at_most(most))
    assert sketch.iterations is not None
    sketch.passes = sketch.iterations
    count_workspace(sketch, ask, "label_propagation", max_iterations=most)
    sketch.choose(
        "direction", "pull", "a vertex counts the labels around it, if one of them changed in the round before"
    )
    if ask.on_gpu:
        sketch.choose("load balance", "rows by length", "short rows in registers, longer ones in tables")
        sketch.do(
            "rounds", sketch.iterations.times(around(arcs)), 0, streamed=GPU_LABEL, steps=sketch.iterations.times(3)
        )
        return sketch
    choose_team(sketch, ask.graph.num_arcs * most, "members take blocks of vertices")
    items = sketch.iterations.times(around(LABEL_EDGE * arcs))
    # Votes are counted in an array, too, which every thread has for itself.
    spread = ask.spread(ask.id_bytes + 4 * threads.count())
    sketch.do("rounds", items, spread, streamed=0.5, steps=sketch.iterations.times(2), near=LABEL_NEAR)
    return sketch
