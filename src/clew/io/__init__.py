"""Graphs from files and back: ``clew.read`` and ``clew.write`` find the format, and say what it cannot hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from clew import checks
from clew.attributes import NO_ATTRIBUTES
from clew.checks import counted
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.io import foreign, registry
from clew.io.options import ReadOptions, WriteOptions, noted
from clew.io.ranges import open_source, url_of
from clew.io.registry import EDGE_LIST, GAP_SUFFIXES, TABLE_SUFFIXES, Format
from clew.io.sink import Sink, StreamSink
from clew.io.source import Source
from clew.progress import showing

__all__ = ["read", "write"]

FOLDER = "clewd"  # the format that is no file
LONG = 1 << 22  # bytes; fewer take less than a second, even if they are unpacked or turned into text
#: Reads the files of a pattern on the workers of a cluster, while one is open.
on_cluster: Callable[[Any, dict[str, Any]], Any] | None = None


def read(origin: str | Path | bytes | memoryview, format: str | None = None, **options: Any) -> Graph:  # noqa: A002
    """Read a graph from a file in any known format.

    Parameters
    ----------
    origin
        A path, an address that ``pyarrow.fs`` opens such as ``s3://bucket/edges.parquet``, or the bytes themselves.
        ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` are unpacked on the way. So is the only file of a zip or tar
        archive; ``graph.zip::edges.csv`` names one of several.
    format
        The name of the format; by default the content decides where it leaves no doubt, then the suffix. Files in
        formats that clew does not read, such as LEDA or RDF, are refused by name.
    **options
        See ``clew.io.options.ReadOptions``: directed, duplicates, loops, weights, weight_dtype, ids, delimiter, header,
        source, target, weight, columns, vertices, max_expanded_bytes, check, packed, progress.

    Returns
    -------
    Graph

    Raises
    ------
    FormatError
        With the file, the line and the column where there is one, what was found and what was expected.
    """
    chosen = _options(ReadOptions, options)
    if on_cluster is not None and isinstance(origin, (str, Path)):
        if chosen.columns or chosen.vertices is not None:
            raise GraphError("graphs on a cluster have no columns; remove columns= and vertices=.")
        if chosen.packed:
            raise GraphError("graphs on a cluster are not packed; remove packed=True.")
        spread: Graph = on_cluster(origin, {**options, "format": format})
        return spread
    return read_opened(open_source(origin, chosen.max_expanded_bytes), format, chosen)


def read_opened(source: Source, format: str | None, chosen: ReadOptions) -> Graph:  # noqa: A002
    """Read a graph from what is open already: a pipe can be read once only."""
    one = format_of(source, format, chosen)
    try:
        with showing(f"reading {Path(source.name).name}", unit="B", when=source.stored_bytes >= LONG) as report:
            graph = import_module("clew.io.packed").read_packed(source, one, chosen) if chosen.packed else None
            if graph is None:
                graph = one.read(source, _reporting(chosen, report))
                graph = graph.packed(consume=True) if chosen.packed else graph
    except GraphError as error:
        raise source.error(error.problem, remedy=error.remedy, option=error.option) from None
    if chosen.vertices is not None:
        graph = _of_columns().with_vertices(graph, chosen.vertices)
    if chosen.weight is not None and not (one.names_weights or graph.edge_columns.num_columns):
        raise GraphError(
            f"weight is {chosen.weight!r}, but {one.title} has no names for its weights.",
            remedy="Leave it out to read the weights that there are, or pass weights=False.",
        )
    note = None if format else registry.contradiction(one, source.suffix)
    return graph if note is None else noted(graph, note)


def format_of(source: Source, format: str | None, chosen: ReadOptions) -> registry.Format:  # noqa: A002
    """The format that was named, or else the format of the content."""
    if format:
        one = registry.named(format)
        foreign.refuse_what_is_no_graph(source.head(), source.name)
        return one
    # Only edge lists have a delimiter, and with one that is rare they look like nothing known.
    otherwise = registry.EDGE_LIST if chosen.delimiter is not None else None
    return registry.detect(source.head(), source.suffix, source.name, otherwise)


def write(graph: Graph, path: str | Path, format: str | None = None, **options: Any) -> list[str]:  # noqa: A002
    """Write a graph; the suffix names the format and, after it, the compression.

    The file appears under its name only when it is whole: an error or Ctrl-C leaves what was there before.

    Parameters
    ----------
    graph
        What to write.
    path
        Where to, for example ``"graph.mtx"`` or ``"edges.csv.gz"``. A graph on a cluster goes to a folder such as
        ``"graph.clewd"``, without passing through this process.
    format
        The name of the format, where the suffix does not say it.
    **options
        See ``clew.io.options.WriteOptions``: delimiter, header, vertices, progress.

    Returns
    -------
    list of str
        What the format has no place for, such as names or direction, so that a reader will not find it; a phrase each.
    """
    chosen = _options(WriteOptions, options)
    if hasattr(graph, "write_tiles"):  # it is on a cluster
        graph.write_tiles(path, format)
        return []
    _refuse_result(graph, path)
    check_graph(graph)
    if (url := url_of(path)) is not None:
        if not url.partition("?")[0].endswith(".clewd"):
            raise GraphError("only .clewd folders are written to addresses; write a local file, and copy it there.")
        registry.named(FOLDER).function("write_folder")(graph, url, chosen)
        return []
    sink = Sink(checks.path(path))
    one = registry.for_writing(sink.suffix, sink.name, format)
    write_opened(graph, sink, one, chosen)
    if chosen.vertices is not None:
        _of_columns().write_vertices(graph, chosen.vertices)
    return lost(graph, one, sink.suffix, vertices_written=chosen.vertices is not None)


def write_opened(graph: Graph, sink: Sink, one: registry.Format, chosen: WriteOptions) -> None:
    """Write a graph to what a caller has chosen already: a stream has no name to tell the format from."""
    assert one.write is not None
    if one.name == FOLDER:
        if isinstance(sink, StreamSink):
            raise sink.error("a .clewd is a folder, which cannot go to a stream; write a .clew file.")
        with showing(f"writing {sink.path.name}", unit="B", when=graph.nbytes >= LONG) as report:
            one.write(graph, sink, _reporting(chosen, report))
        return
    with sink, showing(f"writing {sink.path.name}", unit="B", when=graph.nbytes >= LONG) as report:
        one.write(graph, sink, _reporting(chosen, report))


def _reporting(chosen: Any, report: Any) -> Any:
    """The options with a way to report, unless the caller has given one."""
    return chosen if report is None or chosen.progress is not None else replace(chosen, progress=report)


def _refuse_result(graph: Any, path: Any) -> None:
    """Say how results are written to a caller who passes one instead of a graph."""
    if not (hasattr(graph, "algorithm") and hasattr(graph, "to_pandas")):
        return
    call = "to_parquet" if str(path).endswith((".parquet", ".pq")) else "to_csv"
    raise GraphError(
        f"this is the result of {graph.algorithm}; expected a clew.Graph.",
        remedy=f"Write the table of the result: result.to_pandas().{call}({str(path)!r}, index=False).",
    )


def _options(options_class: Any, given: dict[str, Any]) -> Any:
    unknown = sorted(set(given) - set(options_class.__slots__))
    if unknown:
        raise GraphError(f"there is no option {unknown[0]!r}; expected one of {', '.join(options_class.__slots__)}.")
    return options_class(**given)


def _of_columns() -> Any:
    """The part of this package for columns, which loads Arrow."""
    return import_module("clew.io.attributes")


def lost(
    graph: Graph, one: Format, suffix: str, undirected: str = "directed=False", *, vertices_written: bool = False
) -> list[str]:
    """What is not kept where the graph is written in this format to a file with this suffix, a phrase each.

    ``undirected`` is the option with which a file is read as an undirected graph.
    """
    is_list = one.name == EDGE_LIST
    lists_edges = is_list or one.name == "npy"
    # An edge list says how many vertices there are only if it has no edges, and its direction only in a comment.
    has_count = is_list and not graph.num_arcs and graph.names is None and suffix not in TABLE_SUFFIXES
    keeps = one.keeps.split()
    has_direction = "direction" in keeps and not (is_list and suffix in (*TABLE_SUFFIXES, *GAP_SUFFIXES))
    phrases = []
    if graph.names is not None and "names" not in keeps:
        phrases.append("the names of vertices, which are numbers there")
    if lists_edges and not has_count and (isolated := graph.describe().isolated):
        phrases.append(f"{counted(isolated, 'vertex')} without edges")
    if not graph.directed and not has_direction:
        phrases.append(f"that edges go both ways: read it with {undirected}")
    if not graph.weighted and (one.name in ("dimacs", "dimacs-max") or (one.name == "gap" and suffix == ".wsg")):
        phrases.append("that edges have no weights: each has weight 1 there")
    if "metadata" not in keeps and (dropped := [key for key in graph.metadata if key not in keeps]):
        phrases.append(f"the metadata {', '.join(map(str, dropped))}")
    if graph.attributes != NO_ATTRIBUTES:
        is_table = one.name in ("parquet", "arrow") or (is_list and suffix in TABLE_SUFFIXES)
        has_columns = "columns" in keeps or one.name in ("clew", FOLDER)
        phrases += _of_columns().lost_columns(graph, has_columns or is_table, has_columns or vertices_written)
    return phrases
