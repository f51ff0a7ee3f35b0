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


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("program", PROGRAMS, ids=[f"{program.file}-{k}" for k, program in enumerate(PROGRAMS)])
def test_kernels_compile(program, architecture):
    code = cubin(program, architecture)
    assert code.startswith(b"\x7fELF")
    for name in program.entries:
        assert name.encode() in code


def test_every_kernel_file_is_compiled():
    reached = "".join(program.text for program in PROGRAMS)
    for path in KERNELS.glob("*.cuh"):
        assert path.read_text().replace("#pragma once", "").strip().splitlines()[-1] in reached, path.name
