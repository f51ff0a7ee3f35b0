"""CUDA C++ and users' Python functions to machine code: NVRTC, numba-cuda, and the linker that inlines the functions.

Results are cached on disk. Nothing here needs a GPU or a driver, so tests compile every kernel for every architecture
on any machine. clew's own functions do not need numba-cuda: they are C++ text (expressions.py).
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from clew.engines.compile_errors import is_compile_error, operator_error
from clew.engines.cuda.toolchain.expressions import definitions, linked
from clew.engines.cuda.toolchain.failures import INSTALL
from clew.engines.cuda.toolchain.source import Compiled, KernelSource, ctype, kept_bytes
from clew.errors import MissingDependencyError
from clew.operators.inspection import callable_now

#: Turing, Ampere, Hopper and Blackwell: the oldest that CUDA 13 knows, and the newest.
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")
STANDARD = "c++17"
#: Part of what a cubin is known by. Lambdas are device code implicitly, which older compilers need as an option.
#: Division and roots round as IEEE says. A multiply and an add may fuse.
OPTIONS = f"{STANDARD}, default-device"


def cubin(program: KernelSource, architecture: str) -> bytes:
    """The machine code of a program's kernels, from the cache if it was ever compiled."""
    key = program.key(architecture, _version(), OPTIONS, definitions(program))
    return kept_bytes(f"cubin/{key}.cubin", lambda: _compile(program, architecture))


def _compile(program: KernelSource, architecture: str) -> bytes:
    core = _core()
    users = linked(program)
    if not users:
        return _translate(core, program, architecture, "cubin")
    parts = [core.ObjectCode.from_ltoir(_translate(core, program, architecture, "ltoir"))]
    for name, operator in users:
        parts.append(core.ObjectCode.from_ltoir(ltoir(name, operator, architecture)))
    options = core.LinkerOptions(arch=architecture, link_time_optimization=True)
    return bytes(core.Linker(*parts, options=options).link("cubin").code)


def _translate(core: Any, program: KernelSource, architecture: str, kind: str) -> bytes:
    options = core.ProgramOptions(
        arch=architecture,
        std=STANDARD,
        define_macro=list(program.defines) or None,
        link_time_optimization=kind == "ltoir",
        device_as_default_execution_space=True,
        name=program.file,
    )
    return bytes(core.Program(prelude(program) + program.text, "c++", options).compile(kind).code)


def prelude(program: KernelSource) -> str:
    """The functions that the kernels call: clew's own in full, and users' as what they are linked with."""
    lines = [definitions(program)]
    for name, operator in linked(program):
        arguments = ", ".join(ctype(dtype) for dtype in operator.arguments)
        lines.append(f'extern "C" __device__ {ctype(operator.result)} {name}({arguments});\n')
    return "".join(lines)


@lru_cache(maxsize=1)
def _version() -> str:
    """Which compiler: another one may make other code."""
    _core()
    from cuda.bindings import nvrtc

    return ".".join(map(str, nvrtc.nvrtcVersion()[1:]))


def _core() -> Any:
    try:
        import cuda.core
    except ImportError as error:
        raise MissingDependencyError(
            f"compiling for a GPU needs cuda-core, which is not installed; {INSTALL} brings all that is needed."
        ) from error
    return cuda.core


def ltoir(name: str, operator: Compiled, architecture: str) -> bytes:
    """The code of a function, to be linked into kernels that call it ``name``."""
    from numba.np.numpy_support import from_dtype

    capability = divmod(int(architecture.removeprefix("sm_")), 10)
    types = tuple(from_dtype(stored(dtype)) for dtype in operator.arguments)
    try:
        with _capability(capability):
            code, _ = _numba_cuda().compile(
                typed(operator),
                types,
                device=True,
                abi="c",
                abi_info={"abi_name": name},
                output="ltoir",
                cc=capability,
            )
    except Exception as error:
        if is_compile_error(error):
            raise operator_error(operator.function, error, " for the GPU") from error
        raise
    return bytes(code)


def stored(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A bool is stored, and passed, as a byte."""
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype


def typed(operator: Compiled) -> FunctionType:
    """The function with arguments and result brought to its types, bytes to bools and back."""
    from numba import types
    from numba.np.numpy_support import from_dtype

    arguments = [f"a{k}" for k in range(len(operator.arguments))]
    passed = [
        f"{name} != 0" if dtype.kind == "b" else name for name, dtype in zip(arguments, operator.arguments, strict=True)
    ]
    inner = f"function({', '.join(passed)})"
    # A truth value made of a number is whether it is not zero, not its last byte.
    result = f"byte({inner} != 0)" if operator.result.kind == "b" else f"cast({inner})"
    function = callable_now(operator.function)
    known: dict[str, Any] = {"function": function, "byte": types.uint8, "cast": from_dtype(operator.result)}
    exec(f"def cast_to_types({', '.join(arguments)}):\n    return {result}", known)
    cast_to_types: FunctionType = known["cast_to_types"]
    return cast_to_types


@lru_cache(maxsize=1)
def _numba_cuda() -> Any:
    """numba-cuda, which puts itself in the place of Numba's own and has no types."""
    if importlib.util.find_spec("numba_cuda") is None:
        raise MissingDependencyError(
            f"your own functions need numba-cuda to run on a GPU, and it is not installed; {INSTALL}. The built-in "
            "operators do not need it."
        )
    from numba import types

    try:
        with _numpy_as_it_was():
            found = importlib.import_module("numba.cuda")
            # Some of its modules are loaded when it first compiles.
            found.compile(lambda a: a, (types.int32,), device=True, abi="c", output="ltoir", cc=(9, 0))
    except (AttributeError, ImportError) as error:
        version = importlib.metadata.version
        raise MissingDependencyError(
            f"numba-cuda {version('numba-cuda')} does not work with NumPy {version('numpy')} ({error}). Your own "
            "functions run on a GPU with numba-cuda 0.30.4 and NumPy 2.0 to 2.5. The built-in operators do not need it."
        ) from error
    return found


@contextmanager
def _numpy_as_it_was() -> Iterator[None]:
    """Let numba-cuda 0.30 find what NumPy 2.5 no longer has, and let NumPy not warn about how it is used there."""
    numpy: Any = np
    lost = not hasattr(numpy, "row_stack")
    if lost:
        numpy.row_stack = lambda arrays: np.vstack(arrays)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        if lost:
            del numpy.row_stack


@contextmanager
def _capability(capability: tuple[int, int]) -> Iterator[None]:
    """Compile functions that call functions with no GPU present: numba-cuda would ask the driver for its generation."""
    _numba_cuda()
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")

    class Stated:
        compute_capability = capability

    asked = dispatcher.get_current_device
    dispatcher.get_current_device = Stated
    try:
        yield
    finally:
        dispatcher.get_current_device = asked
