"""What functions read, set and return, from their byte code; for every engine that compiles them."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any, NamedTuple

from clew.operators.fingerprints import is_self_contained, used_by


def plain_function(function: Any) -> FunctionType:
    """The Python function behind what Numba may have compiled."""
    plain: FunctionType = getattr(function, "py_func", function)
    return plain


def uses_argument(function: Any, position: int) -> bool:
    """Whether a function uses one of its arguments."""
    plain = plain_function(function)
    wanted = plain.__code__.co_varnames[position]
    if wanted in plain.__code__.co_cellvars:
        return True
    for step in dis.get_instructions(plain):
        named = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if "LOAD" in step.opname and wanted in named:
            return True
    return False


def line_without_value(function: Any) -> int | None:
    """The line where a function may end without a return value; None if every path has one."""
    plain = plain_function(function)
    return _lasting_line(plain) if is_self_contained(plain) else _line_without_value(plain)


def first_return(function: Any) -> int:
    """The first line in which a function returns."""
    plain = plain_function(function)
    return min((end.line for end in _ends(plain)), default=plain.__code__.co_firstlineno)


def gives_nothing(called: Any) -> bool:
    """Whether a function never returns a value."""
    plain: Any = plain_function(called)
    if isinstance(plain, FunctionType):
        return all(end.is_nothing for end in _ends(plain))
    return called is print or called is setattr


def _line_without_value(function: FunctionType) -> int | None:
    for end in _ends(function):
        if end.is_nothing or gives_nothing(_called(function, end)):
            return end.line
    return None


_lasting_line = lru_cache(maxsize=1024)(_line_without_value)  # for functions that always do the same


class _End(NamedTuple):
    """A place where a function returns: the steps that begin and finish the value."""

    line: int
    first: dis.Instruction | None
    last: dis.Instruction

    @property
    def is_nothing(self) -> bool:
        return self.last.opname in ("LOAD_CONST", "RETURN_CONST") and self.last.argval is None


def _ends(function: FunctionType) -> list[_End]:
    found: list[_End] = []
    first, before = None, None
    for step in dis.get_instructions(function):
        if step.opname in ("RETURN_VALUE", "RETURN_CONST"):
            line = (step.positions.lineno if step.positions else None) or function.__code__.co_firstlineno
            found.append(_End(line, first, before if before is not None and step.opname == "RETURN_VALUE" else step))
        if step.opname.startswith(("STORE", "POP", "RETURN", "RESUME", "COPY_FREE", "JUMP", "FOR_ITER")):
            first = None
        elif first is None and step.opname.startswith("LOAD"):
            first = step
        before = step
    return found


def _called(function: FunctionType, end: _End) -> Any:
    """The callee of a returned call: the first name of the expression."""
    if end.first is None or "CALL" not in end.last.opname:
        return None
    return {"print": print, "setattr": setattr, **used_by(function)}.get(end.first.argval)


def text_made_by(function: Any) -> tuple[FunctionType, int] | None:
    """Where a function, or one that it calls, makes text of a number: compiled code makes other text than Python."""
    for each in with_helpers(plain_function(function)):
        for step in dis.get_instructions(each):
            formats = step.opname == "FORMAT_SIMPLE" or (step.opname == "FORMAT_VALUE" and not step.argval[1])
            if formats or (step.opname == "LOAD_GLOBAL" and step.argval in ("str", "repr")):
                line = step.positions.lineno if step.positions else None
                return each, line or each.__code__.co_firstlineno
    return None


def set_by(function: FunctionType) -> set[str]:
    """The attributes that a function, or one that it calls, assigns to."""
    found: set[str] = set()
    for each in with_helpers(function):
        for step in dis.get_instructions(each):
            if step.opname == "STORE_ATTR":
                found.add(step.argval)
            elif step.argval == "setattr":
                found |= {value for value in each.__code__.co_consts if isinstance(value, str)}
    return found


def read_by(function: FunctionType) -> set[str]:
    """The attributes that a function, or one that it calls, may read."""
    found: set[str] = set()
    for each in with_helpers(function):
        for step in dis.get_instructions(each):
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(step.argval, str):
                found.add(step.argval)
            elif step.argval == "getattr":
                found |= {value for value in each.__code__.co_consts if isinstance(value, str)}
    return found


def with_helpers(function: FunctionType) -> Iterator[FunctionType]:
    """A function and the plain functions that it calls, those that they call, and so on."""
    yield from _with_helpers(function, set())


def _with_helpers(function: FunctionType, seen: set[FunctionType]) -> Iterator[FunctionType]:
    if function in seen:
        return
    seen.add(function)
    yield function
    for helper in used_by(function).values():
        plain = getattr(helper, "py_func", helper)
        if isinstance(plain, FunctionType):
            yield from _with_helpers(plain, seen)
