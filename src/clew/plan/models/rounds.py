"""Algorithms in rounds: ranks that flow along edges, and vertices that are peeled or changed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.arguments import check_fraction, check_most_rounds, check_rounds
from clew.algorithms.pagerank.cuda import UNEVEN_FROM, products_pay
from clew.engines.cpu.team import AHEAD, ahead_of, fixed_blocks
from clew.plan.models.common import ONCE, Sketch, model, values_like
from clew.plan.models.convergence import katz_rounds, rank_rounds, spectrum_of, walks_in
from clew.plan.parts import Span

EDGE, VERTEX = 1.2, 4.0  # numbers looked up in a round, as measured
TURN = 14.0  # and those that a core could have looked up in the time that the end of a row takes it by surprise
TINY = 1e-300  # in place of a tolerance of 0
SURE = 2.0  # how far off a number of rounds may be
POWER_VERTEX, POWER_ROUND = 16.0, 4e-5  # numbers looked up, as measured; and seconds for the calls of a round
GPU_EDGE = 22.0  # bytes that a GPU could have read in the time that an edge takes, of float32; of float64, 1.5 times
# Numbers looked up for every edge, over all rounds, as measured.
CORE_EDGE, COLOR_EDGE, COLOR_ROUNDS_EDGE, SET_EDGE = 30.0, 30.0, 19.0, 20.0
LABEL_EDGE = 10.0  # in a round
LEIDEN_EDGE, LOUVAIN_EDGE = 230.0, 200.0  # in an iteration
LEVELS_FIRST = 3e-4  # seconds that the levels of an iteration take, also on a small graph
COLOR_NEAR, SET_NEAR, LABEL_NEAR = 0.5, 0.8, 0.8  # of them near by
# Bytes that a GPU could have read in the time that an edge takes.
GPU_CORE, GPU_COLOR, GPU_SET, GPU_LABEL = 800.0, 2000.0, 105.0, 128.0
GPU_STEPS = Span(20, 200, 2000)


@model
def pagerank(sketch: Sketch) -> None:
    """Rounds of pulling."""
    personal = sketch.arguments.get("personalization") is not None
    _ranks(sketch, check_fraction("damping", sketch.arguments["damping"]), personal=personal)


@model
def random_walk_with_restart(sketch: Sketch) -> None:
    """PageRank whose jumps lead to one vertex."""
    _ranks(sketch, 1 - check_fraction("restart", sketch.arguments["restart"]), personal=True)


def _ranks(sketch: Sketch, damping: float, *, personal: bool) -> None:
    graph, n, arcs = sketch.graph, sketch.vertices, sketch.arcs
    wide, weighted = np.dtype(sketch.arguments["dtype"]).itemsize, bool(sketch.arguments["weighted"])
    rounds = sketch.iterations = sketch.passes = _rounds(sketch, damping, personal=personal)
    sketch.count_graph()
    given = {key: sketch.arguments[key] for key in ("dtype", "max_iterations")} | {"weighted": weighted}
    longest = int(graph.degrees("in").max(initial=0)) if sketch.on_gpu else 0
    if sketch.on_gpu:
        given["products"] = products_pay(longest, arcs) and not weighted
    sketch.count_workspace("pagerank", **given)
    if personal:
        sketch.keep("where jumps lead", "scratch", n, 8)
    if sketch.arguments.get("start") is not None:
        sketch.keep("where the walk starts", "scratch", n, 8)
    why = "every vertex sums up its in-edges: no atomics, and the same bits in every run"
    sketch.choose("direction", "pull throughout", why)
    if sketch.on_gpu:
        _ranks_on_gpu(sketch, rounds, wide, longest, products=given["products"])
        return
    rows = graph.incoming if graph.has_incoming else graph.outgoing
    blocks = fixed_blocks(rows).size - 1 if n else 0
    sketch.choose_team(arcs + n, f"threads share {blocks:,} blocks of roughly equal edge count")
    if n > 0 and ahead_of(rows, values_like(n, wide)) > 0:
        sketch.choose("prefetch", f"{AHEAD} edges ahead", "ranks are larger than a core's cache and rows are long")
    else:
        sketch.choose("prefetch", "none", "ranks are in the cache, or rows are too short to prefetch")
    items, spread = _product(sketch), sketch.spread(wide, incoming=True)
    sketch.do("rounds", items, spread, times=rounds, streamed=sketch.id_bytes / EDGE, steps=rounds)


def _rounds(sketch: Sketch, damping: float, *, personal: bool) -> Span:
    """How many rounds there may be."""
    tolerance, most = check_rounds(sketch.arguments["tolerance"], sketch.arguments["max_iterations"])
    if sketch.vertices == 0:
        return Span.exactly(0)
    if tolerance <= 0:
        return Span.exactly(most)
    if not 0 < damping < 1:
        return Span(1, 2, most) if damping <= 0 else Span(1, most, most)
    bound = math.log(tolerance / 2) / math.log(damping) + 1
    start = sketch.graph.vertex(sketch.arguments["source"]) if "source" in sketch.arguments else None
    likely = rank_rounds(sketch.graph, damping, min(tolerance, 0.5), personal=personal, start=start)
    return Span(max(1.0, likely / SURE), likely, max(bound, likely)).at_most(most)


def _product(sketch: Sketch) -> float:
    """Numbers looked up by a round that sums up the in-edges of every vertex."""
    return EDGE * sketch.arcs + VERTEX * sketch.vertices + TURN * sketch.surprises


def _ranks_on_gpu(sketch: Sketch, rounds: Span, wide: int, longest: int, *, products: bool) -> None:
    if products:
        sketch.choose("method", "products", f"{sketch.arcs:,} edges; the longest row has {longest:,}")
    else:
        sketch.choose("method", "all rounds in one launch", "the graph is small, or its rows have similar lengths")
    why = f"the longest row has {longest:,} edges; above {UNEVEN_FROM:,}, rows are sorted by length"
    uneven = longest > UNEVEN_FROM
    sketch.choose("load balance", "tiles of equal work" if products else "rows in classes" if uneven else "even", why)
    per_edge = GPU_EDGE * (1.5 if wide == 8 else 1.0) * (1.0 if uneven else 0.6)
    steps = rounds.times(3.0 if products else 0.5)
    sketch.do("rounds", sketch.arcs + sketch.vertices, times=rounds, streamed=per_edge, steps=steps)


@model
def hits(sketch: Sketch) -> None:
    """Two products a round."""
    graph, n, arcs = sketch.graph, sketch.vertices, sketch.arcs
    tolerance, most = check_rounds(sketch.arguments["tolerance"], sketch.arguments["max_iterations"])
    # A round is a product with the matrix and one with its transpose: the ratio of squares.
    likely = spectrum_of(graph, singular=True).rounds(math.sqrt(max(tolerance, TINY)), most)
    rounds = _settling(sketch, likely, tolerance, most) if arcs else Span.exactly(0)
    sketch.iterations = rounds
    sketch.count_graph()
    sketch.passes = rounds.times(2)
    sketch.count_workspace(max_iterations=most)
    sketch.choose("direction", "pull, forwards and backwards", "a product with the matrix and one with its transpose")
    if sketch.on_gpu:
        sketch.over_products(rounds.times(2))
        return
    sketch.choose_team(2 * (arcs + n), "threads share blocks of roughly equal edge count")
    items, spread = 2 * _product(sketch), sketch.spread(8, incoming=True)
    sketch.do("rounds", items, spread, times=rounds, streamed=sketch.id_bytes / EDGE, steps=rounds.times(3))


@model
def eigenvector(sketch: Sketch) -> None:
    """A product a round."""
    tolerance, most = check_rounds(sketch.arguments["tolerance"], sketch.arguments["max_iterations"])
    accuracy = max(tolerance, TINY) / math.sqrt(max(1, sketch.vertices))  # of one of the scores, whose squares add to 1
    _powers(sketch, _settling(sketch, spectrum_of(sketch.graph).rounds(accuracy, most), tolerance, most))


@model
def katz(sketch: Sketch) -> None:
    """A product a round."""
    tolerance, most = check_rounds(sketch.arguments["tolerance"], sketch.arguments["max_iterations"])
    likely = katz_rounds(sketch.graph, sketch.arguments["alpha"], max(tolerance, TINY))
    rounds = Span.exactly(most) if tolerance <= 0 else around_rounds(likely, most)
    _powers(sketch, rounds)


def _settling(sketch: Sketch, likely: float, tolerance: float, most: int) -> Span:
    """Rounds until scores settle; the maximum where each part of a graph has scores of its own."""
    if tolerance <= 0:
        return Span.exactly(most)
    apart = not sketch.shape.expanding or not walks_in(sketch.graph).forgetful
    return around_rounds(most if apart else likely, most)


def around_rounds(likely: float, most: int) -> Span:
    """A span around the likely number of rounds."""
    return Span(max(1.0, min(likely, most) / SURE), likely, likely * SURE).at_most(most)


def _powers(sketch: Sketch, rounds: Span) -> None:
    """Rounds of a product."""
    sketch.iterations = sketch.passes = rounds
    sketch.count_graph(weights=bool(sketch.arguments["weighted"]))
    sketch.keep("centrality", "result", sketch.vertices, 8)
    if sketch.on_gpu:
        sketch.over_products(rounds)
        return
    sketch.keep("vectors of a product", "scratch", 3 * sketch.vertices, 8)
    sketch.choose("direction", "pull throughout", "every vertex sums up its in-edges: the same bits in every run")
    items, spread = _product(sketch) + POWER_VERTEX * sketch.vertices, sketch.spread(8, incoming=True)
    sketch.setting_up += POWER_ROUND * rounds.likely
    sketch.do("rounds", items, spread, times=rounds, streamed=sketch.id_bytes / EDGE, steps=rounds)


def _count_both_directions(sketch: Sketch, **arguments: Any) -> int:
    """Count the graph and the workspace; returns the number of edges in both directions."""
    sketch.count_graph()
    sketch.count_workspace(**arguments)
    return sketch.arcs * (2 if sketch.graph.directed else 1)


def _on_gpu_by_row_length(sketch: Sketch, what: str, arcs: int, streamed: float, steps: Span = GPU_STEPS) -> None:
    sketch.choose("load balance", "rows by length", "a lane, a warp or a block for a vertex")
    sketch.do(what, arcs, streamed=streamed, steps=steps)


@model
def k_core(sketch: Sketch) -> None:
    """Peeling."""
    arcs = _count_both_directions(sketch)
    sketch.choose("direction", "push from peeled vertices", "each edge is read when one of its ends is removed")
    if sketch.on_gpu:
        _on_gpu_by_row_length(sketch, "peeling", arcs, GPU_CORE)
        return
    sketch.choose_team(sketch.arcs, "each thread peels a block of vertices; blocks have roughly equal edge counts")
    sketch.do("peeling", CORE_EDGE * arcs, sketch.spread(sketch.id_bytes), streamed=0.5, steps=Span(5, 100, 1000))


@model
def coloring(sketch: Sketch) -> None:
    """In an order, or by rounds."""
    method, order = sketch.arguments["method"], sketch.arguments["order"]
    by_rounds = method == "rounds"
    steps = sketch.iterations = Span(5, 20, 200) if by_rounds else ONCE
    arcs = _count_both_directions(sketch, method=method, order=order)
    if by_rounds:
        sketch.choose("direction", "pull", "vertices with a larger or smaller value than all neighbours win a round")
    else:
        why = f"a vertex is coloured after its neighbours that come first in the order ({order})"
        sketch.choose("direction", "push to waiting vertices", why)
    if sketch.on_gpu:
        _on_gpu_by_row_length(sketch, "colouring", arcs, GPU_SET if by_rounds else GPU_COLOR)
        return
    sketch.choose_team(sketch.arcs, "threads take vertices as they become ready")
    items = (COLOR_ROUNDS_EDGE if by_rounds else COLOR_EDGE) * arcs
    if order == "smallest_last" and not by_rounds:
        sketch.do("order", 2 * items, sketch.spread(8), streamed=0.5, threads=1)
    sketch.do("colouring", items, sketch.spread(8), streamed=0.5, steps=steps, near=COLOR_NEAR)


@model
def maximal_independent_set(sketch: Sketch) -> None:
    """Luby's rounds."""
    rounds = sketch.iterations = Span(3, 7, 30)
    arcs = _count_both_directions(sketch)
    why = "a vertex joins if its key is smaller than its neighbours' keys; its neighbours then leave"
    sketch.choose("direction", "pull", why)
    if sketch.on_gpu:
        _on_gpu_by_row_length(sketch, "rounds", arcs, GPU_SET, rounds.times(3))
        return
    sketch.choose_team(sketch.arcs, "threads take the remaining vertices")
    sketch.do("rounds", SET_EDGE * arcs, sketch.spread(8), streamed=0.5, steps=rounds.times(3), near=SET_NEAR)


