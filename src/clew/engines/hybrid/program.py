"""Vertex programs under ``device="hybrid"``: on the GPU where possible, else on CPU and GPU together, else on the CPU.

The GPU runs a program whose functions compile for it and whose state fits. Otherwise the pipeline runs it: send and
apply on the CPU, process and reduce on the GPU. Only the fields that edges read go to the GPU. Where a reduction does
not depend on the order, the CPU follows part of the edges as well. Otherwise the GPU follows all of them, so that
results depend only on the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.base import columns_of
from clew.engines.compile_errors import is_compile_error, program_error
from clew.engines.cpu import program as cpu
from clew.engines.cpu.program import NO_LIMIT, PUSHED, PUSHED_TO_ANY, TRACED, Done
from clew.engines.cuda.program import program as cuda
from clew.engines.cuda.program.program import limit_of, monoid_of
from clew.engines.cuda.toolchain.device import Device
from clew.engines.hybrid.pipeline import DEFAULT, Pipeline, Settings, Step, arcs_of, rates_of
from clew.engines.retry import retried
from clew.errors import OperatorError, ResourceError
from clew.graph import Graph
from clew.operators.inspection import plain_function
from clew.result import Trace

if TYPE_CHECKING:
    from clew.program import VertexProgram

FIRST_KEY, LAST_KEY = np.uint64(0), 2**64 - 1
COMMON = ("active", "edges", "direction", "changed", "seconds")  # columns that runs on one side have too
MEASURED = ("bytes_up", "bytes_down", "seconds_cpu", "seconds_gpu", "form")
GPU, PIPELINE, CPU = "gpu", "pipeline", "cpu"
ORDER = (GPU, PIPELINE, CPU)
FUNCTIONS = ("send", "process", "apply", "accepts", "matters", "priority")
Outcome = tuple[cpu.Done, dict[str, Array]]
#: Compile errors of programs that do not compile for a GPU, so that they are not compiled again.
_refused: WeakKeyDictionary[type, dict[tuple[Any, ...], str]] = WeakKeyDictionary()


def run_program(
    device: Device, program: VertexProgram, graph: Graph, state: Array, active: Array, settings: Settings = DEFAULT
) -> Done:
    """Run the program on ``state``, a record per vertex, in place; after an error it may be partly changed."""
    monoid = monoid_of(program)
    limit = limit_of(program)
    steady = program.active_next == "all"
    if state.size == 0 or limit == 0:
        steps = min(limit, 1) if steady else 0
        return Done(steps, limit > 0 if steady else not active.any(), _trace([], steady, np.zeros(steps, np.int64)))
    try:
        rates = rates_of(device, f"{monoid.name}/{np.dtype(program.message)}")
        pipeline = Pipeline(device, program, monoid, graph, state, rates, settings)
        if steady:
            return _steady(pipeline, limit)
        return _spreading(pipeline, program, graph, active, limit)
    except Exception as error:
        if is_compile_error(error):
            raise program_error(program, None if graph.weights is None else graph.weights.dtype, error) from error
        raise


def _steady(pipeline: Pipeline, limit: int) -> Done:
    """All vertices in every iteration."""
    steps: list[Step] = []
    changes: list[int] = []
    edges = arcs_of(pipeline.against, pipeline.bounds["pull"])
    pipeline = _all_on_gpu(pipeline)
    everyone, done, changed = np.array([pipeline.n]), 0, 1
    while changed and done < limit:
        pipeline.send_all()
        step, changed = pipeline.step(everyone, "pull", edges, alone=False)
        done += 1
        if done <= TRACED:
            steps.append(step)
            changes.append(changed)
    return Done(done, changed == 0, _trace(steps, True, np.array(changes, dtype=np.int64)))


def _spreading(pipeline: Pipeline, program: VertexProgram, graph: Graph, active: Array, limit: int) -> Done:
    """From the active vertices to those that change."""
    pushable = pipeline.product.pushable
    if not pushable:
        pipeline = _all_on_gpu(pipeline)
    part = PUSHED_TO_ANY if pipeline.first_suffices else PUSHED
    most_pushed = int(pipeline.along.num_arcs * part) if pushable else -1
    in_rows = arcs_of(pipeline.against, pipeline.bounds["pull"])
    set_active(pipeline, active)
    forced = pipeline.settings.first_row is not None
    scale, present = 1 / program.width, FIRST_KEY
    steps: list[Step] = []
    done = tiny = 0
    while done < limit:
        counts, edges, lowest = pipeline.select(present, scale)
        count, total = int(counts.sum()), int(edges.sum())
        if count == 0:
            if lowest == LAST_KEY:
                break
            present = np.uint64(max(lowest, int(present)))
            continue
        direction = "push" if total <= most_pushed else "pull"
        alone = pushable and not forced and direction == "push" and total <= pipeline.settings.tiny
        tiny = tiny + 1 if alone else 0
        if tiny > pipeline.settings.patience:
            waiting = mask_of(pipeline.active | pipeline.frontier.words, pipeline.n)
            rest = _limited(program, None if limit == NO_LIMIT else limit - done)
            ended = cpu.run_program(rest, graph, pipeline.vertices, waiting)
            return Done(done + ended.iterations, ended.converged, joined(_trace(steps, False), ended.trace))
        step, _ = pipeline.step(counts, direction, edges if direction == "push" else in_rows, alone)
        done += 1
        if done <= TRACED:
            steps.append(step._replace(form="none" if alone else step.form))
    return Done(done, not pipeline.active.any(), _trace(steps, False))


def set_active(pipeline: Pipeline, active: npt.NDArray[np.bool_]) -> None:
    """Set the active vertices from a mask."""
    padded = np.zeros(pipeline.num_words * 64, dtype=np.bool_)
    padded[: active.size] = active
    pipeline.active[...] = np.packbits(padded, bitorder="little").view(np.uint64)
    pipeline.changed |= pipeline.active  # active vertices may start with their own state


def mask_of(words: Array, count: int) -> npt.NDArray[np.bool_]:
    """A bitmap as booleans."""
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:count].view(np.bool_)


def _all_on_gpu(pipeline: Pipeline) -> Pipeline:
    """Float sums depend on where they are formed, so the GPU forms all of them unless settings say otherwise."""
    if pipeline.settings.first_row is None:
        pipeline.settings = replace(pipeline.settings, first_row=0)
    return pipeline


def _limited(program: VertexProgram, limit: int | None) -> VertexProgram:
    """The same program with a lower limit of iterations."""
    rest = copy(program)
    rest.max_iterations = limit
    return rest


def joined(first: Trace, then: Trace) -> Trace:
    """The trace of a run that the CPU engine finished."""
    rest = one_sided(then, CPU) | {"form": np.full(then["active"].size, "none")}
    return Trace({name: np.concatenate([values, rest[name]]) for name, values in first.columns.items()})


def _trace(steps: list[Step], steady: bool, changes: Array | None = None) -> Trace:
    columns: dict[str, Any] = {
        "active": np.array([step.frontier for step in steps], dtype=np.int64),
        "edges": np.array([step.edges_cpu + step.edges_gpu for step in steps], dtype=np.int64),
    }
    if not steady:
        columns["direction"] = np.array([step.direction for step in steps], dtype="U4")
    elif changes is not None and changes.size != len(steps):  # an empty graph's only iteration
        return Trace({name: np.zeros(changes.size, np.int64) for name in (*columns, "changed")})
    else:
        columns["changed"] = changes
    columns["seconds"] = np.array([step.seconds for step in steps])
    for name in ("edges_cpu", "edges_gpu", *MEASURED):
        values = [getattr(step, name) for step in steps]
        columns[name] = np.array(values, dtype="U13" if name == "form" else None if steps else np.int64)
    return Trace(columns)


def run_hybrid(
    device: Device, program: VertexProgram, graph: Graph, state: Array, active: Array, *, order: tuple[str, ...] = ORDER
) -> Outcome:
    """Run the program; returns how it ended, and the fields on the CPU. ``state`` is undefined afterwards.

    The first engine of ``order`` that can run the program does; tests and benchmarks omit some.
    """
    monoid_of(program)  # or an error: a gather is for the CPU
    engines: dict[str, Callable[[], Outcome]] = {
        GPU: lambda: _on_gpu(device, program, graph, state, active),
        PIPELINE: lambda: _on_both(device, program, graph, state, active),
        CPU: lambda: _on_cpu(program, graph, state, active),
    }
    if state.size == 0:
        return engines[CPU]()
    for name in order[:-1]:
        try:
            return retried(engines[name])()
        except (OperatorError, ResourceError):
            continue  # the error is released first, with the device memory it holds
    return engines[order[-1]]()


def _on_gpu(device: Device, program: VertexProgram, graph: Graph, state: Array, active: Array) -> Outcome:
    refused = _refused.setdefault(type(program), {})
    key = (*_codes(program), None if graph.weights is None else graph.weights.dtype)
    if key in refused:
        raise OperatorError(refused[key])
    values = {field: device.upload(column) for field, column in columns_of(state).items()}
    try:
        done = cuda.run_program(device, program, graph, values, active)
    except OperatorError as error:
        refused[key] = str(error)
        raise
    fields = {field: np.asarray(device.download(column)) for field, column in values.items()}
    return _with_columns_of_both(done, GPU), fields


def _on_both(device: Device, program: VertexProgram, graph: Graph, state: Array, active: Array) -> Outcome:
    before = state.copy()
    try:
        done = run_program(device, program, graph, state, active)
    except (ResourceError, OperatorError):
        state[...] = before
        raise
    return done, columns_of(state)


def _on_cpu(program: VertexProgram, graph: Graph, state: Array, active: Array) -> Outcome:
    done = cpu.run_program(program, graph, state, active)
    return _with_columns_of_both(done, CPU), columns_of(state)


def _codes(program: VertexProgram) -> tuple[Any, ...]:
    """The code of a program's functions, which may be those of the instance."""
    return tuple(getattr(plain_function(getattr(program, name)), "__code__", None) for name in FUNCTIONS)


def _with_columns_of_both(done: Any, side: str) -> cpu.Done:
    """How a run on one side ended, with the trace columns of the pipeline."""
    return cpu.Done(done.iterations, done.converged, Trace.later(lambda: one_sided(done.trace, side)))


def one_sided(trace: Trace, side: str) -> dict[str, Array]:
    """The columns of a run on one side, with the columns of the pipeline; those of the other side are 0."""
    columns = {name: column for name, column in trace.columns.items() if name in COMMON}
    size = columns["active"].size
    nothing, no_time = np.zeros(size, dtype=np.int64), np.zeros(size)
    edges = {f"edges_{name}": columns["edges"] if name == side else nothing for name in (CPU, GPU)}
    seconds = {f"seconds_{name}": columns["seconds"] if name == side else no_time for name in (CPU, GPU)}
    return {**columns, **edges, "bytes_up": nothing, "bytes_down": nothing, **seconds, "form": np.full(size, side)}
