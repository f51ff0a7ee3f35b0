"""What a user reads whose functions do not compile, or return nothing: which function, which line, what to write."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import clew
from clew.engines.compile_errors import explained
from clew.errors import OperatorError
from clew.operators.inspection import used_by

HERE = Path(__file__).read_text().splitlines()
GRAPH = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [1.5, 2.0, 0.5])
PRICES = {1: 2.0}
NAMES = ["ann", "bob"]


class Trust(clew.VertexProgram):
    """A program that is fine."""

    fields: ClassVar = {"trust": "float64"}
    reduce = clew.monoids.max

    def start(self, graph):
        return {"trust": np.arange(graph.num_vertices) == 0}, [0]

    send = staticmethod(lambda vertex: vertex.trust)
    process = staticmethod(lambda message, weight, vertex: message * weight)

    @staticmethod
    def apply(total, vertex):
        vertex.trust = total
        return True


def program(**functions):
    return type("Mine", (Trust,), {name: staticmethod(function) for name, function in functions.items()})()


def asks_a_dict(message, weight, vertex):
    cheap = message
    return cheap * PRICES[1]  # here: dict


def asks_a_list(message, weight, vertex):
    return message if NAMES[0] else weight  # here: list


def helped(weight):
    return PRICES[weight]  # here: helper


def asks_a_helper(message, weight, vertex):
    return message * helped(weight)


def sends_text(vertex):
    return "far"  # here: text


def adds_text(message, weight, vertex):
    return message + "far"  # here: added text


def catches(message, weight, vertex):
    try:
        return message / weight
    except ZeroDivisionError:  # here: try
        return 0.0


def opens_a_file(message, weight, vertex):
    lines = open("prices.txt")  # noqa: PTH123, SIM115  # here: open
    return message * len(lines.read())


def transforms(message, weight, vertex):
    return np.fft.fft(message)  # here: fft


def formats(total, vertex):
    print(f"{total:.3f}")  # here: format
    return True


def misspells(total, vertex):
    vertex.trsut = total  # here: field
    return True


def mixes_kinds(vertex):
    if vertex.trust > 0.5:
        return "far"  # here: mixed
    return vertex.trust


def mixes_tuples(vertex):
    return (vertex.trust, 1) if vertex.trust > 0.5 else vertex.trust  # here: tuple


def mixes_variables(vertex):
    if vertex.trust > 0.5:
        found = (1, 2)
    else:
        found = vertex.trust
    return found


def calls_wrongly(message, weight, vertex):
    return helped(message, weight)  # here: call


def knows_no_name(message, weight, vertex):
    return message * undefined_factor  # noqa: F821  # here: name


def keeps_the_exception(message, weight, vertex):
    try:
        return message / weight
    except ValueError as error:  # noqa: F841  # here: try as
        return 0.0


def misspells_numpy(message, weight, vertex):
    return np.sqroot(message)  # here: module


CASES = [
    ("process", asks_a_dict, "dict", "it uses 'PRICES', a dict", "Make PRICES a NumPy array or a tuple"),
    ("process", asks_a_list, "list", "it uses 'NAMES', a list", "Make NAMES a NumPy array or a tuple"),
    ("process", asks_a_helper, "helper", "it uses 'PRICES', a dict", "Make PRICES a NumPy array"),
    ("send", sends_text, "text", "it returns a string, not a number", "Return a number on every path"),
    ("process", adds_text, "added text", "it computes a float64 + a string", "Use numbers instead of strings"),
    ("process", catches, "try", "it catches ZeroDivisionError", 'Test for that case with "if"'),
    ("process", keeps_the_exception, "try as", 'it uses "try"', 'Test for the case with "if"'),
    ("process", misspells_numpy, "module", "numpy has no 'sqroot'", "Look for another spelling"),
    ("process", opens_a_file, "open", "it uses 'open'", "Use numbers, conditions, math"),
    ("process", transforms, "fft", "it uses numpy.fft.fft", "Use numbers, conditions, math"),
    ("apply", formats, "format", "it makes a string of numbers", "Use print with plain numbers"),
    ("apply", misspells, "field", "a vertex has no field 'trsut'", "Write 'trust'. Its fields are trust."),
    ("send", mixes_kinds, "mixed", "it returns a string in line", "Return the same kind of number on every path"),
    ("process", calls_wrongly, "call", "it calls helped with 2 arguments, and that is helped(weight)", "Call it as"),
    ("process", knows_no_name, "name", "the name 'undefined_factor' is not defined", "Define it before the run"),
]


@pytest.mark.parametrize("device", ["cpu", "emulated"])
@pytest.mark.parametrize(("name", "function", "mark", "problem", "advice"), CASES, ids=[case[2] for case in CASES])
def test_a_function_that_does_not_compile_is_named_with_its_line(name, function, mark, problem, advice, device):
    line = next(number for number, text in enumerate(HERE, 1) if text.endswith(f"# here: {mark}"))
    with pytest.raises(OperatorError, match=rf"Mine\.{name} cannot be compiled.*{re.escape(problem)}") as caught:
        clew.run(program(**{name: function}), GRAPH, device=device)
    message = str(caught.value)
    assert advice in message
    if mark != "mixed":  # which names both lines
        assert f"{Path(__file__)}, line {line}: " in message
        expression = HERE[line - 1].partition("  #")[0].strip().removeprefix("return ").removeprefix("except ")
        assert expression.rstrip(":").partition(" as ")[0] in message
    else:
        assert f"a string in line {line} and a float64 in line {line + 1}" in message
    assert caught.value.__cause__ is not None
    assert 'device="reference"' in message
    assert not re.search(r"0x[0-9a-f]+|signature", message)


@pytest.mark.parametrize(
    ("function", "what"),
    [(mixes_tuples, "a value"), (mixes_variables, "its variable 'found'")],
    ids=["value", "variable"],
)
def test_branches_of_two_kinds_are_refused(function, what):
    expected = rf"Mine\.send cannot be compiled: {what} is .*(a tuple|a float64) on one path.*, line \d+"
    with pytest.raises(OperatorError, match=expected):
        clew.run(program(send=function), GRAPH)


def test_functions_of_the_wrong_arity_are_refused_before_the_run():
    for name, function, message in (
        ("send", lambda message, vertex: message, r"Mine\.send takes \(message, vertex\) .*expected send\(vertex\)"),
        ("process", lambda message: message, r"expected process\(message, weight, vertex\)"),
        ("apply", lambda total: True, r"expected apply\(total, vertex\)"),
        ("accepts", lambda: True, r"expected accepts\(vertex\)"),
        ("priority", lambda vertex, other: 1, r"expected priority\(vertex\)"),
        ("process", max, "expected a Python function: process"),
    ):
        with pytest.raises(OperatorError, match=message):
            clew.run(program(**{name: function}), GRAPH)


def forgets(total, vertex):
    vertex.trust = total  # here: forgotten


def forgets_partly(total, vertex):  # noqa: RET503
    if total > vertex.trust:  # here: partly
        vertex.trust = total
        return True


def sets(total, vertex):
    vertex.trust = total


def returns_nothing(total, vertex):
    return sets(total, vertex)  # here: nothing


@pytest.mark.parametrize("device", ["cpu", "emulated", "hybrid-emulated", "reference"])
@pytest.mark.parametrize(
    ("function", "mark", "how"),
    [
        (forgets, "forgotten", "returns nothing"),
        (forgets_partly, "partly", "returns nothing on one path"),
        (returns_nothing, "nothing", "returns nothing"),
    ],
)
def test_an_apply_without_a_value_is_refused(function, mark, how, device):
    line = next(number for number, text in enumerate(HERE, 1) if text.endswith(f"# here: {mark}"))
    with pytest.raises(OperatorError, match=rf"Mine\.apply {how} .*line {line}.*return True"):
        clew.run(program(apply=function), GRAPH, device=device)


@pytest.mark.parametrize("name", ["send", "process", "accepts", "matters", "priority"])
def test_other_functions_need_a_value_too(name):
    takes = {"process": lambda message, weight, vertex: print(message), "matters": lambda value, vertex: print(value)}
    with pytest.raises(OperatorError, match=rf"Mine\.{name} returns nothing.*return and a value"):
        clew.run(program(**{name: takes.get(name, lambda vertex: print(vertex))}), GRAPH)


def measures_text(message, weight, vertex):
    return message + len(f"{weight}")  # here: measured


def written(weight):
    return len(str(weight))  # here: written


def measures_elsewhere(message, weight, vertex):
    return message + written(weight)


@pytest.mark.parametrize(("function", "mark"), [(measures_text, "measured"), (measures_elsewhere, "written")])
def test_text_that_compiled_code_would_make_otherwise_is_refused(function, mark):
    line = next(number for number, text in enumerate(HERE, 1) if text.endswith(f"# here: {mark}"))
    with pytest.raises(OperatorError, match=rf"Mine\.process .*a string of numbers \(.*, line {line}.*plain numbers"):
        clew.run(program(process=function), GRAPH)
    assert clew.run(program(process=function), GRAPH, device="reference").trust.max() > 0


def test_a_graph_in_the_place_of_the_program_is_refused():
    with pytest.raises(clew.errors.GraphError, match=r"expected clew\.run\(program, graph\)"):
        clew.run(GRAPH, program())


def test_no_graph_in_the_place_of_the_graph_is_refused():
    with pytest.raises(clew.errors.GraphError, match=r"the graph is of type str; expected a clew\.Graph"):
        clew.run(program(), "edges.csv")


def trust():
    """Has the name of a field, and text that compiled code could not make."""
    return f"{GRAPH}"


def test_a_function_of_the_module_may_have_the_name_of_a_field():
    assert clew.run(program(), GRAPH).trust.tolist() == [1.0, 1.5, 0.75]
    assert "trust" not in used_by(Trust.apply)


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        ({"start": clew.VertexProgram.start}, "has no start"),
        ({"fields": {"trust": object}}, "is <class 'object'>; expected a dtype of numbers"),
        ({"active_nxt": "all"}, "did you mean 'active_next'"),
        ({"max_iteration": 5}, "did you mean 'max_iterations'"),
    ],
)
def test_programs_with_something_missing_or_misspelled_are_refused(attributes, problem):
    with pytest.raises(clew.errors.GraphError, match=problem):
        clew.run(type("Mine", (Trust,), attributes)(), GRAPH)


def some(a, b):  # noqa: RET503
    if a < b:
        return a


def test_operators_need_a_value_on_every_path():
    for make in (
        lambda: clew.Operator(some),
        lambda: clew.Monoid(some, 0),
        lambda: clew.Semiring(clew.monoids.plus, some),
        lambda: clew.Gather(some),
    ):
        with pytest.raises(OperatorError, match=r"some returns nothing on one path .*test_program_errors.py, line"):
            make()


def test_functions_that_return_or_raise_on_every_path_are_fine():
    def looped(a, b):
        while True:
            if a >= b:
                return a
            a += 1

    def chosen(a, b):
        if a < b:
            return a
        elif a > b:  # noqa: RET505
            return b
        else:
            raise ValueError

    for function in (looped, chosen):
        assert clew.Operator(function)(3, 2) in (2, 3)


@pytest.mark.parametrize("device", ["cpu", "emulated"])
def test_operators_that_do_not_compile_are_named_with_their_line(device):
    own = clew.Semiring(clew.monoids.plus, lambda weight, x: x * PRICES.get(1, 2.0))  # here: product
    line = next(number for number, text in enumerate(HERE, 1) if text.endswith("# here: product"))
    expected = rf"<lambda> cannot be compiled.*it uses 'PRICES', a dict \(.*, line {line}: x \* PRICES.get\(1, 2.0\)\)"
    for product in (
        lambda: clew.spmv(GRAPH, np.ones(3), own, device=device),
        lambda: clew.elementwise(own.multiply, np.ones(3), np.ones(3), device=device),
        lambda: clew.spmspv(GRAPH, ([0], [1.0]), own, device=device),
    ):
        with pytest.raises(OperatorError, match=expected) as caught:
            product()
        assert caught.value.__cause__ is not None


def test_functions_without_a_file_are_named_too():
    """As typed into an interpreter: there is no source to quote."""
    text = """
    import clew
    table = {}
    def bad(weight, x):
        y = weight
        return table[1] if y > 9 else x
    try:
        clew.spmv(clew.Graph.from_edges([0], [1], [1.0]), [1.0, 2.0], clew.Semiring(clew.monoids.plus, bad))
    except clew.errors.OperatorError as error:
        print(error)
    """
    done = subprocess.run(
        [sys.executable, "-"], input=textwrap.dedent(text), capture_output=True, text=True, check=True
    )
    assert "bad cannot be compiled: it uses 'table', a dict (<stdin>, line 6)." in done.stdout


def test_what_no_rule_explains_is_quoted():
    assert explained("Failed in nopython mode pipeline\nsomething odd.").problem == "the compiler says 'something odd'"
    assert "nothing" in explained("").problem
