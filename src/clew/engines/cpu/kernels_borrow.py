# mypy: ignore-errors
"""Views of arrays whose references are not counted.

Numba counts references to every array that a function is given, with atomic operations; for a function called once per
vertex that takes longer than the function. Nobody counts references to a borrowed view, so it must not outlive the
array: borrow only from a kernel's own arguments, which the caller keeps.
"""

from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array


@intrinsic
def borrowed(typing_context, array):
    """The same array, of which no references are counted."""

    def generate(context, builder, signature, args):
        view = make_array(signature.return_type)(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate
