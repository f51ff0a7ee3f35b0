"""Functions of users that do not compile: which one, in which file and line, why, and what to write instead."""

from __future__ import annotations

import dis
import re
from collections.abc import Collection, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.engines.compiler_messages import Explained, explained, words
from clew.errors import OperatorError
from clew.operators.inspection import callable_now, first_return, place, plain_function, with_helpers

IN_PYTHON = 'device="reference" runs it in plain Python, with print and a debugger.'


if TYPE_CHECKING:
    from clew.program import VertexProgram


class Part(NamedTuple):
    """A function of a user's: what it is called, and the dtypes that it is called with, where known."""

    name: str
    function: Any
    dtypes: tuple[np.dtype[Any], ...] | None = None
    takes_arrays: bool = False


def is_compile_error(error: Exception) -> bool:
    """Whether an exception is Numba's own, or one that it lets through: for a field or a module's name that is none."""
    return type(error).__module__.startswith("numba") or isinstance(error, KeyError) or bool(_unknown_name(error))


def _unknown_name(error: Exception) -> str:
    """The name that a module does not have, where that is what an error says; else empty."""
    found = (
        re.match(r"module '[\w.]+' has no attribute '(\w+)'", str(error)) if isinstance(error, AttributeError) else None
    )
    return found[1] if found else ""


def compile_error(parts: Sequence[Part], error: Exception, fields: Collection[str] = (), on: str = "") -> OperatorError:
    """The error in the user's terms.

    The first of the functions that does not compile by itself is to blame. Where all do, the message itself may name a
    line of one of them.

    Parameters
    ----------
    parts
        The functions that were compiled together.
    error
        What the compiler raised.
    fields
        Those that a vertex has.
    on
        For what they were compiled, such as " for the GPU".
    """
    for part in parts:
        own = _alone(part)
        if isinstance(own, Explained):
            return _told(part, own, (plain_function(part.function), first_return(part.function)), on)
        if own is not None:
            return _told(part, explained(_text(own), fields), _line(part.function, own), on)
    for part in parts:
        if any(_mentioned(each, error) for each in with_helpers(plain_function(part.function))):
            return _told(part, explained(_text(error), fields), _line(part.function, error), on)
    names = " and ".join(part.name for part in parts)
    what = explained(_text(error), fields)
    return OperatorError(f"{names} cannot be compiled{on}: {what.problem}.", remedy=f"{what.advice} {IN_PYTHON}")


def operator_error(function: FunctionType, error: Exception, on: str = "") -> OperatorError:
    """The same for one function whose compiler raised this."""
    return compile_error([Part(function.__name__.rpartition("<locals>.")[2], function)], error, on=on)


def program_error(
    program: VertexProgram, weight: np.dtype[Any] | None, error: Exception, on: str = ""
) -> OperatorError:
    """The same for the functions of a vertex program on a graph with weights of this dtype."""
    kind = type(program).__name__
    message = np.dtype(program.message)
    vertex = np.dtype([(name, np.dtype(dtype)) for name, dtype in program.fields.items()], align=True)
    reduction: Any = program.reduce
    gathers = hasattr(reduction, "in_order")
    parts = [
        Part(f"{kind}.send", program.send, (vertex,)),
        Part(f"{kind}.process", program.process, (message, weight or message, vertex)),
        Part(
            f"{kind}.reduce",
            reduction.function if gathers else reduction.operator.function,
            (message, np.dtype(np.int64)) if gathers else (message, message),
            takes_arrays=gathers,
        ),
        Part(f"{kind}.apply", program.apply, (message, vertex)),
        Part(f"{kind}.accepts", program.accepts, (vertex,)),
        Part(f"{kind}.matters", program.matters, (message, vertex)),
    ]
    if program.priority is not None:
        parts.append(Part(f"{kind}.priority", program.priority, (vertex,)))
    return compile_error(parts, error, tuple(program.fields), on)


def _told(part: Part, what: Explained, at: tuple[FunctionType, int], on: str) -> OperatorError:
    return OperatorError(
        f"{part.name} cannot be compiled{on}: {what.problem} ({place(*at)}).",
        remedy=f"{what.advice} {IN_PYTHON}",
    )


def _alone(part: Part) -> Exception | Explained | None:
    """Why a function does not compile by itself, or what it returns instead of a number; None where it is fine."""
    from numba import njit, types
    from numba.np.numpy_support import from_dtype

    if part.dtypes is None:
        return None
    given = tuple(types.Array(from_dtype(d), 1, "C") if part.takes_arrays else from_dtype(d) for d in part.dtypes)
    try:
        made: Any = njit(callable_now(plain_function(part.function)))
        made.compile(given)
    except Exception as error:  # whatever the compiler raises is its answer
        return error
    return _no_number(made.nopython_signatures[0].return_type)


def _no_number(result: Any) -> Explained | None:
    from numba import types

    if isinstance(result, types.NoneType | types.Optional):
        some = " on one path" if isinstance(result, types.Optional) else ""
        return Explained(f"it returns nothing{some}", "End every path with return and a value.")
    if isinstance(result, types.Number | types.Boolean):
        return None
    return Explained(f"it returns {words(str(result))}, not a number", "Return a number on every path.")


def _text(error: Exception) -> str:
    return f"KeyError: {error}" if isinstance(error, KeyError) else str(error)


def _line(function: Any, error: Exception) -> tuple[FunctionType, int]:
    """The function, or the helper that it calls, and the line that the compiler stumbled over."""
    plain = plain_function(function)
    if isinstance(error, KeyError):
        return _line_of_attribute(plain, str(error.args[0]))
    if name := _unknown_name(error):
        return _line_of_attribute(plain, name)
    for each in with_helpers(plain):
        if each is not plain and (line := _mentioned(each, error)) is not None:  # the helper is nearer to the cause
            return each, line
    found = _mentioned(plain, error)
    known: Any = getattr(error, "loc", None)
    return plain, found or getattr(known, "line", None) or plain.__code__.co_firstlineno


def _mentioned(function: FunctionType, error: Exception) -> int | None:
    """The first line of a function that a message mentions."""
    lines = [line for _, _, line in function.__code__.co_lines() if line]
    name = re.split(r"[/\\]", function.__code__.co_filename)[-1]
    for file, number in _places(_text(error)):
        if re.split(r"[/\\]", file)[-1] == name and min(lines) <= int(number) <= max(lines):
            return int(number)
    return None


def _places(text: str) -> Iterator[tuple[str, str]]:
    """Files and lines in the order in which a message has them."""
    for found in re.finditer(r'File "([^"\n]+)", line (\d+)|(?:at|from) (\S[^\n]*?) \((\d+)\)', text):
        yield (found[1], found[2]) if found[1] else (found[3], found[4])


def _line_of_attribute(function: FunctionType, name: str) -> tuple[FunctionType, int]:
    for each in with_helpers(function):
        for step in dis.get_instructions(each):
            if "ATTR" in step.opname and step.argval == name and step.positions and step.positions.lineno:
                return each, step.positions.lineno
    return function, function.__code__.co_firstlineno
