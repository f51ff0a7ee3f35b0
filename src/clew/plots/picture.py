"""Pictures of graphs: dots and lines for small ones, the density of vertices and edges for large ones.

Density is an image: more vertices or edges at a place make it more opaque.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clew import threads
from clew.attributes import vertex_column
from clew.checks import array, counted, whole
from clew.dtypes import Array, is_on_gpu
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.plots import kernels
from clew.plots.chart import Chart, Image, Look, Panel, Series, check, empty, look, render, rgb
from clew.plots.layout import layout
from clew.plots.values import WORDS, answered, is_skewed, labels_of, number, short
from clew.result import Result

MOST_DOTS = 2_000
MOST_STROKES = 1_500  # edges drawn as lines of the figure; more become an image
NAMED = 20  # vertices with the most edges, which have a ring
STANDS_OUT = 4  # times as many edges as the mean
HEIGHT = 640
SHOWN_GROUPS = 6  # groups with their own colour; the others share one
PIXELS = 640  # along each side
MOST_LINES = 200_000  # a random sample of this many edges looks the same
SEVERAL = 4  # images to draw lines on in parallel


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
        What to colour vertices by: a ``Result``, the name of a vertex column, or an array with an entry per vertex.
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
    paint = _paint_of(graph, color, value)
    at = layout(graph, seed=seed) if places is None else _as_places(places, graph)
    draw = _dots if graph.num_vertices <= MOST_DOTS else _density
    panel = draw(graph, at, paint, seed, look(dark))
    size = f"{counted(graph.num_vertices, 'vertex')} and {counted(graph.num_edges, 'edge')}"
    alt = f"A picture of {size}{f', coloured by {paint.title}' if paint.title else ''}."
    legend = paint.title if paint.group is not None else ""
    chart = Chart(heading, [panel], alt, height=HEIGHT, note=size, legend=legend)
    return render(chart, dark=dark, backend=backend)


def _dots(graph: Graph, at: Array, paint: Paint, seed: int, colors: Look) -> Panel:
    """A dot for every vertex, larger for more edges; edges are lines, or an image if they are many."""
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


def _density(graph: Graph, at: Array, paint: Paint, seed: int, colors: Look) -> Panel:
    """The density of vertices and edges, and rings around the vertices with the most edges."""
    frame = Frame(at)
    source, target, _ = graph.edges()
    dot = 3 if graph.num_vertices < 8_000 else 2 if graph.num_vertices < 60_000 else 1
    vertices = vertices_image(frame, at, paint.colors(colors), dot)
    image = Image(over(vertices, edges_image(frame, at, source, target, seed, colors)), frame.extent)
    degree = _degrees(graph)
    hubs = np.argsort(-degree, kind="stable")[:NAMED]
    hubs = hubs[degree[hubs] > STANDS_OUT * degree.mean()]
    return Panel(_points(graph, hubs, at, paint, degree, np.full(hubs.size, 9.0), ring=True), image=image, bare=True)


def _points(
    graph: Graph, shown: Array, at: Array, paint: Paint, degree: Array, size: Array, *, ring: bool = False
) -> list[Series]:
    """The ``shown`` vertices with their names: a series for each group, or one for all."""
    hover = np.array(_hover_texts(graph, shown, paint, degree), dtype=object)
    place = at[shown]

    def series(chosen: Array, **more: Any) -> Series:
        x, y = place[chosen].T if chosen.any() else ([None], [None])  # the legend also shows empty groups
        return Series("points", x, y, hover=hover[chosen].tolist(), size=size[chosen], ring=ring, **more)

    if paint.group is not None:
        groups = zip(paint.labels, paint.tints, strict=True)
        return [series(paint.group[shown] == i, name=label, tint=tint) for i, (label, tint) in enumerate(groups)]
    everyone = np.ones(shown.size, dtype=bool)
    return [series(everyone, values=paint.value[shown], limits=paint.limits, scale_title=paint.title)]


def _hover_texts(graph: Graph, shown: Array, paint: Paint, degree: Array) -> list[str]:
    """The hover texts of the ``shown`` vertices."""
    names = shown.tolist() if graph.names is None else graph.names.take(shown).to_pylist()
    texts = [f"{name} ({counted(edges, 'edge')})" for name, edges in zip(names, degree[shown].tolist(), strict=True)]
    if not paint.title:
        return texts
    if paint.group is not None:
        more = [paint.labels[group] for group in paint.group[shown]]
    else:
        more = ["none" if np.isnan(value) else number(value) for value in paint.value[shown].tolist()]
    return [f"{vertex}, {paint.title} {what}" for vertex, what in zip(texts, more, strict=True)]


def _degrees(graph: Graph) -> Array:
    """Edges at each vertex, in and out."""
    return graph.degrees("out") + graph.degrees("in") if graph.directed else graph.degrees()


def _as_places(places: Any, graph: Graph) -> Array:
    at = array("places", places)
    if at.dtype.kind not in "iuf":
        raise GraphError(f"places has dtype {at.dtype}; expected numbers, two per vertex.")
    at = at.astype(np.float32)
    if at.shape != (graph.num_vertices, 2) or not np.isfinite(at).all():
        expected = f"two finite numbers per vertex, that is ({graph.num_vertices}, 2)"
        raise GraphError(f"places has shape {at.shape}; expected {expected}.")
    return at


class Paint(NamedTuple):
    """The colouring of vertices.

    Either ``group`` is the index in ``labels`` of every vertex, where the last label is for all other groups. Or
    ``value`` is an array with a number per vertex, mapped to the colour scale, with NaN for none. Vertices without a
    colouring are one group without a title.
    """

    title: str
    group: Array | None = None
    labels: tuple[str, ...] = ()
    value: Any = None

    def colors(self, look: Look) -> Array:
        """Red, green and blue of every vertex."""
        if self.group is not None:
            return np.array([rgb(look.palette[tint]) for tint in self.tints], dtype=np.float32)[self.group]
        low, high = self.limits
        at = np.linspace(low, high if high > low else low + 1, len(look.scale))
        channels = [np.interp(self.value, at, channel) for channel in zip(*map(rgb, look.scale), strict=True)]
        return np.where(np.isnan(self.value)[:, None], rgb(look.faint), np.stack(channels, axis=1)).astype(np.float32)

    @property
    def tints(self) -> list[int]:
        """The palette index of every label; "others" has the last one."""
        return [i if i < SHOWN_GROUPS else -1 for i in range(len(self.labels))]

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest number."""
        known = self.value[~np.isnan(self.value)]
        return (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def _paint_of(graph: Graph, color: Any, value: str | None) -> Paint:
    """The colouring by a result (its first value, or the named one), or by an array with an entry per vertex."""
    if color is None:
        return Paint("", group=np.zeros(graph.num_vertices, dtype=np.int64), labels=("",))
    if isinstance(color, Result):
        host = color.numpy()
        name = value or next(iter(host.values), "")
        column, title = np.asarray(host._column(value)), name
    else:
        host, name, title = None, value or "", value or (color if isinstance(color, str) else "value")
        color = _vertex_column(graph, color) if isinstance(color, str) else color
        column = array("color", color.get() if is_on_gpu(color) else color)
    if column.shape != (graph.num_vertices,):
        expected = f"a value per vertex, that is ({graph.num_vertices},)"
        raise GraphError(f"color has shape {column.shape}; expected {expected}.")
    if name in WORDS or column.dtype.kind in "bOUS":
        return _grouped(host, name, column, WORDS.get(name, title))
    if column.dtype.kind not in "iuf":
        raise GraphError(f"color has dtype {column.dtype}; expected numbers, booleans or strings.")
    return _scaled(host, name, column, title)


def _vertex_column(graph: Graph, name: str) -> Array:
    """A column of the vertices; text that is missing is a group of its own, and missing numbers are NaN."""
    values = vertex_column(graph, name).to_numpy()
    return values if values.dtype != object else np.array(["missing" if one is None else str(one) for one in values])


def _grouped(host: Result | None, name: str, column: Array, title: str) -> Paint:
    values, group, sizes = np.unique(column, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.minimum(np.arange(order.size), SHOWN_GROUPS)
    labels = labels_of(host, name, values[order[:SHOWN_GROUPS]])
    if order.size > SHOWN_GROUPS:
        labels.append("others")
    return Paint(title, group=rank[group.ravel()], labels=tuple(map(short, labels)))


def _scaled(host: Result | None, name: str, column: Array, title: str) -> Paint:
    known = answered(name, column, host)
    value = np.where(known, column.astype(np.float64), np.nan)
    some = value[known]
    if is_skewed(some[some > 0]) and (some >= 0).all():
        value = np.where(value > 0, np.log10(np.where(value > 0, value, 1)), np.nan)
        title = f"log₁₀ {title}"
    return Paint(title, value=value)


class Frame:
    """A square of the plane that contains all positions; ``extent`` is left, right, bottom, top."""

    def __init__(self, places: Array) -> None:
        low, high = places.min(axis=0).astype(np.float64), places.max(axis=0).astype(np.float64)
        half = max(float((high - low).max()), 1.0) * 0.52
        middle = (low + high) / 2
        self.extent = middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half

    def pixels(self, places: Array) -> tuple[Array, Array]:
        """Columns and rows of pixels, as floats; row 0 is at the top."""
        left, right, _, top = self.extent
        scale = PIXELS / (right - left)
        x = (places[:, 0] - np.float32(left)) * np.float32(scale)
        y = (np.float32(top) - places[:, 1]) * np.float32(scale)
        return np.clip(x, 0, PIXELS - 1), np.clip(y, 0, PIXELS - 1)


def edges_image(frame: Frame, places: Array, source: Array, target: Array, seed: int, look: Look) -> Array:
    """The edges, faint."""
    if source.size > MOST_LINES:
        chosen = np.random.default_rng(seed).choice(source.size, MOST_LINES, replace=False)
        source, target = source[chosen], target[chosen]
    images = np.empty((SEVERAL, PIXELS, PIXELS), dtype=np.uint32)
    begin, end = frame.pixels(places[source]), frame.pixels(places[target])
    threads.each(kernels.lines, SEVERAL, SEVERAL, *begin, *end, images)
    colors = np.empty((PIXELS, PIXELS, 4), dtype=np.uint8)
    colors[..., :3] = rgb(look.faint)
    # The fewer lines, the stronger they are; many strong ones would cover everything.
    colors[..., 3] = _opacity(images.sum(axis=0), float(np.clip(1_500 / max(1, source.size), 0.12, 0.5)), 0.6)
    return colors


def vertices_image(frame: Frame, places: Array, paint: Array, size: int) -> Array:
    """The vertices, in the mean of their colours; a vertex covers ``size`` by ``size`` pixels."""
    x, y = frame.pixels(places)
    pixel = y.astype(np.int64) * PIXELS + x.astype(np.int64)
    count = _thick(np.bincount(pixel, minlength=PIXELS * PIXELS).reshape(PIXELS, PIXELS).astype(np.float64), size)
    colors = np.empty((PIXELS, PIXELS, 4), dtype=np.uint8)
    for channel in range(3):
        sums = np.bincount(pixel, paint[:, channel], PIXELS * PIXELS).reshape(PIXELS, PIXELS)
        colors[..., channel] = _thick(sums, size) / np.maximum(count, 1)
    colors[..., 3] = _opacity(count, 0.45, 1.0)
    return colors


def over(upper: Array, lower: Array) -> Array:
    """One image seen through another."""
    front, back = upper[..., 3:] / 255.0, lower[..., 3:] / 255.0
    opacity = front + back * (1 - front)
    mixed = upper[..., :3] * front + lower[..., :3] * back * (1 - front)
    seen = np.empty_like(upper)
    seen[..., :3] = mixed / np.maximum(opacity, 1e-9)
    seen[..., 3:] = opacity * 255
    return seen & np.uint8(0xF8)  # the last bits are invisible, and without them files are much smaller


def _opacity(count: Array, least: float, most: float) -> Array:
    """0 where the count is 0, else between ``least`` and ``most`` on a logarithmic scale."""
    largest = np.log1p(float(count.max(initial=1)))
    share = least + (most - least) * np.log1p(count) / largest
    return np.where(count > 0, share * 255, 0).astype(np.uint8)


def _thick(image: Array, size: int) -> Array:
    """Enlarge every pixel to a square of pixels."""
    total = np.zeros_like(image)
    for down in range(size):
        for right in range(size):
            total[down:, right:] += image[: PIXELS - down, : PIXELS - right]
    return total
