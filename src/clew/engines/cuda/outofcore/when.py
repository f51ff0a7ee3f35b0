"""Whether a run goes over chunks, and which edges are in device memory then."""

from __future__ import annotations

from collections.abc import Callable

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.engines.cuda.edge_memory import SMALLER, Rows, bytes_per_edge, plan_edges
from clew.engines.cuda.outofcore.choice import ALL_WAYS, STREAMED, Options
from clew.engines.cuda.outofcore.chunks import ChunkedRows, chunked, chunks_kept, keep_chunks
from clew.engines.cuda.rows import plan_of
from clew.engines.retry import this_try
from clew.memory import Policy, current

#: Edges to a vertex from which on a graph counts as dense.
DENSE = 8
#: Under "auto", where edges do not fit: whether chunks are faster than the kernels for graphs in device memory, which
#: read the rest over the link. Measured on an H200: searches read few of the edges, or the same ones again, and lose 3
#: to 10 times by chunks. PageRank reads them all in order; long rows come faster in chunks (47 GB/s against 34), short
#: ones do not (31 against 47). Components look at few edges of dense graphs and at all of sparse ones.
AUTO_STREAMS: dict[str, Callable[[float], bool]] = {
    "bfs": lambda _: False,
    "sssp": lambda _: False,
    "sswp": lambda _: False,
    "pagerank": lambda degree: degree >= DENSE,
    "connected_components": lambda degree: degree < DENSE,
}


def chunks_for(
    device: Device, algorithm: str, rows: Adjacency, weights: Array | None = None
) -> tuple[ChunkedRows, Options] | None:
    """The rows in chunks and how to go about them; None where the kernels for graphs in device memory are to run."""
    policy = current()
    if not _may_stream(device, algorithm, rows):
        return None
    asked = (policy.edges, policy.fast_memory)  # what a failed try had made is gone: what is there did fit
    made = chunks_kept(device, rows, weights, asked)
    if made is None:
        split = split_for(device, algorithm, rows, bytes_per_edge(rows.indices, weights))
        if split is None:
            return None
        made = chunked(device, rows, split, weights=weights)
        keep_chunks(rows, weights, asked, made)
    note_for_retry(rows, made)
    return made, options_now()


def note_for_retry(rows: Adjacency, made: ChunkedRows) -> None:
    """Under "auto", have the run tried again with fewer edges in device memory where there is not enough of it."""
    attempt = this_try()
    if current().edges == "auto" and attempt is not None:
        attempt.note((id(made.device), id(rows.indices)), (made.num_arcs - made.split) * made.edge_bytes)


def split_for(device: Device, algorithm: str, rows: Adjacency, each: int) -> int | None:
    """The first edge in device memory, where an edge takes ``each`` bytes; None where nothing is to be streamed."""
    policy, attempt = current(), this_try()
    if not _may_stream(device, algorithm, rows):
        return None
    size = Rows(rows.num_vertices, rows.num_arcs, each)
    scale = SMALLER[0 if attempt is None else attempt.number]
    plan = plan_edges(device, Policy("auto", policy.fast_memory), size, scale)
    return None if policy.edges == "auto" and plan.mode == "device" else plan.cut


def options_now() -> Options:
    """As the policy has it: streaming copies, "auto" may read in place as well."""
    return Options(ways=STREAMED if current().edges == "stream" else ALL_WAYS)


def _may_stream(device: Device, algorithm: str, rows: Adjacency) -> bool:
    policy = current()
    if policy.edges != "auto":
        return policy.edges == "stream"
    there = plan_of(device, rows)
    all_there = there is not None and there.mode == "device" and policy.fast_memory is None
    return not all_there and AUTO_STREAMS[algorithm](rows.num_arcs / max(1, rows.num_vertices))
