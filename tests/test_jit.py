"""Functions without a way in from Python until Python calls them: it is made then, and found on disk later."""

from __future__ import annotations

import ast
import gc
import importlib.util
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import TypingError

import clew
from clew.engines.cpu import compiler
from clew.jit import njit
from clew.operators import functions

MODULE = """
from clew.jit import njit


@njit(cache=True, nogil=True)
def squared(number):
    return number * number


@njit(cache=True, nogil=True)
def four_times(number):
    return squared(number) + 3 * squared(number)
"""


@pytest.fixture
def loaded(tmp_path):
    """The module, loaded anew by every call, as another process would."""
    path = tmp_path / "squares.py"
    path.write_text(MODULE)

    def load():
        spec = importlib.util.spec_from_file_location("squares", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@njit
def doubled(number):
    return 2 * number


@njit
def first_doubled(numbers):
    return doubled(numbers[0])


def test_python_may_call_what_compiled_code_called_first():
    assert first_doubled(np.array([21, 0])) == 42
    assert doubled(21) == 42
    assert first_doubled(np.array([1.5])) == 3.0
    assert doubled(1.5) == 3.0
    assert doubled(21) == 42
    assert len(doubled.signatures) == 2


def test_compiled_code_may_call_what_python_called_first():
    @njit
    def halved(number):
        return number / 2

    @njit
    def quartered(number):
        return halved(halved(number))

    assert halved(3.0) == 1.5
    made = halved.overloads[halved.signatures[0]]
    assert quartered(3.0) == 0.75
    assert list(halved.overloads.values()) == [made]
    assert halved(3.0) == 1.5


def test_both_kinds_are_found_on_disk(loaded):
    @njit
    def cubed(number):
        return number * squared(number)

    first = loaded()
    assert (first.four_times(3), first.squared(3)) == (36, 9)
    assert first.squared.stats.cache_misses.total() == 2
    second = loaded()
    assert (second.squared(3), second.four_times(3)) == (9, 36)
    third = loaded()
    assert (third.four_times(3), third.squared(3)) == (36, 9)
    for module in (second, third):
        for function in (module.squared, module.four_times):
            assert function.stats.cache_misses.total() == 0
            assert function.stats.cache_hits.total() == 1
    squared = loaded().squared
    assert cubed(3) == 27
    assert (squared.stats.cache_misses.total(), squared.stats.cache_hits.total()) == (0, 1)


def test_code_of_the_other_kind_under_the_same_key_is_not_called(loaded, tmp_path):
    """What two processes can do that write at once: here the index of one is given the data of the other."""
    first = loaded()
    assert (first.four_times(3), first.squared(3)) == (36, 9)
    without, made = sorted((tmp_path / "__pycache__").glob("squares.squared-*.nbc"))
    made.write_bytes(without.read_bytes())
    second = loaded()
    assert second.squared(3) == 9
    assert second.squared.stats.cache_misses.total() == 1


def test_kernels_of_one_factory_may_call_each_other(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def factory(function, mark):
        @njit(cache=True)
        def low(number):
            return function(number, 1)

        @njit(cache=True)
        def high(number):
            return low(number) + low(number)

        return low, high

    low, high = compiler.kernel(factory, functions.plus).dispatcher
    assert (high(3), low(3)) == (8, 4)


def test_factories_keep_on_disk_only_what_they_return():
    """What they return is marked by what the users' functions do; what it calls would be found by their names."""
    for path in Path(clew.__file__).parent.rglob("*.py"):
        for outer in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(outer, ast.FunctionDef):
                kept = {inner.name for inner in outer.body if isinstance(inner, ast.FunctionDef) and is_kept(inner)}
                given = [node for node in ast.walk(outer) if isinstance(node, ast.Return) and node.value is not None]
                returned = {name.id for node in given for name in ast.walk(node) if isinstance(name, ast.Name)}
                assert kept <= returned, (path, outer.name)


def is_kept(function):
    return any("cache=True" in ast.unparse(decorator) for decorator in function.decorator_list)


def test_garbage_is_searched_for_again_after_a_compilation():
    @njit
    def wrong(number):
        return number.nothing

    with pytest.raises(TypingError):
        wrong(3)
    assert gc.isenabled()


def test_all_kernels_are_made_so():
    for path in Path(clew.__file__).parent.rglob("*.py"):
        for line in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [name.name for name in line.names] if isinstance(line, ast.Import | ast.ImportFrom) else []
            assert "numba" not in names, path
            assert "njit" not in names or line.module == "clew.jit", path
