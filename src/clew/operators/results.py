"""The result dtype of a function of two scalars, by NumPy's rules."""

from __future__ import annotations

import linecache
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from clew.dtypes import WEIGHT_DTYPES
from clew.errors import OperatorError
from clew.operators.byte_code import gives_nothing, line_without_value, plain_function


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
