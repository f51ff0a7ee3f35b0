"""``clew generate``: every generator is a command with the generator's own parameters."""

from __future__ import annotations

import inspect
import json

import pytest

import clew
from clew.cli import options
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK, WRONG_USAGE

GENERATORS = [name for name in clew.generate.__all__ if name != "random_weights"]

CALLS = [
    (["rmat", 5, "--edge-factor", 4, "--a", 0.45, "--b", 0.22, "--c", 0.22, "--seed", 3, "--undirected"],
     lambda: clew.generate.rmat(5, 4, 0.45, 0.22, 0.22, seed=3, directed=False)),
    (["kronecker", 5, "--duplicates", "keep", "--no-scramble"],
     lambda: clew.generate.kronecker(5, duplicates="keep", scramble=False)),
    (["grid", 3, 4, "--diagonals", "--max-weight", 9], lambda: clew.generate.grid(3, 4, diagonals=True, max_weight=9)),
    (["small-world", 20, 4, 0.5, "--seed", 1], lambda: clew.generate.small_world(20, 4, 0.5, seed=1)),
    (["star", 6, "--weights", "random:1:3:2"],
     lambda: clew.generate.random_weights(clew.generate.star(6), 1, 3, 2)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "expected"), CALLS, ids=lambda value: value[0] if isinstance(value, list) else ""
)
def test_the_command_makes_what_the_function_makes(tmp_path, arguments, expected):
    path = tmp_path / "made.clew"
    code, out, err = running.clew("generate", *arguments, "-o", path)
    assert (code, err) == (OK, "")
    made = clew.read(path)
    assert made == expected()
    assert f"{made.num_vertices:,} vertices, {made.num_edges:,} " in out


@pytest.mark.parametrize("name", GENERATORS)
def test_every_parameter_is_there_with_help_and_default(name):
    make = getattr(clew.generate, name)
    code, out, _ = running.clew("generate", name.replace("_", "-"), "--help")
    assert code == OK
    texts = options.parameter_texts(inspect.getdoc(make))
    for parameter in inspect.signature(make).parameters.values():
        required = parameter.default is inspect.Parameter.empty
        assert (parameter.name if required else "--" + parameter.name.replace("_", "-")) in out
        assert texts[parameter.name].rstrip(".")
        assert texts[parameter.name].split()[0] in out


def test_texts_of_parameters():
    docstring = """Summary.

    Parameters
    ----------
    a, b
        Two of them. And more
        about them.
    c
        The ``third``, which
        goes on.

    Notes
    -----
    none
        of this.
    """
    assert options.parameter_texts(inspect.cleandoc(docstring)) == {
        "a": "Two of them.",
        "b": "Two of them.",
        "c": "The third, which goes on.",
    }


def test_for_a_program(tmp_path):
    path = tmp_path / "made.npz"
    code, out, err = running.clew("generate", "path", 10, "--output", path, "--json")
    assert (code, err) == (OK, "")
    said = json.loads(out)
    assert (said["generated"]["vertices"], said["generated"]["edges"]) == (10, 9)
    assert said["written"]["format"] == "npz"


def test_wrong_numbers_are_bad_input(tmp_path):
    code, out, err = running.clew("generate", "small-world", 10, 3, 0.5, "-o", tmp_path / "made.clew")
    assert (code, out) == (BAD_INPUT, "")
    assert "neighbors is 3" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [["rmat"], ["rmat", "5"], ["rmat", "many", "-o", "x.clew"], ["rmat", "5", "-o", "x.clew", "--loops", "maybe"]],
)
def test_wrong_usage(arguments, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert running.clew("generate", *arguments)[0] == WRONG_USAGE
    assert list(tmp_path.iterdir()) == []
