"""Vertex programs: an algorithm as four small functions, run as a product of the adjacency matrix and a vector."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import FunctionType
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from clew.checks import counted
from clew.dtypes import Array
from clew.engines.base import columns_of
from clew.engines.choice import REFERENCE
from clew.engines.cluster.share import Share, is_handle
from clew.engines.retry import retried
from clew.errors import GraphError, OperatorError
from clew.graph import Graph, check_graph
from clew.names import VertexNames
from clew.operators import Gather, Monoid
from clew.operators.inspection import check_returns, place, plain_function, text_made_by
from clew.primitives.arguments import engine_of
from clew.result import Result

Field = npt.ArrayLike | Callable[[Array], npt.ArrayLike]  # of all vertices, or a function of an array of ids

#: What the functions of a program are called with.
FUNCTIONS = {
    "send": "vertex",
    "process": "message, weight, vertex",
    "apply": "total, vertex",
    "accepts": "vertex",
    "matters": "value, vertex",
    "priority": "vertex",
}


class VertexProgram:
    """A vertex program: send, process, reduce and apply.

    Subclasses set the attributes and define ``start`` and three static methods of scalars. These are compiled and fused
    into one loop. ``send(vertex)`` returns the message of an active vertex. ``process(message, weight, vertex)``
    returns its value at the other end of an edge. ``apply(total, vertex)`` updates the vertex and returns whether it is
    active next. ``vertex`` is the state of one vertex, with its fields as attributes. ``accepts``, ``matters`` and
    ``priority`` are optional.

    Iterations are synchronous: all functions see the states of the previous iteration.

    Every path of a function must end with ``return`` and a value. A function without a value on some path is rejected
    before the run: an ``apply`` without ``return True`` would stop with half a result.

    Attributes
    ----------
    fields
        Names and dtypes of a vertex's state.
    message
        The dtype of messages and their reduction; 4 or 8 bytes wide.
    reduce
        The monoid that reduces the messages at a vertex, or a ``Gather``, which sees all of them at once. With a
        gather, a vertex that receives a message reduces the latest messages of all its neighbours, active or not. NaN
        must not be sent then.
    direction
        The edges that messages follow: "out" along edges, "in" against them, or "both".
    apply_to
        "received": ``apply`` runs for vertices that received a message. "all": for every vertex, in every iteration.
    active_next
        "changed": vertices for which ``apply`` returned True. "all": all vertices, until ``apply`` returns True for
        none.
    max_iterations
        The maximum number of iterations; None for no limit.
    priority
        A function of a vertex, None by default. With it, only active vertices in the lowest non-empty priority interval
        send. The others stay active and wait.
    width
        The width of these intervals; ``start`` may set it.
    """

    fields: ClassVar[Mapping[str, npt.DTypeLike]] = {}
    message: npt.DTypeLike = "float64"
    reduce: Monoid | Gather
    direction: Literal["out", "in", "both"] = "out"
    apply_to: Literal["received", "all"] = "received"
    active_next: Literal["changed", "all"] = "changed"
    max_iterations: int | None = None
    priority: Callable[[Any], Any] | None = None
    width: float = 1.0

    def start(self, graph: Graph) -> tuple[Mapping[str, Field], Field | None]:
        """The initial state (an array or a number per field) and the active vertices (a mask, ids, or None for all).

        A function of an array of ids may stand for the array of a field, or for the mask. On a cluster, every worker
        calls it with the ids of its own vertices, and no array of all vertices is made.
        """
        raise NotImplementedError

    @staticmethod
    def accepts(vertex: Any) -> bool:  # noqa: ARG004
        """Whether a vertex accepts messages; False saves work. By default every vertex does."""
        return True

    @staticmethod
    def matters(value: Any, vertex: Any) -> bool:  # noqa: ARG004
        """Whether a processed value matters to the vertex; otherwise it is ignored. By default all values do."""
        return True

    send: Callable[[Any], Any]
    process: Callable[[Any, Any, Any], Any]
    apply: Callable[[Any, Any], bool]


def run(program: VertexProgram, graph: Graph, *, device: str = "auto") -> Result:
    """Run a vertex program until no vertex is active.

    Every iteration pulls or pushes, depending on the cost. Pushing is used only if it cannot change the result.

    Parameters
    ----------
    program
        The program.
    graph
        The graph. Without weights, ``process`` gets 1 for every weight.
    device
        "auto", "cpu", "cuda", "hybrid" or "reference". A GPU supports monoids only; programs with a ``Gather`` run on
        the CPU. "hybrid" runs the program on the GPU if it compiles and its state fits. Otherwise ``send`` and
        ``apply`` run on the CPU, which holds the state, and ``process`` and ``reduce`` run on the GPU. Sums of floats
        may differ between these two in the last digits. "reference" runs the functions in plain Python, where print and
        a debugger work. It is slow.

    Returns
    -------
    Result
        An array per field. ``trace`` has ``active``, ``edges`` (those of the active vertices), ``direction``, ``bytes``
        and ``seconds`` per iteration. With ``active_next="all"`` and a monoid, it has ``changed`` instead of
        ``direction``. With "reference", it has ``active``, ``edges`` and ``seconds``. With "hybrid", it has
        ``edges_cpu``, ``edges_gpu``, ``bytes_up``, ``bytes_down``, ``seconds_cpu``, ``seconds_gpu`` and ``form``
        instead of ``bytes``. ``form`` is the encoding of messages up and down, or "cpu" or "gpu" if that side ran
        alone.
    """
    _check(program)
    if is_handle(graph):  # the workers call this function again, with their shares
        remote: Any = graph
        return remote.run_program(program, device)  # type: ignore[no-any-return]
    if not isinstance(graph, Share):
        check_graph(graph)
    if device != REFERENCE:
        _check_text(program)
    if isinstance(graph, Share):
        return _run_here(program, graph, device)
    on_cpu = device == "auto" and isinstance(program.reduce, Gather)
    engine: Any = engine_of("cpu" if on_cpu else device, graph.num_arcs, hybrid=True)
    initial, active = _started(program, graph)
    ids = np.arange(graph.num_vertices)
    state = _state(program, initial, ids)
    chosen = _mask(active(ids) if callable(active) else active, ids.size)
    done, values = engine.run_program(program, graph, state, chosen)
    return _result(program, values, done, graph.names)


@retried
def _run_here(program: VertexProgram, share: Share, device: str) -> Result:
    """One worker's part of a run on a cluster; what ``start`` gives as functions is computed for its vertices only."""
    initial, active = _started(program, share.for_user_code())
    own = {
        name: value if callable(value) or not np.ndim(value) else np.asarray(value)[share.ids]
        for name, value in initial.items()
    }
    state = _state(program, own, share.ids)
    chosen = _own_mask(active, share)
    done = _done_by_members(program, share, state, chosen, device)
    return _result(program, columns_of(state), done)


