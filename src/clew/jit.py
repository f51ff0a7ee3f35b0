# mypy: ignore-errors
"""Numba's ``njit``, for functions most of which are called by other compiled functions only.

For every function that it compiles Numba makes two more, through which Python and C call it. Taking a dozen arrays
apart takes longer to compile than many a kernel does, and Python calls one function in ten: here the way in from Python
is made when Python first calls, and that from C never is. First calls take about a third less time for it.

What Numba's own can and this cannot: functions that call each other in a circle (one that calls itself is fine), and
functions handed over as arguments of a declared ``FunctionType``.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import config, sigutils
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from clew.compiled_cache import Kept

# Numba puts a number into the name of everything it compiles, and counts from 1 in every process. Two processes give
# one name to two variants of a function, and a third that loads both from disk mixes them up (numba #10486). Numbers
# drawn at random differ, in processes that were forked too.
FunctionIdentity._unique_ids = iter(lambda: int.from_bytes(os.urandom(8), "big"), None)


def njit(function: Callable[..., Any] | None = None, *, cache: bool = False, **options: Any) -> Any:
    """As Numba's own, without signatures."""
    if function is None:
        return lambda given: njit(given, cache=cache, **options)
    if config.DISABLE_JIT:
        return function
    made = Lean(function, targetoptions={"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True, **options})
    if cache:
        made.enable_caching()
    return made


class Lean(CPUDispatcher):
    """A function and what was compiled of it; ``inner`` says that compiled code asks, which needs no way in."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.inner = False
        self._without_way_in: set[tuple[Any, ...]] = set()

    def enable_caching(self, mark: str | None = None) -> None:
        """Keep compiled code on disk; ``mark`` says what a closure captures, the same in every process."""
        self._cache = Kept(self, mark)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What compiled code asks for."""
        with global_compiler_lock:
            before, self.inner = self.inner, True
            try:
                return super().get_call_template(args, kws)
            finally:
                self.inner = before

    def compile(self, sig: Any) -> Any:
        """Compile for a signature; once more where Python calls what only compiled code has called so far."""
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(sig)[0])
            if not self.inner and args in self._without_way_in:
                self._without_way_in.remove(args)
                self.overloads.pop(args, None)
            self._compiler.targetoptions["no_cpython_wrapper"] = self.inner
            with uncollected():
                return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Python is not told of what it could not call."""
        if not self.inner:
            super().add_overload(cres)
            return
        args = tuple(cres.signature.args)
        self._without_way_in.add(args)
        self.overloads[args] = cres


@contextmanager
def uncollected() -> Iterator[None]:
    """Without Python's search for garbage, which takes a fifth of the time and finds what is gone after it anyway."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
