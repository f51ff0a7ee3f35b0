"""The memory that workers have left, and whether a graph fits before anything of it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clew.engines.cluster.partition import Grid
from clew.errors import ClusterError
from clew.io import tiles
from clew.io.parts import rows_stored
from clew.io.ranges import open_source

MORE_ROOM = "Use more workers, or machines with more memory."
PAIR = 8  # bytes of an edge, at least, on its way to the worker that owns it
FOOTERS = 16  # files whose rows are counted; the others are assumed to have as many per byte


def free_bytes(workers: Sequence[Mapping[str, Any]], pools: Sequence[Mapping[str, int]]) -> list[int]:
    """The bytes that every worker may still use.

    ``pools`` are the bytes left in every memory that a worker takes from. Workers of one node share those with the same
    name, such as that of the machine or of a container.
    """
    together = Counter((each["node"], name) for each, left in zip(workers, pools, strict=True) for name in left)
    return [
        min(free // together[each["node"], name] for name, free in left.items())
        for each, left in zip(workers, pools, strict=True)
    ]


def check_room(workers: Sequence[Mapping[str, Any]], free: Sequence[int], nbytes: int, what: str) -> None:
    """Refuse a graph that the workers cannot hold, given the bytes of all its edges and those that are free."""
    share = nbytes // len(workers)
    for each, available in zip(workers, free, strict=True):
        if share > available:
            raise ClusterError(
                f"{what} need at least {share:,} bytes on every worker, and the workers on {each['host']} have "
                f"{available:,} bytes each.",
                remedy=MORE_ROOM,
            )


def bytes_of_files(files: Sequence[tuple[str, int]], options: Mapping[str, Any]) -> int:
    """The bytes that the edges in files take on all workers: by the rows of Parquet files, else by the stored bytes.

    Parquet is compressed, so its bytes say little.
    """
    total = sum(size for _, size in files)
    some = files[:: max(1, len(files) // FOOTERS)]
    rows = [rows_stored(path, options.get("format")) for path, _ in some]
    known = [(count, size) for count, (_, size) in zip(rows, some, strict=True) if count is not None]
    if len(known) < len(some) or not known:
        return total
    count = sum(each for each, _ in known) * total // max(1, sum(size for _, size in known))
    return count * PAIR * (2 if options.get("directed") is False else 1)


def bytes_of_tiles(path: str, grid: Grid) -> int:
    """The bytes of a folder's edges on their way between workers; 0 if every worker maps its own tile."""
    header = tiles.read_header(open_source(path))
    if header.grid == (grid.rows, grid.columns) and header.order is None:
        return 0
    return header.num_arcs * (PAIR + (0 if header.weights is None else np.dtype(header.weights).itemsize))
