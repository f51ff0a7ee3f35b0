"""Who runs a vertex program under ``device="hybrid"``: the GPU where it can, else the pipeline of CPU and GPU.

The GPU runs a program whose functions compile for it and whose state fits. Otherwise the pipeline (``program``) runs
it: the state stays on the CPU, the GPU computes the products. Where that cannot run either, the CPU does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cpu import program as cpu
from clew.engines.cuda import program as cuda
from clew.engines.cuda.device import Device
from clew.engines.hybrid import program as pipeline
from clew.engines.retry import retried
from clew.errors import OperatorError, ResourceError
from clew.graph import Graph
from clew.result import Trace

if TYPE_CHECKING:
    from clew.program import VertexProgram

GPU, PIPELINE, CPU = "gpu", "pipeline", "cpu"
ORDER = (GPU, PIPELINE, CPU)
FUNCTIONS = ("send", "process", "apply", "accepts", "matters", "priority")

Ended = tuple[cpu.Done, dict[str, Array]]

#: What the compiler said of programs that do not compile for a GPU: on the next graph it need not be asked.
_refused: dict[tuple[Any, ...], str] = {}


def run(
    device: Device,
    program: VertexProgram,
    graph: Graph,
    state: Array,
    active: npt.NDArray[np.bool_],
    *,
    order: tuple[str, ...] = ORDER,
) -> Ended:
    """Run the program; how it ended, and the fields' values on the CPU. The content of ``state`` is undefined then.

    The first engine of ``order`` that can run the program does; tests and benchmarks leave engines out.
    """
    cuda.monoid_of(program)  # or an error: a gather is for the CPU
    engines: dict[str, Callable[[], Ended]] = {
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
            continue  # the error is forgotten first, with what it holds of the device
    return engines[order[-1]]()


def _on_gpu(device: Device, program: VertexProgram, graph: Graph, state: Array, active: npt.NDArray[np.bool_]) -> Ended:
    key = (identity_of(program), None if graph.weights is None else graph.weights.dtype)
    if key in _refused:
        raise OperatorError(_refused[key])
    values = {field: device.upload(column) for field, column in _columns(state).items()}
    try:
        done = cuda.run_program(device, program, graph, values, active)
    except OperatorError as error:
        _refused[key] = str(error)
        raise
    fields = {field: np.asarray(device.download(column)) for field, column in values.items()}
    return _with_columns_of_both(done, GPU), fields


def _on_both(
    device: Device, program: VertexProgram, graph: Graph, state: Array, active: npt.NDArray[np.bool_]
) -> Ended:
    before = state.copy()
    try:
        done = pipeline.run_program(device, program, graph, state, active)
    except (ResourceError, OperatorError):
        state[...] = before
        raise
    return done, _columns(state)


def _on_cpu(program: VertexProgram, graph: Graph, state: Array, active: npt.NDArray[np.bool_]) -> Ended:
    done = cpu.run_program(program, graph, state, active)
    return _with_columns_of_both(done, CPU), _columns(state)


def identity_of(program: VertexProgram) -> tuple[Any, ...]:
    """What tells programs apart: a class that is defined again under the same name has other functions."""
    functions = (getattr(program, name) for name in FUNCTIONS)
    codes = (getattr(getattr(function, "py_func", function), "__code__", None) for function in functions)
    return type(program).__module__, type(program).__qualname__, *codes


def _columns(state: Array) -> dict[str, Array]:
    return {name: np.ascontiguousarray(state[name]) for name in state.dtype.names or ()}


def _with_columns_of_both(done: Any, side: str) -> cpu.Done:
    """How a run on one side ended, with the trace columns of the pipeline."""
    return cpu.Done(done.iterations, done.converged, Trace.later(lambda: one_sided(done.trace, side)))


def one_sided(trace: Trace, side: str) -> dict[str, Array]:
    """The columns of a run on one side, with those that the pipeline has: the other side did nothing."""
    columns = {name: column for name, column in trace.columns.items() if name in pipeline.COMMON}
    edges, seconds, size = columns["edges"], columns["seconds"], columns["active"].size
    for name in (CPU, GPU):
        columns[f"edges_{name}"] = edges if name == side else np.zeros(size, dtype=np.int64)
    for name in ("bytes_up", "bytes_down"):
        columns[name] = np.zeros(size, dtype=np.int64)
    for name in (CPU, GPU):
        columns[f"seconds_{name}"] = seconds if name == side else np.zeros(size)
    columns["form"] = np.full(size, side)
    return columns
