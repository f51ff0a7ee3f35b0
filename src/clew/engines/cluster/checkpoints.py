"""Checkpoints of a long run: every member's state, kept by itself and by a buddy, and in a folder if one is named.

A loop calls ``member.checkpoint`` once per round, and compiled ones run by ``follow``. All members save the same round,
so the copies fit together. After a loss the run starts again, and its loop continues from the last round that every
member has a copy of.
"""

from __future__ import annotations

import io
import math
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clew.dtypes import Array

if TYPE_CHECKING:
    from clew.engines.cluster.kernels_superstep import Channel
    from clew.engines.cluster.member import Member

RESTART = 5.0  # seconds that a restart takes: a shorter run takes no checkpoint
BETWEEN_LOSSES = 24 * 3600.0  # seconds, assumed, between two losses of the same worker

PARSING = threading.Lock()  # NumPy parses headers with ast, which several threads break in Python 3.11

PAUSE = 1 << 22  # vertices that compiled loops send, all members together, before they may save their state

State = tuple[Any, ...]


class Round(NamedTuple):
    """A round of a loop: which loop of the run, and how many rounds it had done."""

    loop: int
    step: int


def follow(
    member: Member,
    loop: Callable[[], int],
    channels: Sequence[Channel],
    state: Array,
    arrays: Sequence[Array],
) -> None:
    """Call a compiled loop until it ends. Where it pauses, its state may be saved; see ``kernels_pause``.

    ``state`` and ``arrays`` are all that supersteps change, and are restored in place.
    """
    from clew.engines.cluster import kernels_pause as pause

    numbers = state[state.size - pause.NUMBERS :]
    while True:
        numbers[pause.PAUSED], numbers[pause.MOST] = 0, PAUSE
        kept = member.checkpoint(int(numbers[pause.PAUSES]), state, *arrays)
        if kept[0] is not state:
            for array, copy in zip((state, *arrays), kept, strict=True):
                array[...] = copy
        member.sockets.follow(loop, channels)
        if not numbers[pause.PAUSED]:
            return
        numbers[pause.PAUSES] += 1


