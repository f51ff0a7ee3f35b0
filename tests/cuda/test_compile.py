"""Every kernel compiles to machine code for every architecture, on a machine with no GPU and no CUDA toolkit."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from clew.engines.cuda.toolchain.compiler import ARCHITECTURES
from clew.engines.cuda.toolchain.expressions import definitions, linked
from clew.engines.cuda.toolchain.source import kept, kernel_files
from tests.cuda.algorithm_kernels import ALGORITHM_KERNELS
from tests.cuda.engine_kernels import ENGINE_KERNELS
from tests.cuda.machine_code import machine_code

pytest.importorskip("cuda.core")


PROGRAMS = [*ENGINE_KERNELS, *ALGORITHM_KERNELS]


FIRST = {program.file: program for program in reversed(PROGRAMS)}


def architectures(number, program):
    """The first variant of every file is for all. The others, other types and constants, take turns.

    Their turns are the oldest, which lacks what kernels ask ``__CUDA_ARCH__`` for, and one that has it.
    """
    return ARCHITECTURES if FIRST[program.file] is program else (("sm_75", "sm_90")[number % 2],)


CASES = [
    pytest.param(program, architecture, id=f"{program.file}-{number}-{architecture}")
    for number, program in enumerate(PROGRAMS)
    for architecture in architectures(number, program)
]


@pytest.mark.parametrize(("program", "architecture"), CASES)
def test_kernels_compile(program, architecture):
    if linked(program):
        pytest.importorskip("numba_cuda")
    code = machine_code(program, architecture, optimised=FIRST[program.file] is program)
    assert code.startswith(b"\x7fELF")
    for name in program.entries:
        assert name.encode() in code


@pytest.mark.quick
def test_every_kernel_file_is_compiled():
    reached = "".join(definitions(program) + program.text for program in PROGRAMS)
    for path in kernel_files().values():
        assert path.read_text().replace("#pragma once", "").strip().splitlines()[-1] in reached, path.name


PROCESS = """
import sys
from clew.engines.cuda.toolchain import compiler
from clew.engines.cuda.toolchain.source import KernelSource

if sys.argv[1] == "unusable":
    import cuda.core

    def fail(*args, **options):
        raise RuntimeError("something is compiled")

    cuda.core.Program = cuda.core.Linker = compiler._compile = fail
program = KernelSource.of("bits.cuh")
print(compiler.cubin(program, "sm_90")[:4] == b"\\x7fELF", flush=True)
"""


def test_a_second_process_compiles_nothing(tmp_path):
    """What the first has made is found on disk, so that the compiler is not asked."""

    def start(compiler):
        return subprocess.run(
            [sys.executable, "-c", PROCESS, compiler],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "CLEW_CACHE_DIR": str(tmp_path)},
        )

    nothing_kept = start("unusable")
    assert "something is compiled" in nothing_kept.stderr
    first = start("usable")
    assert first.stdout == "True\n", first.stderr
    (made,) = tmp_path.glob("cubin/*.cubin")
    written = made.stat().st_mtime_ns
    second = start("unusable")
    assert second.stdout == "True\n", second.stderr
    assert made.stat().st_mtime_ns == written


def test_threads_may_make_the_same_file_at_once(tmp_path, monkeypatch):
    """As they do whose first product is of the same kind."""
    monkeypatch.setenv("CLEW_CACHE_DIR", str(tmp_path))
    together = threading.Barrier(2, timeout=60)

    def make(draft):
        together.wait()
        draft.write_bytes(b"all of it")
        together.wait()

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: kept("some/file", make).read_bytes(), range(2)))
    assert found == [b"all of it"] * 2
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["file"]
