"""Users' functions inlined into kernels, made once for functions that do the same; later processes find them on disk.

A kernel is a closure, made by a factory in a ``kernels_…`` module, over plain functions that Numba is told it may
compile (``register_jitable``). Numba's disk cache tells closures apart by what they capture, pickled: functions of
importable modules by name only, which would go stale when the module is edited, and compiled functions by a number that
is drawn anew in every process. So a kernel is kept by the fingerprint of the users' functions instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from clew import threads
from clew.engines.inlining import callable_now
from clew.errors import OperatorError
from clew.operators.fingerprints import fingerprint
from clew.operators.results import where

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
            from numba.core.errors import NumbaError

            if isinstance(error, NumbaError):
                raise self._blame(error) from error
            raise

    def _blame(self, error: Exception) -> OperatorError:
        """The error, with the name of the function that is to blame: the first that does not compile by itself."""
        from numba import njit, types
        from numba.core.errors import NumbaError

        for function in self.functions:
            try:
                njit((types.float64, types.float64))(function)
            except NumbaError as own:
                return OperatorError(f"{where(function)} cannot be compiled: {_in_short(own)}")
        names = " and ".join(where(function) for function in self.functions)
        return OperatorError(f"{names} cannot be compiled for the dtypes given: {_in_short(error)}")


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


def _in_short(error: Exception) -> str:
    """The first sentence of Numba's message that says something, without its colours and pointers."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in plain.splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in nopython mode", "- Resolution failure"))]
    return " ".join(said[:2]) if said and said[0].endswith(":") else said[0] if said else type(error).__name__
