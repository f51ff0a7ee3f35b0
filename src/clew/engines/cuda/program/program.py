"""Vertex programs on a GPU: the program's functions in the kernels of program.cuh, the memory, and the launches."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.engines.compile_errors import program_error
from clew.engines.cuda.balance.frontiers import BALANCES, fetched_edge, order_from, room_for_order
from clew.engines.cuda.balance.frontiers import NO_LIMIT as NEVER
from clew.engines.cuda.balance.tiling import rows_by_length
from clew.engines.cuda.memory.bandwidth import OnHost, on_host, with_link
from clew.engines.cuda.memory.device_graph import graph_on, incoming_on, rows_on
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products.spmspv import atomic_of
from clew.engines.cuda.program.functions import Functions, functions_of
from clew.engines.cuda.toolchain.device import GRID_BARRIER_WORDS, Device, index_defines
from clew.engines.cuda.toolchain.source import Compiled, KernelSource
from clew.errors import OperatorError, ResourceError
from clew.graph import Graph
from clew.operators import Monoid
from clew.operators.inspection import uses_argument
from clew.result import Trace, edge_bytes, timed

if TYPE_CHECKING:
    from clew.program import VertexProgram

TRACED = 1 << 16
NO_LIMIT = 2**62
PUSHED_IN_ORDER = 32  # of the vertices: a frontier of one in so many is put in order where its rows are on the host
NOWHERE = OnHost(0.0, 0.0)  # where nothing has been put on the device
#: As in program.cuh and program_steady.cuh.
CONTROL = np.dtype(
    [
        ("barrier", "u4", GRID_BARRIER_WORDS),
        ("size", "u8", 3),
        ("longest", "u8", 3),
        ("reached", "u8", 3),
        ("waiting", "u8", 3),
        ("least", "u8", 3),
        ("step", "u4"),
        ("splits", "u4"),
        ("iterations", "u8"),
        ("work", "u8"),
        ("present", "u8"),
        ("over", "u8"),
    ]
)
STEADY = np.dtype(
    [("barrier", "u4", GRID_BARRIER_WORDS), ("changed", "u8", 3), ("iterations", "u8"), ("converged", "u8")]
)


@dataclass(frozen=True)
class Tuning:
    """How a program is run; nothing of it changes results.

    Parameters
    ----------
    threads, resident
        Of a block, and how many blocks a processor must have room for, which limits the registers of a thread.
    balance
        How the edges of active vertices are shared among warps where they push: a key of ``BALANCES``.
    cut, prefetch
        For "degree_cut": edges of a piece at most, and whether they are fetched to shared memory first.
    pushed, pushed_to_any
        Push where at most this part of the edges is active; the second where one message is as good as many.
    alone
        Frontiers of up to the first number of vertices and edges are left to one block, until they pass the second.
    order_from
        Frontiers of so many vertices push in the order of their rows, which are then read a line at a time; None: as
        ``frontiers.order_from`` says for searches, and a larger part of all vertices.
    steps, work
        After so many steps, or edges, the host has a look, so that Ctrl-C is heard.
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


class Done(NamedTuple):
    """How a run ended."""

    iterations: int
    converged: bool
    trace: Trace


class Ways(NamedTuple):
    """The rows along the way of messages and against it."""

    along: DeviceRows
    against: DeviceRows


def run_program(
    device: Device,
    program: VertexProgram,
    graph: Graph,
    state: Mapping[str, Any],
    active: npt.NDArray[np.bool_],
    tuning: Tuning = DEFAULT,
) -> Done:
    """Run the program on ``state``, an array on the device for every field, in place."""
    monoid = monoid_of(program)
    if program.active_next == "all":
        return _steady(device, program, monoid, graph, state, tuning)
    return _spreading(device, program, monoid, graph, state, active, tuning)


def monoid_of(program: VertexProgram) -> Monoid:
    """What reduces a program's messages, where a GPU does so."""
    if not isinstance(program.reduce, Monoid):
        raise OperatorError(
            f"{type(program).__name__}.reduce is {program.reduce!r}, which sees all messages of a vertex at once; a "
            "GPU reduces with a clew.Monoid only.",
            remedy='Use device="cpu".',
            option="Use --device cpu.",
        )
    return program.reduce


