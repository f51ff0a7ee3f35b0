"""Operators, monoids, semirings: their laws, their errors, and that users' own are compiled once."""

from __future__ import annotations

import math
import operator
import subprocess
import sys
import textwrap
import threading
from types import FunctionType

import numba.extending
import numpy as np
import pytest

import clew
from clew import Monoid, Operator, OperatorError, Semiring, monoids
from clew.operators.inspection import callable_now, fingerprint
from tests.engines.inputs import SEMIRINGS

GRAPH = clew.generate.cycle(5)
X = np.arange(5.0)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64"])
@pytest.mark.parametrize("name", [name for name in SEMIRINGS if name != "any_pair"])
def test_the_built_in_ones_keep_the_laws(name, dtype):
    SEMIRINGS[name].check(dtype)


@pytest.mark.parametrize(
    ("function", "identity", "message"),
    [
        (lambda a, b: a - b, 0, r"0.0 is not an identity: f\(0.0, -2.0\) is 2.0, expected -2.0"),
        (lambda a, b: a * b + a + b + (a == 2), 0, "is not an identity|is not commutative"),
        (lambda a, b: a if b == 0 else b, 0, r"not commutative: f\(-2.0, -1.0\) is -1.0, f\(-1.0, -2.0\) is -2.0"),
        (lambda a, b: a + b if a * b == 0 else (a + b) / 2, 0, "is not associative: f"),
    ],
)
def test_broken_laws_are_shown_by_example(function, identity, message):
    with pytest.raises(OperatorError, match=message):
        Monoid(function, identity, check=True)
    with pytest.raises(OperatorError, match="is not a monoid on float64"):
        Semiring(add=function, identity=identity, multiply=lambda weight, x: x, check="float64")
    Monoid(function, identity)


def test_identities_fit_the_dtype():
    assert monoids.min.identity("int8") == 127
    assert monoids.max.identity("uint8") == 0
    assert monoids.min.identity("float32") == np.inf
    assert monoids.band.identity("int16") == -1
    assert monoids.bor.terminal("uint8") == 255
    assert monoids.plus.terminal("int8") is None
    with pytest.raises(OperatorError, match="the identity of largest is 300, which is not a value of uint8"):
        Monoid(max, 300, name="largest").identity("uint8")
    with pytest.raises(OperatorError, match=r"is 0\.5"):
        Monoid(max, 0.5).identity("int64")


def test_what_is_free_of_order_goes_by_the_function_not_by_its_name():
    assert clew.monoids.any.is_order_free
    assert clew.Monoid(min, np.inf, name="mine").is_order_free
    assert not clew.Monoid(lambda a, b: a + b, 0, name="max").is_order_free


def test_pythons_own_functions_are_known():
    for given, name in ((min, "smaller"), (operator.add, "plus"), (np.maximum, "larger"), (operator.xor, "bxor")):
        assert Operator(given).function.__name__ == name
    assert Operator(monoids.min).name == "min"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Operator("plus"), "'plus' is of type str; expected a Python function"),
        (lambda: Operator([]), "is of type list"),
        (lambda: Operator(math.sqrt), "expected a Python function"),
        (lambda: Operator(lambda a: a), "does not take two arguments"),
        (lambda: Semiring(add=min, multiply=max), "needs the identity of add"),
        (lambda: Semiring(monoids.min, max, identity=0), "has its own identity"),
    ],
)
def test_what_is_no_operator(make, message):
    with pytest.raises(OperatorError, match=message):
        make()


@pytest.mark.parametrize(
    ("multiply", "message"),
    [
        (lambda weight, x: "text", "<lambda> .*test_operators.py, line [0-9]+.* returns str; expected a number"),
        (lambda weight, x: x.nonsense, "line [0-9]+.* fails on float64 and float64: AttributeError"),
        (lambda weight, x: x * 1j, "returns complex128"),
        (
            lambda weight, x: x if callable(x) else weight,
            "<lambda> cannot be compiled: it uses 'callable' .*test_operators.py, line [0-9]+",
        ),
    ],
)
def test_what_cannot_be_compiled(multiply, message):
    with pytest.raises(OperatorError, match=message):
        clew.spmv(GRAPH, X, Semiring(monoids.plus, multiply))


