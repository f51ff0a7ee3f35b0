"""What clew brings along runs on a GPU without numba-cuda: every built-in operator, product and algorithm."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import clew
from clew.algorithms.pagerank import Walk
from clew.algorithms.pagerank.cuda import Tuning, pagerank
from clew.algorithms.registry import ALGORITHMS
from clew.engines.cuda.emulation import device as emulated
from clew.engines.cuda.memory.ledger import forget_all
from clew.engines.cuda.products import algebra
from clew.engines.cuda.toolchain import compiler as by_numba_cuda
from clew.engines.cuda.toolchain.compiler import cubin
from clew.engines.cuda.toolchain.device import index_defines
from clew.engines.cuda.toolchain.expressions import linked
from clew.engines.cuda.toolchain.source import KernelSource, compiled
from clew.errors import MissingDependencyError
from tests.algorithms.waist import over_the_waist
from tests.on_gpu import emulation_only

pytestmark = emulation_only

SEMIRINGS = {name: value for name, value in vars(clew.semirings).items() if isinstance(value, clew.Semiring)}
MONOIDS = {name: value for name, value in vars(clew.monoids).items() if isinstance(value, clew.Monoid)}
SKEWED = clew.generate.random_weights(clew.generate.kronecker(6, seed=2), 1, 9, seed=1, dtype="int32")


class Blocked:
    """Makes every import of numba-cuda fail."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] == "numba_cuda" or name.startswith("numba.cuda"):
            raise ImportError(f"{name} is blocked")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[KernelSource]]:
    """The programs that are compiled while numba-cuda cannot be imported; none has a function for it."""
    for name in list(sys.modules):
        if name.startswith(("numba.cuda", "numba_cuda")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Blocked(), *sys.meta_path])
    with pytest.raises(ImportError, match="blocked"):
        importlib.util.find_spec("numba_cuda")
    seen: set[KernelSource] = set()
    made = emulated.EmulatedDevice.kernel

    def kernel(self: Any, file: str, name: str, defines: Any = None, operators: Any = None) -> Any:
        program = KernelSource.of(file, defines, operators)
        assert linked(program) == (), f"{file} calls {program.operators}"
        seen.add(program)
        return made(self, file, name, defines, operators)

    monkeypatch.setattr(emulated.EmulatedDevice, "kernel", kernel)
    forget_all()  # what is ready asks for no kernel again
    yield seen
    assert seen


def check_compiles(programs: set[KernelSource]) -> None:
    """Those with operators, by the real compiler, one of each file."""
    pytest.importorskip("cuda.core")
    for program in {program.file: program for program in programs if program.operators}.values():
        assert cubin(program, "sm_90").startswith(b"\x7fELF")


def test_products(programs):
    x = np.arange(SKEWED.num_vertices, dtype=np.int32)
    for semiring in (clew.semirings.plus_times, clew.semirings.min_plus, clew.semirings.any_pair):
        for transpose in (False, True):
            found = clew.spmv(SKEWED, x, semiring, transpose=transpose, device="emulated")
            expected = clew.spmv(SKEWED, x, semiring, transpose=transpose, device="reference")
            np.testing.assert_array_equal(found, expected)
        for merge in ("none", "merge"):
            mine, theirs = (
                clew.spmspv(SKEWED, ([1, 5], [2, 3]), semiring, device=device, **options)
                for device, options in (("emulated", {"merge": merge}), ("reference", {}))
            )
            np.testing.assert_array_equal(mine[0], theirs[0])
            np.testing.assert_array_equal(mine[1], theirs[1])
    mine, theirs = (clew.spgemm(SKEWED, SKEWED, device=device) for device in ("emulated", "reference"))
    np.testing.assert_array_equal(mine.weights, theirs.weights)
    check_compiles(programs)


def test_vectors(programs):
    u, v = np.array([1, 5, 3], dtype=np.int32), np.array([2, 4, 3], dtype=np.int32)
    for operator in (clew.operators.max, clew.operators.lxor, clew.operators.band):
        np.testing.assert_array_equal(clew.elementwise(operator, u, v, device="emulated"), [*map(operator, u, v)])
        assert clew.outer(operator, u, v, device="emulated").shape == (3, 3)
    assert clew.reduce_segments((u, [0, 2, 3]), clew.monoids.times, device="emulated").tolist() == [5, 3]
    check_compiles(programs)


@pytest.mark.parametrize("name", SEMIRINGS)
@pytest.mark.parametrize("dtype", ["float32", "uint64", "bool"])
def test_every_semiring_compiles(name, dtype):
    pytest.importorskip("cuda.core")
    semiring, kind = SEMIRINGS[name], np.dtype(dtype)
    numbers = algebra.of_semiring(semiring, kind, kind, semiring.result_dtype(kind, kind))
    defines = {**index_defines(np.dtype(np.int32), 1), **numbers.defines, "V": 4, "STOP": numbers.stop}
    program = KernelSource.of("spmv_rows.cuh", defines, numbers.operators)
    assert linked(program) == ()
    assert cubin(program, "sm_90").startswith(b"\x7fELF")


