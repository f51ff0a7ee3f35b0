"""Plain Python functions that compiled code may call, on every engine that compiles with Numba."""

from __future__ import annotations

from types import FunctionType

from clew.operators.fingerprints import used_by

_allowed: set[FunctionType] = set()


def allow(function: FunctionType) -> None:
    """Let compiled code call a plain function, and the plain functions that it calls."""
    from numba.extending import register_jitable

    if function in _allowed:
        return
    _allowed.add(function)
    register_jitable(function)
    for helper in used_by(function).values():
        if isinstance(helper, FunctionType):
            allow(helper)
