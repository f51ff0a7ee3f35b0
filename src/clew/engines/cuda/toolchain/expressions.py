"""clew's own scalar functions as C++ text, found by calling them with operands that note what is done to them.

The built-in operators and the small functions of the generic algorithms become part of the kernel that calls them: no
compiler of Python is involved. Numbers have the types that Numba gives them, so that every engine computes the same
bits. Integers are 64 bits wide and wrap around. float32 stays float32 with narrow integers only.

A condition, as in ``b if b < a else a``, asks an operand for a truth value. The function is called once for every
sequence of answers, and the results are joined by ``?:``.
"""

from __future__ import annotations

import math
from functools import lru_cache, partialmethod
from types import FunctionType
from typing import Any

import numpy as np

from clew.engines.cuda.toolchain.source import Compiled, KernelSource, ctype, text_of
from clew.errors import OperatorError
from clew.operators.inspection import where

BOOL, INT, UINT, SINGLE, DOUBLE = (np.dtype(name) for name in ("bool", "int64", "uint64", "float32", "float64"))
#: Types that Numba computes with in float32 where the other operand is a float32.
NARROW = frozenset(map(np.dtype, ("bool", "int8", "int16", "uint8", "float32")))
#: Conditions on one way through a function: ours have two or three, and a loop without end has more.
MOST_CONDITIONS = 16
#: C++ for ``//`` and ``%``, which round towards minus infinity.
FLOOR_DIVISION = "floor_division.cuh"


def linked(program: KernelSource) -> tuple[tuple[str, Compiled], ...]:
    """The functions of a program that another compiler has to translate: those that users wrote."""
    return tuple((name, operator) for name, operator in program.operators if not _is_own(operator.function))


def definitions(program: KernelSource) -> str:
    """The functions of a program that are clew's own, as C++; they come before the program's text."""
    own = [(name, operator) for name, operator in program.operators if _is_own(operator.function)]
    text = "".join(_definition(name, operator) for name, operator in own)
    return text_of(FLOOR_DIVISION) + text if "floor_" in text else text


def expression(function: FunctionType, arguments: tuple[np.dtype[Any], ...], result: np.dtype[Any]) -> str:
    """``function(a0, a1, …)`` of arguments and cast to a result of these dtypes."""
    call = _Call()
    operands = [_Operand(call, f"a{k}", dtype) for k, dtype in enumerate(arguments)]
    for operand in operands:
        if operand.dtype == BOOL:  # a byte, of which any bit may be set
            operand.text = f"({operand.text} != 0)"
    try:
        return call.tree(function, operands, result)
    except TypeError as error:
        types = " and ".join(dtype.name for dtype in arguments)
        raise OperatorError(f"{where(function)} does not take {types}: {error}.") from error


@lru_cache(maxsize=1024)
def _definition(name: str, operator: Compiled) -> str:
    text = expression(operator.function, operator.arguments, operator.result)
    given = ", ".join(f"{ctype(dtype)} a{k}" for k, dtype in enumerate(operator.arguments))
    return f"static __device__ __forceinline__ {ctype(operator.result)} {name}({given}) {{ return {text}; }}\n"


def _is_own(function: FunctionType) -> bool:
    """Whether clew wrote a function: what users write may be anything, and needs a real compiler."""
    return (function.__module__ or "").partition(".")[0] == __name__.partition(".")[0]


class _Call:
    """One call of a function: what its conditions are answered with, in the order in which they are asked."""

    def __init__(self) -> None:
        self.answers: tuple[bool, ...] = ()
        self.asked = 0

    def tree(self, function: FunctionType, operands: list[_Operand], result: np.dtype[Any]) -> str:
        """The expression after ``answers``: a result, or a condition and what comes of either answer."""
        answers, self.asked = self.answers, 0
        try:
            return _operand(self, function(*operands)).cast(result)
        except _Undecided as condition:
            if len(answers) == MOST_CONDITIONS:
                raise TypeError(f"it has more than {MOST_CONDITIONS} conditions") from None
            branches = []
            for answer in (True, False):
                self.answers = (*answers, answer)
                branches.append(self.tree(function, operands, result))
            return f"({condition} ? {branches[0]} : {branches[1]})"

    def answer(self, condition: str) -> bool:
        """Whether a condition holds on this way through the function."""
        self.asked += 1
        if self.asked > len(self.answers):
            raise _Undecided(condition)
        return self.answers[self.asked - 1]


class _Undecided(Exception):  # noqa: N818, not an error: the function is called again with an answer
    """A condition without an answer so far."""


