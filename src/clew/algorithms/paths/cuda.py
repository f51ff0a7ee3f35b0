"""Paths of the smallest value on a GPU: memory for the kernels in near_far.cuh, launches, and the answer as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.balance.frontiers import BALANCES, NO_LIMIT, fetched_edge, order_from, room_for_order
from clew.engines.cuda.balance.launches import share_of
from clew.engines.cuda.memory.bandwidth import OnHost, on_host, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, blocks_for, shared_bytes
from clew.engines.cuda.toolchain.source import KernelSource, ctype
from clew.errors import ResourceError
from clew.graph import Graph
from clew.result import Trace, edge_bytes, timed
from clew.workspace import Workspace, result, scratch

STEPS_PER_LAUNCH = 1 << 12  # then the host has a look, so that Ctrl-C is heard,
EDGES_PER_LAUNCH = 1 << 33  # or after so many edges
TRACED_STEPS = 1 << 16
DIVERGED = 1 << 63  # as in near_far.cuh
WARP = 32
CUT_THREADS = 512  # of a block by the degree cut, unless its pieces leave room for fewer
STAGED_BYTES = 48  # of shared memory that a thread needs for what its warp finds
SEARCH = np.dtype(
    [
        ("counters", "u8", (5, 3)),
        ("step", "u8"),
        ("splits", "u8"),
        ("barren", "u8"),
        ("threshold", "u8"),
        ("relaxed", "u8"),
        ("growth", "u8"),
        ("reached", "u8"),
        ("barrier", "u4", GRID_BARRIER_WORDS),
    ]
)


@dataclass(frozen=True)
class Tuning:
    """How a search is run; nothing of it changes values.

    Parameters
    ----------
    balance
        How edges are shared among warps: a key of ``BALANCES``.
    cut, prefetch
        For "degree_cut": edges of a piece at most, and whether they are fetched to shared memory first.
    unroll, long_row
        For "merge_path" and "auto": edges in flight in each lane; rows above that are not left to one warp.
    words
        Whether keys of 32 bits share a word with the step of their last fall, which saves an atomic.
    alone
        Frontiers (or far piles) up to the first number are left to one block, until they pass the second.
    eager
        Up to so many edges in a frontier, values are not looked at before they are lowered.
    tail
        Where buckets grow, they do once this part of the edges has been followed.
    pile
        The part of the vertices that the far pile has room for.
    order_from
        Frontiers of so many vertices are put in the order of their rows, which are then read a line at a time; None:
        as the memory asks for that the edges are in.
    threads, blocks
        Of the launch; no more blocks than can run at once.
    traced
        Steps of the trace at most.
    """

    balance: str = "auto"
    cut: int = 16
    prefetch: bool = True
    unroll: int = 2
    long_row: int = 64
    words: bool = True
    alone: tuple[int, int] = (1 << 8, 1 << 10)
    eager: int = 1 << 16
    tail: float = 0.5
    pile: float = 1 / 64
    order_from: int | None = None
    threads: int = 1024
    blocks: int | None = None
    traced: int = TRACED_STEPS


DEFAULT = Tuning()


class Problem(NamedTuple):
    """What is searched for: values are of ``value`` (32 or 64 bits), computed from weights as near_far.cuh says.

    ``first`` is the source's, ``low`` where buckets begin, ``floor`` what no path can fall below, ``unreached`` that of
    a vertex without a path; users get ``result`` and, where unreached, ``nothing``. ``grows`` says that buckets may be
    made wider towards the end.
    """

    value: np.dtype[Any]
    widest: bool
    first: Any
    low: Any
    floor: Any
    unreached: Any
    result: np.dtype[Any]
    nothing: Any
    delta: float
    grows: bool = False


def path_space(graph: Graph, name: str, values: Any, computed: Any, tuning: Tuning = DEFAULT) -> Workspace:
    """The arrays of a search for the values called ``name``, computed in another dtype."""
    n, ids = graph.num_vertices, graph.indices.dtype
    answer = {name: result(n, values, later=True), "parent": result(n, ids, later=True)}
    offset = np.dtype(np.uint32 if graph.num_arcs < 1 << 32 else np.int64)
    return Workspace(**answer, **search_space(n, graph.num_arcs, ids, offset, np.dtype(computed), tuning).spaces)


def search_space(
    num_vertices: int, num_arcs: int, ids: np.dtype[Any], offset: np.dtype[Any], value: np.dtype[Any], tuning: Tuning
) -> Workspace:
    """What a search works in. Room to sort frontiers, where the edges are in host memory, stays out."""
    n, narrow = num_vertices, value.itemsize == 4
    key, words_used = np.uint32 if narrow else np.uint64, narrow and tuning.words
    entry = 16 if ids.itemsize == offset.itemsize == 4 else 32
    queue = scratch((n + 1) * entry, np.uint8)
    cut = tuning.balance == "degree_cut"
    pieces = scratch((num_arcs // tuning.cut + 1) * entry, np.uint8) if cut else None
    pile, traced = 2 * max(min(n, 1024), int(n * tuning.pile)), min(tuning.traced, 4 * n + 64)
    return Workspace(
        words=scratch(n, np.uint64 if words_used else key),
        marks=None if words_used else scratch(n, np.uint32),
        links=scratch(n, np.uint64) if narrow and ids.itemsize == 4 else None,
        queue=queue,
        other_queue=queue,
        pieces=pieces,
        other_pieces=pieces,
        far_vertices=scratch(pile, ids),
        far_keys=scratch(pile, key),
        trace=scratch((traced + 1 if traced else 0, 4), np.int64),
        state=scratch(SEARCH.itemsize, np.uint8),
    )


class Found(NamedTuple):
    """Values and parents on the device (-1 where unreached); the number of buckets, of vertices reached, the steps."""

    value: Any
    parent: Any
    buckets: int
    reached: int
    trace: Trace


class Search:
    """A search whose state stays on the device from launch to launch."""

    def __init__(self, device: Device, rows: DeviceRows, source: int, problem: Problem, tuning: Tuning) -> None:
        self.device, self.rows, self.problem, self.tuning, self.source = device, rows, problem, tuning, source
        n = self.n = rows.num_vertices
        index = np.dtype(rows.neighbours.dtype)
        offset = np.dtype(rows.offsets.dtype)
        work = search_space(n, rows.num_arcs, index, offset, problem.value, tuning).allocate(device)
        self.words, self.marks, self.links, self.trace = work.words, work.marks, work.links, work.trace
        self.queues, self.full = [work.queue, work.other_queue], [work.pieces, work.other_pieces]
        self.pile, self.capacity = (work.far_vertices, work.far_keys), work.far_keys.size // 2
        self.state = work.state
        self.words_used, self.links_used = self.marks is None, self.links is not None
        self.threads = threads_of(device, rows, problem, tuning)
        self.step, self.relaxed = 1, 0
        self.cut = tuning.cut if tuning.balance == "degree_cut" else 0
        self.order_from = order_from(rows, tuning.balance, tuning.order_from)
        self.order_room = (None, None) if self.order_from == NO_LIMIT else room_for_order(device, n)
        self.defines = defines(
            rows, problem, tuning, words=self.words_used, links=self.links_used, threads=self.threads
        )
        self._launch(
            "near_far_begin",
            n,
            rows.offsets,
            np.uint64(n),
            index.type(source),
            self._value(problem.first),
            self._value(problem.low),
            self._value(problem.unreached),
            np.float64(problem.delta),
            self.words,
            self.marks,
            self.links,
            self.queues[1],
            self.full[1],
            self.state,
        )

    def run(self, *, relaxed_limit: int = NO_LIMIT) -> Any:
        """Search on until done, or so many edges have been followed; what the kernel says of it."""
        rows, tuning, device = self.rows, self.tuning, self.device
        kernel = device.kernel("near_far.cuh", "near_far", self.defines)
        edge = fetched_edge(rows.neighbours.dtype, self.problem.value).itemsize
        shared = self.cut * self.threads * edge if self.cut and tuning.prefetch else 0
        at_once = share_of(EDGES_PER_LAUNCH, rows)
        while True:
            limit = self.step + STEPS_PER_LAUNCH
            edge_limit = min(relaxed_limit, self.relaxed + at_once)
            device.launch_cooperative(
                kernel,
                self.threads,
                rows.offsets,
                *rows.edges,
                np.uint64(self.n),
                self._value(self.problem.unreached),
                np.float64(self.problem.delta),
                self.words,
                self.marks,
                self.links,
                *self.queues,
                *self.full,
                *self.pile,
                np.uint64(self.capacity),
                self._value(self.problem.floor),
                np.uint64(tuning.alone[0]),
                np.uint64(tuning.alone[1]),
                np.uint64(tuning.eager),
                np.uint64(tuning.tail * rows.num_arcs if self.problem.grows else NO_LIMIT),
                np.uint64(limit),
                np.uint64(edge_limit),
                np.uint64(self.order_from),
                *self.order_room,
                self.trace,
                np.uint64(self.trace.shape[0]),
                self.state,
                shared=shared,
                most=tuning.blocks,
            )
            told = self.told()
            self.step, self.relaxed = int(told["step"]), int(told["relaxed"])
            if self.step < limit and (self.relaxed < edge_limit or edge_limit == relaxed_limit):
                return told

    def finish(self, parent: Any | None = None) -> Found:
        """The answer. ``parent`` takes the place of those that the search keeps, and is needed where it keeps none."""
        n, problem, device = self.n, self.problem, self.device
        values = device.empty(n, problem.result)
        parents = device.empty(n, self.rows.neighbours.dtype) if parent is None else parent
        self._launch(
            "near_far_end",
            n,
            self.words,
            self.links if parent is None else None,
            np.uint64(n),
            self._value(problem.unreached),
            problem.result.type(problem.nothing),
            values,
            parents,
            self.state,
        )
        told = self.told()
        steps = int(told["step"]) - 1 - int(told["splits"])
        width, noted = edge_bytes(self.rows.neighbours, self.rows.weights), self.trace[: steps + 1]
        away = on_host(self.rows)
        trace = Trace.later(lambda: _columns(device.download(noted), width, away))
        return Found(values, parents, int(told["splits"]) + 1, int(told["reached"]), trace)

    def told(self) -> Any:
        """The state as of now."""
        return self.device.download(self.state).view(SEARCH)[0]

    def is_done(self, told: Any) -> bool:
        """Whether nothing is left to be done."""
        size, full, _, far, _ = told["counters"]
        now = self.step % 3
        return bool(size[now] == 0 and full[now] == 0 and far[told["splits"] % 3] == 0) and not self.has_diverged(told)

    def has_diverged(self, told: Any) -> bool:
        """Whether a value fell below the problem's floor."""
        return bool(told["counters"][2][self.step % 3] == DIVERGED)

    def _value(self, number: Any) -> Any:
        return self.problem.value.type(number)

    def _launch(self, name: str, work: int, *args: Any) -> None:
        kernel = self.device.kernel("near_far.cuh", name, self.defines)
        self.device.launch(kernel, blocks_for(self.device, work, 256), 256, *args)


