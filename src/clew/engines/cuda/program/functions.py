"""A vertex program's functions as kernels call them: of the values of all fields, each with one number as its result.

On the GPU a vertex's state is an array per field. The functions see a record; here one is put together from the values
on the stack, and after inlining nothing is left of it. What ``apply`` does to a vertex is one function for every field
that it can change, and one for what it returns; the compiler finds what they have in common.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.engines.cuda.toolchain.source import Compiled, ctype
from clew.operators.inspection import fingerprint, plain_function, read_by, set_by

if TYPE_CHECKING:
    from clew.program import VertexProgram

BOOL = np.dtype(np.bool_)
Fields = tuple[tuple[str, np.dtype[Any]], ...]


@dataclass(frozen=True)
class Functions:
    """The functions of a program, compiled for its types, and the macros of program_vertex.cuh that describe them."""

    operators: dict[str, Compiled]
    defines: dict[str, Any]


def functions_of(program: VertexProgram, weight: np.dtype[Any] | None) -> Functions:
    """What kernels need; ``weight`` None makes every weight 1, as a message."""
    fields: Fields = tuple((name, np.dtype(kind)) for name, kind in program.fields.items())
    message = np.dtype(program.message)
    types = tuple(kind for _, kind in fields)
    changed = [k for k, (name, _) in enumerate(fields) if name in set_by(plain_function(program.apply))]
    given: list[tuple[str, Any, tuple[np.dtype[Any], ...], np.dtype[Any], str | None]] = [
        ("clew_send", program.send, (), message, None),
        ("clew_process", program.process, (message, weight or message), message, None),
        ("clew_accepts", program.accepts, (), BOOL, None),
        ("clew_matters", program.matters, (message,), BOOL, None),
        ("clew_apply", program.apply, (message,), BOOL, None),
        *((f"clew_set_f{k}", program.apply, (message,), fields[k][1], fields[k][0]) for k in changed),
    ]
    if program.priority is not None:
        given.append(("clew_priority", program.priority, (), np.dtype(np.float64), None))
    operators = {}
    for name, function, leading, result, field in given:
        plain = plain_function(function)
        wrapped = _of_values(plain, fingerprint(plain), len(leading), fields, field, result == BOOL)
        operators[name] = Compiled(wrapped, leading + types, result)
    return Functions(
        operators,
        {
            "message_t": ctype(message),
            "weight_t": ctype(weight or message),
            "WEIGHTED": int(weight is not None),
            "FIELDS": " ".join(f"FIELD({ctype(kind)}, f{k})" for k, kind in enumerate(types)),
            "FIELD_NAMES": ", ".join(f"f{k}" for k in range(len(types))),
            "FIELD_VALUES": ", ".join(f"vertex.f{k}" for k in range(len(types))),
            "FIELDS_SET": " ".join(f"SET(f{k})" for k in changed),
            "ORDERED": int(program.priority is not None),
        },
    )


def product_functions_of(program: VertexProgram, weight: np.dtype[Any] | None) -> tuple[Functions, tuple[str, ...]]:
    """What products need (row_pull.cuh, row_push.cuh), and the fields that they look at: others may stay elsewhere."""
    message, known = np.dtype(program.message), dict(program.fields)
    edge = tuple(plain_function(function) for function in (program.process, program.accepts, program.matters))
    looked_at = set().union(*(read_by(function) for function in edge))
    names = tuple(name for name in known if name in looked_at)
    fields: Fields = tuple((name, np.dtype(known[name])) for name in names)
    types = tuple(kind for _, kind in fields)
    operators = {}
    for name, function, leading, result in (
        ("clew_process", edge[0], (message, weight or message), message),
        ("clew_accepts", edge[1], (), BOOL),
        ("clew_matters", edge[2], (message,), BOOL),
    ):
        wrapped = _of_values(function, fingerprint(function), len(leading), fields, None, result == BOOL)
        operators[name] = Compiled(wrapped, leading + types, result)
    values = ", ".join(f"vertex.f{k}" for k in range(len(types)))
    defines = {
        "message_t": ctype(message),
        "weight_t": ctype(weight or message),
        "WEIGHTED": int(weight is not None),
        "FIELDS": " ".join(f"FIELD({ctype(kind)}, f{k})" for k, kind in enumerate(types)),
        "FIELD_NAMES": ", ".join(f"f{k}" for k in range(len(types))),
        "FIELD_VALUES": values,
        "AND_FIELD_VALUES": f", {values}" if values else "",
    }
    return Functions(operators, defines), names


@lru_cache(maxsize=1024)
def _of_values(
    function: FunctionType,
    mark: int,  # noqa: ARG001, what the function does may change
    leading: int,
    fields: Fields,
    field: str | None,
    truth: bool,
) -> FunctionType:
    """``function`` of some leading arguments and of the fields' values; gives its result, or a field after it ran."""
    given = [f"a{k}" for k in range(leading)]
    values = [f"f{k}" for k in range(len(fields))]
    lines = [f"def of_values({', '.join([*given, *values])}):", "    vertex = blank_vertex()"]
    for value, (name, _) in zip(values, fields, strict=True):
        if name.isidentifier() and not keyword.iskeyword(name):  # others cannot be asked for
            lines.append(f"    vertex.{name} = {value}")
    call = f"function({', '.join([*given, 'vertex'])})"
    if field is not None:
        lines += [f"    {call}", f"    return vertex.{field}"]
    else:
        lines.append(f"    return True if {call} else False" if truth else f"    return {call}")
    known: dict[str, Any] = {"function": function, "blank_vertex": _blank(fields)}
    code = compile("\n".join(lines), function.__code__.co_filename, "exec")
    exec(code, known)
    made: FunctionType = known["of_values"]
    # An error names the function that it is in.
    made.__name__ = function.__qualname__
    made.__code__ = made.__code__.replace(co_firstlineno=function.__code__.co_firstlineno)
    return made


@lru_cache(maxsize=256)
def _blank(fields: Fields) -> Any:
    """A function for compiled code: a new record with these fields, on the stack."""
    from llvmlite import ir  # type: ignore[import-untyped]
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np.numpy_support import from_dtype

    record: Any = from_dtype(record_of(dict(fields)))
    on_stack: Any = cgutils.alloca_once

    @intrinsic
    def blank_vertex(typing_context: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            space = on_stack(builder, ir.ArrayType(ir.IntType(8), record.size))
            space.align = 8
            return builder.bitcast(space, context.get_value_type(record))

        return record(), generate

    return blank_vertex


def record_of(fields: Mapping[str, Any]) -> np.dtype[Any]:
    """One vertex's state as a record."""
    return np.dtype([(name, np.dtype(kind)) for name, kind in fields.items()], align=True)
