"""Whether a run goes over chunks, and which edges are in device memory then."""

from __future__ import annotations

from typing import NamedTuple

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.engines.cuda.edge_memory import SMALLER, bytes_per_edge, plan_edges
from clew.engines.cuda.outofcore.choice import Options
from clew.engines.cuda.outofcore.chunks import (
    CHUNK_BYTES,
    SLOTS,
    ChunkedRows,
    chunked,
    chunks_kept,
    keep_chunks,
)
from clew.engines.cuda.rows import make_way, size_of
from clew.engines.retry import this_try
from clew.memory import Policy, current

#: Of the memory that edges may have, at most this part is for copies on their way, in chunks no smaller than that.
SLOTS_SHARE = 4
MOST_CHUNKS = 1 << 12
#: Those that can go over chunks.
STREAMED = ("bfs", "sssp", "sswp", "pagerank", "connected_components")
#: Under "auto" none does. On an H200 the kernels for graphs in device memory, which read the rest where it is, are
#: faster: for searches, which read few of the edges or the same ones again, 1.3 to 11 times, for components 1.9 to 5.8,
#: for PageRank 1.4 on R-MAT 25 with half the memory; with an eighth chunks are level with reading edges where they are.


class Share(NamedTuple):
    """The first edge in device memory, and the bytes of a chunk of those before; 0: read where they are, uncopied."""

    split: int
    chunk_bytes: int | None = None

    def chunked(self, device: Device, rows: Adjacency, weights: Array | None) -> ChunkedRows:
        """The rows in chunks."""
        if self.chunk_bytes == 0:
            return chunked(device, rows, self.split, weights=weights, in_slots=False)
        return chunked(device, rows, self.split, weights=weights, chunk_bytes=self.chunk_bytes)


def chunks_for(
    device: Device, algorithm: str, rows: Adjacency, weights: Array | None = None
) -> tuple[ChunkedRows, Options] | None:
    """The rows in chunks and how to go about them; None where the kernels for graphs in device memory are to run."""
    policy = current()
    if not _may_stream(algorithm):
        return None
    asked = (policy.edges, policy.fast_memory)  # what a failed try had made is gone: what is there did fit
    made = chunks_kept(device, rows, weights, asked)
    if made is None:
        share = share_for(device, algorithm, rows, bytes_per_edge(rows.indices, weights), makes_room=True)
        if share is None:
            return None
        made = share.chunked(device, rows, weights)
        keep_chunks(rows, weights, asked, made)
    note_use(rows, made)
    return made, Options()


def note_use(rows: Adjacency, made: ChunkedRows) -> None:
    """Have a run that is tried again leave these where they are."""
    if (attempt := this_try()) is not None:
        attempt.used.add((id(made.device), id(rows.indices)))


def split_for(device: Device, algorithm: str, rows: Adjacency, each: int) -> int | None:
    """The first edge in device memory, where an edge takes ``each`` bytes; None where nothing is to be streamed."""
    share = share_for(device, algorithm, rows, each)
    return None if share is None else share.split


def share_for(device: Device, algorithm: str, rows: Adjacency, each: int, *, makes_room: bool = False) -> Share | None:
    """What of the rows goes where; ``makes_room`` has others dropped for it. None where nothing is to be streamed."""
    policy, attempt = current(), this_try()
    if not _may_stream(algorithm):
        return None
    if makes_room:
        make_way(device, rows)
    size = size_of(device, rows, None, 1, each=each, makes_room=makes_room)
    scale = SMALLER[0 if attempt is None else attempt.number]
    plan = plan_edges(device, Policy("auto", policy.fast_memory), size, scale, in_one=False)
    if plan.cut == 0:
        return Share(0)
    if policy.fast_memory is None:
        return Share(plan.cut)
    # Copies are edges in device memory as well. Where so little is allowed that they would be tiny, there are none.
    room = min(SLOTS * CHUNK_BYTES, plan.fast_bytes // SLOTS_SHARE)
    edges = room // SLOTS // each
    if edges == 0 or plan.cut > MOST_CHUNKS * edges:
        return Share(plan.cut, 0)
    return Share(plan.cut + SLOTS * edges, edges * each)


def _may_stream(algorithm: str) -> bool:
    return algorithm in STREAMED and current().edges == "stream"