SCALE = 3.0


def scaled(value):
    return SCALE * value


def test_functions_may_use_other_functions_and_values():
    shift = 0.5
    own = Semiring(add=lambda a, b: a + b, identity=0, multiply=lambda weight, x: math.sqrt(weight) * scaled(x) + shift)
    found = clew.spmv(GRAPH, X, own)
    np.testing.assert_allclose(found, clew.spmv(GRAPH, X, own, device="reference"))
    np.testing.assert_allclose(found, 3 * (GRAPH.to_scipy() @ X) + 1)


def test_division_by_zero_is_infinite_as_in_numpy():
    own = Semiring(add=max, identity=-math.inf, multiply=lambda weight, x: weight / x)
    assert clew.spmv(GRAPH, X, own)[1] == np.inf


def test_fingerprints_tell_functions_apart():
    def times(factor):
        return lambda a, b: a * b * factor

    assert fingerprint(times(2)) == fingerprint(times(2))
    assert fingerprint(times(2)) != fingerprint(times(3))
    assert fingerprint(times(2)) != fingerprint(times(2.0))
    assert fingerprint(lambda a, b: a + b) != fingerprint(lambda a, b: a - b)
    assert fingerprint(lambda a, b: scaled(a)) != fingerprint(lambda a, b: times(a))
    table = np.array([1.0, 2.0])
    before = fingerprint(lambda a, b: table[0])
    table[0] = 5
    assert fingerprint(lambda a, b: table[0]) != before


def test_fingerprints_tell_objects_apart_that_had_the_same_address():
    class Box:
        pass

    def of(box):
        return fingerprint(lambda a, b: box)

    assert len({of(Box()) for _ in range(100)}) == 100
    box, listed = Box(), [1]
    assert of(box) == of(box)
    assert of(listed) != of(listed)  # a list may have changed


def test_the_name_of_a_semiring_is_none():
    for product in (lambda: clew.spmv(GRAPH, X, "min_plus"), lambda: clew.spgemm(GRAPH, GRAPH, "min_plus")):
        with pytest.raises(clew.GraphError, match=r"semiring is 'min_plus'; expected a clew\.Semiring"):
            product()


def test_values_that_a_function_captures_are_not_mixed_up():
    for factor in (2.0, 3.0, 2.0):
        own = Semiring(add=max, identity=-math.inf, multiply=lambda weight, x, factor=factor: x * factor)
        assert clew.spmv(GRAPH, X, own).max() == 4 * factor


CHANGING = """
    import sys
    import numba
    import numpy as np
    import clew

    factor, table = float(sys.argv[1]), np.array([float(sys.argv[1])])
    helper = lambda x: x * factor
    by_number = lambda weight, x: x * factor
    by_array = lambda weight, x: x * table[0]
    by_helper = lambda weight, x: helper(x)
    compiled = numba.njit(lambda x: x * factor)
    by_compiled = lambda weight, x: compiled(x)
    by_inner = lambda weight, x: (lambda y: y * factor)(x)

    class Sent(clew.VertexProgram):
        fields = {"value": "float64"}
        reduce = clew.monoids.max
        max_iterations = 1
        start = lambda self, graph: ({"value": 1.0}, None)
        send = staticmethod(lambda vertex: vertex.value * factor)
        process = staticmethod(lambda message, weight, vertex: message)

        @staticmethod
        def apply(total, vertex):
            vertex.value = total
            return True

    def results():
        graph = clew.generate.cycle(3)
        for multiply in (by_number, by_array, by_helper, by_compiled, by_inner):
            yield clew.spmv(graph, [1.0] * 3, clew.Semiring(clew.monoids.max, multiply))[0]
        yield clew.run(Sent(), graph).value[0]

    print(*results())
    factor = table[0] = float(sys.argv[2])
    print(*results())
"""


