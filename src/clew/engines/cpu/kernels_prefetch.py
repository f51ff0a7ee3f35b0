# mypy: ignore-errors
"""Ask for memory before it is needed: a core that waits for one number could have fetched dozens meanwhile."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

READ, KEEP, DATA = 0, 3, 1  # what LLVM calls them: rw, locality, cache type


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
