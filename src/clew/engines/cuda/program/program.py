"""Vertex programs on a GPU: the program's functions in the kernels of program.cuh, the memory, and the launches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.dtypes import Array
from clew.engines.compile_errors import program_error
from clew.engines.cpu.program import NO_LIMIT, TRACED, Done, uses_weights
from clew.engines.cuda.balance.frontiers import BALANCES, entry_bytes, fetched_edge, order_from, room_for_order
from clew.engines.cuda.balance.frontiers import NO_LIMIT as NEVER
from clew.engines.cuda.balance.symmetric_rows import Directions, directions_on
from clew.engines.cuda.balance.tiling import rows_by_length
from clew.engines.cuda.memory.bandwidth import OnHost, on_host, with_link
from clew.engines.cuda.memory.device_rows import DeviceRows, form_of
from clew.engines.cuda.products.spmspv import atomic_of
from clew.engines.cuda.program.functions import functions_of
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, index_defines
from clew.engines.cuda.toolchain.failures import USE_CPU
from clew.engines.cuda.toolchain.source import Compiled
from clew.errors import OperatorError, ResourceError
from clew.graph import Graph
from clew.operators import Monoid
from clew.result import Trace, timed

if TYPE_CHECKING:
    from clew.program import VertexProgram

PUSHED_IN_ORDER = 32  # frontiers above 1/32 of the vertices are sorted if their rows are on the host
NOWHERE = OnHost(0.0, 0.0)  # if nothing was placed on the device
#: As in program.cuh and program_steady.cuh.
BARRIER = ("barrier", "u4", GRID_BARRIER_WORDS)
COUNTERS = tuple((name, "u8", 3) for name in ("size", "longest", "reached", "waiting", "least"))
PROGRESS = (("step", "u4"), ("splits", "u4"), *((name, "u8") for name in ("iterations", "work", "present", "over")))
CONTROL = np.dtype([BARRIER, *COUNTERS, *PROGRESS])
STEADY = np.dtype([BARRIER, ("changed", "u8", 3), ("iterations", "u8"), ("converged", "u8")])


#: An array on the device for every field.
State = Mapping[str, Any]


@dataclass(frozen=True)
class Tuning:
    """Options of a run, which do not change results.

    Parameters
    ----------
    threads, resident
        The threads of a block, and the blocks that must fit on a multiprocessor, which limits registers.
    balance
        How the edges of active vertices are shared among warps where they push: a key of ``BALANCES``.
    cut, prefetch
        For "degree_cut": edges of a piece at most, and whether they are fetched to shared memory first.
    pushed, pushed_to_any
        Push if at most this part of the edges is active; the second applies if one message suffices.
    alone
        One block processes frontiers of up to the first number of vertices and edges, until they exceed the second.
    order_from
        Frontiers of this many vertices are sorted, so that rows are read line by line. None: as
        ``frontiers.order_from`` chooses for searches, but only for a larger part of all vertices.
    steps, work
        The number of steps or edges after which control returns to the host, to handle Ctrl-C.
    """

    threads: int = 512
    resident: int = 2
    balance: str = "auto"
    cut: int = 16
    prefetch: bool = True
    pushed: float = 1 / 2
    pushed_to_any: float = 1 / 16
    alone: tuple[int, int] = (1 << 10, 1 << 12)
    order_from: int | None = None
    steps: int = 1 << 13
    work: int = 1 << 34


DEFAULT = Tuning()


def run_program(
    device: Device, program: VertexProgram, graph: Graph, state: State, active: Array, tuning: Tuning = DEFAULT
) -> Done:
    """Run the program on ``state``, an array on the device for every field, in place."""
    if program.active_next == "all":
        return _steady(device, program, graph, state, tuning)
    return _spreading(device, program, graph, state, active, tuning)


def monoid_of(program: VertexProgram) -> Monoid:
    """What reduces a program's messages, where a GPU does so."""
    if not isinstance(program.reduce, Monoid):
        raise OperatorError(
            f"{type(program).__name__}.reduce is {program.reduce!r}, which sees all messages of a vertex at once; a "
            "GPU reduces with a clew.Monoid only.",
            **USE_CPU,
        )
    return program.reduce


def limit_of(program: VertexProgram) -> int:
    """The most iterations of a program."""
    return NO_LIMIT if program.max_iterations is None else program.max_iterations


