"""Functions of users that do not compile: which one, in which file and line, why, and what to write instead."""

from __future__ import annotations

import dis
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import get_close_matches
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types
from numba.core import decorators
from numba.np.numpy_support import from_dtype

from clew.errors import OperatorError
from clew.operators.inspection import callable_now, first_return, place, plain_function, with_helpers

if TYPE_CHECKING:
    from clew.program import VertexProgram

IN_PYTHON = 'device="reference" runs it in plain Python, with print and a debugger.'
COMPILABLE = "Use numbers, conditions, math, and NumPy's functions of numbers; do the rest before or after the run."
INSTEAD_OF_TRY = 'with "if" instead of "try" and "except".'
OPERATORS = "add sub mul truediv floordiv mod pow eq ne lt le gt ge and_ or_ xor"
SIGNS = dict(
    zip(
        OPERATORS.split(),
        ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^"],
        strict=True,
    )
)
#: What Numba's names of types begin with.
CONTAINERS = {
    "a tuple": ("Tuple", "UniTuple"),
    "a list": ("reflected list", "list"),
    "a set": ("reflected set", "set"),
    "a dict": ("DictType",),
    "a vertex": ("Record",),
    "a number or None": ("Optional",),
    "an array": ("array", "readonly array"),
    "a function": ("Function", "type(CPUDispatcher"),
}


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
            return _blame(part, own, (plain_function(part.function), first_return(part.function)), on)
        if own is not None:
            return _blame(part, explained(_text(own), fields), _line(part.function, own), on)
    for part in parts:
        if any(_mentioned(each, error) for each in with_helpers(plain_function(part.function))):
            return _blame(part, explained(_text(error), fields), _line(part.function, error), on)
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


def _blame(part: Part, what: Explained, at: tuple[FunctionType, int], on: str) -> OperatorError:
    return OperatorError(
        f"{part.name} cannot be compiled{on}: {what.problem} ({place(*at)}).", remedy=f"{what.advice} {IN_PYTHON}"
    )


def _alone(part: Part) -> Exception | Explained | None:
    """Why a function does not compile by itself, or what it returns instead of a number; None where it is fine."""
    if part.dtypes is None:
        return None
    given = tuple(types.Array(from_dtype(d), 1, "C") if part.takes_arrays else from_dtype(d) for d in part.dtypes)
    try:
        dispatcher: Any = decorators.njit(callable_now(plain_function(part.function)))
        dispatcher.compile(given)
    except Exception as error:  # the answer is any error that the compiler raises
        return error
    return _no_number(dispatcher.nopython_signatures[0].return_type)


def _no_number(result: Any) -> Explained | None:
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


class Explained(NamedTuple):
    """What is wrong, to be put after the function's name; and what to do about it."""

    problem: str
    advice: str


def explained(text: str, fields: Collection[str] = ()) -> Explained:
    """The first rule that fits the compiler's message; ``fields`` are those that a vertex has."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for pattern, meaning in RULES:
        if found := re.search(pattern, plain):
            return Explained(found.expand(meaning[0]), meaning[1]) if isinstance(meaning, tuple) else meaning(found)
    if found := re.search(r"KeyError: '(.+?)'|Unknown attribute '(\w+)' of type Record", plain):
        return _no_field(found[1] or found[2], fields)
    if found := re.search(r"Unknown attribute '(\w+)' of type (\S+)", plain):
        return Explained(f"it asks {words(found[2])} for {found[1]!r}, which it does not have", COMPILABLE)
    return Explained(f"the compiler says {_first_line(plain)!r}", COMPILABLE)


def words(name: str) -> str:
    """A type of Numba's, as a person would call it."""
    if name.startswith(("Literal[str]", "unicode_type", "[unichr")):
        return "a string"
    if name.startswith(("Literal[int]", "Literal[bool]")):
        return "an integer" if "int" in name else "a truth value"
    for word, beginnings in CONTAINERS.items():
        if name.startswith(beginnings):
            return word
    return {"none": "None", "bool": "a truth value"}.get(name, f"{'an' if name.startswith('int') else 'a'} {name}")


def split_types(listed: str) -> list[str]:
    """The types of a list, at the commas that are not within parentheses."""
    depth, types = 0, [""]
    for letter in listed:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            types.append("")
        else:
            types[-1] += letter
    return [kind.strip() for kind in types if kind.strip()]


