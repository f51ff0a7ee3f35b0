# mypy: ignore-errors
"""Numba's ``njit``, for functions most of which are called by other compiled functions only.

For every function that it compiles Numba makes two more, through which Python and C call it. Taking a dozen arrays
apart takes longer to compile than many kernels do, and Python calls one function in ten. Here the entry point for
Python is compiled when Python first calls, and that for C never. First calls take about a third less time for it.

Only functions that Python calls become machine code (``late_code``), and Numba runs fewer passes (``lean_passes``).

Each time, Numba looks up what every ``+`` and every index means, among dozens of candidates. Here it is
looked up once for every combination of types. That saves another quarter of the time.

Only Numba's own supports functions that call each other in a circle (one may call itself), and arguments of a declared
``FunctionType``.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from time import perf_counter
from typing import Any

from numba.core import config, sigutils, types
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.np import linalg

from clew import late_code
from clew.compiled_cache import Kept
from clew.progress import showing

if late_code.KNOWN:
    from clew import lean_passes  # noqa: F401, it changes Numba

# Numba puts a number into the name of everything it compiles, and counts from 1 in every process. Two processes give
# one name to two variants of a function, and a third that loads both from disk mixes them up (numba #10486). Numbers
# drawn at random differ, in processes that were forked too.
FunctionIdentity._unique_ids = iter(lambda: int.from_bytes(os.urandom(8), "big"), None)

# With its tables of types, Numba imports SciPy's BLAS, only to know whether np.cov can be compiled. That takes every
# process 13 MB and 0.13 s. Code that calls BLAS still imports it.
_ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
try:
    import numba.np.arraymath  # noqa: F401
finally:
    linalg.ensure_blas = _ensure_blas

# What functions of Numba return for arguments of these types: the signature, and the key of the code.
_PLAIN = (types.Number, types.Boolean, types.Array)
_resolved: dict[tuple[Any, ...], tuple[Any, ...]] = {}
_resolve = BaseFunction.get_call_type


def _resolve_once(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature that ``function`` has for arguments of these types; looked up once under the same options."""
    if kws or not all(isinstance(each, _PLAIN) for each in args):
        return _resolve(function, context, args, kws)
    options = ConfigStack.top_or_none()
    key = (function, context, tuple(args), None if options is None else str(options._values))
    if key in _resolved:
        signature, code = _resolved[key]
        function._impl_keys[signature.args] = code  # other options may have replaced it
        return signature
    signature = _resolve(function, context, args, kws)
    _resolved[key] = (signature, function._impl_keys[signature.args])
    return signature


BaseFunction.get_call_type = _resolve_once


def njit(
    function: Callable[..., Any] | None = None, *, cache: bool = False, apart: bool = False, **options: Any
) -> Any:
    """As Numba's own, without signatures; a function ``apart`` is called and never inlined."""
    if function is None:
        return lambda given: njit(given, cache=cache, apart=apart, **options)
    if config.DISABLE_JIT:
        return function
    lean = Lean(function, targetoptions={"nopython": True, "boundscheck": None, "no_cfunc_wrapper": True, **options})
    lean.apart = apart
    if cache:
        lean.enable_caching()
    return lean


class Lean(CPUDispatcher):
    """A function and what was compiled of it; ``inner`` says that compiled code asks, which needs no way in."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.inner = self.apart = False
        self._without_way_in: set[tuple[Any, ...]] = set()

    def enable_caching(self, mark: str | None = None) -> None:
        """Keep compiled code on disk; ``mark`` says what a closure captures, the same in every process."""
        self._cache = Kept(self, mark)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template for a call from compiled code: one for all numbers, where Numba has one for 0 and one for 1."""
        plain = tuple(map(types.unliteral, args)), {name: types.unliteral(each) for name, each in kws.items()}
        with global_compiler_lock:
            before, self.inner = self.inner, True
            try:
                with suppress(TypingError):  # for a function that has to know the number
                    return super().get_call_template(*plain)
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
            turns = self._cache.turns() if isinstance(self._cache, Kept) else nullcontext()
            with timed(), self._shown(), uncollected(), late_code.late(), turns:
                return super().compile(sig)

    def _shown(self) -> Any:
        """A line on the terminal if compiling takes longer than a second: the folder, which is an algorithm's name."""
        folder = self.py_func.__module__.split(".")[-2:][0]
        return showing(f"compiling {folder}, once on this machine", when=not late_code.is_on())

    def add_overload(self, cres: Any) -> None:
        """Python's table gets only functions that it can call."""
        if not self.inner:
            super().add_overload(cres)
            return
        args = tuple(cres.signature.args)
        if self.apart:
            late_code.keep_apart(cres.library, cres.fndesc.llvm_func_name)
        self._without_way_in.add(args)
        self.overloads[args] = cres


#: Seconds that this process has spent on compiling, or on loading what was compiled before.
seconds = 0.0
_depth = 0


@contextmanager
def timed() -> Iterator[None]:
    """Add the time of this block to ``seconds``, unless it is part of another such block."""
    global seconds, _depth
    _depth += 1
    begun = perf_counter()
    try:
        yield
    finally:
        _depth -= 1
        if _depth == 0:
            seconds += perf_counter() - begun


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
