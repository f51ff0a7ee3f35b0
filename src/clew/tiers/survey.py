"""The memories of this machine, in order of speed."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from clew.errors import GraphError
from clew.tiers.nodes import nodes
from clew.tiers.tier import Tier

ORDER = ("device", "hbm", "dram", "pinned", "managed+prefetch", "managed", "cxl", "file")


def tiers(*, fast_nodes: str | None = None, folder: str | Path | None = None) -> list[Tier]:
    """List the memories: GPU memory, NUMA nodes, pinned and managed memory for a GPU, and files.

    Parameters
    ----------
    fast_nodes
        NUMA nodes to treat as high-bandwidth memory, such as "1"; by default the variable MEMKIND_HBW_NODES.
    folder
        The folder of the file tier; by default the system's temporary folder.
    """
    found = [*nodes(fast_nodes), _file(folder), *_gpu()]
    return sorted(found, key=lambda tier: ORDER.index(tier.kind))


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
    from clew.engines.choice import why_no_gpu

    if why_no_gpu() is not None:
        return []
    from clew.engines.cuda.cuda_device import the_device

    free, total = the_device().xp.cuda.Device().mem_info
    return _seen_by_gpu(free, total)


def _seen_by_gpu(free: int, total: int) -> list[Tier]:
    """The memories that a GPU with this many bytes can use."""
    from clew.engines.cpu.memory import available

    host = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return [
        Tier("gpu", "device", total, free),
        Tier("pinned", "pinned", host, available()),
        Tier("prefetched", "managed+prefetch", total, min(free, available())),
        Tier("managed", "managed", total, min(free, available())),
    ]
