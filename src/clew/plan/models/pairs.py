"""Pairs of vertices that share neighbours, random walks, and samples."""

from __future__ import annotations

import numpy as np

from clew.algorithms.similarity.cpu import workspace as pair_arrays
from clew.algorithms.similarity.cuda import workspace as pair_arrays_on_gpu
from clew.dtypes import Array
from clew.graph import Graph
from clew.plan.models.common import ONCE, Sketch, model
from clew.plan.parts import Span

TWO_STEPS = 45.0  # numbers looked up for a path of two edges, as measured
SAMPLES = 512  # edges whose ends are read
SHARED_EDGE, PAIR = 2.0, 30.0  # numbers looked up for every entry of two rows, and for a pair
BEST = 1000.0  # numbers looked up to choose the most similar of a vertex
STEP = 6.0  # numbers looked up for a step
DRAWN = 12.0  # the same for a drawn edge
GPU_PATH = 100.0  # bytes that a GPU could have read in the time that a path of two edges takes
GPU_STEP = 200.0  # bytes that a GPU could have read in the time that a step takes
FIRST = 3e-5  # seconds to set up


@model
def similarity(sketch: Sketch) -> None:
    """Two rows are merged for every pair."""
    graph, pairs = sketch.graph, sketch.arguments.get("pairs")
    count = graph.num_edges if pairs is None else len(pairs)
    _begin(sketch)
    for what, space in (pair_arrays_on_gpu if sketch.on_gpu else pair_arrays)(graph, count):
        sketch.keep(what, space.role, space.nbytes, 1, "gpu" if sketch.on_gpu else "host")
    if sketch.on_gpu:
        sketch.choose("method", "one row searched in the other", "a warp takes a pair")
        shorter = float(_shorter_rows(graph).mean()) if graph.num_arcs else 0.0
        sketch.do("pairs", (1 + shorter / 8) * count, streamed=GPU_STEP, steps=Span.exactly(3))
        return
    sketch.choose("method", "rows merged, or one searched", "rows are sorted, and some are much longer than others")
    shorter = float(_shorter_rows(graph).mean()) if graph.num_arcs else 0.0
    sketch.do("pairs", (PAIR + 6 * SHARED_EDGE * shorter) * count, sketch.spread(8), streamed=1.0)


@model
def most_similar(sketch: Sketch) -> None:
    """Every vertex adds up what it shares with those two steps away."""
    _begin(sketch)
    sketch.count_workspace(k=sketch.arguments["k"])
    into = sketch.graph.degrees("in").astype(np.float64)
    if sketch.on_gpu:
        sketch.choose("method", "two steps from every vertex", "a block takes a vertex; no list of all pairs is made")
        sketch.do("two steps", float(into @ into) + sketch.arcs, streamed=GPU_PATH, steps=Span.exactly(4))
        return
    sketch.choose("method", "two steps from every vertex", "no list of all pairs is made")
    steps = TWO_STEPS * float(into @ into) + BEST * sketch.vertices
    sketch.do("two steps", steps, sketch.spread(8), streamed=1.0)


def _shorter_rows(graph: Graph) -> Array:
    """The lower degree of the two ends of some edges; pairs of edges that are asked about are like these."""
    chosen = np.random.default_rng(0).integers(0, graph.num_arcs, SAMPLES)
    sources = np.searchsorted(graph.indptr, chosen, side="right") - 1
    degrees = graph.degrees()
    return np.minimum(degrees[sources], degrees[graph.indices[chosen]])


@model
def random_walks(sketch: Sketch) -> None:
    """Every walk by itself."""
    _walks(sketch, STEP)


@model
def node2vec_walks(sketch: Sketch) -> None:
    """Every walk by itself; a step is drawn until it is accepted."""
    _walks(sketch, 4 * STEP)


def _walks(sketch: Sketch, step: float) -> None:
    length, weighted = sketch.arguments["length"], sketch.arguments["weighted"]
    count = sketch.count_of("sources") * sketch.arguments["walks"]
    _begin(sketch)
    sketch.count_workspace("random_walks", num_walks=count, length=length, weighted=weighted)
    sketch.choose("load balance", "a thread to a walk", "every walk has its own random numbers")
    sketch.do("steps", step * count * max(1, length), sketch.spread(8), streamed=GPU_STEP if sketch.on_gpu else 0.0)


@model
def sample_neighbors(sketch: Sketch) -> None:
    """A few edges of every vertex, hop after hop."""
    vertices, edges = float(sketch.count_of("sources")), 0.0
    for fanout in sketch.arguments["fanouts"]:
        vertices *= min(fanout, sketch.shape.mean_degree) if fanout >= 0 else sketch.shape.mean_degree
        edges += min(vertices, sketch.arcs)
    _begin(sketch)
    sketch.setting_up += 10 * FIRST
    sketch.choose("load balance", "a thread to a vertex", "every vertex has its own random numbers")
    sketch.do("edges", DRAWN * edges + 1, sketch.spread(8), streamed=GPU_STEP if sketch.on_gpu else 0.0)


def _begin(sketch: Sketch) -> None:
    sketch.iterations = ONCE
    sketch.setting_up += FIRST
    sketch.count_graph()
