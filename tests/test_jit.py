"""Functions without a way in from Python until Python calls them, and where later processes find them on disk."""

from __future__ import annotations

import ast
import fcntl
import gc
import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numba.core.runtime import _nrt_python as _nrt
from numba.core.runtime import rtsys

import clew
from clew import compiled_cache, late_code
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
def loaded(tmp_path, monkeypatch):
    """The module, loaded anew by every call, as another process would."""
    monkeypatch.setenv("CLEW_CACHE_DIR", str(tmp_path))
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


@pytest.mark.quick
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


def test_functions_that_python_calls_are_found_on_disk(loaded, tmp_path):
    first = loaded()
    assert first.four_times(3) == 36
    assert not files_of("squares.squared", tmp_path)  # it is part of the code of its caller
    assert first.squared(3) == 9
    second = loaded()
    assert (second.squared(3), second.four_times(3)) == (9, 36)
    third = loaded()
    assert (third.four_times(3), third.squared(3)) == (36, 9)
    for module in (second, third):
        for function in (module.squared, module.four_times):
            assert function.stats.cache_misses.total() == 0
            assert function.stats.cache_hits.total() == 1


def test_a_function_from_disk_is_called_by_compiled_code(loaded):
    @njit
    def cubed(number):
        return number * squared(number)

    assert loaded().squared(3) == 9
    squared = loaded().squared
    assert squared(3) == 9
    assert squared.stats.cache_hits.total() == 1
    if late_code.KNOWN:
        assert squared.overloads[squared.signatures[0]].library._shared_module is None  # which takes much memory
    assert cubed(3) == 27


def test_blas_is_imported_by_those_who_call_it():
    lines = """
import sys
from clew.jit import njit
from numba.np import arraymath, linalg
assert njit(lambda number: number + 1)(1) == 2
assert not any(name.startswith("scipy.linalg") for name in sys.modules)
assert arraymath._HAVE_BLAS
linalg.ensure_blas()
assert "scipy.linalg.cython_blas" in sys.modules
"""
    subprocess.run([sys.executable, "-c", lines], check=True)


def test_code_of_another_signature_under_the_same_key_is_not_called(loaded, tmp_path):
    first = loaded()
    assert (first.squared(3), first.squared(0.5)) == (9, 0.25)
    one, other = files = files_of("squares.squared", tmp_path)
    contents = [path.read_bytes() for path in files]
    one.write_bytes(contents[1])
    other.write_bytes(contents[0])
    second = loaded()
    assert second.squared(3) == 9
    assert second.squared.stats.cache_misses.total() == 1


def test_helpers_without_arrays_of_their_own_count_no_references():
    @njit
    def first_of(pair):
        return pair[0][0] + pair[1][0]

    @njit
    def doubled(array):
        return array + array

    @njit
    def summed(array):
        total = 0
        for _ in range(1000):
            total += first_of((array, doubled(array)))
        return total

    array = np.ones(4)
    _nrt.memsys_enable_stats()
    references, before = sys.getrefcount(array), rtsys.get_allocation_stats()
    assert summed(array) == 3000
    after = rtsys.get_allocation_stats()
    assert sys.getrefcount(array) == references
    assert after.alloc - before.alloc == after.free - before.free >= 1000
    for function, counts in ((first_of, False), (doubled, True)):
        (made,) = function.overloads.values()
        assert ("NRT_decref" in made.library.get_llvm_str()) == counts


def test_helpers_that_need_memory_for_a_moment_get_it():
    @njit
    def move(array):
        array[:3] = array[1:]

    @njit
    def moved(array):
        move(array)
        return array

    assert moved(np.arange(4)).tolist() == [1, 2, 3, 3]


@pytest.mark.skipif(not late_code.KNOWN, reason="this Numba compiles helpers in its own way")
@pytest.mark.parametrize("apart", [False, True])
def test_a_helper_that_is_kept_apart_is_called(apart):
    @njit(apart=apart)
    def threefold(number):
        return 3 * number

    @njit
    def caller(number):
        return threefold(number)

    assert caller(14) == 42
    code = next(iter(caller.inspect_llvm().values()))
    assert any("threefold" in line for line in code.splitlines() if line.startswith("define")) == apart


def test_numbers_share_the_code_of_a_helper():
    @njit
    def larger(number, by):
        return number + by

    @njit
    def third(number):
        return larger(larger(number, 1), 2), larger(by=0, number=number)

    assert third(1) == (4, 1)
    assert len(larger.overloads) == 1


