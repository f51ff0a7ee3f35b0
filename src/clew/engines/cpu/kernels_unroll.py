# mypy: ignore-errors
"""Keep a loop as it is written. LLVM unrolls loops whose number of turns it can work out before they start.

For the short rows of a graph that is a loss: an unrolled loop needs a second one for what is left over, and the end of
each is a branch that a core cannot foresee. A step of which the compiler does not know that it adds one stops that.
"""

from llvmlite import ir
from numba.extending import intrinsic


@intrinsic
def hidden(typing_context, number):
    """The same number, from a place the compiler does not look into; takes no instruction."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        return builder.asm(ir.FunctionType(kind, [kind]), "", "=r,0", [args[0]], False)

    return number(number), generate
