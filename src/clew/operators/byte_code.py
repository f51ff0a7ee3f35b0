"""What functions look at and what they change, as their byte code tells; for every engine that compiles them."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from clew.operators.fingerprints import used_by


def plain_function(function: Any) -> FunctionType:
    """The Python function behind what Numba may have compiled."""
    plain: FunctionType = getattr(function, "py_func", function)
    return plain


def uses_argument(function: Any, position: int) -> bool:
    """Whether a function looks at one of its arguments at all."""
    plain = plain_function(function)
    wanted = plain.__code__.co_varnames[position]
    if wanted in plain.__code__.co_cellvars:
        return True
    for step in dis.get_instructions(plain):
        named = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if "LOAD" in step.opname and wanted in named:
            return True
    return False


def set_by(function: FunctionType) -> set[str]:
    """The attributes that a function, or one that it calls, assigns to."""
    found: set[str] = set()
    for each in _with_helpers(function, set()):
        for step in dis.get_instructions(each):
            if step.opname == "STORE_ATTR":
                found.add(step.argval)
            elif step.argval == "setattr":
                found |= {value for value in each.__code__.co_consts if isinstance(value, str)}
    return found


def read_by(function: FunctionType) -> set[str]:
    """The attributes that a function, or one that it calls, may ask for."""
    found: set[str] = set()
    for each in _with_helpers(function, set()):
        for step in dis.get_instructions(each):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(step.argval, str):
                found.add(step.argval)
            elif step.argval == "getattr":
                found |= {value for value in each.__code__.co_consts if isinstance(value, str)}
    return found


def _with_helpers(function: FunctionType, seen: set[FunctionType]) -> Iterator[FunctionType]:
    if function in seen:
        return
    seen.add(function)
    yield function
    for helper in used_by(function).values():
        plain = getattr(helper, "py_func", helper)
        if isinstance(plain, FunctionType):
            yield from _with_helpers(plain, seen)
