"""PageRank over in-edges in chunks: every round pulls chunk after chunk, and copies run on into the next round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cpu.pagerank import Ranks, shares_of
from clew.engines.cuda.device import Device, blocks_for, index_defines
from clew.engines.cuda.outofcore.choice import FILTER, RESIDENT, ZERO_COPY, Options
from clew.engines.cuda.outofcore.chunks import Chunk, ChunkedRows
from clew.engines.cuda.outofcore.loop import Moved, Passes
from clew.engines.cuda.outofcore.ring import Slot, copied
from clew.engines.cuda.outofcore.tracing import Steps
from clew.engines.cuda.outofcore.when import chunks_for, note_use, share_for, split_for
from clew.engines.cuda.rank_products import PROGRESS
from clew.engines.cuda.rank_trace import room_for_rounds, told_by
from clew.engines.cuda.rows import into_of
from clew.engines.cuda.source import ctype
from clew.graph import Graph
from clew.result import Trace

THREADS = 256
LONG = 2048  # edges of a row in a chunk, as in chunk_pull.cuh: above, it has a block of its own


class _Piece(NamedTuple):
    """A chunk, its long rows on the device, and the lanes that its other rows get."""

    chunk: Chunk
    long_rows: Any
    lanes: int


def ranks_in_chunks(device: Device, graph: Graph, *, weighted: bool, value: np.dtype[Any], **walk: Any) -> Ranks | None:
    """Ranks where the policy has in-edges streamed; None where it has not."""
    each = graph.indices.itemsize + (value.itemsize if weighted else 0)
    if split_for(device, "pagerank", graph.outgoing, each) is None:
        return None
    into = into_of(graph)
    if weighted:
        leaving, shares = shares_of(graph.outgoing, into)
        shares = shares.astype(value, copy=False)  # read from the host until the ranks are there
        spread = device.upload((leaving > 0).astype(value))
        share = share_for(device, "pagerank", into, each, makes_room=True)
        if share is None:
            return None
        rows = share.chunked(device, into, shares)
        note_use(into, rows)
        return pagerank(rows, into.indptr, spread, Options(), value=value, **walk)
    found = chunks_for(device, "pagerank", into)
    if found is None:
        return None
    spread = device.upload(graph.outgoing.degrees().astype(value)) if graph.directed else None
    rows, options = found
    return pagerank(rows, into.indptr, spread, options, value=value, **walk)


def pagerank(
    rows: ChunkedRows,
    indptr: Array,
    spread: Any,
    options: Options,
    *,
    damping: float,
    tolerance: float,
    max_iterations: int,
    jumps: Array | None,
    value: np.dtype[Any],
    start: Array | None = None,
) -> Ranks:
    """Ranks from the in-edges ``rows``, whose weights are the shares of in-edges, if any.

    ``indptr`` are their offsets on the host, ``spread`` (on the device) is by how much a vertex divides what it passes
    on; None: the length of its row.
    """
    device, n = rows.device, rows.num_vertices
    weighted = rows.host[1] is not None
    lead = None if jumps is None else device.upload(jumps.astype(value))
    first = lead if start is None else device.upload(start.astype(value))
    macros = {**index_defines(rows.index, rows.num_arcs), "value_t": ctype(value), "FACTORS": int(weighted)}
    defines = {**macros, "sum_t": ctype(value)}
    blocks = blocks_for(device, n, THREADS)
    passed, pulled = device.empty(n, value), device.zeros(n, value)
    sums = device.empty(2 * blocks, np.float64)
    trace = room_for_rounds(device, max_iterations)
    progress = device.zeros(PROGRESS.itemsize // 4, np.uint32)
    whole = (np.uint64(n), rows.offsets, spread)

    def between(name: str, *args: Any) -> None:
        device.launch(device.kernel("rank_rounds.cuh", name, defines), blocks, THREADS, *whole, *args)

    def close_round(started: bool) -> None:
        noted = (np.int32(started), trace, np.uint32(trace.shape[0]), progress)
        kernel = device.kernel("rank_rounds.cuh", "close_round", defines)
        device.launch(kernel, 1, THREADS, np.uint32(blocks), sums, np.float64(tolerance), *noted)

    def pull(piece: _Piece, arrays: tuple[Any, Any], base: int) -> None:
        chunk = piece.chunk
        kernel = device.kernel("chunk_pull.cuh", "chunk_pull", {**macros, "sum_t": "double", "LANES": piece.lanes})
        numbers = map(np.uint64, (chunk.first_row, chunk.num_rows, chunk.low, chunk.high, base))
        longs = (piece.long_rows, np.uint64(0 if piece.long_rows is None else piece.long_rows.size))
        grid = blocks_for(device, chunk.num_rows * piece.lanes, THREADS)
        device.launch(kernel, grid, THREADS, rows.offsets, *arrays, *numbers, *longs, passed, pulled)

    between("first_round", first, None, passed, None, sums)
    close_round(False)
    pieces = [_piece(rows, indptr, chunk) for chunk in rows.chunks]
    away = [piece for piece in pieces if not piece.chunk.resident]
    steps = Steps(rows.device, rows.edge_bytes)
    passes = Passes(rows, options)  # lives as long as what reads its slots
    copies = passes.has_slots()
    moved = Moved(
        sum(piece.chunk.edges for piece in away) * rows.edge_bytes,
        Counter({FILTER if copies else ZERO_COPY: len(away), RESIDENT: len(pieces) - len(away)}),
        "all edges are wanted in every round" + ("" if copies else "; there is no memory for copies"),
    )
    arriving = _arriving(passes, away if copies else [], max_iterations)
    for _ in range(max_iterations):
        # In order, the resident ones last: the sum of a row that is cut begins with its first part.
        for piece in away:
            if copies:
                _, slot = next(arriving)
                pull(piece, (slot.neighbours, slot.weights), piece.chunk.low)
            else:
                pull(piece, rows.low, 0)
        for piece in pieces[len(away) :]:
            pull(piece, rows.high, piece.chunk.low)
        between("next_round", lead, pulled, np.float64(damping), None, passed, None, sums, progress)
        close_round(True)
        steps.add(0, n, rows.num_arcs, moved)
        settled = device.download(progress).view(PROGRESS)[0]["converged"]
        steps.close()
        if tolerance > 0 and settled:
            break
    arriving.close()
    rank = device.empty(n, value)
    between("last_ranks", passed, rank)
    found = device.download(progress).view(PROGRESS)[0]
    rounds = int(found["rounds"])
    moved_later = Trace.later(lambda: {name: each for name, each in steps.columns().items() if name != "bucket"})
    changes = told_by(device, trace, rounds)[0]
    return Ranks(rank, rounds, bool(found["converged"]), changes, moved_later.columns)


def _arriving(passes: Passes, away: list[_Piece], rounds: int) -> Any:
    """The chunks of all rounds in device memory, one after the other; the copies are ahead of the one asked for."""

    def fill(piece: _Piece, slot: Slot) -> list[tuple[Any, Array]]:
        low, high = piece.chunk.low, piece.chunk.high
        return copied([None if array is None else array[low:high] for array in passes.rows.host], slot, high - low)

    def jobs() -> Iterator[_Piece]:
        for _ in range(rounds):
            yield from away

    def nothing() -> Iterator[Any]:
        yield from ()

    return passes.ring.passes(jobs(), fill) if away else nothing()


def _piece(rows: ChunkedRows, indptr: Array, chunk: Chunk) -> _Piece:
    ends = indptr[chunk.first_row : chunk.first_row + chunk.num_rows + 1].clip(chunk.low, chunk.high)
    lengths = np.diff(ends)
    longs = np.flatnonzero(lengths > LONG)
    short = (chunk.edges - int(lengths[longs].sum())) / max(1, chunk.num_rows - longs.size)
    lanes = 1 if short < 4 else 4 if short < 64 else 32  # few numbers: each is a kernel to be compiled
    listed = None
    if longs.size:
        listed = rows.device.upload((longs + chunk.first_row).astype(rows.index))
    return _Piece(chunk, listed, lanes)
