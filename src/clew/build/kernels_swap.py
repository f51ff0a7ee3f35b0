# mypy: ignore-errors
"""The one atomic operation that threads need to join trees they share: compare and swap an array element."""

from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


def address(context, builder, array_type, array, index):
    """Where an array element is in memory."""
    return builder.gep(make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def compare_and_swap(typing_context, array, index, expected, value):
    """Replace ``array[index]`` by ``value`` if it is ``expected``; whether it was. Integers and bools only.

    The index is a uint64. What a thread wrote before is seen by the thread that reads its result.
    """

    def generate(context, builder, signature, args):
        place = address(context, builder, signature.args[0], args[0], args[1])
        answer = builder.cmpxchg(place, args[2], args[3], "acq_rel", "monotonic")
        return builder.extract_value(answer, 1)

    return types.boolean(array, types.uint64, array.dtype, array.dtype), generate