def _spreading(
    device: Device, program: VertexProgram, graph: Graph, state: State, active: Array, tuning: Tuning
) -> Done:
    """From the active vertices to those that change."""
    n, message, limit = active.size, np.dtype(program.message), limit_of(program)
    monoid = monoid_of(program)
    if n == 0 or limit == 0:
        return Done(0, not active.any(), Trace(_columns(np.zeros((1, 4), dtype=np.int64), 0, NOWHERE)))
    directions = directions_on(device, graph, program.direction, weights=uses_weights(program), packed=True)
    along, against = directions
    kernel = _kernel(device, "program", program, monoid, directions, tuning)
    pushable, first, ordered = is_pushable(program, monoid), monoid.stops_at_first, program.priority is not None
    most_pushed = int(along.num_arcs * (tuning.pushed_to_any if first else tuning.pushed)) if pushable else -1
    index = along.id_dtype
    entry = entry_bytes(index, *[along.offsets.dtype] * 3)
    identity = monoid.identity(message)
    trace = device.empty((min(limit, TRACED) + 1, 4), np.int64)
    begin = np.zeros(1, dtype=CONTROL)
    begin["least"] = 2**64 - 1
    control = device.upload(begin.view(np.uint8))
    classes = rows_by_length(device, against)
    memory = (
        None if active.all() else device.upload(active),
        device.empty(2 * n, message),
        device.empty(n, message) if pushable and not first else None,
        identity,
        device.empty(n, np.uint32) if pushable else None,
        device.empty(2 * n * entry, np.uint8),
        device.empty(n, index) if pushable and not first else None,
        device.empty(2 * n, index) if ordered else None,
        device.empty(n, np.uint64) if ordered else None,
        device.empty(-(-n // 32), np.uint32),
    )
    pieces, shared = _pieces(device, along, message, tuning, entry)
    order = order_memory(device, along, tuning) if pushable else ()
    edges = (along.offsets, *along.edges, against.offsets, *against.edges)
    rows = (np.uint64(n), *edges, classes.order, classes.starts)
    alone = tuple(np.uint64(number) for number in tuning.alone)
    choices = (np.float64(1 / program.width), np.int64(most_pushed), *alone, np.uint64(limit))
    rest = (trace, np.uint64(trace.shape[0]), *pieces, *order, control, *state.values())
    progress = begin[0]
    while not progress["over"] and (progress["step"] == 0 or progress["iterations"] < limit):
        step, work = int(progress["step"]), int(progress["work"])
        limits = (np.uint64(step + tuning.steps), np.uint64(work + tuning.work), np.int32(step == 0))
        device.launch_cooperative(kernel, tuning.threads, *rows, *memory, *choices, *limits, *rest, shared=shared)
        progress = device.download(control).view(CONTROL)[0]
    iterations = int(progress["iterations"])
    width, away = along.bytes_per_edge, on_host(along, against)
    kept = Trace.later(lambda: _columns(device.download(trace[: iterations + 1]), width, away))
    return Done(iterations, bool(progress["over"]), kept)


def _pieces(
    device: Device, rows: DeviceRows, message: np.dtype[Any], tuning: Tuning, entry: int
) -> tuple[tuple[Any, ...], int]:
    """What program_cut.cuh needs, where edges are cut into pieces; and the bytes of shared memory for those fetched."""
    if tuning.balance != "degree_cut":
        return (), 0
    weight = message if rows.weights is None else rows.weight_dtype
    edge = fetched_edge(rows.id_dtype, weight)
    memory = (
        device.empty((rows.num_arcs // tuning.cut + 1) * entry, np.uint8),
        device.empty(rows.num_vertices * entry, np.uint8),
        device.zeros(6, np.uint64),
    )
    return memory, tuning.cut * tuning.threads * edge.itemsize if tuning.prefetch else 0


def order_memory(device: Device, rows: DeviceRows, tuning: Tuning) -> tuple[Any, ...]:
    """From which size frontiers are put in order, and the memory for it; nothing where none are."""
    least = _order_from(rows, tuning)
    if least == NEVER:
        return ()
    return np.uint64(least), *room_for_order(device, rows.num_vertices)


def _order_from(rows: DeviceRows, tuning: Tuning) -> int:
    """As for searches, but for larger frontiers: processing an edge takes longer than the link."""
    threshold = order_from(rows, tuning.balance, tuning.order_from)
    return threshold if tuning.order_from is not None else max(threshold, rows.num_vertices // PUSHED_IN_ORDER)


def _steady(device: Device, program: VertexProgram, graph: Graph, state: State, tuning: Tuning) -> Done:
    """All vertices in every iteration."""
    n, message, limit = graph.num_vertices, np.dtype(program.message), limit_of(program)
    monoid = monoid_of(program)
    if n == 0 or limit == 0:
        nothing = _rounds(np.zeros((min(limit, 1) + 1, 2)), n, graph.num_arcs, 0, NOWHERE)
        return Done(min(limit, 1), limit > 0, Trace(nothing))
    directions = directions_on(device, graph, program.direction, weights=uses_weights(program), packed=True)
    rows = directions.against
    kernel = _kernel(device, "program_steady", program, monoid, directions, tuning)
    messages = device.empty(2 * n, message)
    trace = device.empty((min(limit, TRACED) + 1, 2), np.float64)
    control = device.zeros(STEADY.itemsize, np.uint8)
    classes = rows_by_length(device, rows)
    most = max(1, min(tuning.steps, tuning.work // (rows.num_arcs + n)))
    given = (np.uint64(n), rows.offsets, *rows.edges, classes.order, classes.starts, messages, monoid.identity(message))
    rest = (trace, np.uint64(trace.shape[0]), control, *state.values())
    progress = np.zeros(1, dtype=STEADY)[0]
    while not progress["converged"] and progress["iterations"] < limit:
        done = int(progress["iterations"])
        limits = (np.uint64(min(most, limit - done)), np.int32(done == 0))
        device.launch_cooperative(kernel, tuning.threads, *given, *limits, *rest)
        progress = device.download(control).view(STEADY)[0]
    iterations = int(progress["iterations"])
    arcs, width, away = rows.num_arcs, rows.bytes_per_edge, on_host(rows)
    kept = Trace.later(lambda: _rounds(device.download(trace[: iterations + 1]), n, arcs, width, away))
    return Done(iterations, bool(progress["converged"]), kept)


def is_pushable(program: VertexProgram, monoid: Monoid) -> bool:
    """Whether messages may be reduced in any order."""
    return program.apply_to != "all" and (monoid.is_order_free or np.dtype(program.message).kind in "iu")


def _source(
    program: VertexProgram, monoid: Monoid, directions: Directions, weight: np.dtype[Any] | None, tuning: Tuning
) -> tuple[dict[str, Any], dict[str, Compiled]]:
    """The macros and functions of a program's kernel; ``weight`` is the dtype of weights that it reads, if any."""
    rows = directions.along
    functions = functions_of(program, weight, monoid)
    cut = tuning.cut if tuning.balance == "degree_cut" else 0
    most = max(rows.num_vertices, rows.num_arcs // cut + 1 if cut else 0)  # rows of a queue
    count_bits = 32 if rows.num_arcs < 2**32 else max(1, most.bit_length())
    if max(count_bits, most.bit_length()) + rows.num_arcs.bit_length() > 64:
        raise ResourceError(
            f"{rows.num_vertices:,} vertices and {rows.num_arcs:,} edges are more than a vertex program can count on a "
            "GPU.",
            **USE_CPU,
        )
    defines = {
        **index_defines(rows.id_dtype, rows.num_arcs),
        **functions.defines,
        "EVERYONE": int(program.apply_to == "all"),
        "THREADS": tuning.threads,
        "RESIDENT": tuning.resident,
    }
    if directions.against.on_host:
        defines["ON_HOST"] = 1
    defines |= {**form_of(*directions), **rows.stored}
    if program.active_next != "all":
        pushable = is_pushable(program, monoid)
        defines |= {"PUSHABLE": int(pushable), "COUNT_BITS": count_bits, "BALANCE": BALANCES[tuning.balance]}
        defines |= {"CUT": cut, "PREFETCH": int(tuning.prefetch), **atomic_of(monoid, np.dtype(program.message))}
        if pushable and _order_from(rows, tuning) != NEVER:
            defines["IN_ORDER"] = 1
    return defines, functions.operators


def _kernel(
    device: Device, name: str, program: VertexProgram, monoid: Monoid, directions: Directions, tuning: Tuning
) -> Any:
    defines, operators = _source(program, monoid, directions, directions.weight, tuning)
    try:
        return device.kernel(f"{name}.cuh", name, defines, operators)
    except OperatorError as error:
        if not isinstance(error.__cause__, Exception):
            raise
        raise program_error(
            program, operators["clew_process"].arguments[1], error.__cause__, " for the GPU"
        ) from error.__cause__


def _columns(rows: Array, width: float, away: OnHost) -> dict[str, Array]:
    """The columns of a trace, whose last row has only the end of the last iteration."""
    active, edges, direction, begun = rows.T
    columns = {"active": active[:-1], "edges": edges[:-1], "direction": np.where(direction[:-1] == 1, "pull", "push")}
    return with_link(timed(columns, begun, width), away)


def _rounds(rows: Array, num_vertices: int, num_arcs: int, width: float, away: OnHost) -> dict[str, Array]:
    """The same for iterations over all vertices: ``rows`` are ``Round`` of clock.cuh."""
    begun = rows[:, 1].copy().view(np.int64)
    everyone, edges = (np.full(len(rows) - 1, count) for count in (num_vertices, num_arcs))
    columns = with_link(timed({"active": everyone, "edges": edges}, begun, width), away)
    return {**columns, "changed": rows[:-1, 0].astype(np.int64)}
