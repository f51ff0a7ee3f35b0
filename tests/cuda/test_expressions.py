"""clew's own functions as C++: the same numbers as in Python, without numba-cuda, for every dtype and architecture."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest

from clew.engines.cuda.emulation.builder import _compiled
from clew.engines.cuda.emulation.device import EmulatedDevice
from clew.engines.cuda.toolchain.compiler import ARCHITECTURES
from clew.engines.cuda.toolchain.expressions import MOST_CONDITIONS, definitions, expression, linked
from clew.engines.cuda.toolchain.source import Compiled, KernelSource, compiled, text_of
from clew.errors import OperatorError
from clew.operators import functions
from tests.cuda.machine_code import machine_code
from tests.cuda.scalars import DTYPES, one_kernel_of, program_of, special, typed
from tests.on_gpu import emulation_only

#: Types on GPUs: each with itself, and some with others. C++ converts the rest, which the emulation has in full.
MIXED = [("float32", "int16"), ("uint8", "int64"), ("float64", "uint64"), ("bool", "int32"), ("int8", "float32")]
ON_GPUS = [*zip(DTYPES, DTYPES, strict=True), *((np.dtype(left), np.dtype(right)) for left, right in MIXED)]
BUILT_IN = [each for _, each in inspect.getmembers(functions, inspect.isfunction)]


def own(function: Any) -> Any:
    """A function of this test that clew takes for its own."""
    function.__module__ = "clew.tests"
    return function


#: What the generic algorithms do, and what else can be written down.
FORMS = {
    "minus": own(lambda a, b: a - b),
    "from_a_number": own(lambda a, b: 1 - a + (2 * b)),
    "apart": own(lambda a, b: abs(a - b)),
    "halved": own(lambda a, b: (1 + a) / b),
    "safe": own(lambda a, b: a / b if b > 0 else 0.0),
    "conditions": own(lambda a, b: a > b and a >= 0),
    "either": own(lambda a, b: a <= b or b < 2),
    "chosen": own(lambda a, b: 1.0 if a == b else 0.5),
}
INTEGERS = {
    "down": own(lambda a, b: a // b),
    "rest": own(lambda a, b: a % b),
    "around": own(lambda a, b: (b - a % b) % b),
    "without": own(lambda a, b: a & ~b),
}


def in_python(operator: Compiled, u: Any, v: Any) -> Any:
    with np.errstate(all="ignore"):
        found = [operator.function(a, b) for a, b in itertools.product(u, v)]
    return np.array([_cast(value, operator.result) for value in found], dtype=operator.result)


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)[()]


def by_numba(operator: Compiled, u: Any, v: Any) -> Any:
    call = _compiled(operator).ctypes
    return np.array([call(a.item(), b.item()) for a, b in itertools.product(u, v)], dtype=operator.result)


def by_kernels(operators: list[Compiled], name: str) -> list[tuple[Compiled, Any]]:
    """What the kernel of each gives for all pairs of special values."""
    device = EmulatedDevice(sanitize=False)
    program = program_of(name, operators)
    assert linked(program) == ()
    found = []
    for k, operator in enumerate(operators):
        u, v = (special(dtype) for dtype in operator.arguments)
        out = device.empty(u.size * v.size, operator.result)
        kernel = device.kernel(program.file, f"all_{k}", {}, dict(program.operators))
        device.launch(kernel, 1, 1, device.upload(u), device.upload(v), out, np.int32(u.size), np.int32(v.size))
        found.append((operator, device.download(out)))
    return found


def check_same(found: Any, expected: Any, what: str) -> None:
    """The same bits, whichever NaN."""
    assert found.dtype == expected.dtype, what
    if found.dtype.kind == "f":
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected), what)
        found, expected = (np.where(np.isnan(each), 0, each) for each in (found, expected))
    bits = f"u{found.dtype.itemsize}"
    np.testing.assert_array_equal(found.view(bits), expected.view(bits), what)


@emulation_only
@pytest.mark.parametrize("function", BUILT_IN, ids=lambda function: function.__name__)
def test_built_in_functions_give_what_python_gives(function):
    """Numba computes with uint64 and signed integers in other types than NumPy: there, what the CPU's engine gives."""
    operators = typed(function)
    assert len(operators) >= 73  # bits have no meaning for floats, nor for uint64 with signed integers
    for operator, found in by_kernels(operators, function.__name__):
        u, v = (special(dtype) for dtype in operator.arguments)
        unlike = np.dtype(np.uint64) in operator.arguments and any(each.kind == "i" for each in operator.arguments)
        expected = (by_numba if unlike else in_python)(operator, u, v)
        check_same(found, expected, f"{function.__name__} {operator.mark}")


