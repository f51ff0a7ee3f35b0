"""A member of a run: one worker's rank, its place in the grid, and exchanges of arrays with the others.

All members run the same code. A method that exchanges something is collective: all members call it, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clew.dtypes import Array
from clew.engines.cluster.checkpoints import Checkpoints, State
from clew.engines.cluster.partition import Grid
from clew.engines.cluster.transport import Sockets, Transport

if TYPE_CHECKING:
    from clew.engines.cluster.kernels_superstep import Channel
    from clew.engines.cluster.mending import Mending

Axis = Literal["row", "column"]
SAMPLE = 64  # keys that every member samples per range


class Member:
    """One of the workers that compute together. Its state is copied to the one that is ``buddy`` ranks ahead."""

    def __init__(self, transport: Transport, checkpoints: Checkpoints | None = None, buddy: int = 1) -> None:
        self.transport, self.buddy = transport, buddy
        self.checkpoints = checkpoints or Checkpoints()
        self.device = "cpu"  # that "auto" selects
        self._superstep = [0]  # of the loop that runs; the same list in all grids
        self._mending: list[Mending | None] = [None]  # the same
        self.rank, self.size = transport.rank, transport.size
        self._take_place(Grid(self.size))

    def _take_place(self, grid: Grid) -> None:
        self.grid = grid
        self._ballots: tuple[Channel, ...] | None = None  # of ``any``
        self.groups = {
            "row": grid.row_of(self.rank),
            "column": grid.column_of(self.rank),
            "all": list(range(self.size)),
        }

    @property
    def superstep(self) -> int:
        """The superstep of the loop that runs, for progress."""
        return self._superstep[0]

    @superstep.setter
    def superstep(self, step: int) -> None:
        self._superstep[0] = step

    @property
    def mending(self) -> Mending | None:
        """The graph that is mended by the call that runs."""
        return self._mending[0]

    @mending.setter
    def mending(self, mending: Mending | None) -> None:
        self._mending[0] = mending

    def on(self, grid: Grid) -> Member:
        """The same member with a place in another grid."""
        if grid == self.grid:
            return self
        other = copy(self)
        other._take_place(grid)
        return other

    @property
    def has_sockets(self) -> bool:
        """Whether compiled code can exchange messages itself."""
        return isinstance(self.transport, Sockets)

    @property
    def sockets(self) -> Sockets:
        """The transport, for compiled code that exchanges messages itself."""
        assert isinstance(self.transport, Sockets)
        return self.transport

    def checkpoint(self, step: int, *state: Any) -> State:
        """The state of a loop, to be called at the head of every round: ``a, b = member.checkpoint(rounds, a, b)``.

        The state is all arrays, numbers and lists that rounds change. ``step`` is the number of rounds so far, from 0.
        Now and then the state is saved. In a run that starts again after a loss, the first call of a loop returns what
        was saved, and the loop continues from there. All members call this; it is no exchange in most rounds.
        """
        self.superstep = step
        return self.checkpoints.visit(self, step, state)

    def all_to_all(self, group: str, parts: Sequence[Array]) -> list[Array]:
        """Send a part to every member of a group, and receive one from each. All parts have the same dtype."""
        ranks = self.groups[group]
        peers = [rank for rank in ranks if rank != self.rank]
        flat = [np.ascontiguousarray(part) for part in parts]
        dtype = flat[0].dtype
        leaving = [part.view(np.uint8) for rank, part in zip(ranks, flat, strict=True) if rank != self.rank]
        arrived = iter(self.transport.exchange(peers, leaving))
        return [flat[k] if rank == self.rank else next(arrived).view(dtype) for k, rank in enumerate(ranks)]

    def exchange(self, group: str, parts: Sequence[Array], rooms: Sequence[Array]) -> list[int]:
        """Send a part to every other member of a group, and receive one from each into its room.

        Parts and rooms are in the order of the group; those of this member itself are not used. Returns the bytes that
        are in each room.
        """
        ranks = self.groups[group]
        others = [k for k, rank in enumerate(ranks) if rank != self.rank]
        leaving, arriving = ([arrays[k].view(np.uint8) for k in others] for arrays in (parts, rooms))
        sizes = [room.nbytes for room in rooms]
        for k, part in zip(
            others, self.transport.exchange([ranks[k] for k in others], leaving, rooms=arriving), strict=True
        ):
            sizes[k] = part.size
        return sizes

    def all_gather(self, group: str, part: Array) -> list[Array]:
        """The parts of all members of a group, in its order."""
        return self.all_to_all(group, [part] * len(self.groups[group]))

    def all_reduce(self, value: Any, combine: Any) -> Any:
        """The numbers of all members combined in the order of ranks, so that the bits are the same everywhere.

        First along rows, then along columns: every member sends to the √p others of each, not to all.
        """
        total = np.atleast_1d(np.asarray(value))
        for group in ("row", "column"):
            parts = self.all_gather(group, total)
            total = parts[0]
            for part in parts[1:]:
                total = combine(total, part)
        return total if np.ndim(value) else total[0]

    def gather_by_id(self, ids: Array, values: Array, size: int) -> Array:
        """An array of ``size`` entries with the values of all members at their vertex ids, in every member."""
        whole = np.empty((size, *values.shape[1:]), values.dtype)
        for there, part in zip(self.all_gather("all", ids), self.all_gather("all", values), strict=True):
            whole[there] = part
        return whole

    def any(self, flag: Any) -> bool:
        """Whether the flag is true on any member."""
        if not self.has_sockets:
            return bool(self.all_reduce(np.uint8(bool(flag)), np.maximum))
        from clew.engines.cluster import kernels_superstep as superstep

        # Loops ask this in every round, so it is one call of compiled code.
        if self._ballots is None:
            self._ballots = tuple(
                self.sockets.channel(self.groups[axis], 1, *np.zeros((2, len(self.groups[axis])), np.int64))
                for axis in ("row", "column")
            )
        ballots, state = self._ballots, np.array([0, bool(flag)])
        self.sockets.follow(lambda: int(superstep.vote(*ballots, state)), ballots)
        return bool(state[1])

    def fetch(self, owner: Array, local: Array, values: Array) -> Array:
        """``values`` of vertices anywhere, given the owner of each and its place in the owner's segment."""
        return self.ask(owner, local, lambda places: values[places])

    def ask(self, owner: Array, questions: Array, answer: Callable[[Array], Array]) -> Array:
        """What the owners answer to questions, in their order; ``answer`` takes all that arrive here at once."""
        order, parts = self.by_owner(owner)
        asked = self.all_to_all("all", [questions[part] for part in parts])
        answers = np.split(answer(np.concatenate(asked)), np.cumsum([each.size for each in asked])[:-1])
        arrived = np.concatenate(self.all_to_all("all", answers))
        found = np.empty_like(arrived)
        found[order] = arrived
        return found

    def send_to_owners(self, owner: Array, columns: Sequence[Array]) -> list[Array]:
        """Send every row of a table to its owner; returns the columns that arrived here, in the order of ranks."""
        _, parts = self.by_owner(owner)
        return [np.concatenate(self.all_to_all("all", [column[part] for part in parts])) for column in columns]

    def ranks(self, keys: Array) -> Array:
        """The ranks of distinct keys among those of all members, of which each ranks a range."""
        number = min(keys.size, SAMPLE * self.size)
        sample = np.sort(keys)[np.arange(number) * keys.size // max(1, number)]
        some = np.sort(np.concatenate(self.all_gather("all", sample)))
        cuts = some[np.arange(1, self.size) * some.size // self.size] if some.size else some

        def answer(asked: Array) -> Array:
            counts = np.concatenate(self.all_gather("all", np.array([asked.size])))
            ranks = np.empty(asked.size, np.int64)
            ranks[np.argsort(asked)] = np.arange(asked.size) + counts[: self.rank].sum()
            return ranks

        return self.ask(np.searchsorted(cuts, keys, "right"), keys, answer)

    def at_first(self, values: Array) -> Array:
        """The values of all members, on the first one; none on the others."""
        (arrived,) = self.send_to_owners(np.zeros(values.size, np.int64), [values])
        return arrived

    def by_owner(self, owner: Array) -> tuple[Array, list[Array]]:
        """Indices sorted by owner, and the part of them for every member."""
        from clew.engines.cluster import kernels_partition as kernels

        order, bounds = kernels.order_by_owner(owner, self.size)
        return order, [order[low:high] for low, high in pairwise(bounds.tolist())]
