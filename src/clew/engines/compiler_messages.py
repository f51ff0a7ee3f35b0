"""What Numba says about a function that it cannot compile, in a sentence, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import NamedTuple

COMPILABLE = "Use numbers, conditions, math, and NumPy's functions of numbers; do the rest before or after the run."
SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "and_": "&",
    "or_": "|",
    "xor": "^",
}


class Explained(NamedTuple):
    """What is wrong, to be put after the function's name; and what to do about it."""

    problem: str
    advice: str


def explained(text: str, fields: Collection[str] = ()) -> Explained:
    """The first rule that fits the compiler's message; ``fields`` are those that a vertex has."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    for pattern, tell in RULES:
        if found := pattern.search(plain):
            return tell(found)
    if found := re.search(r"KeyError: '(.+?)'|Unknown attribute '(\w+)' of type Record", plain):
        return _no_field(found[1] or found[2], fields)
    if found := re.search(r"Unknown attribute '(\w+)' of type (\S+)", plain):
        return Explained(f"it asks {words(found[2])} for {found[1]!r}, which it does not have", COMPILABLE)
    return Explained(f"the compiler says {_first_line(plain)!r}", COMPILABLE)


def words(kind: str) -> str:
    """A type of Numba's, as a person would call it."""
    if kind.startswith(("Literal[str]", "unicode_type", "[unichr")):
        return "a string"
    if kind.startswith(("Literal[int]", "Literal[bool]")):
        return "an integer" if "int" in kind else "a truth value"
    for beginning, word in CONTAINERS.items():
        if kind.startswith(beginning):
            return word
    return {"none": "None", "bool": "a truth value"}.get(kind, f"{'an' if kind.startswith('int') else 'a'} {kind}")


CONTAINERS = {
    "Tuple": "a tuple",
    "UniTuple": "a tuple",
    "reflected list": "a list",
    "list": "a list",
    "reflected set": "a set",
    "set": "a set",
    "DictType": "a dict",
    "Record": "a vertex",
    "Optional": "a number or None",
    "array": "an array",
    "readonly array": "an array",
    "Function": "a function",
    "type(CPUDispatcher": "a function",
}


def split_types(listed: str) -> list[str]:
    """The types of a list, at the commas that are not within parentheses."""
    depth, found = 0, [""]
    for letter in listed:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [kind.strip() for kind in found if kind.strip()]