@pytest.mark.parametrize("name", MONOIDS)
def test_every_monoid_is_own(name):
    numbers = algebra.of_monoid(MONOIDS[name], np.dtype(np.uint8), np.dtype(np.uint8))
    assert linked(KernelSource.of("spmv_rows.cuh", numbers.defines, numbers.operators)) == ()


def test_pagerank_of_a_skewed_graph(programs):
    options = {"damping": 0.85, "tolerance": 1e-9, "max_iterations": 100, "dtype": "float64"}
    found = pagerank(emulated.the_emulation(), SKEWED, Walk(**options), Tuning(products=True))
    np.testing.assert_allclose(found.rank, clew.pagerank(SKEWED, device="cpu", **options).rank, rtol=1e-9)
    assert any(program.operators for program in programs)
    check_compiles(programs)


#: Algorithms that have work for a GPU.
WITH_KERNELS = sorted(name for name, record in ALGORITHMS.items() if not record.on_host and name != "assortativity")


def graph_for(name: str) -> clew.Graph:
    if name == "topological_order":
        return clew.Graph.from_edges(range(5), range(1, 6))
    return clew.generate.path(6) if name == "bipartite_matching" else SKEWED


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_algorithms(name, programs):
    algorithm = ALGORITHMS[name]
    given = {"source": 0} if algorithm.needs_source else {"sources": [0, 3]} if algorithm.needs_sources else {}
    given |= {"sink": 1} if algorithm.needs_sink else {}
    algorithm.function(graph_for(name), **given, device="emulated")
    check_compiles(programs)


#: Of those, the algorithms that run over the waist, too.
GENERIC = {name for name in WITH_KERNELS if not ALGORITHMS[name].host}


@pytest.mark.parametrize("name", sorted(GENERIC - {"node2vec_walks", "random_walks", "sample_neighbors"}))
def test_generic_algorithms(name, programs):
    """They run where no kernels were written for an algorithm."""
    given = {"sources": [0, 3]} if ALGORITHMS[name].needs_sources else {}
    over_the_waist(name, graph_for(name), "emulated", given)
    check_compiles(programs)


def test_users_functions_say_what_they_need(monkeypatch):
    """They do need it, and so does whoever has none installed."""
    by_numba_cuda._numba_cuda.cache_clear()
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "numba_cuda" else found(name))
    own = compiled(lambda a, b: a - b, ("int8", "int8"), "int8")
    with pytest.raises(MissingDependencyError, match=r"own functions need numba-cuda to run on a GPU.*built-in"):
        by_numba_cuda.ltoir("f", own, "sm_90")


def test_a_numba_cuda_that_numpy_is_too_new_for_is_named(monkeypatch):
    pytest.importorskip("numba_cuda")
    by_numba_cuda._numba_cuda.cache_clear()

    def fail(name: str) -> Any:
        raise AttributeError("module 'numpy' has no attribute 'vstack'")

    monkeypatch.setattr(by_numba_cuda.importlib, "import_module", fail)
    own = compiled(lambda a, b: a - b, ("int8", "int8"), "int8")
    with pytest.raises(
        MissingDependencyError, match=r"numba-cuda \S+ does not work with NumPy \S+ .*'vstack'.* NumPy 2.0"
    ):
        by_numba_cuda.ltoir("f", own, "sm_90")


WITH_NEW_NUMPY = """
import warnings
import numpy as np

if hasattr(np, "row_stack"):
    del np.row_stack
warnings.simplefilter("error")
from clew.engines.cuda.toolchain.compiler import ltoir
from clew.engines.cuda.toolchain.source import compiled

twice = lambda a: 2 * a
code = ltoir("f", compiled(lambda a, b: twice(a) if a < b else b, ("float32", "float32"), "float32"), "sm_90")
print(len(code) > 0, hasattr(np, "row_stack"))
"""


def test_users_functions_compile_with_a_numpy_that_has_lost_names():
    """NumPy 2.5 has no row_stack, which numba-cuda 0.30.4 asks for; its other warnings are not the user's."""
    pytest.importorskip("numba_cuda")
    done = subprocess.run([sys.executable, "-c", WITH_NEW_NUMPY], capture_output=True, text=True, check=False)
    assert done.stdout == "True False\n", done.stderr


def test_numpy_is_left_as_it_was():
    pytest.importorskip("numba_cuda")
    before = hasattr(np, "row_stack")
    by_numba_cuda._numba_cuda.cache_clear()
    assert by_numba_cuda._numba_cuda() is not None
    assert hasattr(np, "row_stack") == before
