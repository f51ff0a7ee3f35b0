"""Kernels with users' functions inlined: compiled once for functions that do the same, and cached on disk.

A factory in a ``kernels…`` module makes a kernel. It is a closure over plain functions, which ``register_jitable``
allows Numba to compile. Numba's own disk cache compares pickled closures. That would miss an edit of an importable
module, whose functions are pickled by name. Compiled functions have a new number in every process. So the cache uses
the fingerprint of the users' functions instead.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from clew import threads
from clew.engines.compile_errors import Part, compile_error, is_compile_error
from clew.operators.inspection import callable_now, fingerprint

VERSION = 3  # of the files on disk; older ones may have been compiled with outdated globals

_kernels: dict[tuple[Any, ...], Kernel] = {}


class Kernel:
    """A compiled kernel and the users' functions in it."""

    def __init__(self, dispatcher: Any, functions: tuple[FunctionType, ...]) -> None:
        self.dispatcher, self.functions = dispatcher, functions

    def each(self, pieces: int, *args: Any) -> list[Any]:
        """Run all pieces on all threads; a function that cannot be compiled gives OperatorError."""
        return self.run(self.dispatcher, pieces, *args)

    def run(self, call: Callable[..., Any], pieces: int, *args: Any) -> list[Any]:
        """The same for a function that prepares arguments and calls the kernel."""
        try:
            return threads.each(call, pieces, *args)
        except Exception as error:
            if is_compile_error(error):
                raise compile_error(self._parts(), error) from error
            raise

    def _parts(self) -> list[Part]:
        """The functions, with the dtypes that most are called with."""
        numbers = (np.dtype(np.float64), np.dtype(np.float64))
        return [Part(function.__name__, function, numbers) for function in self.functions]


def kernel(factory: Callable[..., Any], *functions: FunctionType, **constants: Any) -> Kernel:
    """The kernel of ``factory(*functions, mark=…, **constants)``, shared by functions that do the same."""
    mark = fingerprint(*functions)
    key = (factory, mark, *sorted(constants.items()))
    if key not in _kernels:
        dispatcher = factory(*map(callable_now, functions), mark=mark, **constants)
        for each in dispatcher if isinstance(dispatcher, tuple) else (dispatcher,):  # a factory may make several
            each.enable_caching(repr((VERSION, mark, sorted(constants.items()))))
        _kernels[key] = Kernel(dispatcher, functions)
    return _kernels[key]
