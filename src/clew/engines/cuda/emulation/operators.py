"""Users' Python functions for emulated kernels: compiled by Numba, called through a pointer."""

from __future__ import annotations

from typing import Any

from clew.engines.cuda.operators import stored, typed
from clew.engines.cuda.source import Compiled
from clew.errors import OperatorError
from clew.operators.results import where

_made: dict[str, Any] = {}


def address_of(operator: Compiled) -> int:
    """Where the compiled function is; the same for functions that do the same, for the life of the process."""
    if operator.mark not in _made:
        _made[operator.mark] = _compiled(operator)
    return int(_made[operator.mark].address)


def _compiled(operator: Compiled) -> Any:
    from numba import cfunc
    from numba.core.errors import NumbaError
    from numba.np.numpy_support import from_dtype

    from clew.jit import uncollected

    arguments = [from_dtype(stored(dtype)) for dtype in operator.arguments]
    signature = from_dtype(stored(operator.result))(*arguments)
    try:
        # As on a GPU, a division by zero is no error.
        with uncollected():
            return cfunc(signature, error_model="numpy")(typed(operator))
    except NumbaError as error:
        reason = " ".join(str(error).split())[:300]
        raise OperatorError(f"{where(operator.function)} cannot be compiled for the emulation: {reason}") from error