def _spreading(
    device: Device,
    program: VertexProgram,
    monoid: Monoid,
    graph: Graph,
    state: Mapping[str, Any],
    active: npt.NDArray[np.bool_],
    tuning: Tuning,
) -> Done:
    """From the active vertices to those that change."""
    limit = NO_LIMIT if program.max_iterations is None else program.max_iterations
    n, message = active.size, np.dtype(program.message)
    if n == 0 or limit == 0:
        return Done(0, not active.any(), Trace(_columns(np.zeros((1, 4), dtype=np.int64), 0, NOWHERE)))
    ways = ways_on(device, graph, program)
    functions = _functions(program, monoid, ways)
    kernel = _kernel(device, program, "program", _defines(functions, ways, program, monoid, tuning), functions)
    pushable, first, ordered = is_pushable(program, monoid), monoid.stops_at_first, program.priority is not None
    most_pushed = int(ways.along.num_arcs * (tuning.pushed_to_any if first else tuning.pushed)) if pushable else -1
    index = np.dtype(ways.along.neighbours.dtype)
    entry = 16 if index.itemsize == ways.along.offsets.dtype.itemsize == 4 else 32
    identity = monoid.identity(message)
    trace = device.empty((min(limit, TRACED) + 1, 4), np.int64)
    begin = np.zeros(1, dtype=CONTROL)
    begin["least"] = 2**64 - 1
    control = device.upload(begin.view(np.uint8))
    classes = rows_by_length(device, ways.against)
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
    pieces, shared = _pieces(device, ways, message, tuning, entry)
    order = order_memory(device, ways.along, tuning) if pushable else ()
    told = begin[0]
    while not told["over"] and (told["step"] == 0 or told["iterations"] < limit):
        device.launch_cooperative(
            kernel,
            tuning.threads,
            np.uint64(n),
            *_arguments(ways.along),
            *_arguments(ways.against),
            classes.order,
            classes.starts,
            *memory,
            np.float64(1 / program.width),
            np.int64(most_pushed),
            *(np.uint64(number) for number in tuning.alone),
            np.uint64(limit),
            np.uint64(int(told["step"]) + tuning.steps),
            np.uint64(int(told["work"]) + tuning.work),
            np.int32(told["step"] == 0),
            trace,
            np.uint64(trace.shape[0]),
            *pieces,
            *order,
            control,
            *state.values(),
            shared=shared,
        )
        told = device.download(control).view(CONTROL)[0]
    iterations = int(told["iterations"])
    width, away = edge_bytes(ways.along.neighbours, ways.along.weights), on_host(ways.along, ways.against)
    kept = Trace.later(lambda: _columns(device.download(trace[: iterations + 1]), width, away))
    return Done(iterations, bool(told["over"]), kept)


