"""A member of a run: one worker's rank, its place in the grid, and exchanges of arrays with the others.

All members run the same code. A method that exchanges something is collective: all members call it, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from clew.dtypes import Array
from clew.engines.cluster.partition import Grid, Partition
from clew.engines.cluster.transport import Transport

Axis = Literal["row", "column"]


class Member:
    """One of the workers that compute together."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport
        self.rank, self.size = transport.rank, transport.size
        self.grid = Grid(self.size)
        self.groups = {
            "row": self.grid.row_of(self.rank),
            "column": self.grid.column_of(self.rank),
            "all": list(range(self.size)),
        }

    def swap(self, group: str, parts: Sequence[Array]) -> list[Array]:
        """Send a part to every member of a group, in its order, and receive one from each; its own stays here.

        Parts have one dtype, the same everywhere.
        """
        ranks = self.groups[group]
        peers = [rank for rank in ranks if rank != self.rank]
        flat = [np.ascontiguousarray(part) for part in parts]
        dtype = flat[0].dtype
        leaving = [part.view(np.uint8) for rank, part in zip(ranks, flat, strict=True) if rank != self.rank]
        arrived = iter(self.transport.exchange(peers, leaving))
        return [flat[k] if rank == self.rank else next(arrived).view(dtype) for k, rank in enumerate(ranks)]

    def share(self, group: str, part: Array) -> list[Array]:
        """The parts of all members of a group, in its order."""
        return self.swap(group, [part] * len(self.groups[group]))

    def all_reduce(self, value: Any, combine: Any) -> Any:
        """The numbers of all members combined in the order of ranks, so that the bits are the same everywhere.

        First along rows, then along columns: every member sends to the √p others of each, not to all.
        """
        total = np.atleast_1d(np.asarray(value))
        for group in ("row", "column"):
            parts = self.share(group, total)
            total = parts[0]
            for part in parts[1:]:
                total = combine(total, part)
        return total if np.ndim(value) else total[0]

    def everywhere(self, ids: Array, values: Array, size: int) -> Array:
        """The values of all members by vertex id, in every member: as long as the graph has vertices."""
        whole = np.empty((size, *values.shape[1:]), values.dtype)
        for there, part in zip(self.share("all", ids), self.share("all", values), strict=True):
            whole[there] = part
        return whole

    def any(self, flag: Any) -> bool:
        """Whether the flag is true anywhere."""
        return bool(self.all_reduce(np.uint8(bool(flag)), np.maximum))

    def ask(self, owner: Array, local: Array, values: Array) -> Array:
        """``values`` of vertices anywhere: of each its owner, and its place in the owner's segment."""
        order = np.argsort(owner, kind="stable")
        bounds = np.searchsorted(owner[order], np.arange(self.size + 1))
        wanted = local[order]
        asked = self.swap("all", [wanted[bounds[k] : bounds[k + 1]] for k in range(self.size)])
        answers = self.swap("all", [values[each] for each in asked])
        found = np.empty(owner.size, values.dtype)
        found[order] = np.concatenate(answers)
        return found

    def deliver(self, owner: Array, columns: Sequence[Array]) -> list[Array]:
        """Rows of several columns sent to their owners; returns what arrived here, in the order of ranks."""
        order = np.argsort(owner, kind="stable")
        bounds = np.searchsorted(owner[order], np.arange(self.size + 1))
        arrived = []
        for column in columns:
            sorted_column = column[order]
            parts = self.swap("all", [sorted_column[bounds[k] : bounds[k + 1]] for k in range(self.size)])
            arrived.append(np.concatenate(parts))
        return arrived


def partition_for(member: Member, num_vertices: int) -> Partition:
    """The partition of a graph among the members of a run."""
    return Partition(num_vertices, member.grid)
