"""``.clew``: a graph's own arrays in one file, mapped into memory instead of read.

Opening one takes milliseconds, however large it is: of a large one nothing but the header is looked at, and the arrays
are views of the file. ``sections`` describes the bytes. The sections are

- ``indptr`` (int64), ``indices`` (int32 or int64) and, where edges have weights, ``weights``: the compressed rows,
  sorted, an undirected edge in both directions;
- ``names`` (integers), or ``name_offsets`` (int64) and ``name_bytes`` (UTF-8): what the user calls the vertices;
- ``metadata/…``: arrays in the graph's metadata;

and the header holds ``directed``, ``report`` and ``metadata``.

A file that is damaged in transport shows it: the header always has its checksum compared, the arrays where they are
small (64 MiB at most) or the caller says ``check=True``. Only then are rows checked to be a graph, too, so a large file
from an untrusted origin should be read with ``check=True`` once. That undirected edges are there both ways takes longer
to see, and is looked at up to 4 MiB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clew.adjacency import COUNTS, Adjacency, BuildReport
from clew.dtypes import ID_DTYPES, MAX_INT32_VERTICES, WEIGHT_DTYPES, Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.io.binary import NAME_ARRAYS, names_from_arrays, names_to_arrays
from clew.io.native.sections import MAGIC, Container, write_sections
from clew.io.options import ReadOptions, WriteOptions, graph_from_rows, wanted_weights
from clew.io.registry import Match
from clew.io.sink import Sink
from clew.io.source import Source
from clew.names import VertexNames

SMALL = 1 << 26  # bytes that are checked in well under a tenth of a second,
SMALLER = 1 << 22  # and these too where every edge is to be found from both of its ends
ARRAY = "$array"


def sniff(head: bytes) -> Match:
    """Ours from the first byte to the eighth."""
    return Match.SURE if head.startswith(MAGIC) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Map a ``.clew`` file; copies nothing unless ``options`` ask for another graph than the file's."""
    container = Container(source)
    check = container.nbytes <= SMALL if options.check is None else options.check
    if check:
        container.verify(options.progress)
    indptr, indices, weights = _rows(container)
    directed, report = _flag(container.header, "directed"), _report(container.header)
    kept = metadata_from_json(container.header.get("metadata", {}), container.array)
    if not isinstance(kept, dict):
        raise GraphError(f"the header's metadata is a {type(kept).__name__}; expected a dictionary.")
    stored = {name: container.array(name) for name in NAME_ARRAYS if name in container}
    values = names_from_arrays(stored, check=check)
    names = None if values is None else VertexNames(values) if check else VertexNames.trusted(values)
    if check:
        both_ways = not directed and (options.check or container.nbytes <= SMALLER)
        _check_rows(indptr, indices, weights, both_ways)
    made_undirected = directed and options.directed is False
    if made_undirected or options.duplicates != "keep" or options.loops != "keep":
        known: dict[str, Any] = {"directed": directed, "names": names, "id_dtype": indices.dtype, "metadata": kept}
        return graph_from_rows(indptr, indices, weights, options, **known)
    rows = Adjacency(indptr, indices, wanted_weights(weights, options))
    directed = directed if options.directed is None else options.directed
    return Graph(rows, directed=directed, names=names, report=report, metadata=kept)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write everything there is to know about the graph."""
    tree, apart = metadata_to_json(graph.metadata)
    header = {
        "directed": graph.directed,
        "report": {name: getattr(graph.report, name) for name in COUNTS},
        "metadata": tree,
    }
    arrays: dict[str, Array] = {"indptr": graph.indptr, "indices": graph.indices}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    write_sections(sink, header, arrays | names_to_arrays(graph.names) | apart, options.progress)


def _rows(container: Container) -> tuple[Array, Array, Array | None]:
    """The compressed rows, as far as that can be told without reading them."""
    indptr, indices = container.array("indptr"), container.array("indices")
    weights = container.array("weights") if "weights" in container else None
    if indptr.ndim != 1 or not indptr.size or indptr.dtype != np.int64:
        raise GraphError(f"indptr has shape {indptr.shape} and dtype {indptr.dtype}; expected n+1 numbers of int64.")
    if indices.ndim != 1 or indices.dtype not in ID_DTYPES:
        raise GraphError(f"indices have shape {indices.shape} and dtype {indices.dtype}; expected int32 or int64.")
    if indices.dtype == np.int32 and indptr.size - 1 > MAX_INT32_VERTICES:
        raise GraphError(f"indices are int32, but there are {indptr.size - 1:,} vertices; expected int64.")
    if indptr[0] != 0 or indptr[-1] != indices.size:
        raise GraphError(f"indptr runs from {indptr[0]} to {indptr[-1]}; expected 0 to {indices.size:,}.")
    if weights is not None and weights.shape != indices.shape:
        raise GraphError(f"weights have shape {weights.shape}; expected one for each of {indices.size:,} arcs.")
    return indptr, indices, weights


def _check_rows(indptr: Array, indices: Array, weights: Array | None, both_ways: bool) -> None:
    """Refuse rows that do not make a graph as they are, though their checksums match."""
    graph = Graph.from_csr(indptr, indices, weights, directed=not both_ways, id_dtype=indices.dtype)
    copied = indices.size > 0 and not np.shares_memory(graph.indices, indices)
    if copied:  # because they had to be sorted
        raise GraphError("the rows are not sorted, as those of a .clew file must be. Write it anew.")


def _flag(header: dict[str, Any], name: str) -> bool:
    value = header.get(name)
    if not isinstance(value, bool):
        raise GraphError(f"the header says {name} is {value!r}; expected true or false.")
    return value


def _report(header: dict[str, Any]) -> BuildReport:
    given = header.get("report")
    if (
        not isinstance(given, dict)
        or set(given) != set(COUNTS)
        or not all(type(count) is int for count in given.values())
    ):
        raise GraphError(f"the header's report is {given!r}; expected numbers for {', '.join(sorted(COUNTS))}.")
    return BuildReport(**given)


def metadata_to_json(metadata: Mapping[str, Any]) -> tuple[Any, dict[str, Array]]:
    """What JSON can hold, and the arrays by name.

    An array anywhere in the tree becomes ``{"$array": "its name"}``. A key of the user's own that starts with ``$``
    gets a second one, so that nothing can be mistaken for an array.
    """
    arrays: dict[str, Array] = {}
    try:
        return _plain(metadata, "metadata", arrays), arrays
    except RecursionError:
        raise GraphError("the graph's metadata contains itself, or is nested too deeply to be written.") from None


def metadata_from_json(tree: Any, array: Callable[[str], Array]) -> Any:
    """The metadata again; ``array`` finds an array by its name."""
    try:
        return _rich(tree, array)
    except RecursionError:
        raise GraphError("the metadata is nested too deeply; expected what clew writes.") from None


def _rich(tree: Any, array: Callable[[str], Array]) -> Any:
    if isinstance(tree, list):
        return [_rich(item, array) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if isinstance(name := tree.get(ARRAY), str):
        return array(name)
    return {key.removeprefix("$"): _rich(value, array) for key, value in tree.items()}


def _plain(value: Any, place: str, arrays: dict[str, Array]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item() if value.dtype in WEIGHT_DTYPES else _refuse(value, place)
    if isinstance(value, np.ndarray):
        if value.dtype.newbyteorder("=") not in WEIGHT_DTYPES:
            _refuse(value, place)
        while place in arrays:  # {"a/b": …} and {"a": {"b": …}} lead to the same place
            place += "'"
        arrays[place] = value
        return {ARRAY: place}
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            _refuse(next(key for key in value if not isinstance(key, str)), f"a key of {place}")
        return {
            ("$" + key if key.startswith("$") else key): _plain(value[key], f"{place}/{key}", arrays) for key in value
        }
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}/{index}", arrays) for index, item in enumerate(value)]
    return _refuse(value, place)


def _refuse(value: Any, place: str) -> Any:
    kind = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    raise GraphError(
        f"{place} is {kind}, which a .clew file cannot hold; expected text, numbers, booleans, None, arrays of numbers "
        "and lists and dictionaries (with text as keys) of these. Leave it out of the graph's metadata, or convert it."
    )
