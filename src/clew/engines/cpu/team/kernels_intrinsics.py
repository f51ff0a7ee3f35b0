# mypy: ignore-errors
"""What LLVM has and Numba does not: atomics, bit counts, a clock, prefetching, borrowed arrays, loops left as written.

``nanoseconds`` is a clock for kernels, which run without Python. Reading it takes some 20 nanoseconds, as long as a
short iteration on a road network. So a kernel reads it after WORTH_A_LOOK edges and vertices, and records 0 for
iterations in between. These share the time between two readings (``clew.result``).

``prefetch`` loads memory before it is needed: a core that waits for one number could have loaded dozens meanwhile.

``borrowed`` is for functions called once per vertex. Numba counts references to every array that a function is given,
with atomic operations, which takes longer than a short function. References to a borrowed view are not counted, so it
must not outlive the array. Borrow only from a kernel's arguments, which the caller keeps alive.

``hidden`` keeps a loop as it is written. LLVM unrolls loops whose number of turns it can work out before they start.
That is slower for the short rows of a graph. An unrolled loop needs a second loop for the remainder, and each end is a
branch that a core mispredicts. A step of which the compiler does not know that it adds one stops that.

Atomic operations on array elements are for kernels whose threads share arrays. Numba has none for the CPU. Indices are
uint64 (a signed index would have to be tested for counting from the end); values have the array's own type. Updates are
acquire-release, so what a thread wrote before one is seen by the thread that reads its result.
"""

import time

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from clew.build.kernels_components import address, compare_and_swap  # noqa: F401, one of the atomics
from clew.packed.kernels_bits import leading_zeros, ones, trailing_zeros  # noqa: F401, the bit counts

WORTH_A_LOOK = 4096  # edges and vertices: some ten microseconds
MONOTONIC = int(time.CLOCK_MONOTONIC)
NANOSECONDS = 1_000_000_000
READ, KEEP, DATA = 0, 3, 1  # of a prefetch, as LLVM calls them: rw, locality, cache type


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


@intrinsic
def prefetch(typing_context, array, index):
    """Start to bring ``array[index]`` into the cache; nothing else happens."""

    def generate(context, builder, signature, args):
        address = builder.gep(make_array(signature.args[0])(context, builder, args[0]).data, [args[1]])
        address = builder.bitcast(address, cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, number(READ), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


@intrinsic
def borrowed(typing_context, array):
    """The same array, or tuple of arrays, of which no references are counted."""

    def generate(context, builder, signature, args):
        return _borrowed(context, builder, signature.return_type, args[0])

    return array(array), generate


def _borrowed(context, builder, kind, value):
    if isinstance(kind, types.BaseTuple):
        parts = enumerate(kind.types)
        each = [_borrowed(context, builder, part, builder.extract_value(value, place)) for place, part in parts]
        return context.make_tuple(builder, kind, each)
    if not isinstance(kind, types.Array):
        return value
    view = make_array(kind)(context, builder, value)
    view.meminfo = cgutils.get_null_value(view.meminfo.type)
    view.parent = cgutils.get_null_value(view.parent.type)
    return view._getvalue()


@intrinsic
def hidden(typing_context, number):
    """The same number, from a place the compiler does not look into; takes no instruction."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        return builder.asm(ir.FunctionType(kind, [kind]), "", "=r,0", [args[0]], False)

    return number(number), generate


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
    """``array[index]`` as it is now, not as it was when this thread last read it."""

    def generate(context, builder, signature, args):
        place = address(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(place, "acquire", signature.args[0].dtype.bitwidth // 8)

    return array.dtype(array, types.uint64), generate


@intrinsic
def store(typing_context, array, index, value):
    """Set ``array[index]`` with release order: a thread that sees it sees all earlier writes of this thread."""

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
def relax(typing_context):
    """Tell the core that this thread only waits."""

    def generate(context, builder, signature, args):
        pause = ir.FunctionType(ir.VoidType(), [])
        if "x86" in builder.module.triple:
            builder.call(cgutils.get_or_insert_function(builder.module, pause, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.void(), generate
