"""Workspace: the arrays that an implementation allocates, declared once.

The implementation allocates from the declaration and ``clew.explain`` prints it, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Role = Literal["result", "scratch"]
Shape = int | tuple[int, ...]


class Space(NamedTuple):
    """One array: its shape, its dtype, and whether it is part of the result.

    ``fill`` is the value that it starts with; None leaves it uninitialised. ``later`` says that the implementation
    allocates it by itself, in compiled code or as the value of an expression. It is counted, but not allocated here.
    ``lasts`` says that a scratch array is read after the run, as traces are, so that no other run may use it.
    """

    shape: Shape
    dtype: npt.DTypeLike
    role: Role
    fill: Any = None
    later: bool = False
    lasts: bool = False

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        shape = self.shape if isinstance(self.shape, tuple) else (self.shape,)
        return prod(shape) * int(np.dtype(self.dtype).itemsize)

    def allocate(self, memory: Any) -> Any:
        """The array, from the ``empty`` and ``zeros`` of ``memory``; None where it is allocated later."""
        if self.later:
            return None
        if self.fill is None:
            return memory.empty(self.shape, self.dtype)
        if self.fill == 0:
            return memory.zeros(self.shape, self.dtype)
        array = memory.empty(self.shape, self.dtype)
        array.fill(self.fill)
        return array


def result(shape: Shape, dtype: npt.DTypeLike, fill: Any = None, *, later: bool = False) -> Space:
    """An array that the caller gets."""
    return Space(shape, dtype, "result", fill, later)


def scratch(shape: Shape, dtype: npt.DTypeLike, fill: Any = None, *, later: bool = False, lasts: bool = False) -> Space:
    """An array that is freed after the run, or with the result if it ``lasts``."""
    return Space(shape, dtype, "scratch", fill, later, lasts)


class Workspace:
    """Arrays by name.

    Parameters
    ----------
    **spaces
        What ``result`` and ``scratch`` give; None for an array that this run does not need.
    """

    def __init__(self, **spaces: Space | None) -> None:
        self.spaces = spaces

    def __iter__(self) -> Iterator[tuple[str, Space]]:
        return ((name, space) for name, space in self.spaces.items() if space is not None)

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(space.nbytes for _, space in self)

    def divided(self) -> tuple[dict[str, Space], Workspace]:
        """The arrays that every run allocates, which have no fill, and those that a run can leave to the next.

        Of the latter, those with a fill are left as the run found them.
        """
        per_run = {name: space for name, space in self if space.role == "result" or space.lasts}
        assert not any(space.fill is not None or space.later for space in per_run.values())
        return per_run, Workspace(**{name: space for name, space in self.spaces.items() if name not in per_run})

    def deferred(self) -> dict[str, Space | None]:
        """The same arrays as spaces of a larger workspace, for a part of the run that allocates them itself."""
        return {name: None if space is None else space._replace(later=True) for name, space in self.spaces.items()}

    def allocate(self, memory: Any = np) -> Any:
        """The arrays as attributes, in NumPy's memory or a device's; those that are not needed are None."""
        return SimpleNamespace(
            **{name: None if space is None else space.allocate(memory) for name, space in self.spaces.items()}
        )
