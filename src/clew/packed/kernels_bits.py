# mypy: ignore-errors
"""Counts of bits, and words that are not aligned, which LLVM has and Numba does not."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


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


@intrinsic
def word_at(typing_context, words, byte):
    """The 8 bytes from byte number ``byte`` of an array on, as a uint64; they need not be aligned."""

    def generate(context, builder, signature, args):
        data = make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [args[1]])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return types.uint64(words, types.uint64), generate
