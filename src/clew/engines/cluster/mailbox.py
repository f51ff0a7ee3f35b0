"""A transport without connections: something else carries the messages, such as Ray, which needs no open ports."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from clew.engines.cluster.transport import PATIENCE, STALLED, Bytes, LinkError

PING, END = -1, -2  # steps of messages that are no part of an exchange
NOTHING = np.empty(0, np.uint8)


class Carrier(Protocol):
    """What brings messages to the mailboxes of other members."""

    def send(self, peer: int, sender: int, run: int, step: int, part: Bytes) -> Any:
        """Send a message; returns a receipt."""

    def delivered(self, receipt: Any) -> bool | None:
        """Whether the message was delivered: None while it is on its way, False if its receiver is gone."""


class Mailbox:
    """A transport whose messages arrive in ``deliver``, which any thread may call."""

    def __init__(self, rank: int, size: int, carrier: Carrier, run: int, stalled: float = STALLED) -> None:
        self.rank, self.size, self.run, self.stalled = rank, size, run, stalled
        self.steps = dict.fromkeys(range(size), 0)
        self.bytes_sent = 0
        self._carrier = carrier
        self._inbox: dict[tuple[int, int], Bytes] = {}
        self._arrived = threading.Condition()
        self.ended = ""

    def deliver(self, sender: int, run: int, step: int, part: Bytes) -> None:
        """Take a message; one of another run is dropped."""
        with self._arrived:
            if run == self.run and step == END:
                self.ended = self.ended or f"worker {sender} has ended its part of the run"
            elif run == self.run and step != PING:
                self._inbox[sender, step] = part
            self._arrived.notify_all()

    def exchange(
        self, peers: Sequence[int], parts: Sequence[Bytes], most: int = 1 << 62, rooms: Sequence[Bytes] | None = None
    ) -> Sequence[Bytes]:
        """Send a part to every peer and receive one from each; see ``Transport``."""
        expected = [(peer, self.steps[peer]) for peer in peers]
        receipts: list[tuple[int, Any]] = []
        for (peer, step), part in zip(expected, parts, strict=True):
            self.steps[peer] += 1
            self.bytes_sent += part.size
            receipts.append((peer, self._carrier.send(peer, self.rank, self.run, step, part)))
        began = time.monotonic()
        with self._arrived:
            while late := [peer for peer, step in expected if (peer, step) not in self._inbox]:
                if self.ended:
                    raise LinkError(f"{self.ended}. The run on the cluster has stopped.")
                if self._arrived.wait(PATIENCE):
                    continue
                stalled = time.monotonic() - began > self.stalled
                receipts = self._on_their_way(receipts, stalled=stalled)
                if stalled:  # a peer that computes answers a ping, and one that is stopped does not
                    receipts += [(peer, self._carrier.send(peer, self.rank, self.run, PING, NOTHING)) for peer in late]
                    began = time.monotonic()
            arrived = [self._inbox.pop(each) for each in expected]
        sizes = [most] * len(peers) if rooms is None else [room.size for room in rooms]
        for peer, part, size in zip(peers, arrived, sizes, strict=True):
            if part.size > size:
                self._fail(f"worker {peer} sent a message that does not belong to this exchange")
        if rooms is not None:
            for room, part in zip(rooms, arrived, strict=True):
                room[: part.size] = part
            return [room[: part.size] for room, part in zip(rooms, arrived, strict=True)]
        return [part if part.flags.writeable else part.copy() for part in arrived]

    def close(self) -> None:
        """End this member's part of the run, which the others notice at once."""
        self._end("the run was stopped")

    def _on_their_way(self, receipts: Sequence[tuple[int, Any]], *, stalled: bool) -> list[tuple[int, Any]]:
        """The messages that are not delivered yet; the run ends if one cannot be."""
        states = [(peer, receipt, self._carrier.delivered(receipt)) for peer, receipt in receipts]
        for peer, _, state in states:
            if state is False:
                self._fail(f"worker {peer} is gone")
            if state is None and stalled:
                self._fail(f"worker {peer} has been silent for {self.stalled:g} seconds")
        return [(peer, receipt) for peer, receipt, state in states if state is None]

    def _end(self, reason: str) -> None:
        with self._arrived:
            if self.ended:
                return
            self.ended = reason
            self._arrived.notify_all()
        for peer in range(self.size):
            if peer != self.rank:
                self._carrier.send(peer, self.rank, self.run, END, NOTHING)

    def _fail(self, reason: str) -> None:
        self._end(reason)
        raise LinkError(f"{self.ended}. The run on the cluster has stopped.")
