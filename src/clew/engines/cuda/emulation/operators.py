"""Users' Python functions for emulated kernels: compiled by Numba, called through a pointer."""

from __future__ import annotations

from typing import Any

from clew.engines.compile_errors import is_compile_error, operator_error
from clew.engines.cuda.operators import stored, typed
from clew.engines.cuda.source import Compiled

_made: dict[str, Any] = {}


def address_of(operator: Compiled) -> int:
    """Where the compiled function is; the same for functions that do the same, for the life of the process."""
    if operator.mark not in _made:
        _made[operator.mark] = _compiled(operator)
    return int(_made[operator.mark].address)


def _compiled(operator: Compiled) -> Any:
    from numba import cfunc
    from numba.np.numpy_support import from_dtype

    from clew.jit import uncollected

    arguments = [from_dtype(stored(dtype)) for dtype in operator.arguments]
    signature = from_dtype(stored(operator.result))(*arguments)
    try:
        # As on a GPU, a division by zero is no error.
        with uncollected():
            return cfunc(signature, error_model="numpy")(typed(operator))
    except Exception as error:
        if is_compile_error(error):
            raise operator_error(operator.function, error, " for the emulation") from error
        raise
