"""The speed of a memory: bandwidth of sequential reads, and rate of random accesses."""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple, Protocol

from clew.dtypes import Array
from clew.errors import GraphError

LINE, PAGE = 64, 4096  # what a CPU fetches at once, and how far it sees what comes next
GPU_LINE, GPU_NEAR = 128, 64 << 10
#: The same by kinds of ``clew.tiers``, for those that are not as DRAM is.
LINE_AND_NEAR = {"file": (PAGE, PAGE), "managed": (PAGE, GPU_NEAR)} | dict.fromkeys(
    ("device", "pinned", "managed+prefetch"), (GPU_LINE, GPU_NEAR)
)


class Measured(Protocol):
    """The measurements of ``clew.tiers.measure``: bytes read sequentially and numbers read at random, per second."""

    @property
    def read(self) -> float:
        """Bytes per second."""

    @property
    def random_reads(self) -> float:
        """Numbers per second."""


class Speed(NamedTuple):
    """The speed of a memory.

    Parameters
    ----------
    in_order
        Bytes per second, sequentially.
    at_random
        Random accesses per second. Infinite if only the bandwidth is known: then a byte costs the same everywhere.
    line
        Bytes that an access transfers.
    near
        The largest gap in bytes that still counts as sequential.
    """

    in_order: float
    at_random: float = math.inf
    line: int = 1
    near: int = 0

    @classmethod
    def measured(cls, rates: Measured, kind: str = "dram") -> Speed:
        """The speed from ``clew.tiers.measure``, for a memory of that kind."""
        return cls(rates.read, rates.random_reads, *LINE_AND_NEAR.get(kind, (LINE, PAGE)))

    @property
    def access(self) -> float:
        """The seconds of a random access, in addition to the bytes it transfers."""
        return max(0.0, 1 / self.at_random - self.line / self.in_order)

    def seconds(self, accesses: Array, lines: Array) -> Array:
        """The seconds for this many lines, with this many random accesses."""
        taken: Array = accesses * self.access + lines * (self.line / self.in_order)
        return taken


Speeds = tuple[Speed, Speed]

#: Slow and fast memory by their command-line names: host memory that an H200 reads over its link, and its
#: own, measured with rows of 128 bytes in order and anywhere; DRAM and MCDRAM with the bandwidths of the paper's
#: Figure 1. What is near for a GPU is not measured but inferred, from searches with all edges on the host: with 64 KiB
#: (or 2 MiB) what they read over the link is predicted 1.5 times too slow on a Kronecker graph and a grid; with the
#: next line alone 5.6 and 8.3 times.
KNOWN: dict[str, Speeds] = {
    "gpu": (
        Speed(51.2e9, 7.7e9 / GPU_LINE, GPU_LINE, GPU_NEAR),
        Speed(4.4e12, 694e9 / GPU_LINE, GPU_LINE, GPU_NEAR),
    ),
    "mcdram": (Speed(84.0e9), Speed(396.1e9)),
}


def parse_speeds(given: str | tuple[float | Speed, float | Speed]) -> Speeds:
    """Parse the speeds of slow and fast memory: a name in ``KNOWN``, or a pair of ``Speed`` or bytes per second."""
    if isinstance(given, str):
        if given not in KNOWN:
            names = ", ".join(map(repr, KNOWN))
            raise GraphError(f"speeds is {given!r}; expected one of {names}, or a pair for slow and fast memory.")
        return KNOWN[given]
    if isinstance(given, Speed) or not isinstance(given, (tuple, list)) or len(given) != 2:
        raise GraphError(f"speeds is {given!r}; expected a pair for slow and fast memory.")
    slow, fast = (one if isinstance(one, Speed) else Speed(one) for one in given)
    for speed in (slow, fast):
        if not _is_possible(speed):
            raise GraphError(
                f"speeds has {tuple(speed)}; expected numbers above 0, where only the accesses may be infinite."
            )
    return slow, fast


def _is_possible(speed: Speed) -> bool:
    """Whether times can be computed from a speed."""
    if not all(isinstance(number, Real) for number in speed):
        return False
    return 0 < speed.in_order < math.inf and speed.at_random > 0 and speed.line >= 1 and speed.near >= 0