def _first_line(plain: str) -> str:
    lines = [line.strip() for line in plain.splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in ", "- Resolution failure"))]
    return said[0].rstrip(".:") if said else "nothing"


def _no_field(name: str, fields: Collection[str]) -> Explained:
    near = get_close_matches(name, fields, 1)
    known = f"Its fields are {', '.join(fields)}." if fields else ""
    return Explained(f"a vertex has no field {name!r}", f"Write {near[0]!r}. {known}" if near else known)


def _outside(match: re.Match[str]) -> Explained:
    name, class_name = match[1], match[2].rpartition(".")[2]
    if class_name in ("dict", "list", "set"):
        return _container(name, class_name)
    if class_name in ("builtin_function_or_method", "function", "type", "method", "ufunc", "module"):
        return Explained(f"it uses {name!r}", COMPILABLE)
    return Explained(
        f"it uses {name!r}, an object of the class {class_name}",
        "Take the numbers out of it first, into variables, tuples or NumPy arrays.",
    )


def _container(name: str, class_name: str) -> Explained:
    return Explained(
        f"it uses {name!r}, a {class_name}",
        f"Make {name} a NumPy array or a tuple that integers index, or keep its numbers in a field of the vertices.",
    )


def _returns(match: re.Match[str]) -> Explained:
    text = match.string[match.end() :]
    places = re.findall(r"Return of: IR name '.*?', type '(.+)', location:\s+File \".*?\", line (\d+)", text)
    if places:
        types = " and ".join(f"{words(kind)} in line {line}" for kind, line in sorted(places, key=lambda x: int(x[1])))
    else:
        types = " or ".join(words(kind) for kind in split_types(match[1]))
    return Explained(f"it returns {types}", "Return the same kind of number on every path.")


def _two_types(match: re.Match[str]) -> Explained:
    variable = "a value" if match[3].startswith("$") else f"its variable {match[3]!r}"
    problem = f"{variable} is {words(match[1])} on one path and {words(match[2])} on another"
    return Explained(problem, "Give it the same kind of number on every path.")


def _arguments(match: re.Match[str]) -> Explained:
    signature, count = f"{match[1]}{match[3]}", len(split_types(match[2]))
    return Explained(f"it calls {match[1]} with {count} arguments, and that is {signature}", f"Call it as {signature}.")


def _cast(match: re.Match[str]) -> Explained:
    no_number = "str" in match[1] or "Tuple" in match[1]
    advice = "Use numbers instead of strings and tuples." if no_number else COMPILABLE
    return Explained(f"it puts {words(match[1])} where a {match[2]} is expected", advice)


def _call(match: re.Match[str]) -> Explained:
    name, types = match[1], split_types(match[2])
    has_text = any(words(kind) == "a string" for kind in types)
    advice = "Use numbers instead of strings, such as 0, 1 and 2 for three cases." if has_text else COMPILABLE
    if name in SIGNS and len(types) == 2:
        return Explained(f"it computes {words(types[0])} {SIGNS[name]} {words(types[1])}", advice)
    if name == "getitem":
        return Explained(f"it indexes {words(types[0])} with {words(types[-1])}", advice)
    return Explained(f"it calls {name} with {' and '.join(map(words, types)) or 'nothing'}", advice)


Tell = Callable[[re.Match[str]], Explained]
#: What a message looks like, and what it means: a problem with the groups of the pattern, and advice; or a function.
#: From the most to the least specific; the first that fits is taken.
RULES: tuple[tuple[str, tuple[str, str] | Tell], ...] = (
    (r"Untyped (?:global|freevar|closure)[^']*'([\w.]+)'.*?<class '([\w.]+)'>", _outside),
    (
        r"The use of a (?:reflected )?(list|set|DictType).*assigned to variable '(\w+)'",
        lambda match: _container(match[2], match[1].removesuffix("Type").lower()),
    ),
    (r"Can't unify return type from the following types: (.+)", _returns),
    (r"Cannot unify (.+) and (.+) for '([\w$]+)[\w.$]*'", _two_types),
    (
        r"exception_match\(\w+, (\w+)\)",
        (r"it catches \1", 'Test for that case with "if" instead of "try" and "except".'),
    ),
    (
        r"(?i)try[-./ ]*(?:except|finally|block)|Exception object cannot be stored"
        r"|SETUP_FINALLY|PUSH_EXC_INFO|CHECK_EXC_MATCH",
        ('it uses "try"', f"Test for the case {INSTEAD_OF_TRY}"),
    ),
    (r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", (r"it uses \2.\1", COMPILABLE)),
    (r"^module '([\w.]+)' has no attribute '(\w+)'", (r"\1 has no '\2'", "Look for another spelling of it.")),
    (r"NameError: name '(\w+)' is not defined", (r"the name '\1' is not defined", "Define it before the run.")),
    (
        r"f-strings?|FORMAT_|FormattedValue|BUILD_STRING",
        ("it makes a string of numbers", "Use print with plain numbers."),
    ),
    (r">{3} (\w+)\((.*)\)\n[\s\S]*?Cannot bind '.*' to signature '(\(.*?\))'", _arguments),
    (
        r"Unsupported array index type (\w+)",
        lambda match: Explained(f"it uses {words(match[1])} as an index", "Make an integer of it: table[int(x)]."),
    ),
    (r"STORE_GLOBAL", ("it assigns to a global variable", "Keep the number in a field of the vertices.")),
    (r"'with \(context manager\)|BEFORE_WITH", ('it uses "with"', COMPILABLE)),
    (r"unsupported opcode \((\w+)\)", (r"it uses Python that cannot be compiled (\1)", COMPILABLE)),
    (r"No implementation of function [\s\S]*?>{3} ([\w.]+)\((.*)\)", _call),
    (r"Cannot cast (.+?) to (\S+?):", _cast),
)
