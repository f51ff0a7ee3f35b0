"""Edges on their way to the workers that own them: sorted by owner block by block, then exchanged in short rounds.

The edges of a block keep their order, and blocks of lower ranks come first. So the policy ``duplicates="first"`` keeps
the edge that one machine keeps. A member holds every edge once: rooms for what arrives have the exact size, and a block
is freed when it has been sent.
"""

from __future__ import annotations

import mmap
from typing import Any, NamedTuple

import numpy as np

from clew.dtypes import Array
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Partition

BLOCK = 1 << 18  # edges that are sorted by owner at once: their columns fit a second-level cache
ROUND = 1 << 20  # edges that a member sends in one round: a message has a few MB at most


class Arrived(NamedTuple):
    """The edges of a member's block: rows, columns and weights; and the vertices of the loops that it gave."""

    rows: Array
    columns: Array
    weights: Array | None
    loop_ids: Array


class EdgeExchange:
    """Takes edges by the ids of their ends and hands every member the edges of its block.

    Parameters
    ----------
    member, partition
        Where edges belong.
    symmetrize
        Add every edge in the other direction; a loop is stored once.
    drop_loops
        Leave loops out.
    """

    def __init__(self, member: Member, partition: Partition, *, symmetrize: bool = False, drop_loops: bool = False):
        self.member, self.partition = member, partition
        self.symmetrize, self.drop_loops = symmetrize, drop_loops
        self.given = self.num_loops = 0
        self._loops: list[Array] = []
        self._blocks: list[tuple[Array, ...]] = []  # rows, columns and weights, by owner
        self._counts: list[Array] = []  # edges for every member, per block
        mending = member.mending
        self._wanted = None if mending is None else np.isin(np.arange(member.size), list(mending.lost))

    def add(self, source: Array, target: Array, weights: Array | None) -> None:
        """Take some edges of this member."""
        for start in range(0, source.size, BLOCK):
            part = slice(start, start + BLOCK)
            self._add(source[part], target[part], None if weights is None else weights[part])

    def _add(self, source: Array, target: Array, weights: Array | None) -> None:
        self.given += source.size
        loop = source == target
        if loop.any():
            self.num_loops += int(loop.sum())
            self._loops.append(np.unique(source[loop]))
            if self.drop_loops:
                source, target = source[~loop], target[~loop]
                weights = None if weights is None else weights[~loop]
                loop = loop[~loop]
        if self.symmetrize:
            # Both directions of an edge stand together, so that among duplicates the same edge is first in both.
            both = np.repeat(np.arange(source.size), np.where(loop, 1, 2))
            back = np.diff(both, prepend=-1) == 0
            source, target = np.where(back, target[both], source[both]), np.where(back, source[both], target[both])
            weights = None if weights is None else weights[both]
        worker, row, column = self.partition.edges(source, target)
        if self._wanted is not None:
            chosen = np.flatnonzero(self._wanted[worker])
            worker, row, column = worker[chosen], row[chosen], column[chosen]
            weights = None if weights is None else weights[chosen]
        order = np.argsort(worker.astype(np.uint16), kind="stable")
        columns = [row.astype(np.int32), column.astype(np.int32), *([] if weights is None else [weights])]
        self._blocks.append(tuple(_taken(each, order) for each in columns))
        self._counts.append(np.bincount(worker, minlength=self.member.size))

    def finish(self, weights: np.dtype[Any] | None) -> Arrived:
        """Exchange all edges; all members call this. ``weights`` is the dtype of weights, or None."""
        member, dtypes = self.member, [np.dtype(np.int32)] * 2 + ([] if weights is None else [weights])
        counts = np.array(self._counts, np.int64).reshape(-1, member.size)
        leaving = [np.array([total], np.int64) for total in counts.sum(axis=0)]
        starts = np.concatenate([[0], np.cumsum(np.concatenate(member.all_to_all("all", leaving)))])
        arrived = [np.empty(starts[-1], dtype) for dtype in dtypes]
        per_round = ROUND // BLOCK
        rounds = int(member.all_reduce(np.int64(-(-len(self._blocks) // per_round)), np.maximum))
        places = starts[:-1].copy()
        for first in range(0, rounds * per_round, per_round):
            blocks = self._blocks[first : first + per_round]
            cuts = [np.concatenate([[0], np.cumsum(each)]) for each in counts[first : first + per_round]]
            for k, dtype in enumerate(dtypes):
                parts = [
                    np.concatenate(
                        [np.empty(0, dtype)]
                        + [block[k][cut[to] : cut[to + 1]] for block, cut in zip(blocks, cuts, strict=True)]
                    )
                    for to in range(member.size)
                ]
                for sender, part in enumerate(member.all_to_all("all", parts)):
                    arrived[k][places[sender] : places[sender] + part.size] = part
                    if k == len(dtypes) - 1:
                        places[sender] += part.size
            self._blocks[first : first + per_round] = [()] * len(blocks)
        loops = np.unique(np.concatenate([np.empty(0, np.int64), *self._loops]))
        self._blocks, self._counts, self._loops = [], [], []
        return Arrived(arrived[0], arrived[1], None if weights is None else arrived[2], loops)


def _taken(values: Array, order: Array) -> Array:
    """``values[order]`` in pages of its own, which go back to the system as soon as the array is freed."""
    if not order.size:
        return values[order]
    room = np.frombuffer(mmap.mmap(-1, order.size * values.itemsize), values.dtype)
    return np.take(values, order, out=room, mode="clip")  # "raise" would buffer
