"""Users' Python functions as GPU code (LTO-IR). Only this module knows numba-cuda, whose successor has the same API.

clew's own functions do not come here: they are C++ text (expressions.py).
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
from clew.engines.cuda.failures import INSTALL
from clew.engines.cuda.source import Compiled
from clew.engines.inlining import callable_now
from clew.errors import MissingDependencyError


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
    made: FunctionType = known["cast_to_types"]
    return made


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
