"""NUMA nodes on Linux: their memory, and whether it is faster or slower than that of nodes with cores."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from clew.errors import GraphError
from clew.tiers.tier import Kind, Tier

NODES = Path("/sys/devices/system/node")
TIERING = Path("/sys/devices/virtual/memory_tiering")
#: The variable that lists high-bandwidth nodes for the memkind library.
FAST_NODES = "MEMKIND_HBW_NODES"


class _Node(NamedTuple):
    number: int
    capacity: int
    free: int
    has_cores: bool
    bandwidth: int  # as the firmware says, in MB/s; 0 where it does not
    rank: int | None  # as the kernel has it: smaller is faster


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