def _done_by_members(program: VertexProgram, share: Share, state: Array, active: Any, device: str) -> Any:
    """Run on the GPUs of the workers if ``device`` says so; "auto" uses them for programs that compile for them."""
    from clew.engines.cluster.gpu import gpu_of_member
    from clew.engines.cluster.program import run_program

    gpu = gpu_of_member(share.member, device)
    if gpu is None or (device == "auto" and isinstance(program.reduce, Gather)):
        return run_program(program, share, state, active)
    from clew.engines.cluster.program_gpu import run_program as run_on_gpu

    try:
        return run_on_gpu(gpu, program, share, state, active)
    except OperatorError:
        if device != "auto":
            raise
    return run_program(program, share, state, active)


def _result(program: VertexProgram, values: Mapping[str, Any], done: Any, names: VertexNames | None = None) -> Result:
    how = {"iterations": done.iterations, "converged": done.converged, "trace": done.trace}
    return Result(type(program).__name__, values, names=names, **how)


def _started(program: VertexProgram, graph: Graph) -> tuple[Mapping[str, Field], Field | None]:
    given = program.start(graph)
    if not (isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], Mapping)):
        raise GraphError(
            f"{type(program).__name__}.start returned a {type(given).__name__}; expected a pair: a dict with an array "
            "or a number for each field, and the active vertices: a mask, ids, or None for all."
        )
    if not (np.isfinite(program.width) and program.width > 0):  # ``start`` may have set it
        raise GraphError(f"{type(program).__name__}.width is {program.width}; expected a number above 0.")
    initial, active = given
    return initial, active


