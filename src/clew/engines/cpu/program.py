"""Vertex programs on the CPU: kernels made from a program's functions, and the memory they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clew.adjacency import Adjacency
from clew.dtypes import Array, as_bits
from clew.engines.cpu import compiler, team
from clew.errors import OperatorError
from clew.graph import Graph
from clew.result import Trace

if TYPE_CHECKING:
    from clew.program import VertexProgram

TRACED = 1 << 16
NO_LIMIT = 2**62
#: Reductions whose result does not depend on the order, whatever the numbers; sums do, where they are of floats.
ORDER_FREE = ("min", "max", "any", "land", "lor", "band", "bor")


class Done(NamedTuple):
    """How a run ended."""

    iterations: int
    converged: bool
    trace: Trace


def run_program(program: VertexProgram, graph: Graph, state: Array, active: npt.NDArray[np.bool_]) -> Done:
    """Run the program on ``state``, in place."""
    from clew.engines.cpu.kernels_program import PULL, program_kernel

    message = np.dtype(program.message)
    out, into = _ways(graph, program.direction, message)
    add: Any = program.reduce.operator.function
    functions: tuple[Any, ...] = (program.send, program.process, add, program.apply, program.accepts)
    made = compiler.kernel(program_kernel, *functions, first_suffices=program.reduce.stops_at_first)
    n = graph.num_vertices
    identity = program.reduce.identity(message)
    messages, sums = np.empty(n, dtype=message), np.full(n, identity, dtype=message)
    words = -(-n // 64)
    packed = np.packbits(active, bitorder="little")
    bitmaps = tuple(np.zeros(words, dtype=np.uint64) for _ in range(3))
    bitmaps[0].view(np.uint8)[: packed.size] = packed
    pushable = program.reduce.name in ORDER_FREE or message.kind in "iu"
    limit = NO_LIMIT if program.max_iterations is None else program.max_iterations
    options = (identity, limit, program.apply_to == "all", program.active_next == "all", pushable)
    trace = np.zeros((min(limit, TRACED), 3), dtype=np.int64)
    try:
        iterations, converged = team.run(
            made.dispatcher, out[1].size + n, out, into, state, messages, (sums, as_bits(sums)), bitmaps, options, trace
        )
    except Exception as error:
        # Numba's own errors, and the KeyError that it lets through for a field that does not exist.
        if type(error).__module__.startswith("numba") or isinstance(error, KeyError):
            raise OperatorError(_explained(program, error)) from None
        raise
    rows = trace[:iterations]
    columns = {"active": rows[:, 0], "edges": rows[:, 1], "direction": np.where(rows[:, 2] == PULL, "pull", "push")}
    return Done(int(iterations), bool(converged), Trace(columns))


def _ways(graph: Graph, direction: str, message: np.dtype[Any]) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """(indptr, indices, weights) along the way of messages and against it."""
    if direction == "both" and graph.directed:
        graph = _both_ways(graph)
    along, against = (graph.outgoing, graph.incoming) if direction != "in" else (graph.incoming, graph.outgoing)
    return _rows(along, message), _rows(against, message)


def _both_ways(graph: Graph) -> Graph:
    """Every edge in both directions; an edge there and one back are two in each."""
    return graph.symmetrized("keep")


def _rows(rows: Adjacency, message: np.dtype[Any]) -> tuple[Array, ...]:
    weights = rows.weights
    if weights is None:
        # One value seen as many: an unweighted graph needs no memory for its weights.
        weights = np.broadcast_to(np.ones(1, dtype=message), rows.num_arcs)
    return as_bits(rows.indptr), as_bits(rows.indices), weights


def _explained(program: VertexProgram, error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if "Unknown attribute" in line or "No implementation" in line), lines[0])
    if isinstance(error, KeyError):
        told = f"there is no field {told}."
    names = ", ".join(program.fields)
    return (
        f"{type(program).__name__} cannot be compiled: {told} Its functions may use numbers, conditions, math and the "
        f"fields of a vertex ({names})."
    )