@emulation_only
@pytest.mark.parametrize("name", [*FORMS, *INTEGERS])
def test_small_functions_give_what_numba_gives(name):
    """On the types that generic algorithms have, and on some that mix."""
    pairs = [("int64", "int64"), ("uint64", "uint64"), ("int32", "uint8"), ("bool", "bool")]
    pairs += [] if name in INTEGERS else [("float64", "float64"), ("float32", "int16"), ("float32", "int64")]
    results = {"conditions": "bool", "either": "bool", "halved": "float64", "safe": "float64", "chosen": "float64"}
    function = {**FORMS, **INTEGERS}[name]
    operators = []
    for left, right in pairs:
        if left == "bool" and name not in results:
            continue
        if left == "int64" and name == "apart":  # differences that need 65 bits: the CPU's compiler takes them for none
            continue
        dtype = results.get(name) or np.promote_types(left, right)
        operators.append(compiled(function, (left, right), dtype))
    for operator, found in by_kernels(operators, name):
        u, v = (special(dtype) for dtype in operator.arguments)
        check_same(found, by_numba(operator, u, v), f"{name} {operator.mark}")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_all_of_them_compile_for_gpus(architecture):
    pytest.importorskip("cuda.core")
    own = [each for function in BUILT_IN for each in typed(function, ON_GPUS)]
    own += [compiled(function, ("int64", "uint8"), "int64") for function in INTEGERS.values()]
    own += [compiled(function, ("float32", "int16"), "float64") for function in FORMS.values()]
    assert machine_code(one_kernel_of("everything", own), architecture).startswith(b"\x7fELF")


def test_users_functions_are_left_to_numba():
    program = KernelSource.of(
        "elementwise.cuh", {}, {"clew_operator": compiled(lambda a, b: a + b, ("int8",) * 2, "int8")}
    )
    assert definitions(program) == ""
    assert [name for name, _ in linked(program)] == ["clew_operator"]


def test_what_has_no_meaning_is_refused():
    with pytest.raises(
        OperatorError, match=r"bor \(.*functions.py, line \d+\) does not take float32 and int8: \| is for"
    ):
        expression(functions.bor, (np.dtype("float32"), np.dtype("int8")), np.dtype("float32"))


@pytest.mark.parametrize("function", [lambda a, b: a**b, lambda a, b: a + np.inf, lambda a, b: ~(a < b)])
def test_what_cannot_be_written_down_is_refused(function):
    with pytest.raises(OperatorError):
        expression(function, (np.dtype("float64"),) * 2, np.dtype("float64"))


def test_a_loop_without_end_is_refused():
    def halve(a, b):
        while a > b:
            a = a / 2
        return a

    with pytest.raises(OperatorError, match=f"more than {MOST_CONDITIONS} conditions"):
        expression(halve, (np.dtype("float64"),) * 2, np.dtype("float64"))


def test_division_is_there_where_it_is_needed():
    whole = compiled(INTEGERS["rest"], ("int64", "int64"), "int64")
    assert text_of("floor_division.cuh") in definitions(
        KernelSource.of("elementwise.cuh", {}, {"clew_operator": whole})
    )
    plain = compiled(functions.plus, ("int64", "int64"), "int64")
    assert "floor_" not in definitions(KernelSource.of("elementwise.cuh", {}, {"clew_operator": plain}))