def _check(program: VertexProgram) -> None:
    if isinstance(program, type):
        raise GraphError(f"the program is the class {program.__name__}; expected an instance: {program.__name__}().")
    if isinstance(program, Graph):
        raise GraphError("the program is a graph; expected clew.run(program, graph), the program first.")
    kind = type(program).__name__
    for name in ("start", "send", "process", "apply", "reduce"):
        if getattr(type(program), name, None) is VertexProgram.start or not hasattr(program, name):
            raise GraphError(f"{kind} has no {name}; a vertex program needs start, send, process, reduce and apply.")
    for name in vars(type(program)):  # active_nxt = "all" would be ignored
        known = [*vars(VertexProgram), *VertexProgram.__annotations__]
        if name not in known and (near := get_close_matches(name, known, 1, 0.91)):
            raise GraphError(f"{kind} has {name!r}, which clew does not use; did you mean {near[0]!r}? Rename it.")
    for name, arguments in FUNCTIONS.items():
        if getattr(program, name) is not None:
            _check_function(kind, name, getattr(program, name), arguments)
    if not isinstance(program.reduce, Monoid | Gather):
        raise GraphError(
            f"{kind}.reduce is of type {type(program.reduce).__name__}; expected a clew.Monoid or clew.Gather."
        )
    if not program.fields:
        raise GraphError(f"{kind}.fields is empty; expected at least one name and dtype.")
    for name, dtype in program.fields.items():
        try:
            number = np.dtype(dtype).kind in "biuf"
        except TypeError:
            number = False
        if not number:
            raise GraphError(f"{kind}.fields[{name!r}] is {dtype!r}; expected a dtype of numbers, such as 'float64'.")
    if np.dtype(program.message).itemsize not in (4, 8):
        raise GraphError(f"{kind}.message is {np.dtype(program.message)}; expected a number of 4 or 8 bytes.")
    for name, allowed in (
        ("direction", ("out", "in", "both")),
        ("apply_to", ("received", "all")),
        ("active_next", ("changed", "all")),
    ):
        if getattr(program, name) not in allowed:
            raise GraphError(f"{kind}.{name} is {getattr(program, name)!r}; expected one of {', '.join(allowed)}.")
    if program.priority is not None and (program.active_next == "all" or isinstance(program.reduce, Gather)):
        raise GraphError(
            f"{kind} has a priority, so active vertices wait; expected a monoid as reduce, and active_next "
            '"changed". Remove the priority, or change these.'
        )


def _check_function(kind: str, name: str, function: Any, arguments: str) -> None:
    """Reject anything but a function of these arguments that returns a value."""
    if inspect.ismethod(function):
        raise GraphError(f"{kind}.{name} is a method; expected a function of scalars. Put @staticmethod above it.")
    plain = plain_function(function)
    if not isinstance(plain, FunctionType):
        raise OperatorError(f"{kind}.{name} is {function!r}; expected a Python function: {name}({arguments}).")
    try:
        inspect.signature(plain).bind(*arguments.split(", "))
    except TypeError:
        raise OperatorError(
            f"{kind}.{name} takes {inspect.signature(plain)} ({place(plain)}); expected {name}({arguments})."
        ) from None
    if name == "apply":
        remedy = 'apply returns whether the vertex is active next: end every path with "return True" or "return False".'
        check_returns(f"{kind}.apply", plain, remedy)
    else:
        check_returns(f"{kind}.{name}", plain)


def _check_text(program: VertexProgram) -> None:
    """Refuse functions that make text of numbers: f"{1.5}" is "<object type:float64>" in compiled code."""
    for name in FUNCTIONS:
        function = getattr(program, name)
        if function is not None and (found := text_made_by(function)) is not None:
            raise OperatorError(
                f"{type(program).__name__}.{name} cannot be compiled: it makes a string of numbers ({place(*found)}).",
                remedy='Use print with plain numbers. device="reference" runs it in plain Python, with print and a '
                "debugger.",
            )


def _state(program: VertexProgram, initial: Mapping[str, Field], ids: Array) -> Array:
    """The state of some vertices, one record each."""
    if set(initial) != set(program.fields):
        raise GraphError(f"start returned {sorted(initial)}; expected a value for each of {sorted(program.fields)}.")
    fields = np.dtype([(name, np.dtype(kind)) for name, kind in program.fields.items()], align=True)
    state = np.empty(ids.size, dtype=fields)
    for name, value in initial.items():
        try:
            state[name] = value(ids) if callable(value) else value
        except ValueError as error:
            raise GraphError(f"the initial {name!r} does not fit {counted(ids.size, 'vertex')}: {error}.") from None
    return state


def _own_mask(active: Field | None, share: Share) -> npt.NDArray[np.bool_]:
    """Which vertices of a worker are active."""
    if active is None or callable(active):
        return _mask(active(share.ids) if callable(active) else None, share.ids.size)
    given, mask = np.atleast_1d(np.asarray(active)), np.zeros(share.ids.size, np.bool_)
    if given.dtype.kind not in "iu" or (given.size and not 0 <= given.min() <= given.max() < share.num_vertices):
        mask[:] = _mask(given, share.num_vertices)[share.ids]
        return mask
    owner, local = share.partition.place(given.astype(np.int64))
    mask[local[owner == share.member.rank]] = True
    return mask


def _mask(active: npt.ArrayLike | None, num_vertices: int) -> npt.NDArray[np.bool_]:
    if active is None:
        return np.ones(num_vertices, dtype=np.bool_)
    given = np.atleast_1d(np.asarray(active))
    if given.dtype == np.bool_ and given.shape == (num_vertices,):
        return given
    chosen = np.zeros(num_vertices, dtype=np.bool_)
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= num_vertices):
        raise GraphError(
            "the active vertices are neither a mask with an entry per vertex nor vertex ids. graph.vertex(name) is the "
            "id of a vertex."
        )
    chosen[given.astype(np.int64)] = True
    return chosen
