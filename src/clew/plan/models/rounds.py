"""Algorithms that peel or change vertices round by round: k_core, coloring, independent sets, label propagation."""

from __future__ import annotations

from clew.algorithms.pagerank.arguments import check_most_rounds
from clew.plan.models.common import Question, around, choose_team, count_graph, count_workspace, model
from clew.plan.parts import Sketch
from clew.plan.span import Span

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
    n, wide, order = ask.graph.num_vertices, ask.id_bytes, ask.arguments["order"]
    sketch.keep("color", "result", n, 4, ask.memory)
    if by_rounds:
        sketch.keep("counts above and below", "scratch", 2 * n, 4, ask.memory)
        sketch.keep("queue", "scratch", n, wide * (2 if ask.on_gpu else 1), ask.memory)
        sketch.choose("direction", "pull", "the largest and the smallest value around win a round")
    else:
        sketch.keep("labels and order", "scratch", n, 16 + wide, ask.memory)
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
    n, wide = ask.graph.num_vertices, ask.id_bytes
    assert sketch.iterations is not None
    sketch.keep("member", "result", n, 1, ask.memory)
    sketch.keep("keys", "scratch", n, 8, ask.memory)
    sketch.keep("vertices left", "scratch", (4 if ask.on_gpu else 2) * n, wide, ask.memory)
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
    n, wide = ask.graph.num_vertices, ask.id_bytes
    assert sketch.iterations is not None
    sketch.passes = sketch.iterations
    sketch.keep("label", "result", n, wide, ask.memory)
    sketch.keep("labels of the next round", "scratch", n, wide, ask.memory)
    sketch.keep("who is awake", "scratch", n, 1, ask.memory)
    sketch.choose(
        "direction", "pull", "a vertex counts the labels around it, if one of them changed in the round before"
    )
    if ask.on_gpu:
        from clew.algorithms.label_propagation.cuda import TABLES_BYTES

        sketch.keep("queues", "scratch", 2 * n, wide, "gpu")
        sketch.keep("tables of long rows, at most", "scratch", min(TABLES_BYTES, int(arcs) * 16), 1, "gpu")
        sketch.choose("load balance", "rows by length", "short rows in registers, longer ones in tables")
        sketch.do(
            "rounds", sketch.iterations.times(around(arcs)), 0, streamed=GPU_LABEL, steps=sketch.iterations.times(3)
        )
        return sketch
    sketch.keep("votes of every thread", "scratch", n * threads.count(), 4)
    choose_team(sketch, ask.graph.num_arcs * most, "members take blocks of vertices")
    items = sketch.iterations.times(around(LABEL_EDGE * arcs))
    # Votes are counted in an array, too, which every thread has for itself.
    spread = ask.spread(wide + 4 * threads.count())
    sketch.do("rounds", items, spread, streamed=0.5, steps=sketch.iterations.times(2), near=LABEL_NEAR)
    return sketch
