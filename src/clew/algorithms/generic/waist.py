"""The primitives with their results in host memory, wherever they were computed.

Generic algorithms index and combine vectors between products with NumPy; on a GPU every vector travels there and back,
which is the price of running at all where no algorithm was written for the device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew import primitives
from clew.dtypes import is_on_gpu


def _to_host(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_to_host, value))
    return value.get() if is_on_gpu(value) else value


def _fetching(primitive: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **options: Any) -> Any:
        return _to_host(primitive(*args, **options))

    return run


spmv = _fetching(primitives.spmv)
spmspv = _fetching(primitives.spmspv)
spvisit = _fetching(primitives.spvisit)
spgemm = _fetching(primitives.spgemm)
reduce_segments = _fetching(primitives.reduce_segments)
elementwise = _fetching(primitives.elementwise)
outer = _fetching(primitives.outer)
compact = _fetching(primitives.compact)
