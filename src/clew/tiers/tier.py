"""Tier: one memory of this machine, and its measured speed."""

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
    """A memory tier.

    Parameters
    ----------
    name
        Its name in ``spread`` and on the command line: "node0", "file", "gpu", "pinned", "prefetched", "managed".
    kind
        One of ``KINDS``.
    capacity, free
        Its size and its unused part, in bytes.
    node
        The number of the NUMA node, if it is one.
    folder
        The folder of its files, which are unnamed and are deleted with the process.
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
    """Measured speeds in bytes per second of elapsed time.

    Parameters
    ----------
    read, write
        Sequential, on all threads.
    random
        Random reads of 8-byte numbers. Other bytes that the memory fetches with them do not count.
    size
        The number of bytes read and written sequentially.
    """

    read: float
    write: float
    random: float
    size: int

    @property
    def random_reads(self) -> float:
        """The number of random reads per second."""
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