def _pieces(
    device: Device, ways: Ways, message: np.dtype[Any], tuning: Tuning, entry: int
) -> tuple[tuple[Any, ...], int]:
    """What program_cut.cuh needs, where edges are cut into pieces; and the bytes of shared memory for those fetched."""
    if tuning.balance != "degree_cut":
        return (), 0
    rows = ways.along
    weight = message if rows.weights is None else rows.weights.dtype
    edge = fetched_edge(rows.neighbours.dtype, weight)
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
    """As for searches, but for larger frontiers: what follows an edge takes longer here than the link does."""
    found = order_from(rows, tuning.balance, tuning.order_from)
    return found if tuning.order_from is not None else max(found, rows.num_vertices // PUSHED_IN_ORDER)


def _steady(
    device: Device, program: VertexProgram, monoid: Monoid, graph: Graph, state: Mapping[str, Any], tuning: Tuning
) -> Done:
    """Everyone in every iteration."""
    limit = NO_LIMIT if program.max_iterations is None else program.max_iterations
    n, message = graph.num_vertices, np.dtype(program.message)
    if n == 0 or limit == 0:
        nothing = _rounds(np.zeros((min(limit, 1) + 1, 2)), n, graph.num_arcs, 0, NOWHERE)
        return Done(min(limit, 1), limit > 0, Trace(nothing))
    ways = ways_on(device, graph, program)
    functions = _functions(program, monoid, ways)
    kernel = _kernel(device, program, "program_steady", _defines(functions, ways, program, monoid, tuning), functions)
    messages = device.empty(2 * n, message)
    trace = device.empty((min(limit, TRACED) + 1, 2), np.float64)
    control = device.zeros(STEADY.itemsize, np.uint8)
    classes = rows_by_length(device, ways.against)
    most = max(1, min(tuning.steps, tuning.work // (ways.against.num_arcs + n)))
    told = np.zeros(1, dtype=STEADY)[0]
    while not told["converged"] and told["iterations"] < limit:
        device.launch_cooperative(
            kernel,
            tuning.threads,
            np.uint64(n),
            *_arguments(ways.against),
            classes.order,
            classes.starts,
            messages,
            monoid.identity(message),
            np.uint64(min(most, limit - int(told["iterations"]))),
            np.int32(told["iterations"] == 0),
            trace,
            np.uint64(trace.shape[0]),
            control,
            *state.values(),
        )
        told = device.download(control).view(STEADY)[0]
    iterations = int(told["iterations"])
    arcs, width = ways.against.num_arcs, edge_bytes(ways.against.neighbours, ways.against.weights)
    away = on_host(ways.against)
    kept = Trace.later(lambda: _rounds(device.download(trace[: iterations + 1]), n, arcs, width, away))
    return Done(iterations, bool(told["converged"]), kept)


def is_pushable(program: VertexProgram, monoid: Monoid) -> bool:
    """Whether messages may be reduced in any order."""
    return program.apply_to != "all" and (monoid.is_order_free or np.dtype(program.message).kind in "iu")


def _functions(program: VertexProgram, monoid: Monoid, ways: Ways) -> Functions:
    weight = None if ways.against.weights is None else np.dtype(ways.against.weights.dtype)
    functions = functions_of(program, weight)
    if not monoid.stops_at_first:
        message = np.dtype(program.message)
        functions.operators["clew_add"] = Compiled(monoid.operator.function, (message, message), message)
    return functions


def _defines(
    functions: Functions, ways: Ways, program: VertexProgram, monoid: Monoid, tuning: Tuning
) -> dict[str, Any]:
    rows = ways.along
    cut = tuning.cut if tuning.balance == "degree_cut" else 0
    most = max(rows.num_vertices, rows.num_arcs // cut + 1 if cut else 0)  # rows of a queue
    count_bits = 32 if rows.num_arcs < 2**32 else max(1, most.bit_length())
    if max(count_bits, most.bit_length()) + rows.num_arcs.bit_length() > 64:
        raise ResourceError(
            f"{rows.num_vertices:,} vertices and {rows.num_arcs:,} edges are more than a vertex program can count on a "
            "GPU.",
            remedy='Use device="cpu".',
            option="Use --device cpu.",
        )
    defines = {
        **index_defines(np.dtype(rows.neighbours.dtype), rows.num_arcs),
        **functions.defines,
        "FIRST": int(monoid.stops_at_first),
        "EVERYONE": int(program.apply_to == "all"),
        "THREADS": tuning.threads,
        "RESIDENT": tuning.resident,
    }
    if ways.against.on_host:
        defines["ON_HOST"] = 1
    if program.active_next == "all":
        return defines
    pushable = {"PUSHABLE": int(is_pushable(program, monoid)), "COUNT_BITS": count_bits}
    pushable |= {"BALANCE": BALANCES[tuning.balance], "CUT": cut, "PREFETCH": int(tuning.prefetch)}
    if pushable["PUSHABLE"] and _order_from(rows, tuning) != NEVER:
        pushable["IN_ORDER"] = 1
    return {**defines, **pushable, **atomic_of(monoid, np.dtype(program.message))}


def _kernel(device: Device, program: VertexProgram, name: str, defines: dict[str, Any], functions: Functions) -> Any:
    try:
        return device.kernel(f"{name}.cuh", name, defines, functions.operators)
    except OperatorError as error:
        if not isinstance(error.__cause__, Exception):
            raise
        weight = functions.operators["clew_process"].arguments[1]
        raise program_error(program, weight, error.__cause__, " for the GPU") from error.__cause__


def _arguments(rows: DeviceRows) -> tuple[Any, Any, Any]:
    return rows.offsets, rows.neighbours, rows.weights


def ways_on(device: Device, graph: Graph, program: VertexProgram) -> Ways:
    """The rows, with weights where the program looks at them."""
    weights = graph.weights is not None and uses_argument(program.process, 1)
    if program.direction == "both" and graph.directed:
        rows = _both_ways(device, graph, weights)
        return Ways(rows, rows)
    along = rows_on(device, graph.outgoing, weights=weights, parts=2 if graph.directed else 1)
    against = incoming_on(device, graph, weights=weights)
    return Ways(against, along) if program.direction == "in" else Ways(along, against)


def _both_ways(device: Device, graph: Graph, weights: bool) -> DeviceRows:
    """Every edge in both directions: one there and one back are two in each, and a loop is two. Made once a graph."""
    derived, wanted = graph_on(device, graph.indices).derived, graph.weights if weights else None
    found: tuple[Any, Adjacency] | None = derived.get(weights)
    if found is None or (None if found[0] is None else found[0]()) is not wanted:
        source, target, _ = graph.edges()
        ends = np.concatenate([source, target]), np.concatenate([target, source])
        doubled = None if wanted is None else np.concatenate([wanted, wanted])
        rows = Graph.from_edges(*ends, doubled, graph.num_vertices, id_dtype=graph.indices.dtype).outgoing
        found = derived[weights] = (None if wanted is None else weakref.ref(wanted), rows)
    return rows_on(device, found[1], weights=weights)


def _columns(rows: Array, width: int, away: OnHost) -> dict[str, Array]:
    """Of rows of which the last has only the time at which the last iteration ended."""
    active, edges, direction, begun = rows.T
    told = {"active": active[:-1], "edges": edges[:-1], "direction": np.where(direction[:-1] == 1, "pull", "push")}
    return with_link(timed(told, begun, width), away)


def _rounds(rows: Array, num_vertices: int, num_arcs: int, width: int, away: OnHost) -> dict[str, Array]:
    """The same of iterations over everyone: ``rows`` are ``Round`` of clock.cuh."""
    begun = rows[:, 1].copy().view(np.int64)
    everyone, edges = (np.full(len(rows) - 1, count) for count in (num_vertices, num_arcs))
    told = with_link(timed({"active": everyone, "edges": edges}, begun, width), away)
    return {**told, "changed": rows[:-1, 0].astype(np.int64)}


def _variants() -> list[KernelSource]:
    """Programs that differ in what the kernels are made of."""
    from types import SimpleNamespace

    from clew.operators import monoids

    def apply(total: Any, vertex: Any) -> bool:
        changed = total < vertex.value
        vertex.value = total
        return bool(changed)

    found = []
    usual, on_host = Tuning(), Tuning(order_from=1)
    for index, offset, message, monoid, options, tuning in (
        ("int", "unsigned int", "int32", monoids.any, {"priority": lambda vertex: vertex.value}, usual),
        ("int", "unsigned int", "float64", monoids.min, {"priority": lambda vertex: vertex.value}, usual),
        ("int", "unsigned int", "float64", monoids.min, {"priority": lambda vertex: vertex.value}, on_host),
        ("int", "unsigned int", "float64", monoids.plus, {"apply_to": "all"}, usual),
        ("long long", "long long", "int64", monoids.plus, {}, usual),
        ("long long", "long long", "int64", monoids.plus, {}, on_host),
        ("long long", "long long", "int64", monoids.plus, {}, Tuning(balance="degree_cut")),
        ("int", "unsigned int", "int32", monoids.any, {}, Tuning(balance="thread")),
        ("int", "unsigned int", "int32", monoids.any, {}, Tuning(balance="warp")),
        ("int", "unsigned int", "int32", monoids.any, {}, Tuning(balance="block")),
        ("int", "unsigned int", "int32", monoids.any, {}, Tuning(balance="merge_path")),
        ("int", "unsigned int", "float64", monoids.plus, {"active_next": "all"}, usual),
        ("int", "unsigned int", "float64", monoids.plus, {"active_next": "all"}, on_host),
        ("long long", "long long", "float32", monoids.any, {"active_next": "all"}, usual),
    ):
        given = {"priority": None, "apply_to": "received", "active_next": "changed", **options}
        program: Any = SimpleNamespace(
            fields={"value": message, "other": "bool"},
            message=message,
            send=lambda vertex: vertex.value,
            process=lambda message, weight, vertex: message + weight if vertex.other else message,
            apply=apply,
            accepts=lambda vertex: not vertex.other,
            matters=lambda value, vertex: value < vertex.value,
            **given,
        )
        rows = DeviceRows(None, np.empty(0, np.int32 if index == "int" else np.int64), None, 1, 1)
        ways = Ways(rows, rows)
        functions = functions_of(program, np.dtype(message))
        if not monoid.stops_at_first:
            types = (np.dtype(message),) * 3
            functions.operators["clew_add"] = Compiled(monoid.operator.function, types[:2], types[2])
        defines = _defines(functions, ways, program, monoid, tuning)
        defines |= {"index_t": index, "offset_t": offset, **({"ON_HOST": 1} if tuning is on_host else {})}
        name = "program_steady.cuh" if program.active_next == "all" else "program.cuh"
        found.append(KernelSource.of(name, defines, functions.operators))
    return found


VARIANTS = _variants()
