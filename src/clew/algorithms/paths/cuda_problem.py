"""What a GPU's path search computes and how: the problem, the tuning, its memory, and the macros of the kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from clew.algorithms.arguments import check_balance
from clew.engines.cuda.balance.frontiers import BALANCES, NO_LIMIT, entry_bytes, fetched_edge, order_from
from clew.engines.cuda.memory.device_rows import DeviceRows, Room
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, Grid, blocks_for, shared_bytes
from clew.engines.cuda.toolchain.source import ctype
from clew.errors import ResourceError
from clew.graph import Graph
from clew.result import TRACED_ROUNDS
from clew.workspace import Workspace, result, scratch

WARP = 32
SHORT_THREADS = 256  # of a block of the kernels before and after the search
CUT_THREADS = 512  # of a block by the degree cut, unless its pieces leave room for fewer
STAGED_BYTES = 48  # of shared memory that a thread needs for what its warp finds
SAMPLE = 1 << 14  # weights read for their mean
PIECE = 1 << 24  # weights read at a time: more of them may be on the host than the device has room for
#: The state of a search, as in near_far.cuh.
SEARCH = np.dtype(
    [("counters", "u8", (5, 3))]
    + [(name, "u8") for name in ("step", "splits", "barren", "threshold", "relaxed", "growth", "reached")]
    + [("barrier", "u4", GRID_BARRIER_WORDS)]
)


@dataclass(frozen=True)
class Tuning:
    """How a search is run; it does not affect values.

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
        Up to this many edges in a frontier, values are lowered without reading them first.
    tail
        Where buckets grow, they do once this part of the edges has been followed.
    pile
        The part of the vertices that the far pile has room for.
    order_from
        Frontiers of at least this many vertices are sorted by row, so that rows are read a line at a time. None: as
        the memory of the edges requires.
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
    traced: int = TRACED_ROUNDS


DEFAULT = Tuning()


