"""The memories of this machine: tiers in order of speed, and NUMA nodes as Linux describes them."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from clew.engines.choice import why_no_gpu
from clew.engines.cuda.toolchain import cuda_device
from clew.errors import GraphError
from clew.free_memory import available_bytes

Kind = Literal["hbm", "dram", "cxl", "file", "device", "pinned", "managed+prefetch", "managed"]
#: Those that a GPU sees; ``spread`` takes the others.
ON_GPU = ("device", "pinned", "managed+prefetch", "managed")

#: What each kind is, in a few words; fastest first.
KINDS: dict[str, str] = {
    "device": "GPU memory",
    "hbm": "HBM",
    "dram": "main memory",
    "pinned": "pinned memory",
    "managed+prefetch": "managed memory",
    "managed": "managed memory",
    "cxl": "far memory",
    "file": "mapped file",
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


NODES = Path("/sys/devices/system/node")
TIERING = Path("/sys/devices/virtual/memory_tiering")
#: The variable that lists high-bandwidth nodes for the memkind library.
FAST_NODES = "MEMKIND_HBW_NODES"


class _Node(NamedTuple):
    number: int
    capacity: int
    free: int
    has_cores: bool
    bandwidth: int  # in MB/s, from the firmware; 0 if unknown
    rank: int | None  # from the kernel: smaller is faster


def nodes(fast: str | None = None, root: Path = NODES, tiering: Path = TIERING) -> list[Tier]:
    """A tier for every NUMA node that has memory.

    ``fast`` lists the nodes to treat as high-bandwidth memory, such as "1" or "1,3-4". The default is the variable
    MEMKIND_HBW_NODES, which emulates such memory on any machine with two nodes. Other nodes without cores are
    high-bandwidth memory if the kernel or the firmware reports them as faster than nodes with cores. Otherwise they are
    far memory.
    """
    listed = os.environ.get(FAST_NODES, "") if fast is None else fast
    declared = parse_nodes(listed)
    ranks = _ranks(tiering)
    found = [_read(folder, ranks) for folder in sorted(root.glob("node[0-9]*"), key=_number)]
    present = [node for node in found if node.capacity > 0]
    unknown = sorted(declared - {node.number for node in present})
    if unknown:
        there = ", ".join(str(node.number) for node in present) or "none"
        raise GraphError(f"{listed!r} lists NUMA node {unknown[0]}, which has no memory; expected some of {there}.")
    return [
        Tier(f"node{node.number}", _kind(node, present, declared), node.capacity, node.free, node.number)
        for node in present
    ]


def parse_nodes(text: str) -> set[int]:
    """The numbers in a list such as "0,2-3"."""
    numbers: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part, re.ASCII)
        if match is None or int(match[1]) > int(match[2] or match[1]):
            raise GraphError(f"{text!r} is not a list of NUMA nodes; expected numbers such as '1' or '0,2-3'.")
        numbers.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return numbers


def _kind(node: _Node, present: list[_Node], declared: set[int]) -> Kind:
    if node.number in declared:
        return "hbm"
    if node.has_cores:
        return "dram"
    near = [other for other in present if other.has_cores]
    if node.rank is not None and any(other.rank is not None and node.rank < other.rank for other in near):
        return "hbm"
    if node.bandwidth and near and all(node.bandwidth > other.bandwidth > 0 for other in near):
        return "hbm"
    return "cxl"


def _read(folder: Path, ranks: dict[int, int]) -> _Node:
    number = _number(folder)
    sizes = {what: int(kib) * 1024 for what, kib in re.findall(r"(\w+):\s+(\d+) kB", _text(folder / "meminfo"))}
    bandwidth = _text(folder / "access0" / "initiators" / "read_bandwidth").strip()
    return _Node(
        number,
        sizes.get("MemTotal", 0),
        sizes.get("MemFree", 0) + sizes.get("FilePages", 0) - sizes.get("Shmem", 0),
        bool(_text(folder / "cpulist").strip()),
        int(bandwidth) if bandwidth.isdecimal() else 0,
        ranks.get(number),
    )


def _ranks(tiering: Path) -> dict[int, int]:
    """The kernel's own ranking of nodes, if it has one."""
    return {
        node: _number(folder)
        for folder in tiering.glob("memory_tier[0-9]*")
        for node in parse_nodes(_text(folder / "nodelist").strip())
    }


def _number(folder: Path) -> int:
    return int(re.sub(r"\D", "", folder.name))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def tiers(*, fast_nodes: str | None = None, folder: str | Path | None = None) -> list[Tier]:
    """List the memories: GPU memory, NUMA nodes, pinned and managed memory for a GPU, and files.

    Parameters
    ----------
    fast_nodes
        NUMA nodes to treat as high-bandwidth memory, such as "1"; by default the variable MEMKIND_HBW_NODES.
    folder
        The folder of the file tier; by default the system's temporary folder.
    """
    order = list(KINDS)
    return sorted([*nodes(fast_nodes), _file(folder), *_gpu()], key=lambda tier: order.index(tier.kind))


def tier_named(name: str, among: list[Tier] | None = None) -> Tier:
    """The tier called ``name``, or the first of that kind."""
    known = tiers() if among is None else among
    for tier in known:
        if name in (tier.name, tier.kind):
            return tier
    listed = ", ".join(f"{tier.name} ({tier.kind})" for tier in known)
    raise GraphError(f"there is no tier {name!r} on this machine; expected one of {listed}.")


def _file(folder: str | Path | None) -> Tier:
    place = Path(tempfile.gettempdir() if folder is None else folder)
    try:
        usage = shutil.disk_usage(place)
    except OSError as error:
        raise GraphError(f"{place} cannot be the folder of the file tier: {error.strerror}.") from None
    if not place.is_dir():
        raise GraphError(f"{place} cannot be the folder of the file tier: it is a file.")
    return Tier("file", "file", usage.total, usage.free, folder=str(place))


def _gpu() -> list[Tier]:
    if why_no_gpu() is not None:
        return []
    free, total = cuda_device.the_device().xp.cuda.Device().mem_info
    return _seen_by_gpu(free, total)


def _seen_by_gpu(free: int, total: int) -> list[Tier]:
    """The memories that a GPU with this many bytes can use."""
    host = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return [
        Tier("gpu", "device", total, free),
        Tier("pinned", "pinned", host, available_bytes()),
        Tier("prefetched", "managed+prefetch", total, min(free, available_bytes())),
        Tier("managed", "managed", total, min(free, available_bytes())),
    ]
