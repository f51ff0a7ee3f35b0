"""The facts of a graph, as text and as HTML, and its figures."""

from __future__ import annotations

import importlib
from dataclasses import asdict, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.checks import counted

if TYPE_CHECKING:
    from clew.graph import Graph


@dataclass(frozen=True, slots=True)
class Description:
    """The basic facts of a graph."""

    vertices: int
    edges: int
    directed: bool
    weights: str | None
    self_loops: int
    isolated: int
    degree_min: int
    degree_mean: float
    degree_median: float
    degree_max: int
    id_dtype: str
    names: str | None
    bytes: int
    report: str
    packed: bool = False
    bytes_per_arc: float | None = None
    vertex_columns: tuple[str, ...] = ()
    edge_columns: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in asdict(self).items()}


def describe(graph: Graph) -> Description:
    """The facts of ``graph``; one pass over its offsets."""
    degrees = graph.degrees()
    some = degrees.size > 0
    alone = degrees == 0
    if graph.directed and some and alone.any():
        alone &= graph.degrees("in") == 0
    return Description(
        vertices=graph.num_vertices,
        edges=graph.num_edges,
        directed=graph.directed,
        weights=None if graph.weight_dtype is None else str(graph.weight_dtype),
        self_loops=graph.num_loops,
        isolated=int(alone.sum()),
        degree_min=int(degrees.min()) if some else 0,
        degree_mean=float(degrees.mean()) if some else 0.0,
        degree_median=float(np.median(degrees)) if some else 0.0,
        degree_max=int(degrees.max()) if some else 0,
        id_dtype=str(graph.outgoing.id_dtype),
        names=graph.name_type,
        bytes=graph.nbytes,
        report=graph.report.counts,
        packed=graph.is_packed,
        bytes_per_arc=graph.outgoing.stored_bytes / graph.num_arcs if graph.num_arcs else None,
        **_columns(graph),
    )


def _columns(graph: Graph) -> dict[str, Any]:
    tables = {"vertex_columns": graph.attributes.vertices, "edge_columns": graph.attributes.edges}
    return {name: tuple(table.column_names) for name, table in tables.items() if table is not None}


def facts(description: Description) -> list[tuple[str, str]]:
    """The rows of a table: label and value."""
    d = description
    degree = "degree" if not d.directed else "out-degree"
    return [
        ("vertices", f"{d.vertices:,}"),
        ("edges", f"{d.edges:,} {'directed' if d.directed else 'undirected'}"),
        ("weights", d.weights or "none"),
        (degree, f"{d.degree_min:,} to {d.degree_max:,}, mean {d.degree_mean:.2f}, median {d.degree_median:g}"),
        ("isolated vertices", f"{d.isolated:,}"),
        ("self-loops", f"{d.self_loops:,}"),
        ("names", d.names or f"0 to {d.vertices - 1}" if d.vertices else "none"),
        ("memory", f"{human_bytes(d.bytes)} ({d.id_dtype} ids{', packed' if d.packed else ''})"),
        *([] if d.bytes_per_arc is None else [("bytes per stored edge", f"{d.bytes_per_arc:.2f}, offsets included")]),
        ("built from", d.report),
        *([("vertex columns", ", ".join(d.vertex_columns))] if d.vertex_columns else []),
        *([("edge columns", ", ".join(d.edge_columns))] if d.edge_columns else []),
    ]


def as_text(description: Description) -> str:
    """One line for the summary, one for each group of facts."""
    d = description
    kind = "directed" if d.directed else "undirected"
    weights = f"{d.weights} weights" if d.weights else "unweighted"
    packed = " packed" if d.packed else ""
    columns = "".join(
        f"\n  {of} columns: {', '.join(names)}"
        for of, names in (("vertex", d.vertex_columns), ("edge", d.edge_columns))
        if names
    )
    return (
        f"Graph: {counted(d.vertices, 'vertex')}, {counted(d.edges, f'{kind} edge')}, {weights}\n"
        f"  degree {d.degree_min:,} to {d.degree_max:,}, mean {d.degree_mean:.2f}, median {d.degree_median:g}; "
        f"{d.isolated:,} isolated, {counted(d.self_loops, 'self-loop')}\n"
        f"  {human_bytes(d.bytes)}{packed}, {d.id_dtype} ids{f', names are {d.names}' if d.names else ''}; "
        f"{d.report}{columns}"
    )


def as_html(description: Description) -> str:
    """A small table for notebooks; colours are left to the notebook's theme."""
    left = 'style="text-align:left"'
    rows = "".join(
        f'<tr><th scope="row" {left}>{escape(what)}</th><td {left}>{escape(value)}</td></tr>'
        for what, value in facts(description)
    )
    return f"<table><caption>clew.Graph</caption><tbody>{rows}</tbody></table>"


def human_bytes(count: int) -> str:
    """``1536`` as ``1.5 KiB``."""
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            return f"{int(size)} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


class DrawnGraph:
    """The figures of a graph."""

    def plot(self, color: Any = None, *, seed: int = 0, **options: Any) -> Any:
        """Draw the graph: dots and lines, or the density of vertices if there are thousands.

        Parameters
        ----------
        color
            What to colour vertices by: a ``Result`` (its first value), the name of a vertex column, or an array with
            an entry per vertex.
        seed
            The seed of the layout.
        **options
            As in ``clew.plots.picture``: ``value``, ``title``, ``dark``, ``backend``.
        """
        return plots().picture(self, color, seed=seed, **options)

    def plot_degrees(self, **options: Any) -> Any:
        """Plot the degree distribution on log-log axes; ``options`` as in ``clew.plots.degrees``."""
        return plots().degrees(self, **options)


def plots() -> Any:
    """``clew.plots``, loaded on first use: it imports graphs and results, which know it only by name."""
    return importlib.import_module("clew.plots")
