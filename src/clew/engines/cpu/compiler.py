"""Users' functions inlined into kernels, made once for functions that do the same; later processes find them on disk.

A kernel is a closure, made by a factory in a ``kernels_…`` module, over plain functions that Numba is told it may
compile (``register_jitable``). Numba's disk cache tells closures apart by what they capture, pickled: functions of
importable modules by name only, which would go stale when the module is edited, and compiled functions by a number that
is drawn anew in every process. So a kernel is kept by the fingerprint of the users' functions instead.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from clew import threads
from clew.engines.compile_errors import Part, compile_error, is_compile_error
from clew.operators.inspection import callable_now, fingerprint

VERSION = 3  # of what is on disk; those before may have been made with globals of before

_kernels: dict[tuple[Any, ...], Kernel] = {}


class Kernel:
    """A compiled kernel and the users' functions in it."""

    def __init__(self, dispatcher: Any, functions: tuple[FunctionType, ...]) -> None:
        self.dispatcher, self.functions = dispatcher, functions

    def each(self, pieces: int, *args: Any) -> list[Any]:
        """Run all pieces on all threads; a function that cannot be compiled gives OperatorError."""
        return self.run(self.dispatcher, pieces, *args)

    def run(self, call: Callable[..., Any], pieces: int, *args: Any) -> list[Any]:
        """As ``each``, by a function that has something to do before it calls the kernel."""
        try:
            return threads.each(call, pieces, *args)
        except Exception as error:
            if is_compile_error(error):
                raise compile_error(self._parts(), error) from error
            raise

    def _parts(self) -> list[Part]:
        """The functions, by the numbers that most are called with."""
        numbers = (np.dtype(np.float64), np.dtype(np.float64))
        return [Part(function.__name__, function, numbers) for function in self.functions]


def kernel(factory: Callable[..., Any], *functions: FunctionType, **constants: Any) -> Kernel:
    """What ``factory(*functions, mark=…, **constants)`` makes; the same kernel for functions that do the same."""
    mark = fingerprint(*functions)
    key = (factory, mark, *sorted(constants.items()))
    if key not in _kernels:
        dispatcher = factory(*map(callable_now, functions), mark=mark, **constants)
        for each in dispatcher if isinstance(dispatcher, tuple) else (dispatcher,):  # a factory may make several
            each.enable_caching(repr((VERSION, mark, sorted(constants.items()))))
        _kernels[key] = Kernel(dispatcher, functions)
    return _kernels[key]
