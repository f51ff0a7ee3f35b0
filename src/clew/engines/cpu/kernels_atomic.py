# mypy: ignore-errors
"""Atomic operations on array elements, for kernels whose threads share arrays.

Numba has none for the CPU, LLVM has all. Indices are uint64 (a signed index would have to be tested for counting from
the end); values have the array's own type. Updates are acquire-release, so what a thread wrote before one is seen by
the thread that reads its result.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from clew.build.kernels_components import address, compare_and_swap

__all__ = [
    "add",
    "bitwise_and",
    "bitwise_or",
    "compare_and_swap",
    "exchange",
    "load",
    "of_bits",
    "ones",
    "relax",
    "store",
    "to_bits",
    "trailing_zeros",
]


def _updating(signed, unsigned=None, floating=None):
    """An intrinsic ``update(array, index, value) -> old value`` for one LLVM operation per kind of number."""

    @intrinsic
    def update(typing_context, array, index, value):
        number = array.dtype
        if isinstance(number, types.Float):
            operation = floating
        else:
            operation = signed if number.signed or unsigned is None else unsigned
        if operation is None:
            return None

        def generate(context, builder, signature, args):
            place = address(context, builder, signature.args[0], args[0], args[1])
            return builder.atomic_rmw(operation, place, args[2], "acq_rel")

        return number(array, types.uint64, number), generate

    return update


add = _updating("add", floating="fadd")
bitwise_or = _updating("or")
bitwise_and = _updating("and")
exchange = _updating("xchg", floating="xchg")


@intrinsic
def load(typing_context, array, index):
    """``array[index]`` as it is now, not as it was when this thread last looked."""

    def generate(context, builder, signature, args):
        place = address(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(place, "acquire", signature.args[0].dtype.bitwidth // 8)

    return array.dtype(array, types.uint64), generate


@intrinsic
def store(typing_context, array, index, value):
    """Set ``array[index]``; whoever sees it sees everything this thread wrote before."""

    def generate(context, builder, signature, args):
        place = address(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], place, "release", signature.args[0].dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, array.dtype), generate


@intrinsic
def to_bits(typing_context, value):
    """A number as the unsigned integer with the same bits."""
    word = types.Integer.from_bitwidth(value.bitwidth, signed=False)

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(word))

    return word(value), generate


@intrinsic
def of_bits(typing_context, word, like):
    """The number of the type of ``like`` that has these bits."""

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(signature.return_type))

    return like(word, like), generate


@intrinsic
def trailing_zeros(typing_context, word):
    """The number of zero bits below the lowest one of a uint64 that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def ones(typing_context, word):
    """The number of one bits of a uint64."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


@intrinsic
def relax(typing_context):
    """Tell the core that this thread only waits."""

    def generate(context, builder, signature, args):
        pause = ir.FunctionType(ir.VoidType(), [])
        if "x86" in builder.module.triple:
            builder.call(cgutils.get_or_insert_function(builder.module, pause, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), generate
