# mypy: ignore-errors
"""A clock for kernels, which run without Python: when an iteration began, for its trace.

Looking at the clock takes some 20 nanoseconds, as long as an iteration of a road network may: where iterations are
short, a kernel looks when WORTH_A_LOOK edges and vertices have gone by since, and leaves 0 for the others, which share
the time between two looks (``clew.tracing``).
"""

import time

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WORTH_A_LOOK = 4096  # edges and vertices: some ten microseconds
MONOTONIC = int(time.CLOCK_MONOTONIC)
NANOSECONDS = 1_000_000_000


@intrinsic
def nanoseconds(typing_context):
    """Nanoseconds since some moment in the past, never 0."""

    def generate(context, builder, signature, args):
        word, kind = ir.IntType(64), ir.IntType(32)
        parts = cgutils.alloca_once(builder, ir.ArrayType(word, 2))  # struct timespec
        clock = ir.FunctionType(kind, [kind, parts.type])
        read = cgutils.get_or_insert_function(builder.module, clock, "clock_gettime")
        builder.call(read, [kind(MONOTONIC), parts])
        seconds, rest = (builder.load(cgutils.gep_inbounds(builder, parts, 0, part)) for part in (0, 1))
        return builder.add(builder.mul(seconds, word(NANOSECONDS)), rest)

    return types.int64(), generate
