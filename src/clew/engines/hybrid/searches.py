"""Searches from one vertex as vertex programs whose messages say from whom they are: CPU and GPU share the rows.

A message is one integer: what it is worth in the upper 32 bits, the vertex it is from in the lower, so that the
smallest is the best, and says which vertex comes before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clew.operators import Monoid, monoids

SHIFT, LOW = 32, 0xFFFFFFFF
UNREACHED = 2**31 - 1  # as a worth; with all lower bits set it is the largest int64
WIDEST = 2**31 - 2  # the largest width that there is room for


def name_sender(vertex: Any) -> Any:
    """The worth of a vertex, and which it is."""
    return (vertex.best >> 32 << 32) | vertex.id


def take(total: Any, vertex: Any) -> bool:
    """The best way so far."""
    vertex.best = total
    return True


@dataclass
class Search:
    """A vertex program, as engines see one."""

    process: Callable[[Any, Any, Any], Any]
    matters: Callable[[Any, Any], Any]
    accepts: Callable[[Any], Any]
    reduce: Monoid
    priority: Callable[[Any], Any] | None = None
    width: float = 1.0
    send: Callable[[Any], Any] = name_sender
    apply: Callable[[Any, Any], Any] = take
    fields: Mapping[str, Any] = field(default_factory=lambda: {"best": np.dtype(np.int64), "id": np.dtype(np.int64)})
    message: Any = "int64"
    direction: str = "out"
    apply_to: str = "received"
    active_next: str = "changed"
    max_iterations: int | None = None
    #: What most vertices begin with: said here, it need not be sent.
    blank: Mapping[str, Any] = field(default_factory=lambda: {"best": np.int64(UNREACHED << SHIFT | LOW)})

    @staticmethod
    def sent_there(xp: Any, best: Any, messages: Any) -> None:
        """What ``send`` gives, made on the GPU from the field that is there anyway."""
        xp.bitwise_and(best, np.int64(-1 << SHIFT), out=messages)
        messages |= xp.arange(messages.size, dtype=messages.dtype)


def bfs() -> Search:
    """Depths: a vertex that was found takes no more messages."""
    return Search(_deeper, _always, _is_new, monoids.any)


def sssp(delta: float) -> Search:
    """Sums of weights, nearest vertices first."""
    return Search(_farther, _is_better, _every, monoids.min, _worth, delta)


def sswp(delta: float) -> Search:
    """Smallest weights on the way, largest first: worth is what a width lacks to the widest there is room for."""
    return Search(_narrower, _is_better, _every, monoids.min, _worth, delta)


def _deeper(message: Any, weight: Any, vertex: Any) -> Any:  # noqa: ARG001
    return message + 4294967296


def _farther(message: Any, weight: Any, vertex: Any) -> Any:  # noqa: ARG001
    return message + weight * 4294967296


def _narrower(message: Any, weight: Any, vertex: Any) -> Any:  # noqa: ARG001
    return (max(message >> 32, 2147483646 - weight) << 32) | (message & 4294967295)


def _is_better(value: Any, vertex: Any) -> Any:
    return (value >> 32) < (vertex.best >> 32)


def _always(value: Any, vertex: Any) -> Any:  # noqa: ARG001
    return True


def _every(vertex: Any) -> Any:  # noqa: ARG001
    return True


def _is_new(vertex: Any) -> Any:
    return (vertex.best >> 32) == 2147483647


def _worth(vertex: Any) -> Any:
    return vertex.best >> 32