class Problem(NamedTuple):
    """What is searched for: values are of ``value`` (32 or 64 bits), computed from weights as near_far.cuh says.

    ``first`` is the source's, ``low`` where buckets begin, ``floor`` what no path can fall below. ``unreached`` is that
    of a vertex without a path. Users get ``result`` and, where unreached, ``nothing``. ``grows`` says that buckets may
    be made wider towards the end.
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
    n, ids = graph.num_vertices, graph.outgoing.id_dtype
    answer = {name: result(n, values, later=True), "parent": result(n, ids, later=True)}
    offset = np.dtype(np.uint32 if graph.num_arcs < 1 << 32 else np.int64)
    return Workspace(**answer, **search_space(n, graph.num_arcs, ids, offset, np.dtype(computed), tuning).spaces)


def search_space(
    num_vertices: int, num_arcs: int, ids: np.dtype[Any], offset: np.dtype[Any], value: np.dtype[Any], tuning: Tuning
) -> Workspace:
    """What a search works in. Room to sort frontiers, where the edges are in host memory, stays out."""
    n, narrow = num_vertices, value.itemsize == 4
    key, words_used = np.uint32 if narrow else np.uint64, narrow and tuning.words
    entry = entry_bytes(ids, offset, offset, offset)
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
        trace=scratch((traced + 1 if traced else 0, 4), np.int64, lasts=True),
        state=scratch(SEARCH.itemsize, np.uint8),
    )


class WeightFacts(NamedTuple):
    """The smallest and largest weight, of finite ones in the case of floats, and about their mean."""

    smallest: float | int
    largest: float | int
    mean: float


def weight_facts(device: Device, rows: DeviceRows) -> WeightFacts:
    """The facts of the weights; the second call finds what the first has computed."""
    return rows.once("weight facts", lambda: _computed(device, rows))


def _computed(device: Device, rows: DeviceRows) -> WeightFacts:
    weights = rows.weights
    if weights.size == 0:
        return WeightFacts(0, 0, 0.0)
    floats = np.dtype(weights.dtype).kind == "f"
    sample = weights[:: max(1, weights.size // SAMPLE)].astype(np.float64)
    ends: list[Any] = []
    step = PIECE if floats or rows.paired else weights.size
    for start in range(0, weights.size, step):
        part = rows.weights_of(start, start + step)
        if floats:
            part = part[device.xp.isfinite(part)]
        if part.size:
            ends += [part.min().item(), part.max().item()]
    if not ends:
        return WeightFacts(0.0, 0.0, 0.0)
    if floats:
        sample = sample[device.xp.isfinite(sample)]
    with np.errstate(over="ignore"):  # the largest floats add up to inf, which has all vertices in one bucket
        mean = float(sample.mean()) if sample.size else 0.0
    return WeightFacts(min(ends), max(ends), mean)


Launch = tuple[Any, Grid]  # a kernel, and how it is launched


class Ready(NamedTuple):
    """What all searches for a problem over the same rows have in common, as kernels take it."""

    room: Room
    defines: dict[str, Any]
    begin: Launch
    search: Launch
    end: Launch
    order_from: int
    source: Any  # its dtype
    start: tuple[Any, ...]  # arguments
    first: tuple[Any, ...]
    edges: tuple[Any, ...]
    ends: tuple[Any, ...]
    limits: tuple[Any, ...]
    order_limit: Any
    traced: Any
    unreached: tuple[Any, ...]


class Given(NamedTuple):
    """The scratch arrays of a search, as its kernels take them, and how its state is read."""

    begin: tuple[Any, ...]
    search: tuple[Any, ...]
    words: Any
    links: Any  # None if it keeps none
    none: Any
    state: Any
    read: Callable[[], Any]


def _given(device: Device, work: Any) -> Given:
    words, marks, links, state, none = device.passed(work.words, work.marks, work.links, work.state, None)
    pairs = device.passed(work.queue, work.other_queue, work.pieces, work.other_pieces)
    pile = *device.passed(work.far_vertices, work.far_keys), np.uint64(work.far_keys.size // 2)
    begin = (words, marks, links, pairs[1], pairs[3], state)
    kept, read = None if work.links is None else links, device.reader(work.state, SEARCH)
    return Given(begin, (words, marks, links, *pairs, *pile), words, kept, none, state, read)


def ready_for(device: Device, rows: DeviceRows, problem: Problem, tuning: Tuning) -> Ready:
    """The search for a problem, made ready once: that takes longer than a launch."""
    key = (problem, None if tuning is DEFAULT else tuning)  # to hash a tuning takes a while
    return rows.prepared(key, lambda: _prepare(device, rows, problem, tuning))


def _prepare(device: Device, rows: DeviceRows, problem: Problem, tuning: Tuning) -> Ready:
    n, index, value = rows.num_vertices, rows.id_dtype, problem.value.type
    kind = ("search", problem.value, None if tuning is DEFAULT else tuning)
    space = search_space(n, rows.num_arcs, index, np.dtype(rows.offsets.dtype), problem.value, tuning)
    threads, spaces = threads_of(device, rows, problem, tuning), space.spaces
    words, links = spaces["marks"] is None, spaces["links"] is not None
    macros = defines(rows, problem, tuning, words=words, links=links, threads=threads)
    begin, search, end = (device.kernel("near_far.cuh", f"near_far{part}", macros) for part in ("_begin", "", "_end"))
    edge = fetched_edge(index, problem.value).itemsize
    fetched = tuning.cut * threads * edge if tuning.balance == "degree_cut" and tuning.prefetch else 0
    short = (blocks_for(device, n, SHORT_THREADS), SHORT_THREADS, 0, False, 1)
    first, low, unreached = map(value, (problem.first, problem.low, problem.unreached))
    size, delta = np.uint64(n), np.float64(problem.delta)
    tail = tuning.tail * rows.num_arcs if problem.grows else NO_LIMIT
    in_order = order_from(rows, tuning.balance, tuning.order_from)
    room = rows.room(device, kind, lambda: space, lambda work: _given(device, work))
    return Ready(
        room,
        macros,
        (begin, short),
        (search, device.together(search, threads, fetched, tuning.blocks)),
        (end, short),
        in_order,
        index.type,
        (*device.passed(rows.offsets), size),
        (first, low, unreached, delta),
        (*device.passed(rows.offsets, *rows.edges), size, unreached, delta),
        (size, unreached, delta),
        (value(problem.floor), *map(np.uint64, (*tuning.alone, tuning.eager, tail))),
        np.uint64(in_order),
        np.uint64(room.lasting[0][0][0]),
        (size, unreached, problem.result.type(problem.nothing)),
    )


def tuning_of(balance: str, cut: int | None = None) -> Tuning:
    """The tuning for edges that are shared as a user says; ``cut`` is for "degree_cut"."""
    check_balance(balance, cut)
    if balance != "degree_cut":
        return DEFAULT if balance == DEFAULT.balance else replace(DEFAULT, balance=balance)
    return replace(DEFAULT, balance=balance, cut=DEFAULT.cut if cut is None else cut, threads=CUT_THREADS)


def threads_of(device: Device, rows: DeviceRows, problem: Problem, tuning: Tuning) -> int:
    """Threads of a block: as many as have room in shared memory for the pieces that they fetch ahead."""
    index = rows.id_dtype
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
        **rows.form,
    }
