"""Parts of graphs in a folder: each worker writes its own, for the worker that may replace it.

A part is an archive of arrays with checksums. Unlike a tile of a ``.clewd`` folder it is the block as it is, which may
be wider than high. It says nothing about the whole graph: the other workers know that.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Partition
from clew.engines.cluster.share import Share
from clew.io.binary import names_from_arrays, names_to_arrays
from clew.names import VertexNames

WEIGHTS = "weights"


def write_spare(share: Share, folder: str) -> None:
    """Write this member's part of a graph."""
    path = _path(folder, share.member.rank)
    path.parent.mkdir(parents=True, exist_ok=True)
    block, names = share.block, share._names
    arrays: dict[str, Any] = {"indptr": block.indptr, "indices": block.indices, **names_to_arrays(names)}
    arrays |= {} if block.weights is None else {WEIGHTS: block.weights}
    with path.with_suffix(".part").open("wb") as file:
        np.savez(file, **arrays)
    path.with_suffix(".part").replace(path)


def open_spare(member: Member, partition: Partition, facts: Mapping[str, Any], folder: str) -> Share | None:
    """The part of the member in this place; None if it is not there, or damaged."""
    with suppress(OSError, ValueError, zipfile.BadZipFile), _path(folder, member.rank).open("rb") as file:
        with np.load(file) as stored:
            arrays = dict(stored)
        block = Adjacency(
            arrays.pop("indptr"), arrays.pop("indices"), arrays.pop(WEIGHTS, None), width=partition.columns
        )
        share = Share(member.on(partition.grid), partition, block, **facts)
        names = names_from_arrays(arrays)
        return share if names is None else share.with_names(VertexNames.trusted(names))
    return None


def _path(folder: str, rank: int) -> Path:
    return Path(folder, f"{rank}.npz")