@model
def label_propagation(sketch: Sketch) -> None:
    """Rounds of counting neighbours' labels."""
    most = check_most_rounds(sketch.arguments["max_iterations"], least=0)
    rounds = sketch.iterations = sketch.passes = Span(2, 10, most).at_most(most)
    arcs = _count_both_directions(sketch, max_iterations=most)
    why = "a vertex counts its neighbours' labels, if one of them changed in the round before"
    sketch.choose("direction", "pull", why)
    if sketch.on_gpu:
        sketch.choose("load balance", "rows by length", "short rows in registers, longer ones in tables")
        sketch.do("rounds", arcs, times=rounds, streamed=GPU_LABEL, steps=rounds.times(3))
        return
    sketch.choose_team(sketch.arcs * most, "threads take blocks of vertices")
    spread = sketch.spread(sketch.id_bytes + 4 * threads.count())  # every thread counts votes in an array of its own
    steps = rounds.times(2)
    sketch.do("rounds", LABEL_EDGE * arcs, spread, times=rounds, streamed=0.5, steps=steps, near=LABEL_NEAR)


@model
def leiden(sketch: Sketch) -> None:
    """Moves, refinement and contraction, on smaller and smaller graphs."""
    _communities(sketch, LEIDEN_EDGE)


@model
def louvain(sketch: Sketch) -> None:
    """Moves and contraction, on smaller and smaller graphs."""
    _communities(sketch, LOUVAIN_EDGE)


def _communities(sketch: Sketch, items: float) -> None:
    most = check_most_rounds(sketch.arguments["max_iterations"])
    times = sketch.iterations = Span(1, most, most)
    arcs = _count_both_directions(sketch)
    sketch.passes = times.times(Span(5, 15, 60))
    sketch.choose("direction", "pull", "a vertex adds up the weights of its edges to every neighbouring community")
    if sketch.on_gpu:
        sketch.choose("load balance", "rows by length", "short rows in registers, longer ones in tables")
        sketch.do("moves", arcs, times=sketch.passes, streamed=GPU_LABEL, steps=sketch.passes.times(40))
        return
    sketch.choose_team(3 * arcs, "threads take vertices of a batch, and one carries out the moves")
    spread = sketch.spread(sketch.id_bytes + 8 * threads.count())  # every thread adds up in an array of its own
    sketch.setting_up += LEVELS_FIRST * most
    sketch.do("moves", items * arcs, spread, times=times, streamed=0.5, near=LABEL_NEAR)
