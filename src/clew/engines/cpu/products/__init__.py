"""What kernels of products are given besides edges, in the one form that they are compiled for."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.operators import Monoid, Semiring

STRETCH = 64  # edges


def frozen(array: Any) -> Any:
    """A read-only view, so that kernels are compiled for one kind of array and not for two."""
    if array is None:
        return None
    flags = array.flags
    if flags.c_contiguous and not flags.writeable:
        return array
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def numbers_of(semiring: Semiring, x: np.dtype[Any], out: np.dtype[Any]) -> tuple[Any, Any, Any]:
    """⊕'s identity and terminal value in the dtype of the sums, and its identity in that of x; unused ones are 0."""
    identity = semiring.add.identity(out)
    terminal = semiring.add.terminal(out)
    nothing = semiring.add.identity(x) if is_absorbing(semiring, x) else x.type(0)
    return identity, identity if terminal is None else terminal, nothing


def is_absorbing(semiring: Semiring, x: np.dtype[Any]) -> bool:
    """Whether values that are ⊕'s identity must be watched for: floats have an infinity that does that by itself."""
    return semiring.absorbing and x.kind in "iu"


def stretch_of(monoid: Monoid, dtype: np.dtype[Any]) -> int:
    """After how many edges to look whether a sum has reached its terminal value: one for booleans, which soon do."""
    from clew.engines.cpu.products import kernels

    if monoid.stops_at_first:
        return kernels.FIRST_WILL_DO
    return kernels.WHOLE_ROW if not monoid.has_terminal else 1 if dtype.kind == "b" else STRETCH
