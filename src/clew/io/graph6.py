"""graph6, sparse6 and digraph6: a graph in a line of printable characters, as nauty and House of Graphs have them.

Each character stands for six bits, plus 63. The number of vertices comes first. graph6 has a bit per pair of vertices,
digraph6 (after ``&``) one per ordered pair. sparse6 (after ``:``) lists edges: a bit that moves to the next vertex v,
and a vertex x. An edge is {x, v}, unless x is above v and becomes v.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import transform
from clew.dtypes import Array
from clew.graph import Graph
from clew.io.attributed import has_parallel_edges
from clew.io.binary import refuse_rows
from clew.io.options import ReadOptions, WriteOptions, graph_from_edges
from clew.io.sink import Sink
from clew.io.source import Match, Source

HEADERS = {"": b">>graph6<<", ":": b">>sparse6<<", "&": b">>digraph6<<"}
MOST = 1 << 14  # vertices that are written with a bit per pair
LOW, HIGH = 63, 126  # the characters, and the highest one before numbers above 62
SIZES = ((62, 0, 1), (258047, 1, 3), (2**36 - 1, 2, 6))  # up to a number: how many marks, then how many characters


def sniff(head: bytes) -> Match:
    """Sure of the header; without it, a line may be anything."""
    return Match.SURE if head.startswith(HEADERS[""]) else Match.NO


def sniff_sparse(head: bytes) -> Match:
    """Sure of the header."""
    return Match.SURE if head.startswith(HEADERS[":"]) else Match.NO


def sniff_directed(head: bytes) -> Match:
    """Sure of the header."""
    return Match.SURE if head.startswith(HEADERS["&"]) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """Read a graph of any of the three kinds."""
    lines = source.whole().tobytes().split()
    if len(lines) != 1:
        raise source.error(f"the file has {len(lines):,} graphs; expected one. Write each to a file of its own.")
    line = lines[0]
    start = next((len(header) for header in HEADERS.values() if line.startswith(header)), 0)
    kind = chr(line[start]) if line[start : start + 1] in (b":", b"&") else ""
    start += len(kind)
    values = np.frombuffer(line, np.uint8)[start:]
    if (wrong := (values < LOW) | (values > HIGH)).any():
        at = int(wrong.argmax())
        found = chr(int(values[at]))
        raise source.error(f"found {found!r}; expected characters from '?' to '~'.", line=1, column=start + at + 1)
    values = values - LOW
    marks = int(np.argmin(values[:2] == HIGH - LOW)) if values[:2].size and not (values[:2] == 63).all() else 2
    _, _, digits = SIZES[marks]
    if values.size < marks + digits:
        raise source.error("the line ends within the number of vertices.", line=1, column=len(line) + 1)
    n = int(sum(int(value) << 6 * place for place, value in enumerate(values[marks : marks + digits][::-1])))
    refuse_rows(source, n)
    body: Any = values[marks + digits :]
    bits = np.unpackbits(body[:, None] << 2, axis=1)[:, :6].ravel()
    if kind == ":":
        first, second = _sparse_edges(bits, n)
    else:
        size = n * n if kind else n * (n - 1) // 2
        if body.size != -(-size // 6):
            raise source.error(f"{n:,} vertices need {-(-size // 6):,} characters; the line has {body.size:,}.", line=1)
        place = np.flatnonzero(bits[:size])
        first, second = (place // max(n, 1), place % max(n, 1)) if kind else _pairs(place)
    directed = kind == "&"
    return graph_from_edges(first, second, None, options, directed=directed, num_vertices=n, both_directions=directed)


read_sparse = read_directed = read


def _pairs(place: Array) -> tuple[Array, Array]:
    """The pairs i < j at some places of the order (0, 1), (0, 2), (1, 2), (0, 3), …"""
    j = ((1 + np.sqrt(1 + 8 * place.astype(np.float64))) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > place  # the root may be rounded up
    j += j * (j + 1) // 2 <= place
    return place - j * (j - 1) // 2, j


def _sparse_edges(bits: Array, n: int) -> tuple[Array, Array]:
    width = max(n - 1, 0).bit_length()
    groups = bits[: bits.size // (width + 1) * (width + 1)].reshape(-1, width + 1).astype(np.int64)
    moves, x = np.cumsum(groups[:, 0]), groups[:, 1:] @ (1 << np.arange(width)[::-1])
    # v[i] = max(v[i-1] + move[i], x[i]), so v - moves is a running maximum.
    before = np.maximum.accumulate(np.append(0, x - moves))[:-1] + moves
    outside = (x >= n) | (before >= n)
    count = int(outside.argmax()) if outside.any() else x.size
    is_edge = x[:count] <= before[:count]
    return x[:count][is_edge], before[:count][is_edge]


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write graph6."""
    _refuse(graph, sink, "graph6", directed=False)
    if graph.num_loops:
        raise sink.error("the graph has self-loops, and graph6 holds none; write sparse6, or drop them.")
    i, j, _ = graph.edges()
    low, high = np.minimum(i, j).astype(np.int64), np.maximum(i, j).astype(np.int64)
    n = graph.num_vertices
    bits = np.zeros(n * (n - 1) // 2, dtype=np.uint8)
    bits[high * (high - 1) // 2 + low] = 1
    _put(sink, "", n, bits)


def write_directed(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write digraph6."""
    _refuse(graph, sink, "digraph6", directed=True)
    i, j, _ = transform.edges(graph.outgoing, once=False)
    bits = np.zeros(graph.num_vertices**2, dtype=np.uint8)
    bits[i.astype(np.int64) * graph.num_vertices + j] = 1
    _put(sink, "&", graph.num_vertices, bits)


def write_sparse(graph: Graph, sink: Sink, options: WriteOptions) -> None:  # noqa: ARG001
    """Write sparse6."""
    _refuse(graph, sink, "sparse6", directed=False, dense=False)
    i, j, _ = graph.edges()
    u, v = np.minimum(i, j).astype(np.int64), np.maximum(i, j).astype(np.int64)
    order = np.lexsort((u, v))
    u, v, n = u[order], v[order], graph.num_vertices
    step = np.diff(v, prepend=0)
    last = np.cumsum(1 + (step > 1)) - 1  # where each edge ends; a jump to v comes before it
    moves, x = np.zeros((2, int(last[-1]) + 1 if last.size else 0), dtype=np.int64)
    moves[last], x[last] = step == 1, u
    moves[last[step > 1] - 1], x[last[step > 1] - 1] = 1, v[step > 1]
    width = max(n - 1, 0).bit_length()
    groups = np.column_stack([moves, x[:, None] >> np.arange(width)[::-1] & 1]).astype(np.uint8)
    bits = groups.ravel()
    padding = np.ones(-bits.size % 6, dtype=np.uint8)
    if width < 6 and n == 1 << width and padding.size > width and (not v.size or v[-1] < n - 1):
        padding[0] = 0  # or the ones would be read as an edge of the last vertex
    _put(sink, ":", n, np.append(bits, padding))


def _refuse(graph: Graph, sink: Sink, what: str, *, directed: bool, dense: bool = True) -> None:
    """Refuse a graph that the format does not hold."""
    problem, remedy = "", ("", "")
    if graph.weighted:
        problem, remedy = "has weights", ("graph.with_weights(None)", "Drop them with --weights none")
    elif graph.directed and not directed:
        problem, remedy = "is directed", ("graph.symmetrized()", "Pass --symmetrize")
    elif dense and has_parallel_edges(graph):
        problem, remedy = "has parallel edges", ("a graph read with duplicates='drop'", "Pass --duplicates drop")
    elif dense and graph.num_vertices > MOST:
        problem, remedy = f"has more than {MOST:,} vertices, a bit per pair", ("sparse6", "Write sparse6 instead")
    if problem:
        full = f"the graph {problem}, which {what} files do not hold."
        raise sink.error(full, remedy=f"Write {remedy[0]}, or choose another format.", option=f"{remedy[1]}.")


def _put(sink: Sink, kind: str, n: int, bits: Any) -> None:
    marks, digits = next((marks, digits) for most, marks, digits in SIZES if n <= most)
    size = bytes((n >> 6 * place & 63) + LOW for place in range(digits)[::-1])
    padded = np.append(bits, np.zeros(-bits.size % 6, dtype=np.uint8)).reshape(-1, 6)
    values = (np.packbits(padded, axis=1)[:, 0] >> 2) + np.uint8(LOW)
    sink.write(HEADERS[kind] + kind.encode() + b"~" * marks + size)
    sink.write(values)
    sink.write(b"\n")
