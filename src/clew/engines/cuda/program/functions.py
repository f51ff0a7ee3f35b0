"""A vertex program's functions as kernels call them: on the values of all fields, each returning one number.

On the GPU a vertex's state is an array per field, but the functions take a record. So each call builds a record on the
stack, which disappears after inlining. ``apply`` becomes one function for every field that it can change, and one for
its result. The compiler merges their common work.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from clew.engines.cuda.toolchain.source import Compiled, ctype
from clew.operators import Monoid
from clew.operators.inspection import fingerprint, plain_function, read_by, set_by

if TYPE_CHECKING:
    from clew.program import VertexProgram

BOOL = np.dtype(np.bool_)
Fields = tuple[tuple[str, np.dtype[Any]], ...]
#: The name in kernels, the function, the types of the arguments before the fields, the result type, and the field to
#: return instead.
_Signature = tuple[str, Any, tuple[np.dtype[Any], ...], np.dtype[Any], str | None]


@dataclass(frozen=True)
class Functions:
    """The functions of a program, compiled for its types, and the macros of program_vertex.cuh that describe them.

    ``fields`` are those that kernels get, in order.
    """

    operators: dict[str, Compiled]
    defines: dict[str, Any]
    fields: tuple[str, ...]


def functions_of(program: VertexProgram, weight: np.dtype[Any] | None, monoid: Monoid) -> Functions:
    """All functions and fields; with ``weight`` None every weight is 1, of the message's dtype."""
    fields: Fields = tuple((name, np.dtype(kind)) for name, kind in program.fields.items())
    message = np.dtype(program.message)
    changed = [k for k, (name, _) in enumerate(fields) if name in set_by(plain_function(program.apply))]
    given: list[_Signature] = [
        ("clew_send", program.send, (), message, None),
        ("clew_apply", program.apply, (message,), BOOL, None),
        *((f"clew_set_f{k}", program.apply, (message,), fields[k][1], fields[k][0]) for k in changed),
    ]
    if program.priority is not None:
        given.append(("clew_priority", program.priority, (), np.dtype(np.float64), None))
    functions = _compiled(program, weight, monoid, fields, given)
    functions.defines["FIELDS_SET"] = " ".join(f"SET(f{k})" for k in changed)
    functions.defines["ORDERED"] = int(program.priority is not None)
    return functions


def product_functions_of(program: VertexProgram, weight: np.dtype[Any] | None, monoid: Monoid) -> Functions:
    """The functions of edges, for products (row_pull.cuh, row_push.cuh), and only the fields that they read."""
    edge = (program.process, program.accepts, program.matters)
    read = set().union(*(read_by(plain_function(function)) for function in edge))
    fields: Fields = tuple((name, np.dtype(kind)) for name, kind in program.fields.items() if name in read)
    return _compiled(program, weight, monoid, fields, [])


def _compiled(
    program: VertexProgram, weight: np.dtype[Any] | None, monoid: Monoid, fields: Fields, more: list[_Signature]
) -> Functions:
    """The functions of edges, ``more`` functions, and the sum."""
    message, types = np.dtype(program.message), tuple(kind for _, kind in fields)
    given: list[_Signature] = [
        ("clew_process", program.process, (message, weight or message), message, None),
        ("clew_accepts", program.accepts, (), BOOL, None),
        ("clew_matters", program.matters, (message,), BOOL, None),
        *more,
    ]
    operators = {}
    for name, function, leading, result, field in given:
        plain = plain_function(function)
        wrapped = _of_values(plain, fingerprint(plain), len(leading), fields, field, result == BOOL)
        operators[name] = Compiled(wrapped, leading + types, result)
    if not monoid.stops_at_first:
        operators["clew_add"] = Compiled(monoid.operator.function, (message, message), message)
    values = ", ".join(f"vertex.f{k}" for k in range(len(types)))
    defines = {
        "message_t": ctype(message),
        "weight_t": ctype(weight or message),
        "WEIGHTED": int(weight is not None),
        "FIRST": int(monoid.stops_at_first),
        "FIELDS": " ".join(f"FIELD({ctype(kind)}, f{k})" for k, kind in enumerate(types)),
        "FIELD_NAMES": ", ".join(f"f{k}" for k in range(len(types))),
        "FIELD_VALUES": values,
        "AND_FIELD_VALUES": f", {values}" if values else "",
    }
    return Functions(operators, defines, tuple(name for name, _ in fields))


@lru_cache(maxsize=1024)
def _of_values(
    function: FunctionType,
    mark: int,  # noqa: ARG001, what the function does may change
    leading: int,
    fields: Fields,
    field: str | None,
    truth: bool,
) -> FunctionType:
    """``function`` on some leading arguments and the fields' values; returns its result, or a field after the call."""
    given = [f"a{k}" for k in range(leading)]
    values = [f"f{k}" for k in range(len(fields))]
    lines = [f"def of_values({', '.join([*given, *values])}):", "    vertex = blank_vertex()"]
    for value, (name, _) in zip(values, fields, strict=True):
        if name.isidentifier() and not keyword.iskeyword(name):  # others cannot be attributes
            lines.append(f"    vertex.{name} = {value}")
    call = f"function({', '.join([*given, 'vertex'])})"
    if field is not None:
        lines += [f"    {call}", f"    return vertex.{field}"]
    else:
        lines.append(f"    return True if {call} else False" if truth else f"    return {call}")
    known: dict[str, Any] = {"function": function, "blank_vertex": _blank(fields)}
    code = compile("\n".join(lines), function.__code__.co_filename, "exec")
    exec(code, known)
    of_values: FunctionType = known["of_values"]
    # Error messages name the user's function.
    of_values.__name__ = function.__qualname__
    of_values.__code__ = of_values.__code__.replace(co_firstlineno=function.__code__.co_firstlineno)
    return of_values


@lru_cache(maxsize=256)
def _blank(fields: Fields) -> Any:
    """A function for compiled code: a new record with these fields, on the stack."""
    record: Any = from_dtype(np.dtype(list(fields), align=True))
    on_stack: Any = cgutils.alloca_once

    @intrinsic
    def blank_vertex(typing_context: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            space = on_stack(builder, ir.ArrayType(ir.IntType(8), record.size))
            space.align = 8
            return builder.bitcast(space, context.get_value_type(record))

        return record(), generate

    return blank_vertex
