"""What hangs together: connected_components and strongly_connected_components."""

from __future__ import annotations

from clew.plan.models.common import Question, around, choose_team, count_graph, model, over_products
from clew.plan.models.traversal import PULLED_EDGE, PULLED_VERTEX
from clew.plan.parts import Sketch
from clew.plan.span import Span

VERTEX = 40.0  # numbers looked up for every vertex, as measured: joining over two edges, flattening, counting
NEAR = 0.5  # of them near by
EDGE_ONE_WAY = 1.0  # for every edge where edges are stored one way only
STRONG_EDGE, STRONG_VERTEX = 6.0, 20.0  # by one thread's depth-first search
GPU_VERTEX = 250.0  # bytes that a GPU could have read in the time that a vertex takes


@model("connected_components")
def connected_components(ask: Question) -> Sketch:
    """Two edges of every vertex first, the rest only where they may still join something."""
    sketch = Sketch(iterations=Span.exactly(1))
    graph, n = ask.graph, ask.graph.num_vertices
    count_graph(sketch, ask, incoming=graph.has_incoming)
    sketch.keep("label", "result", n, ask.id_bytes, ask.memory)
    if ask.on_gpu:
        _on_gpu(sketch, ask)
        return sketch
    _weak(sketch, ask)
    return sketch


def _weak(sketch: Sketch, ask: Question) -> None:
    graph, n = ask.graph, ask.graph.num_vertices
    sketch.keep("sizes, at most", "scratch", n, 8)
    sketch.keep("ranks of the roots", "scratch", n, ask.id_bytes)
    one_way = graph.directed and not graph.has_incoming
    if one_way:
        sketch.keep("marks", "scratch", -(-n // 64), 8)
    sketch.choose(
        "direction",
        "out-edges alone" if one_way else "edges of either direction" if graph.directed else "edges as they are",
        "making in-edges would cost more than it saves"
        if one_way
        else "two edges of every vertex join most of the largest component; its other edges are left out",
    )
    choose_team(sketch, graph.num_arcs + n, "members take blocks of rows with about as many edges each")
    items = VERTEX * n + (EDGE_ONE_WAY * graph.num_arcs if one_way else 0.0)
    sketch.do("joining", around(items), ask.spread(ask.id_bytes), streamed=1.0, steps=Span.exactly(8), near=NEAR)


def _on_gpu(sketch: Sketch, ask: Question) -> None:
    from clew.algorithms.connected_components.cuda import LONG_ROW, SAMPLED_FROM, sampling_pays

    n, arcs = ask.graph.num_vertices, ask.graph.num_arcs
    sketch.keep("long rows", "scratch", arcs // LONG_ROW + 1, ask.id_bytes, "gpu")
    sketch.keep("sizes", "scratch", n, ask.id_bytes, "gpu")
    sampled = sampling_pays(n, arcs)
    sketch.choose(
        "method",
        "two edges of every vertex first" if sampled else "edges within tiles first",
        f"{ask.shape.mean_degree:.3g} edges to a vertex, against {SAMPLED_FROM} from which on two are a small part",
    )
    sketch.choose("load balance", "rows by length", f"rows of more than {LONG_ROW:,} edges are shared by a block")
    sketch.do("joining", around(n), 0, streamed=GPU_VERTEX, steps=Span.exactly(10))


@model("strongly_connected_components")
def strongly_connected_components(ask: Question) -> Sketch:
    """One depth-first search; of a large graph, the largest component by two breadth-first searches before it."""
    from clew.algorithms.strongly_connected_components.cpu import SEARCHED_FIRST

    sketch = Sketch(iterations=Span.exactly(1))
    graph, n, wide = ask.graph, ask.graph.num_vertices, ask.id_bytes
    first = graph.directed and graph.num_arcs > SEARCHED_FIRST
    count_graph(sketch, ask, incoming=first or (not graph.directed) or graph.has_incoming)
    sketch.keep("label", "result", n, wide)
    if not graph.directed:
        if ask.on_gpu:
            over_products(sketch, ask, ask.shape.levels.times(Span(2, 6, 50)))
            return sketch
        sketch.choose("method", "connected components", "in an undirected graph they are the same")
        _weak(sketch, ask)
        return sketch
    if ask.on_gpu:
        over_products(sketch, ask, ask.shape.levels.times(Span(4, 12, 100)))
        return sketch
    sketch.keep("reach, stack and places", "scratch", n, 2 * wide + 8)
    edges, vertices = float(graph.num_arcs), float(n)
    if first:
        sketch.keep("two searches", "scratch", n, 2 * (4 + 2 * wide))
        sketch.choose(
            "method",
            "two searches, then depth first",
            f"more than {SEARCHED_FIRST:,} edges: the largest component is found by all threads first",
        )
        items = 2 * (PULLED_VERTEX * n + PULLED_EDGE * graph.num_arcs)
        sketch.do("searches both ways", around(items), ask.spread(4), streamed=1.0, steps=ask.shape.levels.times(2))
        edges, vertices = edges / 4, vertices / 2  # what is left of a graph with one large component
    else:
        sketch.choose("method", "depth first", f"{graph.num_arcs:,} edges, of {SEARCHED_FIRST:,} from which on it pays")
        sketch.team = 1
    sketch.choose("load balance", "one thread", "a depth-first search is a chain, each step of which needs the last")
    items = STRONG_EDGE * edges + STRONG_VERTEX * vertices
    sketch.do("depth-first search", around(items), ask.spread(wide), streamed=1.0, threads=1)
    return sketch
