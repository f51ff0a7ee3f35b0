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
from numba.np.arrayobj import make_array


def _address(context, builder, array_type, array, index):
    return builder.gep(make_array(array_type)(context, builder, array).data, [index])


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
            address = _address(context, builder, signature.args[0], args[0], args[1])
            return builder.atomic_rmw(operation, address, args[2], "acq_rel")

        return number(array, types.uint64, number), generate

    return update


add = _updating("add", floating="fadd")
bitwise_or = _updating("or")
bitwise_and = _updating("and")
exchange = _updating("xchg", floating="xchg")
_integer_min = _updating("min", "umin")
_integer_max = _updating("max", "umax")


@intrinsic
def compare_and_swap(typing_context, array, index, expected, value):
    """Replace ``array[index]`` by ``value`` if it is ``expected``; whether it was. Integers and bools only."""

    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], args[0], args[1])
        answer = builder.cmpxchg(address, args[2], args[3], "acq_rel", "monotonic")
        return builder.extract_value(answer, 1)

    return types.boolean(array, types.uint64, array.dtype, array.dtype), generate


@intrinsic
def load(typing_context, array, index):
    """``array[index]`` as it is now, not as it was when this thread last looked."""

    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(address, "acquire", signature.args[0].dtype.bitwidth // 8)

    return array.dtype(array, types.uint64), generate


@intrinsic
def store(typing_context, array, index, value):
    """Set ``array[index]``; whoever sees it sees everything this thread wrote before."""

    def generate(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], args[0], args[1])
        builder.store_atomic(args[2], address, "release", signature.args[0].dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, array.dtype), generate


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