def test_what_another_process_compiles_is_awaited(loaded, tmp_path, monkeypatch):
    """The other process is this one, by a lock of its own."""
    assert loaded().squared(3) == 9
    (path,) = files_of("squares.squared", tmp_path)
    content = path.read_bytes()
    path.unlink()
    lock = path.with_name(f"{path.name}.lock")
    with lock.open("wb") as file, ThreadPoolExecutor(1) as pool:
        fcntl.flock(file, fcntl.LOCK_EX)
        second = loaded().squared
        waiting = pool.submit(second, 3)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.3)
        path.write_bytes(content)
        file.close()
        assert waiting.result(timeout=60) == 9
    assert (second.stats.cache_misses.total(), second.stats.cache_hits.total()) == (0, 1)
    path.unlink()
    monkeypatch.setattr(compiled_cache, "PATIENCE", 0.1)
    with lock.open("wb") as file:  # of a process that was stopped
        fcntl.flock(file, fcntl.LOCK_EX)
        third = loaded().squared
        assert third(3) == 9
    assert third.stats.cache_misses.total() == 1
    assert list(path.parent.glob("*.lock")) == []


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-1], lambda content: b"x" + content])
def test_damaged_files_are_written_again(loaded, tmp_path, damage):
    assert loaded().squared(3) == 9
    (path,) = files_of("squares.squared", tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    second, third = loaded(), loaded()
    assert (second.squared(3), third.squared(3)) == (9, 9)
    assert (second.squared.stats.cache_misses.total(), third.squared.stats.cache_misses.total()) == (1, 0)


def test_code_of_other_sources_or_packages_is_replaced(loaded, tmp_path, monkeypatch):
    first = loaded()
    assert first.squared(3) == 9
    before = files_of("squares.squared", tmp_path)
    (tmp_path / "squares.py").write_text(MODULE.replace("return number * number", "return number * number * number"))
    compiled_cache.stamp.cache_clear(), compiled_cache._read.cache_clear()
    second = loaded()
    assert second.squared(3) == 27
    after = files_of("squares.squared", tmp_path)
    assert len(after) == 1
    assert after != before
    monkeypatch.setattr(compiled_cache, "VERSIONS", "another Numba")
    compiled_cache.stamp.cache_clear()
    third = loaded()
    assert third.squared(3) == 27
    assert third.squared.stats.cache_misses.total() == 1
    third.squared._cache.flush()
    assert files_of("squares.squared", tmp_path) == []
    compiled_cache.stamp.cache_clear(), compiled_cache._read.cache_clear()


@pytest.mark.quick
def test_one_expression_means_what_the_options_of_its_function_say():
    """Numba looks up once what a division of these types is; each option keeps its own."""

    def divided(numbers, by):
        return (numbers[0] // by, numbers[0] % by)

    strict, quick = njit(divided), njit(divided, error_model="numpy")
    bounded = njit(lambda numbers, at: numbers[at], boundscheck=True)
    unbounded = njit(lambda numbers, at: numbers[at])
    for dtype in (np.int32, np.float64, np.int32):
        numbers = np.array([7, 8], dtype)
        for function in (strict, quick, strict):
            function.overloads.clear()
            function.compile((numba.typeof(numbers), numba.int64))
            assert function(numbers, 2) == (3, 1)
        assert quick(numbers, 0) is not None
        with pytest.raises(ZeroDivisionError):
            strict(numbers, 0)
        assert unbounded(numbers, 1) == 8
        with pytest.raises(IndexError):
            bounded(numbers, 2)


def test_what_is_registered_later_is_seen():
    def described(number): ...

    def register(kind, answer):
        numba.extending.overload(described)(
            lambda number: (lambda number: answer) if isinstance(number, kind) else None
        )

    def describe(number):
        return described(number)

    register(numba.types.Integer, 1)
    assert njit(describe)(5) == 1
    with pytest.raises(TypingError):
        njit(describe)(5.0)
    register(numba.types.Float, 2)
    assert njit(describe)(5.0) == 2
    assert njit(describe)(5) == 1


def files_of(function, folder):
    return sorted((folder / "compiled").glob(f"{function}-*.nbc"))


KERNEL_FILES = [path for path in Path(clew.__file__).parent.rglob("*.py") if "clew.jit import njit" in path.read_text()]


@pytest.mark.parametrize("path", KERNEL_FILES, ids=lambda path: path.stem)
def test_the_sources_of_a_kernel_are_all_modules_that_it_imports(path):
    """Files are searched by their text, which is quick; here Python's own parser looks at them."""
    found, ahead = set(), [path]
    while ahead:
        file = ahead.pop()
        if file not in found:
            found.add(file)
            ahead += imported_by(file)
    assert compiled_cache.sources(path) == found


def imported_by(path):
    for line in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom):
            assert line.level == 0, f"{path} has a relative import, which the cache does not follow"
            modules = [f"{line.module}.{name.name}" for name in line.names]
        else:
            modules = [name.name for name in line.names] if isinstance(line, ast.Import) else []
        for module in modules:
            if module.startswith("clew."):
                yield Path((spec_of(module) or spec_of(module.rpartition(".")[0])).origin)


def spec_of(name):
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # of a name in a module that is no package
        return None


def test_kernels_of_one_factory_may_call_each_other(monkeypatch, tmp_path):
    monkeypatch.setenv("CLEW_CACHE_DIR", str(tmp_path))

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


@pytest.mark.quick
def test_all_kernels_are_made_so():
    for path in Path(clew.__file__).parent.rglob("*.py"):
        for line in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [name.name for name in line.names] if isinstance(line, ast.Import | ast.ImportFrom) else []
            assert "numba" not in names, path
            assert "njit" not in names or line.module == "clew.jit", path


@njit
def without(numbers):
    return numbers.size


@njit
def with_or_without(numbers, others):
    return without(numbers) if others is None else numbers.size + others.size


@pytest.mark.skipif(not late_code.KNOWN, reason="another version of Numba, whose own passes run")
def test_what_is_done_without_an_argument_is_not_compiled_where_there_is_one() -> None:
    assert with_or_without(np.ones(2), np.ones(3)) == 5
    assert not without.overloads
    assert with_or_without(np.ones(2), None) == 2
    assert len(without.overloads) == 1
