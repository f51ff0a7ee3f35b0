"""A hash of what a function computes, the same in every process that runs the same code.

Compiled kernels are cached on disk. The hash finds the kernel of a user's function, and never that of an older version
of it. It covers the byte code, the constants, and every global, captured variable and helper function that the code
uses. Two lambdas created in a loop with the same text and values share one kernel.
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_THIS_PROCESS = os.urandom(16).hex()  # marks what no other process can recognize


def fingerprint(*functions: FunctionType) -> int:
    """63 bits for one or several functions, in their order."""
    if all(is_self_contained(function) for function in functions):
        return _lasting(*functions)
    return _hashed(*functions)


def is_self_contained(function: FunctionType) -> bool:
    """Whether a function uses nothing outside itself, so that it always does the same."""
    code = function.__code__
    if code.co_names or code.co_freevars or function.__defaults__:
        return False
    return not any(isinstance(const, CodeType) for const in code.co_consts)  # functions within may refer to anything


def _hashed(*functions: FunctionType) -> int:
    text = "\n".join(_of_function(function, []) for function in functions)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1


_lasting = lru_cache(maxsize=1024)(_hashed)


def used_by(function: FunctionType) -> dict[str, Any]:
    """The global and captured objects that a function uses, by name; for modules, the attributes it uses."""
    found: dict[str, Any] = {}
    names = _names(function.__code__)
    for name in names:
        if name in function.__globals__:
            value = found[name] = function.__globals__[name]
            if isinstance(value, ModuleType):
                found.update((f"{name}.{inner}", vars(value)[inner]) for inner in names if inner in vars(value))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = cell.cell_contents
    return found


def _names(code: CodeType) -> list[str]:
    inner = [name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const)]
    return sorted({*code.co_names, *inner})


def _of_function(function: FunctionType, outer: list[FunctionType]) -> str:
    if function in outer:  # it calls itself
        return f"function {outer.index(function)}"
    seen = [*outer, function]
    used = ",".join(f"{name}={_of_value(value, seen)}" for name, value in sorted(used_by(function).items()))
    return f"function({_of_code(function.__code__, seen)};{_of_value(function.__defaults__, seen)};{used})"


def _of_code(code: CodeType, seen: list[FunctionType]) -> str:
    consts = ",".join(_of_value(const, seen) for const in code.co_consts)
    return f"{code.co_code.hex()}({consts})({code.co_names}{code.co_varnames}{code.co_freevars})"


def _of_value(value: Any, seen: list[FunctionType]) -> str:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.generic | np.ndarray):
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if isinstance(value, tuple):
        return f"({','.join(_of_value(item, seen) for item in value)})"
    if isinstance(value, CodeType):
        return _of_code(value, seen)
    value = getattr(value, "py_func", value)  # what Numba has compiled already
    if isinstance(value, FunctionType):
        return _of_function(value, seen)
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return f"{getattr(value, '__module__', '')}.{name}" if name else f"{type(value)} {id(value)} {_THIS_PROCESS}"
