"""The tests of emulated kernels on a real GPU: ``CLEW_TESTS_ON_GPU=1`` gives ``device="emulated"`` the GPU.

Results are brought to the host, so that the tests can compare them with NumPy as they do in the emulation.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np
import pytest

import clew
from clew import primitives, result

#: For tests of what only the emulation can do: make allocations fail, count them, run under sanitizers.
emulation_only = pytest.mark.skipif(
    bool(os.environ.get("CLEW_TESTS_ON_GPU")), reason="only the emulated GPU can do what this test needs"
)


def fetched(value: Any) -> Any:
    """Arrays of a GPU as NumPy's, in tuples too."""
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(map(fetched, value))
    return value.get() if hasattr(value, "__cuda_array_interface__") else value


def install() -> None:
    """Let every result and every primitive give NumPy arrays."""
    made = result.Result.__init__

    def on_host(self: Any, algorithm: str, values: Any, facts: Any = None, **more: Any) -> None:
        values, facts = ({name: fetched(each) for name, each in some.items()} for some in (values, facts or {}))
        made(self, algorithm, values, facts=facts, **more)

    result.Result.__init__ = on_host  # type: ignore[method-assign]
    for name in primitives.__all__:
        function = getattr(clew, name)
        if callable(function):
            setattr(clew, name, _wrapped(function))


def _wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def run(*args: Any, **options: Any) -> Any:
        if isinstance(options.get("out"), np.ndarray) and options.get("device") == "emulated":
            out = options["out"]
            import cupy

            options["out"] = cupy.asarray(out)
            out[...] = function(*args, **options).get()
            return out
        return fetched(function(*args, **options))

    return run
