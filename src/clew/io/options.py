"""What a caller may ask of a reader or a writer, and what becomes of it.

Readers end with ``graph_from_rows`` or ``graph_from_edges``, so that ``ReadOptions`` mean the same in all of them. What
a reader decided by itself goes into the graph's report, with the option that overrides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clew.checks import flag, one_of, path, text, whole
from clew.dtypes import Array, weight_dtype
from clew.errors import GraphError
from clew.graph import Duplicates, Graph, Loops
from clew.names import VertexNames

Ids = Literal["auto", "keep", "map", "text"]

#: What to do on the command line about weights that a format cannot hold.
OTHER_WEIGHTS = "Drop them with --weights none, or take others, such as --weights random:1:255."

#: Called as ``progress(done_bytes, total_bytes_or_None)`` between blocks of work.
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read. ``None`` always means "what the file says, else the format's default".

    Parameters
    ----------
    directed
        Override what the format says about direction.
    duplicates, loops
        How to treat duplicate edges and self-loops (see ``Graph.from_edges``).
    weights
        True: weights are required. False: weights in the file are ignored. None: read them where present. A name means
        the same as ``weight``.
    weight_dtype
        Store weights as this dtype; a value that does not fit is an error.
    ids
        Edge lists and tables only. "keep": an integer in the file is the vertex id. "map": every id is a name, mapped
        to 0…n-1. "auto": keep where the integers are exactly 0…n-1, map otherwise. "text": every id is text, integers
        too. An id that is no plain integer, such as 007 or +5, makes all ids text anyway.
    delimiter, header
        Edge lists only: the separator and whether the first line names the columns; None detects both.
    source, target, weight
        Tables and edge lists: the columns, each by its name or by its position, counted from 1.
    columns
        Tables, edge lists with a delimiter, and ``.clew``: the names of the columns that become edge columns, or True
        for all that are left. None: those that clew wrote.
    vertices
        A table of vertices, as a path or an object: the columns of the vertices. The column of names is called
        "vertex", "id", "name" or "node", or is the first. Vertices that have no edges are added.
    max_expanded_bytes
        Stop decompressing after this many bytes; None is the larger of 1 GiB and 200 times the compressed size.
    check
        ``.clew`` only: verify checksums of the arrays. None verifies where that takes little time.
    packed
        Pack the graph. Parquet files and edge lists are read in pieces, once for each range of rows. The graph is
        never plain as a whole then: see "Packed graphs".
    progress
        Called between blocks.
    """

    directed: bool | None = None
    duplicates: Duplicates = "keep"
    loops: Loops = "keep"
    weights: bool | str | None = None
    weight_dtype: npt.DTypeLike | None = None
    ids: Ids = "auto"
    delimiter: str | None = None
    header: bool | None = None
    source: str | int | None = None
    target: str | int | None = None
    weight: str | int | None = None
    columns: bool | Sequence[str] | None = None
    vertices: Any = None
    max_expanded_bytes: int | None = None
    check: bool | None = None
    packed: bool = False
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if isinstance(self.weights, str):
            if self.weight not in (None, self.weights):
                raise GraphError(f"weight is {self.weight!r} and weights is {self.weights!r}; pass one of them.")
            object.__setattr__(self, "weight", self.weights)  # the dataclass is frozen
            object.__setattr__(self, "weights", None)
        if self.weight is not None and self.weights is False:
            raise GraphError(
                f"weight is {self.weight!r}, and weights=False ignores all weights; expected one of them.",
                remedy="Remove weight= or weights=.",
                option="Omit --weight-column or --weights.",
            )
        _check_where_given(self, flag, "directed", "weights", "header", "check", "packed")
        _check_where_given(self, text, "delimiter")
        _check_where_given(self, column, "source", "target", "weight")
        one_of("duplicates", self.duplicates, get_args(Duplicates))
        one_of("loops", self.loops, get_args(Loops))
        one_of("ids", self.ids, get_args(Ids))
        _check_where_given(self, weight_dtype, "weight_dtype")
        _check_where_given(self, columns, "columns")
        if self.max_expanded_bytes is not None:
            whole("max_expanded_bytes", self.max_expanded_bytes, 0)
        _check_progress(self.progress)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How to write.

    Parameters
    ----------
    delimiter, header
        Edge lists only.
    vertices
        The path of a second file for the columns of vertices: ``.parquet``, ``.arrow``, ``.csv`` or ``.tsv``.
    progress
        Called between blocks.
    """

    delimiter: str | None = None
    header: bool | None = None
    vertices: str | PathLike[str] | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        _check_where_given(self, text, "delimiter")
        _check_where_given(self, flag, "header")
        _check_where_given(self, lambda _, value: path(value), "vertices")
        _check_progress(self.progress)


def column(name: str, value: Any) -> str | int:
    """A column as a caller names it, checked."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise GraphError(f"{name} is {value!r}; expected the name of a column, or its position counted from 1.")
    return int(value)


def columns(name: str, value: Any) -> bool | tuple[str, ...]:
    """Columns as a caller names them, checked."""
    if isinstance(value, bool):
        return value or ()
    if isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise GraphError(f"{name} is {value!r}; expected True, or a list of the names of columns.")
    return tuple(value)


def _check_where_given(options: Any, check: Callable[[str, Any], Any], *names: str) -> None:
    for name in names:
        if (value := getattr(options, name)) is not None:
            object.__setattr__(options, name, check(name, value))  # the dataclass is frozen


def _check_progress(progress: Any) -> None:
    if progress is not None and not callable(progress):
        raise GraphError(f"progress is {progress!r}; expected a function that is called with (done, total).")