def test_what_a_function_refers_to_may_change(tmp_path):
    """Numba compiles a function once, with the globals of then: kernels of old values were kept for the new ones."""
    assert lines_of(CHANGING, tmp_path, "2", "3") == [" ".join(["2.0"] * 6), " ".join(["3.0"] * 6)]
    assert lines_of(CHANGING, tmp_path, "3", "2") == [" ".join(["3.0"] * 6), " ".join(["2.0"] * 6)]


def test_a_function_that_another_thread_is_about_to_allow_waits_for_it(monkeypatch):
    allow, begun, go_on = numba.extending.register_jitable, threading.Event(), threading.Event()

    def slowly(function):
        begun.set()
        go_on.wait(10)
        return allow(function)

    monkeypatch.setattr(numba.extending, "register_jitable", slowly)
    function = FunctionType((lambda a, b: a + b).__code__, {})
    first, second = (threading.Thread(target=callable_now, args=(function,)) for _ in range(2))
    first.start()
    assert begun.wait(10)
    second.start()
    second.join(0.1)
    assert second.is_alive()
    go_on.set()
    first.join()
    second.join()


PROGRAM = """
    import clew
    from clew.engines.cpu import compiler
    own = clew.Semiring(add=lambda a, b: a + b + {0}, identity=0, multiply=lambda weight, x: weight * x - {0})
    print(clew.spmv(clew.generate.cycle(5), [1.0] * 5, own).tolist())
    kernel, = compiler._kernels.values()
    print(sum(kernel.dispatcher.stats.cache_hits.values()), sum(kernel.dispatcher.stats.cache_misses.values()))
"""


def lines_of(text, tmp_path, *arguments):
    """What a program prints that is a file, always of the same name, in a process of its own."""
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_next_process_finds_a_users_own_function_compiled(tmp_path):
    first = lines_of(PROGRAM.format(0.0), tmp_path)
    assert first[0] == "[2.0, 2.0, 2.0, 2.0, 2.0]"
    assert lines_of(PROGRAM.format(0.0), tmp_path) == [first[0], "1 0"]


SPREADING = """
    import clew
    from clew.engines.cpu import compiler

    class Hops(clew.VertexProgram):
        fields = {{"hops": "int32"}}
        message = "int32"
        reduce = clew.monoids.min

        def start(self, graph):
            return {{"hops": [0] + [99] * (graph.num_vertices - 1)}}, [0]

        send = staticmethod(lambda vertex: vertex.hops + 1)
        process = staticmethod(lambda message, weight, vertex: message + {0})

        @staticmethod
        def apply(total, vertex):
            if total < vertex.hops:
                vertex.hops = total
                return True
            return False

    print(clew.run(Hops(), clew.generate.path(4)).hops.tolist())
    kernel, = compiler._kernels.values()
    print(sum(kernel.dispatcher.stats.cache_hits.values()), sum(kernel.dispatcher.stats.cache_misses.values()))
"""


def test_the_next_process_finds_a_vertex_program_compiled(tmp_path):
    """Its kernel calls other kernels, which Numba by itself takes for new ones in every process."""
    assert lines_of(SPREADING.format(0), tmp_path)[0] == "[0, 1, 2, 3]"
    assert lines_of(SPREADING.format(0), tmp_path) == ["[0, 1, 2, 3]", "1 0"]
    # Another program of the same name, in the same place.
    assert lines_of(SPREADING.format(1), tmp_path)[0] == "[0, 2, 4, 6]"


def test_an_edited_module_is_not_mistaken_for_the_old_one(tmp_path):
    def run(number):
        (tmp_path / "mine.py").write_text(
            f"FACTOR = {number}\ndef multiply(weight, x):\n    return weight * x * FACTOR\n"
        )
        code = "import clew, mine; own = clew.Semiring(clew.monoids.plus, mine.multiply)\n"
        code += "print(clew.spmv(clew.generate.cycle(3), [1.0] * 3, own)[0])"
        done = subprocess.run([sys.executable, "-Bc", code], capture_output=True, text=True, check=True, cwd=tmp_path)
        return float(done.stdout)

    assert [run(1.5), run(2.5)] == [3.0, 5.0]
