"""Plain Python functions that compiled code may call, on every engine that compiles with Numba."""

from __future__ import annotations

from threading import Lock
from types import CellType, FunctionType
from typing import Any

from clew.operators.fingerprints import is_self_contained, used_by

_allowed: set[FunctionType] = set()
_allowing = Lock()  # a thread that finds a function allowed may compile with it at once


def callable_now(function: FunctionType) -> FunctionType:
    """What compiled code may call in a function's place, with the plain functions that it calls.

    Numba compiles a function once, with the globals of then. One that refers to any is a copy here, and so are those
    that it calls: they are compiled with the globals of now.
    """
    found = function if is_self_contained(function) else _copied(function, {})
    with _allowing:
        _allow(found)
    return found


def _copied(function: FunctionType, known: dict[FunctionType, FunctionType]) -> FunctionType:
    if function in known:  # it calls itself
        return known[function]
    names = dict(function.__globals__)
    cells = [CellType(cell.cell_contents) for cell in function.__closure__ or ()]
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, tuple(cells))
    known[function] = copy

    def new(value: Any) -> Any:
        plain = getattr(value, "py_func", value)  # what Numba has compiled has the globals of then, too
        refers = isinstance(plain, FunctionType) and not is_self_contained(plain)
        return _copied(plain, known) if refers else value

    for name in used_by(function).keys() & names.keys():
        names[name] = new(names[name])
    for cell in cells:
        cell.cell_contents = new(cell.cell_contents)
    return copy


def _allow(function: FunctionType) -> None:
    """Let compiled code call a plain function, and the plain functions that it calls."""
    from numba.extending import register_jitable

    if function in _allowed:
        return
    _allowed.add(function)
    register_jitable(function)
    for helper in used_by(function).values():
        if isinstance(helper, FunctionType):
            _allow(helper)