def graph_from_rows(
    indptr: Array,
    indices: Array,
    weights: Array | None,
    options: ReadOptions,
    *,
    directed: bool,
    names: Any = None,
    id_dtype: npt.DTypeLike | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Graph:
    """A graph from compressed rows of unknown quality; ``directed`` is what the file says.

    Rows of an undirected graph hold every edge in both directions. Read as directed, such an edge is two. Rows read as
    undirected must hold both directions, which is checked.
    """
    direction = directed if options.directed is None else options.directed
    policies: dict[str, Any] = {"directed": direction, "duplicates": options.duplicates, "loops": options.loops}
    more: dict[str, Any] = {"names": names, "id_dtype": id_dtype, "metadata": metadata}
    return Graph.from_csr(indptr, indices, requested_weights(weights, options), **policies, **more)


def graph_from_edges(
    source: Any,
    target: Any,
    weights: Array | None,
    options: ReadOptions,
    *,
    directed: bool,
    num_vertices: int | None = None,
    names: VertexNames | None = None,
    both_directions: bool = False,
    metadata: Mapping[str, Any] | None = None,
    edge_columns: Any = None,
) -> Graph:
    """A graph from one row per edge; ``directed`` and ``num_vertices`` are what the file says, if it says so.

    As with rows, an edge that the file calls undirected is two when read as directed. With ``names``, source and target
    are ids already. Without, ``options.ids`` decide what integers are; "auto" keeps them as ids also where the file
    says how many vertices there are. With ``both_directions``, an undirected edge has a row in each direction.
    """
    ids = "keep" if names is not None else options.ids
    if ids == "text":
        source, target, ids, num_vertices = _as_text(source), _as_text(target), "keep", None
    if ids == "auto":
        known = num_vertices is not None or not _integers(source, target)
        ids = "keep" if known or ids_are_dense(source, target) else "map"
    count = num_vertices if names is None else len(names)
    direction = directed if options.directed is None else options.directed
    edges = (source, target, requested_weights(weights, options), None if ids == "map" else count)
    policies = (directed and direction, options.duplicates, options.loops)
    more: dict[str, Any] = {"ids": ids, "names": names, "both_directions": both_directions, "metadata": metadata}
    graph = Graph.from_edges(*edges, *policies, **more, edge_columns=edge_columns, consume=True)
    if graph.directed == direction:
        return graph
    return graph._as_directed()


def noted(graph: Graph, *decisions: str, columns: Mapping[str, str] | None = None) -> Graph:
    """The graph with the decisions of its reader and, if its file has columns, their roles in the report."""
    old = graph.report
    report = old.about(old.columns if columns is None else columns, (*old.decisions, *decisions))
    return graph._with(report=report)


def ids_are_dense(source: Array, target: Array) -> bool:
    """Whether the integers of both columns are exactly 0…n-1, every one of them used."""
    if not source.size:
        return True
    high = max(int(source.max()), int(target.max()))
    if min(int(source.min()), int(target.min())) < 0 or high >= source.size + target.size:
        return False
    seen = np.zeros(high + 1, dtype=np.bool_)
    seen[source] = True
    seen[target] = True
    return bool(seen.all())


def requested_weights(weights: Array | None, options: ReadOptions) -> Array | None:
    """The weights of a file as requested: required, ignored, or in another dtype."""
    if options.weights is False:
        return None
    if weights is None:
        if options.weights:
            raise GraphError("weights=True needs edge weights, and there are none; remove weights=True.")
        return None
    return weights if options.weight_dtype is None else converted(weights, options.weight_dtype)


def converted(weights: Array, requested: npt.DTypeLike) -> Array:
    """The weights in another dtype. Floats are rounded to the nearest; any other loss is an error."""
    dtype = weight_dtype("weight_dtype", requested)
    if dtype == weights.dtype:
        return weights
    with np.errstate(invalid="ignore", over="ignore"):
        result = weights.astype(dtype)
        lost = ~_fitting(weights, result)
    if lost.any():
        raise GraphError(
            f"{np.count_nonzero(lost):,} weights do not fit {dtype}, the first of them {weights[lost.argmax()]}."
        )
    return result


def _fitting(weights: Array, result: Array) -> Any:
    """Which values survive the conversion to ``result``."""
    if result.dtype.kind == "f":
        return np.isfinite(result) | ~np.isfinite(weights)
    if result.dtype.kind == "b" or weights.dtype.kind == "b":
        return (weights == 0) | (weights == 1)
    limits = np.iinfo(result.dtype)
    if weights.dtype.kind == "f":
        # The largest integer may not be a float, the power of two above it is.
        return (weights >= float(limits.min)) & (weights < 2.0 ** int(limits.max).bit_length()) & (weights % 1 == 0)
    return (weights >= limits.min) & (weights <= limits.max)


def _as_text(column: Any) -> Any:
    """Integers as the text they would be written as; names are text already."""
    import pyarrow as pa

    return pa.array(column).cast(pa.large_string()) if _integers(column) else column


def _integers(*columns: Any) -> bool:
    return all(isinstance(column, np.ndarray) and column.dtype.kind in "iu" for column in columns)


def about_direction(directed: bool, options: ReadOptions, *, by: str = "") -> tuple[str, ...]:
    """What is decided about direction, if the caller does not say; ``by`` is what in the file says so."""
    if options.directed is not None:
        return ()
    if by:
        way = "directed=False (--undirected)" if directed else "directed=True (--directed)"
        return (f"Edges are {'directed' if directed else 'undirected'}, as {by} says. Pass {way} to override it.",)
    return ("Edges were read as directed. Pass directed=False (--undirected) if they go both ways.",)
