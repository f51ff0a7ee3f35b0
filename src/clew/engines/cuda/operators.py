"""Python functions as GPU code (LTO-IR). The only module that knows numba-cuda, whose successor has the same API."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from clew.engines.compile_errors import is_compile_error, operator_error
from clew.engines.cuda.source import Compiled
from clew.engines.inlining import callable_now


def ltoir(name: str, operator: Compiled, architecture: str) -> bytes:
    """The code of a function, to be linked into kernels that call it ``name``."""
    from numba.np.numpy_support import from_dtype

    capability = divmod(int(architecture.removeprefix("sm_")), 10)
    types = tuple(from_dtype(stored(dtype)) for dtype in operator.arguments)
    try:
        with _capability(capability):
            code, _ = _numba_cuda("numba.cuda").compile(
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


def _numba_cuda(module: str) -> Any:
    """A module of numba-cuda, which puts itself in the place of Numba's own and has no types."""
    return importlib.import_module(module)


@contextmanager
def _capability(capability: tuple[int, int]) -> Iterator[None]:
    """Compile functions that call functions with no GPU present: numba-cuda would ask the driver for its generation."""
    dispatcher = _numba_cuda("numba.cuda.dispatcher")

    class Stated:
        compute_capability = capability

    asked = dispatcher.get_current_device
    dispatcher.get_current_device = Stated
    try:
        yield
    finally:
        dispatcher.get_current_device = asked