def tuning_of(balance: str, cut: int | None = None) -> Tuning:
    """The tuning for edges that are shared as a user says; ``cut`` is for "degree_cut"."""
    if balance != "degree_cut":
        return DEFAULT if balance == DEFAULT.balance else replace(DEFAULT, balance=balance)
    return replace(DEFAULT, balance=balance, cut=DEFAULT.cut if cut is None else cut, threads=CUT_THREADS)


def threads_of(device: Device, rows: DeviceRows, problem: Problem, tuning: Tuning) -> int:
    """Threads of a block: as many as have room in shared memory for the pieces that they fetch ahead."""
    index = np.dtype(rows.neighbours.dtype)
    # Shared memory for what warps find holds 512 threads' worth of 64-bit ids.
    threads = min(tuning.threads, 1024 if index.itemsize == 4 else 512)
    if tuning.balance == "degree_cut" and tuning.prefetch:
        each = tuning.cut * fetched_edge(index, problem.value).itemsize + STAGED_BYTES
        while threads > WARP and threads * each > shared_bytes(device):
            threads //= 2
    return threads


def defines(
    rows: DeviceRows, problem: Problem, tuning: Tuning, *, words: bool, links: bool, threads: int
) -> dict[str, Any]:
    """The macros of near_far.cuh."""
    count_bits = max(1, rows.num_vertices.bit_length())
    if tuning.balance == "degree_cut":
        count_bits = max(count_bits, (rows.num_arcs // tuning.cut + 1).bit_length())
    # 32 where that does, since every other number is a kernel to be compiled.
    if count_bits <= 32 and rows.num_arcs < 1 << 32:
        count_bits = 32
    if count_bits + rows.num_arcs.bit_length() > 64:
        raise ResourceError(
            f"{rows.num_vertices:,} vertices and {rows.num_arcs:,} edges are more than one GPU search can count.",
            remedy='Use device="cpu".',
            option="Use --device cpu.",
        )
    macros = {name: value for name, value in rows.defines.items() if name != "WEIGHTED"}
    return {
        **macros,
        "value_t": ctype(problem.value),
        "key_t": "unsigned int" if problem.value.itemsize == 4 else "unsigned long long",
        "result_t": ctype(problem.result),
        "WIDEST": int(problem.widest),
        "WORDS": int(words),
        "LINKS": int(links),
        "BALANCE": BALANCES[tuning.balance],
        "CUT": tuning.cut if tuning.balance == "degree_cut" else 0,
        "PREFETCH": int(tuning.prefetch),
        "UNROLL": tuning.unroll,
        "LONG_ROW": tuning.long_row,
        "IN_ORDER": int(order_from(rows, tuning.balance, tuning.order_from) != NO_LIMIT),
        "PAIRED": int(rows.paired),
        "COUNT_BITS": count_bits,
        "THREADS": threads,
        **({"UNIT": 1} if rows.weights is None else {}),
    }


def _variant(file: str, **changes: Any) -> KernelSource:
    """Shortest paths over int32 weights in 32 bits, and what is different."""
    macros = {"index_t": "int", "offset_t": "unsigned int", "weight_t": "int", "value_t": "unsigned int"}
    widths = {"key_t": "unsigned int", "result_t": "long long", "WIDEST": 0, "WORDS": 1, "LINKS": 1}
    ways = {"BALANCE": 5, "CUT": 0, "PREFETCH": 1, "UNROLL": 2, "LONG_ROW": 64, "IN_ORDER": 0, "PAIRED": 0}
    return KernelSource.of(file, {**macros, **widths, **ways, "COUNT_BITS": 32, "THREADS": 1024, **changes})


_WIDE = {"key_t": "unsigned long long", "WORDS": 0, "LINKS": 0}
_DOUBLE = {**_WIDE, "weight_t": "double", "value_t": "double", "result_t": "double"}
_LARGE = {**_WIDE, "index_t": "long long", "offset_t": "long long", "value_t": "long long", "THREADS": 512}
_WIDEST = {"WIDEST": 1, "value_t": "int", "weight_t": "unsigned char", "result_t": "unsigned char"}
VARIANTS = [
    _variant("near_far.cuh"),
    _variant("near_far.cuh", WORDS=0, weight_t="float", value_t="float", result_t="float"),
    _variant("near_far.cuh", BALANCE=3, CUT=16),
    _variant("near_far.cuh", BALANCE=3, CUT=16, UNIT=1, result_t="int", THREADS=512),
    _variant("near_far.cuh", IN_ORDER=1),
    _variant("near_far.cuh", IN_ORDER=1, PAIRED=1),
    _variant("near_far.cuh", **_DOUBLE, BALANCE=4),
    _variant("near_far.cuh", **_LARGE, COUNT_BITS=28, IN_ORDER=1),
    _variant("near_far.cuh", **_WIDEST),
    _variant("shortest_path_tree.cuh"),
    _variant("shortest_path_tree.cuh", PAIRED=1),
    _variant("shortest_path_tree.cuh", **_DOUBLE),
    _variant("shortest_path_tree.cuh", **_LARGE, COUNT_BITS=28),
    _variant("shortest_path_tree.cuh", **_WIDEST),
]


def _columns(rows: Array, width: int, away: OnHost) -> dict[str, Array]:
    """Of rows of which the last has only the time at which the last step ended."""
    bucket, frontier, edges, begun = rows.T
    told = {"bucket": bucket[:-1], "frontier": frontier[:-1], "edges": edges[:-1]}
    return with_link(timed(told, begun, width), away)
