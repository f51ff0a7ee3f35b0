"""Pictures of graphs: dots and lines for small ones, the density of vertices and edges for large ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.checks import array, counted, whole
from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.plots.binning import number
from clew.plots.chart import Chart, Image, Panel, Series, empty
from clew.plots.coloring import Paint, paint_of
from clew.plots.image import Frame, edges_image, over, vertices_image
from clew.plots.layout import layout
from clew.plots.render import check, render
from clew.plots.theme import Look, look, rgb

MOST_DOTS = 2_000
MOST_STROKES = 1_500  # edges drawn as lines of the figure; more become an image
NAMED = 20  # vertices with the most edges, which an image marks
STANDS_OUT = 4  # times as many edges as the mean
HEIGHT = 640


def picture(
    graph: Graph,
    color: Any = None,
    *,
    value: str | None = None,
    places: Any = None,
    seed: int = 0,
    title: str | None = None,
    dark: bool = False,
    backend: str = "plotly",
) -> Any:
    """Draw the graph.

    Up to 2,000 vertices are dots that show their names. For larger graphs the picture shows the density of vertices and
    edges, and the names of the vertices with the most edges.

    Parameters
    ----------
    graph
        The graph; directions and weights are ignored.
    color
        What to colour vertices by: a ``Result``, or an array with an entry per vertex.
    value
        The name of the result's value; by default the first.
    places
        The positions of vertices, an array of shape (n, 2); by default ``clew.plots.layout(graph, seed=seed)``.
    seed
        The seed of the layout.
    title
        The title of the picture.
    dark
        Draw for a dark page.
    backend
        "plotly" or "matplotlib".
    """
    check_graph(graph)
    whole("seed", seed, 0)
    check(backend, title)
    heading = title or "The graph"
    if graph.num_vertices == 0:
        return render(empty(heading, "The graph has no vertices."), dark=dark, backend=backend)
    paint = paint_of(graph, color, value)
    at = layout(graph, seed=seed) if places is None else _as_places(places, graph)
    colors = look(dark)
    draw = _dots if graph.num_vertices <= MOST_DOTS else _density
    panel = draw(graph, at, paint, seed, colors)
    alt = f"A picture of {_counted(graph)}"
    alt += f", coloured by {paint.title}." if paint else "."
    legend = paint.title if paint and paint.group is not None else ""
    chart = Chart(heading, [panel], alt, height=HEIGHT, note=_counted(graph), legend=legend)
    return render(chart, dark=dark, backend=backend)


def _dots(graph: Graph, at: Array, paint: Paint | None, seed: int, colors: Look) -> Panel:
    """Every vertex as a dot, the larger the more edges it has; edges as lines, or as an image where they are many."""
    source, target, _ = graph.edges()
    strokes, image = [], None
    if source.size <= MOST_STROKES:
        nowhere = np.full((source.size, 1), np.nan, dtype=np.float32)
        ends = [np.hstack([at[source, i, None], at[target, i, None], nowhere]).ravel() for i in (0, 1)]
        strokes = [Series("line", ends[0], ends[1], faint=True, gaps=True)]
    else:
        frame = Frame(at)
        image = Image(edges_image(frame, at, source, target, seed, colors), frame.extent)
    degree = _degrees(graph)
    size = np.clip(200 / np.sqrt(graph.num_vertices), 4, 14) * (0.7 + 0.9 * np.sqrt(degree / max(1, degree.max())))
    return Panel([*strokes, *_points(graph, np.arange(at.shape[0]), at, paint, degree, size)], image=image, bare=True)


def _density(graph: Graph, at: Array, paint: Paint | None, seed: int, colors: Look) -> Panel:
    """How many vertices and edges are where, and the vertices with the most edges to point at."""
    frame = Frame(at)
    source, target, _ = graph.edges()
    plain = np.broadcast_to(np.array(rgb(colors.palette[0]), dtype=np.float32), (at.shape[0], 3))
    dot = 3 if graph.num_vertices < 8_000 else 2 if graph.num_vertices < 60_000 else 1
    vertices = vertices_image(frame, at, paint.colors(colors) if paint else plain, dot)
    image = Image(over(vertices, edges_image(frame, at, source, target, seed, colors)), frame.extent)
    degree = _degrees(graph)
    hubs = np.argsort(-degree, kind="stable")[:NAMED]
    hubs = hubs[degree[hubs] > STANDS_OUT * degree.mean()]
    return Panel(_points(graph, hubs, at, paint, degree, np.full(hubs.size, 9.0), ring=True), image=image, bare=True)


def _points(
    graph: Graph, shown: Array, at: Array, paint: Paint | None, degree: Array, size: Array, *, ring: bool = False
) -> list[Series]:
    """Some vertices with their names: a series for each group, or one for all."""
    hover = np.array(_hover_texts(graph, shown, paint, degree), dtype=object)
    place = at[shown]

    def series(chosen: Array, **more: Any) -> Series:
        x, y = place[chosen].T if chosen.any() else ([None], [None])  # the legend shows a group of nobody too
        return Series("points", x, y, hover=hover[chosen].tolist(), size=size[chosen], ring=ring, **more)

    everyone = np.ones(shown.size, dtype=bool)
    if paint is None:
        return [series(everyone, tint=0)]
    if paint.group is not None:
        groups = zip(paint.labels, paint.tints, strict=True)
        return [series(paint.group[shown] == i, name=label, tint=tint) for i, (label, tint) in enumerate(groups)]
    assert paint.value is not None
    return [series(everyone, values=paint.value[shown], limits=paint.limits, scale_title=paint.title)]


def _hover_texts(graph: Graph, shown: Array, paint: Paint | None, degree: Array) -> list[str]:
    """What is known about some vertices, to be shown where one points at them."""
    names = shown.tolist() if graph.names is None else graph.names.take(shown).to_pylist()
    texts = [f"{name} ({counted(edges, 'edge')})" for name, edges in zip(names, degree[shown].tolist(), strict=True)]
    if paint is None:
        return texts
    if paint.group is not None:
        more = [paint.labels[group] for group in paint.group[shown]]
    else:
        assert paint.value is not None
        more = ["none" if np.isnan(value) else number(value) for value in paint.value[shown].tolist()]
    return [f"{vertex}, {paint.title} {what}" for vertex, what in zip(texts, more, strict=True)]


def _degrees(graph: Graph) -> Array:
    """Edges at each vertex, in and out."""
    return graph.degrees("out") + graph.degrees("in") if graph.directed else graph.degrees()


def _counted(graph: Graph) -> str:
    return f"{counted(graph.num_vertices, 'vertex')} and {counted(graph.num_edges, 'edge')}"


def _as_places(places: Any, graph: Graph) -> Array:
    at = array("places", places)
    if at.dtype.kind not in "iuf":
        raise GraphError(f"places has dtype {at.dtype}; expected numbers, two per vertex.")
    at = at.astype(np.float32)
    if at.shape != (graph.num_vertices, 2) or not np.isfinite(at).all():
        raise GraphError(
            f"places has shape {at.shape}; expected two finite numbers per vertex, that is ({graph.num_vertices}, 2)."
        )
    return at
