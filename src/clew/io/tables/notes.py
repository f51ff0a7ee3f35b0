"""What a table that clew wrote says about its graph, in JSON in the metadata of its schema.

An edge table alone cannot say whether edges are directed, how many vertices there are and, where the rows would not
bring them back in the same order, what all of them are called.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.errors import FormatError
from clew.graph import Graph
from clew.io.sink import Sink
from clew.io.source import Source
from clew.names import VertexNames

KEY = b"clew"
MAX_NOTE_BYTES = 1 << 25  # readers of tables load the whole of the metadata first, and some refuse 100 MB of it


@dataclass(frozen=True, slots=True)
class Note:
    """What a table that clew wrote says about its graph."""

    directed: bool = True
    num_vertices: int | None = None
    named: bool = False
    names: list[Any] | None = None


def write_note(graph: Graph, sink: Sink) -> bytes:
    """The bytes that go into the metadata of the schema, under ``KEY``."""
    note = {"directed": graph.directed, "num_vertices": graph.num_vertices, "named": graph.names is not None}
    if graph.names is None:
        return json.dumps(note).encode()
    used = np.zeros(graph.num_vertices, dtype=np.bool_)
    used[graph.indices] = True
    used |= np.diff(graph.indptr) > 0
    complete = bool(used.all())
    if complete and _come_back_in_order(graph.names):
        return json.dumps(note).encode()
    text = json.dumps(note | {"names": graph.names.array.to_pylist()}, ensure_ascii=False).encode()
    if len(text) <= MAX_NOTE_BYTES:
        return text
    if not complete:
        raise FormatError(
            f"{np.count_nonzero(~used):,} vertices have no edges, and the list of all names takes {len(text):,} bytes, "
            "too many for the metadata of a table. Write a .clew or .npz file instead.",
            path=sink.name,
        )
    return json.dumps(note).encode()


def _come_back_in_order(names: VertexNames) -> bool:
    """Whether mapping the names in the table gives these ids again: true of ascending 64-bit integers."""
    import pyarrow as pa

    if not pa.types.is_int64(names.array.type):
        return False
    values = names.array.to_numpy()
    return bool(np.all(values[1:] > values[:-1]))


def read_note(metadata: Mapping[bytes, bytes] | None, source: Source) -> Note:
    """What the metadata of a schema says, or nothing where clew did not write it."""
    text = (metadata or {}).get(KEY)
    if text is None:
        return Note()
    try:
        given = json.loads(text)
        note = Note(given["directed"], given["num_vertices"], given["named"], given.get("names"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        note = Note(None)  # type: ignore[arg-type]
    whole = type(note.num_vertices) is int and 0 <= note.num_vertices < 1 << 62
    listed = note.names is None or (isinstance(note.names, list) and len(note.names) == note.num_vertices)
    if not (isinstance(note.directed, bool) and isinstance(note.named, bool) and whole and listed):
        raise source.error(
            f"the schema's metadata has an entry 'clew' that clew did not write ({text[:100]!r}); "
            "remove it from the file."
        )
    return note
