"""Who runs a vertex program: the GPU alone, the CPU alone, or the pipeline of both, by what each took on this graph.

Where a program compiles for the GPU and its state fits there, the GPU alone is tried first. Where not, the pipeline
(``program``) and the CPU remain. Whoever fails leaves the state as it was, so that the next can begin with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cpu import program as cpu
from clew.engines.cuda import program as cuda
from clew.engines.cuda.device import Device
from clew.engines.hybrid import program as pipeline
from clew.engines.hybrid.plans import CPU, GPU, SPLIT, fastest, on_host, one_sided
from clew.errors import OperatorError, ResourceError
from clew.graph import Graph
from clew.result import Trace

if TYPE_CHECKING:
    from clew.program import VertexProgram

FUNCTIONS = ("send", "process", "apply", "accepts", "matters", "priority")
KEPT = ("active", "edges", "direction", "changed", "seconds")

Ended = tuple[cpu.Done, dict[str, Array]]

#: What the compiler said of programs that it cannot compile for a GPU: on the next graph it need not be asked.
_refused: dict[tuple[Any, ...], str] = {}


def run(
    device: Device,
    program: VertexProgram,
    graph: Graph,
    state: Array,
    active: npt.NDArray[np.bool_],
    plan: str | None = None,
) -> Ended:
    """Run the program; how it ended, and the fields' values, on the CPU. What ``state`` holds then is nobody's."""
    cuda.monoid_of(program)  # or an error: a gather is for the CPU
    name = name_of(program)

    def gpu() -> Ended:
        key = (id(device), name, None if graph.weights is None else graph.weights.dtype)
        if key in _refused:
            raise OperatorError(_refused[key])
        values = {field: device.upload(column) for field, column in _columns(state).items()}
        try:
            done = cuda.run_program(device, program, graph, values, active)
        except OperatorError as error:
            _refused[key] = str(error)
            raise
        return _alone(done, GPU), {field: on_host(device, column) for field, column in values.items()}

    def alone() -> Ended:
        done = cpu.run_program(program, graph, state, active)
        return _alone(done, CPU), _columns(state)

    def both() -> Ended:
        before = state.copy()
        try:
            done = pipeline.run_program(device, program, graph, state, active)
        except (ResourceError, OperatorError):
            state[...] = before
            raise
        return done, _columns(state)

    ways = {GPU: gpu, CPU: alone, SPLIT: both}
    return fastest(name, graph, device, ways, CPU if state.size == 0 else plan)


def name_of(program: VertexProgram) -> tuple[Any, ...]:
    """What tells programs apart: a class that was written anew, under the same name, has other functions."""
    functions = (getattr(program, name) for name in FUNCTIONS)
    codes = (getattr(getattr(function, "py_func", function), "__code__", None) for function in functions)
    return type(program).__module__, type(program).__qualname__, *codes


def _columns(state: Array) -> dict[str, Array]:
    return {name: np.ascontiguousarray(state[name]) for name in state.dtype.names or ()}


def _alone(done: Any, side: str) -> cpu.Done:
    """How a run on one side ended, with the columns of one on both; made when somebody looks at them."""

    def columns() -> dict[str, Array]:
        told = done.trace.columns
        kept = {name: told[name] for name in KEPT if name in told}
        return {**kept, **one_sided(done.trace, side).columns}

    return cpu.Done(done.iterations, done.converged, Trace.later(columns))
