"""Vertex programs on the CPU: kernels compiled from a program's functions, and the memory they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.compile_errors import is_compile_error, program_error
from clew.engines.cpu import compiler, team
from clew.engines.cpu.program.kernels import program_kernel
from clew.engines.cpu.program.kernels_gather import gather_kernel
from clew.engines.cpu.program.kernels_steady import steady_kernel
from clew.engines.cpu.program.kernels_waiting import LISTS
from clew.engines.cpu.team import ahead_of, fixed_blocks
from clew.engines.cpu.team.kernels import COLUMNS, PULL
from clew.graph import Graph
from clew.operators import Gather
from clew.operators.inspection import uses_argument
from clew.result import Trace, timed

if TYPE_CHECKING:
    from clew.program import VertexProgram


TRACED = 1 << 16
NO_LIMIT = 2**62
#: Push where at most this part of the edges is active. A pull that needs only one message reads few edges.
PUSHED, PUSHED_TO_ANY = 1 / 2, 1 / 16


class Done(NamedTuple):
    """How a run ended."""

    iterations: int
    converged: bool
    trace: Trace


class Directions(NamedTuple):
    """The rows along the direction of messages and against it."""

    along: Adjacency
    against: Adjacency


def run_program(program: VertexProgram, graph: Graph, state: Array, active: npt.NDArray[np.bool_]) -> Done:
    """Run the program on ``state``, in place."""
    limit = NO_LIMIT if program.max_iterations is None else program.max_iterations
    rows = directions_of(graph, program.direction)
    try:
        if isinstance(program.reduce, Gather):
            return _gathering(program, program.reduce, rows, state, active, limit)
        if program.active_next == "all":
            return _steady(program, rows, state, limit)
        return _spreading(program, rows, state, active, limit)
    except Exception as error:
        if is_compile_error(error):
            raise program_error(program, graph.weight_dtype, error) from error
        raise


def _spreading(
    program: VertexProgram, rows: Directions, state: Array, active: npt.NDArray[np.bool_], limit: int
) -> Done:
    """From the active vertices to those that change."""
    monoid: Any = program.reduce
    ordered = program.priority is not None
    functions = (*_functions(program, monoid.operator.function), program.priority or no_priority)
    compiled = compiler.kernel(program_kernel, *functions, first_suffices=monoid.stops_at_first, ordered=ordered)
    message = np.dtype(program.message)
    n, edges = state.size, rows.along.num_arcs
    identity = monoid.identity(message)
    messages, sums = np.empty(n, dtype=message), np.full(n, identity, dtype=message)
    lists, count = _lists(active, rows.along)
    bitmaps = tuple(np.zeros(-(-n // 64), dtype=np.uint64) for _ in range(2))
    everyone = program.apply_to == "all"
    pushable = not everyone and (monoid.is_order_free or message.kind in "iu")
    most_pushed = int(edges * (PUSHED_TO_ANY if monoid.stops_at_first else PUSHED)) if pushable else -1
    trace = np.zeros((min(limit, TRACED) + 1, COLUMNS), dtype=np.int64)
    iterations, converged = team.run(
        compiled.dispatcher,
        edges + n,
        readable_rows(rows.along, program),
        readable_rows(rows.against, program),
        state,
        messages,
        (sums, as_bits(sums)),
        lists,
        bitmaps,
        _nobody_waiting(n if ordered else 0, lists[0].dtype),
        np.empty(n if ordered else 0, dtype=np.uint64),
        (count, identity, limit, everyone, most_pushed, 1 / program.width),
        trace,
    )
    steps, width = trace[: iterations + 1], _width(program, rows.along)

    def columns() -> dict[str, Array]:
        *counts, begun = steps.T
        active, looked, direction = (column[:-1] for column in counts)
        pulled_or_pushed = np.where(direction == PULL, "pull", "push")
        return timed({"active": active, "edges": looked, "direction": pulled_or_pushed}, begun, width)

    return Done(int(iterations), bool(converged), Trace.later(columns))


def _steady(program: VertexProgram, rows: Directions, state: Array, limit: int) -> Done:
    """All vertices in every iteration."""
    monoid: Any = program.reduce
    compiled = compiler.kernel(
        steady_kernel, *_functions(program, monoid.operator.function), packed=rows.against.reads_packed
    )
    message = np.dtype(program.message)
    now, later = (np.empty(state.size, dtype=message) for _ in range(2))
    changes = np.zeros(min(limit, TRACED), dtype=np.int64)
    begun = np.zeros(changes.size + 1, dtype=np.int64)
    iterations, converged = team.run(
        compiled.dispatcher,
        (rows.against.num_arcs + state.size) * min(limit, TRACED),
        fixed_blocks(rows.against),
        ahead_of(rows.against, now),
        readable_rows(rows.against, program),
        state,
        now,
        later,
        (monoid.identity(message), limit, program.apply_to == "all"),
        changes,
        begun,
    )
    everyone, looked = (np.full(min(iterations, TRACED), count) for count in (state.size, rows.against.num_arcs))
    columns = timed({"active": everyone, "edges": looked}, begun[: iterations + 1], _width(program, rows.against))
    return Done(int(iterations), bool(converged), Trace({**columns, "changed": changes[:iterations]}))


def _gathering(
    program: VertexProgram, gather: Gather, rows: Directions, state: Array, active: npt.NDArray[np.bool_], limit: int
) -> Done:
    """A vertex reads all of its neighbours when one of them has changed."""
    compiled = compiler.kernel(gather_kernel, *_functions(program, gather.function), in_order=gather.in_order)
    message = np.dtype(program.message)
    n = state.size
    steady = program.active_next == "all"
    lists, count = _lists(np.ones(n, dtype=np.bool_) if steady else active, rows.along)
    multisets = multisets_of(int(np.diff(rows.against.indptr).max(initial=1)), message)
    trace = np.zeros((min(limit, TRACED) + 1, 3), dtype=np.int64)
    iterations, converged = team.run(
        compiled.dispatcher,
        rows.along.num_arcs + n,
        readable_rows(rows.along, program),
        readable_rows(rows.against, program),
        state,
        np.empty(n, dtype=message),
        lists,
        tuple(np.zeros(-(-n // 64), dtype=np.uint64) for _ in range(2)),
        multisets,
        (count, limit, np.array(gather.empty).astype(message)[()], program.apply_to == "all", steady),
        trace,
        most=len(multisets[0]),
    )
    awake, looked, begun = trace[: iterations + 1].T
    columns = {"active": awake[:-1], "edges": looked[:-1], "direction": np.full(awake.size - 1, "pull")}
    return Done(int(iterations), bool(converged), Trace(timed(columns, begun, _width(program, rows.along))))


def _width(program: VertexProgram, rows: Adjacency) -> float:
    """The bytes of an edge, with its weight if the program uses weights."""
    weight = rows.weight_dtype if uses_weights(program) else None
    return rows.neighbour_bytes + (0 if weight is None else weight.itemsize)


def _functions(program: VertexProgram, reduce: Any) -> tuple[Any, ...]:
    return program.send, program.process, reduce, program.apply, program.accepts, program.matters


def no_priority(vertex: Any) -> int:  # noqa: ARG001
    """The default: no vertex waits."""
    return 0


def _lists(active: npt.NDArray[np.bool_], rows: Adjacency) -> tuple[tuple[Array, Array], int]:
    """Room for two lists of vertices, the first of which begins with the active ones; their number."""
    frontier, reached = (np.empty(active.size, dtype=f"u{rows.id_dtype.itemsize}") for _ in range(2))
    chosen = np.flatnonzero(active)
    frontier[: chosen.size] = chosen
    return (frontier, reached), int(chosen.size)


def _nobody_waiting(n: int, ids: np.dtype[Any]) -> tuple[Array, ...]:
    """Empty lists for ``kernels_waiting``."""
    follow, before = (np.empty(n, dtype=ids) for _ in range(2))
    return follow, before, np.zeros(n, dtype=np.uint8), np.full(LISTS, n, dtype=ids), np.zeros(1, dtype=np.uint64)


def multisets_of(longest: int, message: np.dtype[Any]) -> tuple[Array, Array, Array]:
    """Room for ``kernels_gather``, a row for every thread."""
    rows, places = threads.count(), 2 << longest.bit_length()
    values, counts = np.empty((rows, longest), dtype=message), np.empty((rows, longest), dtype=np.int64)
    return values, counts, np.zeros((rows, places), dtype=np.uint32)


def directions_of(graph: Graph, direction: str) -> Directions:
    """The rows along and against the direction of messages."""
    if direction == "both" and graph.directed:
        return _symmetric_rows(graph)
    along, against = graph.outgoing, graph.incoming
    return Directions(against, along) if direction == "in" else Directions(along, against)


def _symmetric_rows(graph: Graph) -> Directions:
    """Every edge in both directions: one there and one back are two in each, and a loop is two."""
    source, target, weights = graph.edges()
    ends = np.concatenate([source, target]), np.concatenate([target, source])
    doubled = None if weights is None else np.concatenate([weights, weights])
    rows = Graph.from_edges(*ends, doubled, graph.num_vertices, id_dtype=graph.outgoing.id_dtype).outgoing
    return Directions(rows, rows)


def rows_with_weights(rows: Adjacency, program: VertexProgram) -> tuple[Array, ...]:
    """(indptr, indices, weights), all plain."""
    return *rows.unsigned(), _weights(rows.weights, rows, program)


def readable_rows(rows: Adjacency, program: VertexProgram) -> tuple[Any, ...]:
    """(offsets, neighbours, weights) for kernels that read packed rows too."""
    return *rows.readable(), _weights(rows.readable_weights() if uses_weights(program) else None, rows, program)


def _weights(weights: Any, rows: Adjacency, program: VertexProgram) -> Any:
    """The weights. Missing or unused weights take no memory: one value is broadcast.

    So a program that does not use weights is compiled once for all graphs. There are at least two, because Numba treats
    an array of one element as another type.
    """
    if weights is None or not uses_weights(program):
        weights = np.broadcast_to(np.ones(1, dtype=program.message), max(2, rows.num_arcs))
    return weights


def uses_weights(program: VertexProgram) -> bool:
    """Whether the program uses weights at all."""
    return uses_argument(program.process, 1)