class _Operand:
    """A C++ expression and its type; arithmetic gives another one."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, call: _Call, text: str, dtype: np.dtype[Any]) -> None:
        self.call, self.text, self.dtype = call, text, dtype

    def cast(self, dtype: np.dtype[Any]) -> str:
        """The text of the same number in another type; a truth value is whether it is not zero, not its last byte."""
        if dtype == self.dtype:
            return self.text
        return f"({self.text} != 0)" if dtype == BOOL else f"(({ctype(dtype)}){self.text})"

    def __bool__(self) -> bool:
        return self.call.answer(self.cast(BOOL))

    def __radd__(self, other: Any) -> _Operand:
        return _operand(self.call, other)._arithmetic(self, "+")

    def __rsub__(self, other: Any) -> _Operand:
        return _operand(self.call, other)._arithmetic(self, "-")

    def __rmul__(self, other: Any) -> _Operand:
        return _operand(self.call, other)._arithmetic(self, "*")

    def __truediv__(self, other: Any) -> _Operand:
        right = _operand(self.call, other)
        dtype = _computed(self, right)
        dtype = dtype if dtype.kind == "f" else DOUBLE
        return _Operand(self.call, f"({self.cast(dtype)} / {right.cast(dtype)})", dtype)

    def __invert__(self) -> _Operand:
        if self.dtype.kind not in "iu":
            raise TypeError(f"~ is for integers, not {self.dtype}")
        return _Operand(self.call, f"(({ctype(self.dtype)})~{self.text})", self.dtype)

    def __abs__(self) -> _Operand:
        if self.dtype.kind == "f":
            name = "fabsf" if self.dtype == SINGLE else "fabs"
            return _Operand(self.call, f"{name}({self.text})", self.dtype)
        return 0 - self if self < 0 else 0 + self

    def _arithmetic(self, other: Any, sign: str) -> _Operand:
        right = _operand(self.call, other)
        dtype = _computed(self, right)
        if dtype == INT:  # in C++ only unsigned integers wrap around
            text = f"({ctype(INT)})({self.cast(UINT)} {sign} {right.cast(UINT)})"
            return _Operand(self.call, f"({text})", INT)
        return _Operand(self.call, f"({self.cast(dtype)} {sign} {right.cast(dtype)})", dtype)

    def _divided(self, other: Any, name: str) -> _Operand:
        right = _operand(self.call, other)
        dtype = _computed(self, right)
        if dtype.kind == "f":
            raise TypeError("// and % are for integers")
        return _Operand(self.call, f"{name}({self.cast(dtype)}, {right.cast(dtype)})", dtype)

    def _bitwise(self, other: Any, sign: str) -> _Operand:
        right = _operand(self.call, other)
        if "f" in (self.dtype.kind, right.dtype.kind):
            raise TypeError(f"{sign} is for integers and truth values")
        dtype = BOOL if self.dtype == right.dtype == BOOL else _computed(self, right)
        return _Operand(self.call, f"({self.cast(dtype)} {sign} {right.cast(dtype)})", dtype)

    def _compared(self, other: Any, sign: str) -> _Operand:
        right = _operand(self.call, other)
        # Numba compares uint64 with signed integers as float64. With 0 every type gives the same, its own the fastest.
        dtype = self.dtype if isinstance(other, int) and other == 0 else np.promote_types(self.dtype, right.dtype)
        return _Operand(self.call, f"({self.cast(dtype)} {sign} {right.cast(dtype)})", BOOL)

    __add__ = partialmethod(_arithmetic, sign="+")
    __sub__ = partialmethod(_arithmetic, sign="-")
    __mul__ = partialmethod(_arithmetic, sign="*")
    __floordiv__ = partialmethod(_divided, name="floor_quotient")
    __mod__ = partialmethod(_divided, name="floor_remainder")
    __and__ = partialmethod(_bitwise, sign="&")
    __or__ = partialmethod(_bitwise, sign="|")
    __xor__ = partialmethod(_bitwise, sign="^")
    __eq__ = partialmethod(_compared, sign="==")
    __ne__ = partialmethod(_compared, sign="!=")
    __lt__ = partialmethod(_compared, sign="<")
    __le__ = partialmethod(_compared, sign="<=")
    __gt__ = partialmethod(_compared, sign=">")
    __ge__ = partialmethod(_compared, sign=">=")


def _operand(call: _Call, value: Any) -> _Operand:
    """What a function works with or returns: an operand, or a number, which Numba takes for 64 bits."""
    if isinstance(value, _Operand):
        return value
    if isinstance(value, bool):
        return _Operand(call, "true" if value else "false", BOOL)
    if isinstance(value, int) and abs(value) <= np.iinfo(INT).max:
        return _Operand(call, f"({value}LL)", INT)
    if isinstance(value, float) and math.isfinite(value):
        return _Operand(call, f"({value!r})", DOUBLE)
    raise TypeError(f"{value!r} is no number that the GPU's code can hold")


def _computed(left: _Operand, right: _Operand) -> np.dtype[Any]:
    """The type in which Numba computes with two numbers."""
    types = {left.dtype, right.dtype}
    if any(dtype.kind == "f" for dtype in types):
        return SINGLE if types <= NARROW else DOUBLE
    return UINT if all(dtype.kind == "u" for dtype in types) else INT
