"""Functions without a way in from Python until Python calls them: it is made then, and found on disk later."""

from __future__ import annotations

import gc
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from numba.core.errors import TypingError

import clew
from clew.jit import njit

MODULE = """
from clew.jit import njit


@njit(cache=True, nogil=True)
def squared(number):
    return number * number


@njit(cache=True, nogil=True)
def four_times(number):
    return squared(number) + 3 * squared(number)
"""


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


def test_both_kinds_are_found_on_disk(tmp_path):
    path = tmp_path / "squares.py"
    path.write_text(MODULE)

    def loaded():
        spec = importlib.util.spec_from_file_location("squares", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

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


def test_garbage_is_searched_for_again_after_a_compilation():
    @njit
    def wrong(number):
        return number.nothing

    with pytest.raises(TypingError):
        wrong(3)
    assert gc.isenabled()


def test_all_kernels_are_made_so():
    for path in Path(clew.__file__).parent.rglob("*.py"):
        assert not re.search("^from numba import .*njit", path.read_text(encoding="utf-8"), re.MULTILINE), path
