"""Tier: one of the memories of this machine, and how fast it was found to be."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["hbm", "dram", "cxl", "file", "device", "pinned", "managed+prefetch", "managed"]
#: Those that a GPU sees; ``spread`` takes the others.
ON_GPU = ("device", "pinned", "managed+prefetch", "managed")

#: What each kind is, in a few words.
KINDS: dict[str, str] = {
    "hbm": "HBM",
    "dram": "main memory",
    "cxl": "far memory",
    "file": "mapped file",
    "device": "GPU memory",
    "pinned": "pinned memory",
    "managed+prefetch": "managed memory",
    "managed": "managed memory",
}


@dataclass(frozen=True)
class Tier:
    """A memory.

    Parameters
    ----------
    name
        What ``spread`` and the command line call it: "node0", "file", "gpu", "pinned", "prefetched",
        "managed".
    kind
        One of ``KINDS``.
    capacity, free
        Its bytes, and those that are not in use.
    node
        The number of the NUMA node, where it is one.
    folder
        Where files of it are kept; they have no name and vanish with the process.
    """

    name: str
    kind: Kind
    capacity: int
    free: int
    node: int | None = None
    folder: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Rates:
    """Measured bytes per second: bytes that were asked for, divided by the time on the clock.

    Parameters
    ----------
    read, write
        Of all bytes in order, on all threads.
    random
        Of single numbers of 8 bytes each, anywhere; what else a memory fetches along with them does not count.
    size
        How many bytes were read and written in order.
    """

    read: float
    write: float
    random: float
    size: int

    @property
    def random_reads(self) -> float:
        """How many of these numbers were read per second."""
        return self.random / 8

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return {
            "read_bytes_per_second": self.read,
            "write_bytes_per_second": self.write,
            "random_bytes_per_second": self.random,
            "random_reads_per_second": self.random_reads,
            "measured_bytes": self.size,
        }
