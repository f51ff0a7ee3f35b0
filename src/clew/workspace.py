"""Workspace: the arrays that an implementation allocates, declared once.

The engine allocates from the declaration and ``clew.explain`` prints it, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Role = Literal["result", "scratch"]
Shape = int | tuple[int, ...]


class Space(NamedTuple):
    """One array: its shape, its dtype, and whether it is part of the result."""

    shape: Shape
    dtype: npt.DTypeLike
    role: Role

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        shape = self.shape if isinstance(self.shape, tuple) else (self.shape,)
        return prod(shape) * int(np.dtype(self.dtype).itemsize)


def result(shape: Shape, dtype: npt.DTypeLike) -> Space:
    """An array that the caller gets."""
    return Space(shape, dtype, "result")


def scratch(shape: Shape, dtype: npt.DTypeLike) -> Space:
    """An array that is freed after the run."""
    return Space(shape, dtype, "scratch")


class Workspace:
    """Arrays by name.

    Parameters
    ----------
    **spaces
        What ``result`` and ``scratch`` give.
    """

    def __init__(self, **spaces: Space) -> None:
        self.spaces = spaces

    def __iter__(self) -> Iterator[tuple[str, Space]]:
        return iter(self.spaces.items())

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(space.nbytes for space in self.spaces.values())

    def allocate(self, empty: Callable[[Shape, npt.DTypeLike], Any] = np.empty) -> Any:
        """The arrays as attributes, uninitialised; ``empty`` is NumPy's, or a device's."""
        return SimpleNamespace(**{name: empty(space.shape, space.dtype) for name, space in self.spaces.items()})
