# mypy: ignore-errors
"""Counts of bits, which LLVM has and Numba does not."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _counting(count):
    """An intrinsic ``count(word) -> number of bits`` of a uint64."""

    @intrinsic
    def counting(typing_context, word):
        def generate(context, builder, signature, args):
            return count(builder, args[0])

        return types.uint64(types.uint64), generate

    return counting


ones = _counting(lambda builder, word: builder.ctpop(word))
# Zero bits below the lowest one, and above the highest one; the word is not 0.
trailing_zeros = _counting(lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), 1)))
leading_zeros = _counting(lambda builder, word: builder.ctlz(word, ir.Constant(ir.IntType(1), 1)))