class Checkpoints:
    """The copies that one worker has, and the schedule of the run that it takes part in.

    It outlives the connections of a run. ``recover`` says that members may have copies of the run that begins, so that
    they compare them.
    """

    def __init__(
        self,
        folder: str | None = None,
        *,
        recover: bool = False,
        restart: float = RESTART,
        between_losses: float = BETWEEN_LOSSES,
    ) -> None:
        self.folder, self.recover, self.restart, self.between_losses = folder, recover, restart, between_losses
        self.copies: dict[tuple[str, int, Round], Array] = {}  # by run, owner and round
        self.num_saved = self.num_restored = 0
        self._run: str | None = None

    @contextmanager
    def run(self, member: Member, name: str) -> Iterator[None]:
        """Save and restore the loops that run inside; ``name`` is the same for the same run, also after a restart."""
        self._run, self._round = name, Round(0, -1)
        self._visits, self._next_visit, self._interval = 0, 1, self.restart
        self._restored = self._recovered(member, name) if self.recover else None
        self._saved_at, self._visits_then = perf_counter(), 0
        try:
            yield
            self._drop(lambda key: key[0] == name)
        finally:
            self._run = None

    def visit(self, member: Member, step: int, state: State) -> State:
        """The state to go on with: the one given, which is saved if it is time, or the restored one."""
        if self._run is None:
            return state
        self._round = Round(self._round.loop + (step == 0), step)
        self._visits += 1
        if self._restored is not None and self._restored[0].loop == self._round.loop:
            (self._round, copy), self._restored = self._restored, None
            self.num_restored += 1
            return decoded(copy, state)
        if self._visits >= self._next_visit and self._is_due(member):
            self._save(member, state)
        return state

    def _is_due(self, member: Member) -> bool:
        """Whether to save now, which all members decide the same way; if not, when to ask again."""
        elapsed = float(member.all_reduce(perf_counter() - self._saved_at, np.maximum))
        visits = self._visits - self._visits_then
        left = (self._interval - elapsed) * visits / max(elapsed, 1e-9)  # visits at the pace so far
        self._next_visit = self._visits + int(min(max(left, 1), visits))  # the pace may change: ask again in time
        return elapsed >= self._interval

    def _save(self, member: Member, state: State) -> None:
        began, name, now = perf_counter(), str(self._run), self._round
        copy = encoded(state)
        ahead, behind = ((member.rank + sign * member.buddy) % member.size for sign in (1, -1))
        peers = sorted({ahead, behind} - {member.rank})
        parts = [copy if peer == ahead else copy[:0] for peer in peers]
        arrived = dict(zip(peers, member.transport.exchange(peers, parts), strict=True))
        kept = {key[2] for key in self.copies if key[0] == name}
        oldest = max(kept, default=now)  # a loss may come before all have this round, so the last one stays
        self._drop(lambda key: key[0] == name and key[2] < oldest)
        self.copies[name, member.rank, now] = copy
        if peers:
            self.copies[name, behind, now] = arrived[behind]
        if self.folder is not None:
            path = _path(self.folder, (name, member.rank, now))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".part").write_bytes(copy.data)
            path.with_suffix(".part").replace(path)
        self.num_saved += 1
        cost = float(member.all_reduce(perf_counter() - began, np.maximum))
        # Young's rule: with this interval, saving costs as much as the work that losses destroy.
        self._interval = max(self.restart, math.sqrt(2 * cost * self.between_losses / member.size))
        self._saved_at, self._visits_then = perf_counter(), self._visits
        self._next_visit = self._visits + 1

    def _recovered(self, member: Member, name: str) -> tuple[Round, Array] | None:
        """The state of this member in the last round that all have a copy of, from the member that has it."""
        if self.folder is not None:
            self._read_folder(name, member.rank)
        here = sorted(key[1:] for key in self.copies if key[0] == name)
        offers = member.all_gather("all", np.array([(owner, *each) for owner, each in here], np.int64).reshape(-1))
        holders: dict[Round, dict[int, int]] = {}  # of every round: who has the copy of which owner
        for rank, offer in enumerate(offers):
            for owner, loop, step in offer.reshape(-1, 3).tolist():
                holders.setdefault(Round(loop, step), {}).setdefault(owner, rank)
        complete = [each for each, owners in holders.items() if len(owners) == member.size]
        if not complete:
            self._drop(lambda key: key[0] == name)
            return None
        last = max(complete)
        sends = [owner for owner, rank in holders[last].items() if rank == member.rank]
        parts = [
            self.copies[name, rank, last] if rank in sends else np.empty(0, np.uint8) for rank in range(member.size)
        ]
        copy = member.all_to_all("all", parts)[holders[last][member.rank]]
        self._drop(lambda key: key[0] == name and key[2] != last)
        self.copies[name, member.rank, last] = copy
        return last, copy

    def _read_folder(self, name: str, rank: int) -> None:
        """Find this member's files of a run; a damaged one counts as missing."""
        for path in Path(str(self.folder), name).glob(f"*-*-{rank}.npz"):
            with suppress(ValueError, OSError, zipfile.BadZipFile):
                loop, step, _ = map(int, path.stem.split("-"))
                copy = np.frombuffer(path.read_bytes(), np.uint8)
                if zipfile.ZipFile(io.BytesIO(copy.tobytes())).testzip() is None:
                    self.copies.setdefault((name, rank, Round(loop, step)), copy)

    def _drop(self, matches: Any) -> None:
        for key in [key for key in self.copies if matches(key)]:
            del self.copies[key]
            if self.folder is not None:
                path = _path(self.folder, key)
                path.unlink(missing_ok=True)
                with suppress(OSError):  # others have files there
                    path.parent.rmdir()


def farthest_buddy(nodes: Sequence[str]) -> int:
    """How many ranks ahead a buddy is, so that as many as possible are on another node than the member."""
    size = len(nodes)
    return max(
        range(1, max(2, min(size, 64))), key=lambda k: sum(nodes[r] != nodes[(r + k) % size] for r in range(size))
    )


def encoded(state: State) -> Array:
    """Arrays and numbers as bytes, without pickles; every array has a checksum."""
    buffer = io.BytesIO()
    arrays = [np.asarray(value) for value in state]
    if any(array.dtype.hasobject for array in arrays):
        raise TypeError("a checkpoint takes arrays, numbers and lists of numbers")
    np.savez(buffer, *arrays)
    return np.frombuffer(buffer.getvalue(), np.uint8)


def decoded(copy: Array, like: Sequence[Any]) -> State:
    """The state in a copy, with the types of ``like``."""
    with PARSING, np.load(io.BytesIO(copy.tobytes()), allow_pickle=False) as arrays:
        saved = [arrays[f"arr_{place}"] for place in range(len(like))]
    return tuple(
        array if isinstance(given, np.ndarray) else array.tolist() if isinstance(given, list) else type(given)(array)
        for array, given in zip(saved, like, strict=True)
    )


def _path(folder: str, key: tuple[str, int, Round]) -> Path:
    name, rank, (loop, step) = key
    return Path(folder, name, f"{loop}-{step}-{rank}.npz")