def _first_line(plain: str) -> str:
    lines = [line.strip() for line in plain.splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in ", "- Resolution failure"))]
    return said[0].rstrip(".:") if said else "nothing"


def _no_field(name: str, fields: Collection[str]) -> Explained:
    near = get_close_matches(name, fields, 1)
    known = f"Its fields are {', '.join(fields)}." if fields else ""
    return Explained(f"a vertex has no field {name!r}", f"Write {near[0]!r}. {known}" if near else known)


def _outside(found: re.Match[str]) -> Explained:
    name, kind = found[1], found[2].rpartition(".")[2]
    if kind in ("dict", "list", "set"):
        return _container(name, kind)
    if kind in ("builtin_function_or_method", "function", "type", "method", "ufunc", "module"):
        return Explained(f"it uses {name!r}", COMPILABLE)
    return Explained(
        f"it uses {name!r}, an object of the class {kind}",
        "Take the numbers out of it first, into variables, tuples or NumPy arrays.",
    )


def _container(name: str, kind: str) -> Explained:
    return Explained(
        f"it uses {name!r}, a {kind}",
        f"Make {name} a NumPy array or a tuple that integers index, or keep its numbers in a field of the vertices.",
    )


def _returns(found: re.Match[str]) -> Explained:
    text = found.string[found.end() :]
    places = re.findall(r"Return of: IR name '.*?', type '(.+)', location:\s+File \".*?\", line (\d+)", text)
    if places:
        told = " and ".join(f"{words(kind)} in line {line}" for kind, line in sorted(places, key=lambda x: int(x[1])))
    else:
        told = " or ".join(words(kind) for kind in split_types(found[1]))
    return Explained(f"it returns {told}", "Return the same kind of number on every path.")


def _variable(name: str) -> str:
    return "a value" if name.startswith("$") else f"its variable {name!r}"


def _call(found: re.Match[str]) -> Explained:
    name, kinds = found[1], split_types(found[2])
    has_text = any(words(kind) == "a string" for kind in kinds)
    advice = "Use numbers instead of strings, such as 0, 1 and 2 for three cases." if has_text else COMPILABLE
    if name in SIGNS and len(kinds) == 2:
        return Explained(f"it computes {words(kinds[0])} {SIGNS[name]} {words(kinds[1])}", advice)
    if name == "getitem":
        return Explained(f"it indexes {words(kinds[0])} with {words(kinds[-1])}", advice)
    return Explained(f"it calls {name} with {' and '.join(map(words, kinds)) or 'nothing'}", advice)


Tell = Callable[[re.Match[str]], Explained]
#: From the most to the least specific; the first that fits is taken.
RULES: list[tuple[re.Pattern[str], Tell]] = [
    (re.compile(pattern), tell)
    for pattern, tell in (
        (r"Untyped (?:global|freevar|closure)[^']*'([\w.]+)'.*?<class '([\w.]+)'>", _outside),
        (
            r"The use of a (?:reflected )?(list|set|DictType).*assigned to variable '(\w+)'",
            lambda found: _container(found[2], found[1].removesuffix("Type").lower()),
        ),
        (r"Can't unify return type from the following types: (.+)", _returns),
        (
            r"Cannot unify (.+) and (.+) for '([\w$]+)[\w.$]*'",
            lambda found: Explained(
                f"{_variable(found[3])} is {words(found[1])} on one path and {words(found[2])} on another",
                "Give it the same kind of number on every path.",
            ),
        ),
        (
            r"exception_match\(\w+, (\w+)\)",
            lambda found: Explained(
                f"it catches {found[1]}", 'Test for that case with "if" instead of "try" and "except".'
            ),
        ),
        (
            r"(?i)try[-./ ]*(?:except|finally|block)|Exception object cannot be stored"
            r"|SETUP_FINALLY|PUSH_EXC_INFO|CHECK_EXC_MATCH",
            lambda _: Explained('it uses "try"', 'Test for the case with "if" instead of "try" and "except".'),
        ),
        (
            r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'",
            lambda found: Explained(f"it uses {found[2]}.{found[1]}", COMPILABLE),
        ),
        (
            r"^module '([\w.]+)' has no attribute '(\w+)'",
            lambda found: Explained(f"{found[1]} has no {found[2]!r}", "Look for another spelling of it."),
        ),
        (
            r"NameError: name '(\w+)' is not defined",
            lambda found: Explained(f"the name {found[1]!r} is not defined", "Define it before the run."),
        ),
        (
            r"f-strings?|FORMAT_|FormattedValue|BUILD_STRING",
            lambda _: Explained("it makes a string of numbers", "Use print with plain numbers."),
        ),
        (
            r">{3} (\w+)\((.*)\)\n[\s\S]*?Cannot bind '.*' to signature '(\(.*?\))'",
            lambda found: Explained(
                f"it calls {found[1]} with {len(split_types(found[2]))} arguments, and that is {found[1]}{found[3]}",
                f"Call it as {found[1]}{found[3]}.",
            ),
        ),
        (
            r"Unsupported array index type (\w+)",
            lambda found: Explained(f"it uses {words(found[1])} as an index", "Make an integer of it: table[int(x)]."),
        ),
        (
            r"STORE_GLOBAL",
            lambda _: Explained("it assigns to a global variable", "Keep the number in a field of the vertices."),
        ),
        (r"'with \(context manager\)|BEFORE_WITH", lambda _: Explained('it uses "with"', COMPILABLE)),
        (
            r"unsupported opcode \((\w+)\)",
            lambda found: Explained(f"it uses Python that cannot be compiled ({found[1]})", COMPILABLE),
        ),
        (r"No implementation of function [\s\S]*?>{3} ([\w.]+)\((.*)\)", _call),
        (
            r"Cannot cast (.+?) to (\S+?):",
            lambda found: Explained(
                f"it puts {words(found[1])} where a {found[2]} is expected",
                "Use numbers instead of strings and tuples."
                if "str" in found[1] or "Tuple" in found[1]
                else COMPILABLE,
            ),
        ),
    )
]
