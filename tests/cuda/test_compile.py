"""Every kernel compiles to machine code for every architecture, on a machine with no GPU and no CUDA toolkit."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import clew.engines.cuda as package
from clew.engines.cuda.compiler import ARCHITECTURES, cubin
from clew.engines.cuda.source import KERNELS, Program

pytest.importorskip("cuda.core")
pytest.importorskip("numba_cuda")


def variants() -> list[Program]:
    found = []
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        found += getattr(importlib.import_module(module.name), "VARIANTS", [])
    return found


PROGRAMS = variants()


FIRST = {program.file: program for program in reversed(PROGRAMS)}
#: The first variant of every file for every architecture; the others, other types and constants, for one.
CASES = [
    pytest.param(program, architecture, id=f"{program.file}-{k}-{architecture}")
    for k, program in enumerate(PROGRAMS)
    for architecture in (ARCHITECTURES if FIRST[program.file] is program else ("sm_90",))
]


@pytest.mark.parametrize(("program", "architecture"), CASES)
def test_kernels_compile(program, architecture):
    code = cubin(program, architecture)
    assert code.startswith(b"\x7fELF")
    for name in program.entries:
        assert name.encode() in code


def test_every_kernel_file_is_compiled():
    reached = "".join(program.text for program in PROGRAMS)
    for path in KERNELS.glob("*.cuh"):
        assert path.read_text().replace("#pragma once", "").strip().splitlines()[-1] in reached, path.name
