# mypy: ignore-errors
"""Single machine instructions that Python has no words for: loads without checks, wide products, counting zero bits."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def byte_at(typing_context, data, index):
    """data[index] as an int64, without the test for a negative index."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        loaded = builder.load(builder.gep(array.data, [arguments[1]]))
        return builder.zext(loaded, ir.IntType(64))

    return types.int64(data, types.int64), generate


@intrinsic
def class_at(typing_context, classes, data, index):
    """classes[data[index]] as an int64, where ``classes`` has an entry for every byte."""

    def generate(context, builder, signature, arguments):
        table = context.make_array(signature.args[0])(context, builder, arguments[0])
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        byte = builder.zext(builder.load(builder.gep(array.data, [arguments[2]])), ir.IntType(64))
        return builder.zext(builder.load(builder.gep(table.data, [byte])), ir.IntType(64))

    return types.int64(classes, data, types.int64), generate


@intrinsic
def word_at(typing_context, data, index):
    """data[index:index + 8] as one little-endian number."""

    def generate(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), ir.IntType(64).as_pointer())
        loaded = builder.load(place)
        loaded.align = 1
        return loaded

    return types.uint64(data, types.int64), generate


@intrinsic
def product(typing_context, first, second):
    """The high and the low 64 bits of a product."""

    def generate(context, builder, signature, arguments):
        wide = ir.IntType(128)
        whole = builder.mul(builder.zext(arguments[0], wide), builder.zext(arguments[1], wide))
        high = builder.trunc(builder.lshr(whole, ir.Constant(wide, 64)), ir.IntType(64))
        low = builder.trunc(whole, ir.IntType(64))
        return context.make_tuple(builder, signature.return_type, [high, low])

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


@intrinsic
def leading_zeros(typing_context, value):
    """The number of zero bits above the highest set one; ``value`` is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def trailing_zeros(typing_context, value):
    """The number of zero bits below the lowest set one; ``value`` is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def bits_of(typing_context, value):
    """The bits of a double."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.uint64(types.float64), generate
