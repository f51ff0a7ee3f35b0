"""LDBC Graphalytics graphs written: three files, each whole or not there.

All three are written under temporary names before the first takes its place: properties, vertices and edges in that
order, but the one that the caller named last, so that whoever waits for it finds the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack

import numpy as np

from clew.dtypes import Array
from clew.errors import FormatError
from clew.graph import Graph
from clew.io.ldbc.files import SUFFIXES, stem_of
from clew.io.ldbc.properties import STRUCTURE, properties_text
from clew.io.options import WriteOptions
from clew.io.sink import Sink
from clew.io.text.writer import write_table


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write the graph's vertices, edges and properties; ``sink`` is one of the three files.

    Ids are the names of the vertices, which have to be integers, or 0…n-1 where they have none. Vertices and edges are
    both compressed like the file that the caller named, the properties only if they are that file.
    """
    if sink.suffix not in SUFFIXES:
        raise FormatError(
            f"the name ends in {sink.suffix!r}; expected NAME.e, NAME.v or NAME.properties, which are the files of an "
            "LDBC graph.",
            path=sink.path,
        )
    ids = _ids(graph, sink)
    stem = stem_of(sink.path)
    source, target, weights = graph.edges()
    text = properties_text(stem, _properties(graph, stem, sink))
    with ExitStack() as others:

        def opened(suffix: str) -> Sink:
            if sink.suffix == suffix:
                return sink
            compression = "" if suffix == ".properties" else sink.compression or ""
            return others.enter_context(Sink(sink.path.with_name(stem + suffix + compression)))

        edges, vertices, properties = (opened(suffix) for suffix in SUFFIXES)
        properties.write(text)
        write_table(vertices, [ids])
        columns = [ids[source], ids[target]] if graph.names is not None else [source, target]
        write_table(edges, columns if weights is None else [*columns, weights], progress=options.progress)


def _ids(graph: Graph, sink: Sink) -> Array:
    if graph.names is None:
        return np.arange(graph.num_vertices)
    if not graph.names.are_integers:
        raise FormatError(
            f"ids of an LDBC graph are integers, but the vertices have names such as {graph.names[0]!r}; write another "
            "format, or a graph without names.",
            path=sink.path,
        )
    ids: Array = graph.names.array.to_numpy(zero_copy_only=False)
    if ids.size and (ids.min() < 0 or ids.max() > np.iinfo(np.int64).max):
        wrong = ids.min() if ids.min() < 0 else ids.max()
        raise FormatError(f"the name of a vertex is {wrong}; ids of an LDBC graph go from 0 to 2^63-1.", path=sink.path)
    return ids


def _properties(graph: Graph, stem: str, sink: Sink) -> dict[str, str]:
    """What describes the files, and the parameters of algorithms that the graph came with."""
    given = graph.metadata.get("ldbc", {})
    if not isinstance(given, Mapping):
        raise FormatError(f"metadata['ldbc'] is {given!r}; expected a dictionary of strings.", path=sink.path)
    parameters = {str(key): str(value) for key, value in given.items() if key not in STRUCTURE}
    for key, value in parameters.items():
        if not key or set(key) & set("=: \t\r\n#!") or set(value) & set("\r\n") or value != value.strip():
            raise FormatError(
                f"metadata['ldbc'] has {key!r}: {value!r}, which is no property of one line; change or remove it.",
                path=sink.path,
            )
    found = {
        "vertex-file": f"{stem}.v",
        "edge-file": f"{stem}.e",
        "meta.vertices": str(graph.num_vertices),
        "meta.edges": str(graph.num_edges),
        "directed": str(graph.directed).lower(),
    }
    if graph.weights is not None:
        name = parameters.get("sssp.weight-property", "weight")
        found["edge-properties.names"] = name if re.fullmatch(r"[^,\s]+", name) else "weight"
        found["edge-properties.types"] = "real" if graph.weights.dtype.kind == "f" else "integer"
    return found | parameters
