"""What users' functions are: a hash of what they compute, what they read, set and return, and their result dtype.

Compiled kernels are cached on disk. The hash finds the kernel of a user's function, and never that of an older version
of it. It covers the byte code, the constants, and every global, captured variable and helper function that the code
uses. It is the same in every process. Two lambdas created in a loop with the same text and values share one kernel.

``callable_now`` makes a plain Python function callable from compiled code, on every engine that compiles with Numba.
"""

from __future__ import annotations

import dis
import hashlib
import inspect
import linecache
import os
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import WEIGHT_DTYPES
from clew.errors import OperatorError
from clew.weak import WeakIdentityDict

_marks: WeakIdentityDict[str] = WeakIdentityDict()  # of objects without a name


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
    for name in _global_names(function.__code__):
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


@lru_cache(maxsize=1024)
def _global_names(code: CodeType) -> tuple[str, ...]:
    """The names that code looks up among the globals, and not as attributes: a field may be called like a function."""
    own = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = [name for const in code.co_consts if isinstance(const, CodeType) for name in _global_names(const)]
    return tuple(sorted({*own, *inner}))


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
    if name:
        return f"{getattr(value, '__module__', '')}.{name}"
    return f"{type(value)} {_mark_of(value)}"


def _mark_of(value: Any) -> str:
    """What no other object has, now or later, in any process; what cannot be held weakly gets a new mark each time."""
    mark = os.urandom(16).hex()
    try:
        if value not in _marks:
            _marks[value] = mark
        return _marks[value]
    except TypeError:
        return mark


def plain_function(function: Any) -> FunctionType:
    """The Python function behind what Numba may have compiled."""
    plain: FunctionType = getattr(function, "py_func", function)
    return plain


def uses_argument(function: Any, position: int) -> bool:
    """Whether a function uses one of its arguments."""
    plain = plain_function(function)
    name = plain.__code__.co_varnames[position]
    if name in plain.__code__.co_cellvars:
        return True
    for step in dis.get_instructions(plain):
        named = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if "LOAD" in step.opname and name in named:
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
    return _attributes(function, ("STORE_ATTR",), "setattr")


def read_by(function: FunctionType) -> set[str]:
    """The attributes that a function, or one that it calls, may read."""
    return _attributes(function, ("LOAD_ATTR", "LOAD_METHOD"), "getattr")


def _attributes(function: FunctionType, opcodes: tuple[str, ...], builtin: str) -> set[str]:
    """The attributes of some opcodes, and all strings of functions that name an attribute by a string."""
    found: set[str] = set()
    for each in with_helpers(function):
        for step in dis.get_instructions(each):
            if step.opname in opcodes and isinstance(step.argval, str):
                found.add(step.argval)
            elif step.argval == builtin:
                found |= {value for value in each.__code__.co_consts if isinstance(value, str)}
    return found


def with_helpers(function: FunctionType) -> Iterator[FunctionType]:
    """A function and the plain functions that it calls, those that they call, and so on."""
    seen: set[FunctionType] = set()
    ahead = [function]
    while ahead:
        each = ahead.pop()
        if each not in seen:
            seen.add(each)
            yield each
            helpers: list[Any] = [plain_function(used) for used in used_by(each).values()]
            ahead += [helper for helper in reversed(helpers) if isinstance(helper, FunctionType)]


def where(function: FunctionType) -> str:
    """The name of a function, and its file and line."""
    code = function.__code__
    return f"{function.__name__} ({code.co_filename}, line {code.co_firstlineno})"


def place(function: FunctionType, line: int | None = None) -> str:
    """The file and line of a function, or of one of its lines, with the source text if available."""
    code = function.__code__
    number = line or code.co_firstlineno
    text = _part_of_line(code, number)
    return f"{code.co_filename}, line {number}" + (f": {text}" if text else "")


def _part_of_line(code: CodeType, number: int) -> str:
    """The part of a line that belongs to a function; for a lambda, less than the line."""
    whole = linecache.getline(code.co_filename, number)
    spans = [(first, last) for line, end, first, last in code.co_positions() if line == end == number and last]
    if not spans:
        return whole.strip()
    first, last = min(first or 0 for first, _ in spans), max(last or 0 for _, last in spans)
    return whole.encode()[first:last].decode(errors="ignore").strip()


def check_returns(name: str, function: Any, remedy: str = "End every path with return and a value.") -> None:
    """Reject a function that returns nothing on some path: None would be treated as False or as a number."""
    line = line_without_value(function)
    if line is not None:
        on_some = "" if gives_nothing(function) else " on one path"
        there = place(plain_function(function), line)
        raise OperatorError(f"{name} returns nothing{on_some} ({there}).", remedy=remedy)


def function_of_two(value: Any, expected: str, arguments: str = "two arguments") -> FunctionType:
    """The plain Python function of an argument; it must take two arguments and return a value on every path."""
    function = getattr(value, "py_func", value)  # what Numba has compiled: it is compiled again, inlined
    if not isinstance(function, FunctionType):
        raise OperatorError(
            f"{value!r} is of type {type(value).__name__}; expected a Python function or lambda{expected}."
        )
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        raise OperatorError(f"{where(function)} does not take {arguments}.") from None
    check_returns(function.__name__, function)
    return function


def result_dtype(function: FunctionType, left: np.dtype[Any], right: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of ``function(a, b)``, from calls on zeros and ones; see ``Operator.result_dtype``."""
    found: list[Any] = []
    problem: Exception | None = None
    for a, b in ((1, 1), (0, 1), (1, 0)):
        try:
            with np.errstate(all="ignore"):
                found.append(function(left.type(a), right.type(b)))
        except Exception as error:  # a user's function may raise anything
            problem = error
    if not found and problem is not None:
        raise OperatorError(
            f"{where(function)} fails on {left} and {right}: {type(problem).__name__}: {problem}"
        ) from problem
    numbers = [value for value in found if isinstance(value, np.generic | bool | int | float)]
    if len(numbers) < len(found):
        odd = next(value for value in found if not isinstance(value, np.generic | bool | int | float))
        raise OperatorError(f"{where(function)} returns {type(odd).__name__}; expected a number.")
    typed = [np.dtype(type(value)) for value in numbers if isinstance(value, np.generic | bool)]
    plain = [value for value in numbers if not isinstance(value, np.generic | bool)]
    try:
        dtype = np.result_type(*(typed or [right]), *plain)
    except OverflowError:
        dtype = np.dtype(np.int64)
    if dtype not in WEIGHT_DTYPES:
        raise OperatorError(f"{where(function)} returns {dtype}; expected bool, an integer, float32 or float64.")
    return dtype


lasting_dtype = lru_cache(maxsize=1024)(result_dtype)  # for functions that always do the same


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
