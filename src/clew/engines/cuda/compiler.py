"""CUDA C++ to machine code: NVRTC, and the linker that inlines users' functions; kept on disk for the next process.

Nothing here needs a GPU or a driver, so tests compile every kernel for every architecture on any machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from clew.engines.cuda.expressions import definitions, linked
from clew.engines.cuda.operators import ltoir
from clew.engines.cuda.source import Program, ctype, kept_bytes
from clew.errors import MissingDependencyError

#: Turing, Ampere, Hopper and Blackwell: the oldest that CUDA 13 knows, and the newest.
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")
STANDARD = "c++17"
#: Part of what a cubin is known by. Lambdas are device code without saying so, which older compilers need to be told;
#: division and roots round as IEEE says; a multiply and an add may fuse.
OPTIONS = f"{STANDARD}, default-device"


def cubin(program: Program, architecture: str) -> bytes:
    """The machine code of a program's kernels, from the cache if it was ever compiled."""
    key = program.key(architecture, _version(), OPTIONS, definitions(program))
    return kept_bytes(f"cubin/{key}.cubin", lambda: _compile(program, architecture))


def _compile(program: Program, architecture: str) -> bytes:
    core = _core()
    users = linked(program)
    if not users:
        return _translate(core, program, architecture, "cubin")
    parts = [core.ObjectCode.from_ltoir(_translate(core, program, architecture, "ltoir"))]
    for name, operator in users:
        parts.append(core.ObjectCode.from_ltoir(ltoir(name, operator, architecture)))
    options = core.LinkerOptions(arch=architecture, link_time_optimization=True)
    return bytes(core.Linker(*parts, options=options).link("cubin").code)


def _translate(core: Any, program: Program, architecture: str, kind: str) -> bytes:
    options = core.ProgramOptions(
        arch=architecture,
        std=STANDARD,
        define_macro=list(program.defines) or None,
        link_time_optimization=kind == "ltoir",
        device_as_default_execution_space=True,
        name=program.file,
    )
    return bytes(core.Program(prelude(program) + program.text, "c++", options).compile(kind).code)


def prelude(program: Program) -> str:
    """The functions that the kernels call: clew's own in full, and users' as what they are linked with."""
    lines = [definitions(program)]
    for name, operator in linked(program):
        arguments = ", ".join(ctype(dtype) for dtype in operator.arguments)
        lines.append(f'extern "C" __device__ {ctype(operator.result)} {name}({arguments});\n')
    return "".join(lines)


@lru_cache(maxsize=1)
def _version() -> str:
    """Which compiler: another one may make other code."""
    _core()
    from cuda.bindings import nvrtc

    return ".".join(map(str, nvrtc.nvrtcVersion()[1:]))


def _core() -> Any:
    try:
        import cuda.core
    except ImportError as error:
        raise MissingDependencyError(
            "compiling for a GPU needs cuda-core, which is not installed; pip install 'clew[cuda13]' (or clew[cuda12] "
            "where nvidia-smi shows a driver for CUDA 12) brings all that is needed."
        ) from error
    return cuda.core
