"""Vertex programs: an algorithm as four small functions, run as a product of the adjacency and a vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.errors import GraphError
from clew.graph import Graph
from clew.operators import Monoid
from clew.result import Result


class VertexProgram:
    """What a vertex sends, what an edge makes of it, how arrivals are reduced, and what a vertex does with the sum.

    Subclasses set the attributes and write ``start`` and, as static methods of scalars that are compiled and fused into
    one loop: ``send(vertex)``, the message of an active vertex; ``process(message, weight, vertex)``, what it is worth
    at the other end of an edge; ``apply(total, vertex)``, which changes the vertex and returns whether it is active
    next. ``vertex`` is the state of one vertex, with its fields as attributes.

    Attributes
    ----------
    fields
        Names and dtypes of the state of a vertex.
    message
        The dtype of what is sent and reduced; 4 or 8 bytes wide.
    reduce
        The monoid that reduces what arrives at a vertex.
    direction
        Along which edges messages travel: "out" with them, "in" against them, "both" ways.
    apply_to
        "received": ``apply`` runs for vertices that a message reached. "all": for every vertex, in every iteration.
    active_next
        "changed": vertices for which ``apply`` returned True. "all": everyone, until ``apply`` returned True for none.
    max_iterations
        Stop after so many; None for no limit.
    """

    fields: ClassVar[Mapping[str, npt.DTypeLike]] = {}
    message: npt.DTypeLike = "float64"
    reduce: Monoid
    direction: Literal["out", "in", "both"] = "out"
    apply_to: Literal["received", "all"] = "received"
    active_next: Literal["changed", "all"] = "changed"
    max_iterations: int | None = None

    def start(self, graph: Graph) -> tuple[Mapping[str, npt.ArrayLike], npt.ArrayLike | None]:
        """The initial state, an array or a number per field, and who is active: a mask, ids, or None for everyone."""
        raise NotImplementedError

    @staticmethod
    def accepts(vertex: Any) -> bool:  # noqa: ARG004
        """Whether a vertex takes messages at all; False saves looking for them. By default every vertex does."""
        return True

    send: Callable[[Any], Any]
    process: Callable[[Any, Any, Any], Any]
    apply: Callable[[Any, Any], bool]


def run(program: VertexProgram, graph: Graph, *, device: str = "auto") -> Result:
    """Run a vertex program until no vertex is active.

    Every iteration pulls or pushes, whichever is cheaper; pushing is used only where it cannot change the result.

    Parameters
    ----------
    program
        What to run.
    graph
        On which graph; of an unweighted one, ``process`` gets 1 for every weight.
    device
        "auto" or "cpu".

    Returns
    -------
    Result
        An array per field; ``trace`` has ``active``, ``edges`` and ``direction`` of each iteration.
    """
    from clew.engines.cpu.program import run_program

    if device not in ("auto", "cpu"):
        raise GraphError(f"device is {device!r}; expected 'auto' or 'cpu'.")
    _check(program)
    initial, active = program.start(graph)
    state = _state(program, initial, graph.num_vertices)
    done = run_program(program, graph, state, _mask(active, graph.num_vertices))
    return Result(
        type(program).__name__,
        {name: np.ascontiguousarray(state[name]) for name in program.fields},
        names=graph.names,
        iterations=done.iterations,
        converged=done.converged,
        trace=done.trace,
    )


def _check(program: VertexProgram) -> None:
    kind = type(program).__name__
    for name in ("send", "process", "apply", "reduce"):
        if not hasattr(program, name):
            raise GraphError(f"{kind} has no {name}; a vertex program needs send, process, reduce and apply.")
    if not isinstance(program.reduce, Monoid):
        raise GraphError(f"{kind}.reduce is a {type(program.reduce).__name__}; expected a clew.Monoid.")
    if not program.fields:
        raise GraphError(f"{kind}.fields is empty; expected at least one name and dtype.")
    if np.dtype(program.message).itemsize not in (4, 8):
        raise GraphError(f"{kind}.message is {np.dtype(program.message)}; expected a number of 4 or 8 bytes.")
    for name, allowed in (
        ("direction", ("out", "in", "both")),
        ("apply_to", ("received", "all")),
        ("active_next", ("changed", "all")),
    ):
        if getattr(program, name) not in allowed:
            raise GraphError(f"{kind}.{name} is {getattr(program, name)!r}; expected one of {', '.join(allowed)}.")


def _state(program: VertexProgram, initial: Mapping[str, npt.ArrayLike], num_vertices: int) -> Array:
    """The state of all vertices, a record each."""
    if set(initial) != set(program.fields):
        raise GraphError(f"start gives {sorted(initial)}; expected a value for each of {sorted(program.fields)}.")
    state = np.empty(num_vertices, dtype=[(name, np.dtype(kind)) for name, kind in program.fields.items()])
    for name, value in initial.items():
        try:
            state[name] = value
        except ValueError as error:
            raise GraphError(f"the initial {name!r} does not fit {num_vertices:,} vertices: {error}.") from None
    return state


def _mask(active: npt.ArrayLike | None, num_vertices: int) -> npt.NDArray[np.bool_]:
    if active is None:
        return np.ones(num_vertices, dtype=np.bool_)
    given = np.atleast_1d(np.asarray(active))
    if given.dtype == np.bool_ and given.shape == (num_vertices,):
        return given
    chosen = np.zeros(num_vertices, dtype=np.bool_)
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= num_vertices):
        raise GraphError("the active vertices are neither a mask with an entry per vertex nor ids of vertices.")
    chosen[given.astype(np.int64)] = True
    return chosen
