"""Machine code for GPUs of any architecture, for tests that ask only whether the compilers take a kernel."""

from __future__ import annotations

from functools import partial
from unittest import mock

from clew.engines.cuda.toolchain import compiler
from clew.engines.cuda.toolchain.source import KernelSource

OPTIMISED = "sm_90"


def machine_code(program: KernelSource, architecture: str, *, optimised: bool = True) -> bytes:
    """For one architecture as users get it; for the others little is optimised, which takes a third of the time.

    The same errors are found: in the source, by the linker and by the assembler.
    """
    import cuda.core

    if optimised and architecture == OPTIMISED:
        return compiler.cubin(program, architecture)
    options = partial(cuda.core.ProgramOptions, ofast_compile="max")
    linking = partial(cuda.core.LinkerOptions, optimization_level=0)
    with mock.patch.multiple(cuda.core, ProgramOptions=options, LinkerOptions=linking):
        return compiler._compile(program, architecture)
