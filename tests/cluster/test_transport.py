"""Frames between members, over socket pairs and over listeners, without Ray."""

from __future__ import annotations

import random
import socket
import threading
import time

import numpy as np
import pytest

from clew.engines.cluster import transport as transport_module
from clew.engines.cluster.listener import GREETING, Listener
from clew.engines.cluster.transport import Sockets
from clew.errors import ClusterError
from tests.cluster.team import mesh, together

TOKEN = b"0123456789abcdef"


@pytest.mark.parametrize("members", [1, 2, 3, 5])
def test_every_member_receives_what_the_others_sent(members: int) -> None:
    def talk(transport: Sockets) -> None:
        peers = [peer for peer in range(transport.size) if peer != transport.rank]
        for step in range(6):
            parts = [_content(transport.rank, peer, step) for peer in peers]
            for peer, part in zip(peers, transport.exchange(peers, parts), strict=True):
                assert np.array_equal(part, _content(peer, transport.rank, step))

    together(talk, mesh(members))


@pytest.mark.quick
def test_groups_of_members_exchange_at_their_own_pace() -> None:
    """Rows and columns of a grid: every pair counts its own exchanges."""

    def talk(transport: Sockets) -> None:
        beside, below = transport.rank ^ 1, transport.rank ^ 2
        for step in range(1, 4):
            for _ in range(step):
                assert transport.exchange([beside], [_content(transport.rank, beside, step)])[0].size
            transport.exchange([below], [_content(transport.rank, below, step)])

    together(talk, mesh(4))


def test_large_frames_in_both_directions_do_not_block_each_other() -> None:
    def talk(transport: Sockets) -> None:
        part = np.full(20_000_000, transport.rank, np.uint8)
        assert (transport.exchange([1 - transport.rank], [part])[0] == 1 - transport.rank).all()

    together(talk, mesh(2))


def test_a_loss_spreads_to_members_that_do_not_talk_to_the_lost_one() -> None:
    """Of four in a row, the last one is gone; the first talks to the second only."""
    transports = mesh(4)
    transports[3].close()
    began = time.monotonic()

    def talk(transport: Sockets) -> None:
        peers = [peer for peer in (transport.rank - 1, transport.rank + 1) if 0 <= peer < 4]
        for _ in range(1000):
            transport.exchange(peers, [np.zeros(8, np.uint8)] * len(peers))

    def notice(transport: Sockets) -> None:
        with pytest.raises(ClusterError, match="is gone"):
            talk(transport)

    together(notice, transports[:3])
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    "frame",
    [
        np.array([1, 0, 0, 8], np.int64).tobytes(),  # no magic
        b"GET / HTTP/1.1\r\n\r\n".ljust(64),
        np.array([0, 0, 0, -1], np.int64).tobytes(),
        None,  # right but for its length
    ],
)
def test_frames_that_do_not_belong_are_refused(frame: bytes | None) -> None:
    from clew.engines.cluster.transport import MAGIC

    ours, theirs = socket.socketpair()
    theirs.sendall(np.array([MAGIC, 0, 0, 1 << 40], np.int64).tobytes() if frame is None else frame)
    with theirs:
        transport = Sockets(0, {1: ours})
        with pytest.raises(ClusterError, match="does not belong"):
            transport.exchange([1], [np.zeros(8, np.uint8)], most=1 << 20)
        with pytest.raises(ClusterError, match="closed"):
            transport.exchange([1], [np.zeros(8, np.uint8)])


def test_damaged_frames_end_the_exchange_or_are_what_was_sent() -> None:
    """A header with any change is refused; lengths never make a receiver take more than it allows."""
    chosen = random.Random(5)
    for _ in range(300):
        content = chosen.randbytes(chosen.choice([0, 1, 40, 3000]))
        frame = bytearray(np.array([transport_module.MAGIC, 7, 0, len(content)], np.int64).tobytes() + content)
        place = chosen.randrange(32)
        damage = chosen.choice(["flip", "cut", "insert", "noise", "none"])
        if damage == "flip":
            frame[place] ^= 1 << chosen.randrange(8)
        elif damage == "cut":
            del frame[chosen.randrange(len(frame)) :]
        elif damage == "insert":
            frame[place:place] = chosen.randbytes(chosen.randrange(1, 9))
        elif damage == "noise":
            frame = bytearray(chosen.randbytes(64))
        ours, theirs = socket.socketpair()
        transport = Sockets(0, {1: ours}, run=7)
        theirs.sendall(frame)
        theirs.shutdown(socket.SHUT_WR)
        with theirs:
            try:
                (arrived,) = transport.exchange([1], [np.zeros(8, np.uint8)], most=4096)
            except ClusterError:
                assert damage != "none"
            else:
                # A shorter length is the only change of a header that leaves a frame.
                assert content.startswith(arrived.tobytes()[: len(content)])
                assert damage in ("none", "flip", "insert")
                assert damage != "none" or arrived.tobytes() == content
        transport.close()


def test_noise_at_a_listener_keeps_nobody_out() -> None:
    chosen = random.Random(6)
    listeners = [Listener(unix=False), Listener(unix=False)]
    addresses = [listener.address for listener in listeners]

    def disturb(listener: Listener) -> None:
        for _ in range(30):
            with socket.create_connection((addresses[0]["host"], addresses[0]["port"])) as stranger:
                start = chosen.choice([b"", GREETING, GREETING + (1).to_bytes(8, "little")])
                stranger.sendall(start + chosen.randbytes(chosen.randrange(120)))
        listener.connect(1, addresses, TOKEN).close()

    together(lambda rank: disturb(listeners[1]) if rank else listeners[0].connect(0, addresses, TOKEN).close(), [0, 1])


def test_half_a_frame_and_then_silence_is_noticed() -> None:
    ours, theirs = socket.socketpair()
    theirs.sendall(b"clew")
    transport = Sockets(0, {1: ours}, stalled=1.0)
    with theirs, pytest.raises(ClusterError, match=r"no byte came from worker 1 for 1 seconds"):
        transport.exchange([1], [np.zeros(8, np.uint8)])


def test_a_peer_that_computes_for_long_is_not_taken_for_a_stalled_one() -> None:
    """Pulses come from a thread that needs no GIL. Without them, silence is all that a member notices."""
    listeners = [Listener(), Listener()]
    addresses = [listener.address for listener in listeners]

    def talk(listener: Listener) -> None:
        transport = listener.connect(listeners.index(listener), addresses, TOKEN)
        transport.stalled = 0.1
        if transport.rank == 1:
            time.sleep(2.5)
        assert transport.exchange([1 - transport.rank], [np.zeros(8, np.uint8)])[0].size == 8
        transport.close()

    together(talk, listeners)


@pytest.mark.parametrize("end", ["silent", "closed"])
def test_pulses_notice_a_neighbor_that_is_stopped_or_gone(end: str) -> None:
    """The member computes and the other one has nothing to send; only the pulses show the loss."""
    ours, theirs = socket.socketpair()
    pulse, their_pulse = socket.socketpair()
    transport = Sockets(0, {1: ours}, pulses={1: pulse}, silent=1)
    if end == "closed":
        their_pulse.close()
    began = time.monotonic()
    with theirs, their_pulse, pytest.raises(ClusterError, match="silent for 1.25" if end == "silent" else "is gone"):
        transport.exchange([1], [np.zeros(8, np.uint8)])
    assert time.monotonic() - began < 3


def test_another_thread_may_close_a_transport_that_waits() -> None:
    ours, theirs = socket.socketpair()
    transport = Sockets(0, {1: ours})
    threading.Timer(0.2, transport.close).start()
    began = time.monotonic()
    with theirs, pytest.raises(ClusterError, match="the run was stopped"):
        transport.exchange([1], [np.zeros(8, np.uint8)])
    assert time.monotonic() - began < 1
    assert theirs.fileno() == -1


@pytest.mark.parametrize("unix", [False, True])
def test_listeners_connect_all_members(unix: bool) -> None:
    listeners = [Listener(unix=unix) for _ in range(3)]
    addresses = [listener.address for listener in listeners]
    all_through = threading.Barrier(3, timeout=60)

    def meet(listener: Listener) -> None:
        transport = listener.connect(listeners.index(listener), addresses, TOKEN)
        peers = [peer for peer in range(3) if peer != transport.rank]
        parts = transport.exchange(peers, [np.array([transport.rank], np.uint8)] * 2)
        assert [int(part[0]) for part in parts] == peers
        all_through.wait()  # a socket that closes with a pulse unread takes along what its peer has not read
        transport.close()

    together(meet, listeners)


def test_callers_without_the_token_are_turned_away() -> None:
    """Neither a stranger nor a caller with another token gets in, and the right caller still does."""
    listeners = [Listener(), Listener()]
    addresses = [listener.address for listener in listeners]
    impostor = Listener()

    def wait(listener: Listener) -> None:
        listener.connect(0, addresses, TOKEN).close()

    def intrude(listener: Listener) -> None:
        with socket.create_connection((addresses[0]["host"], addresses[0]["port"])) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n".ljust(64))
            with pytest.raises(ClusterError):
                impostor.connect(1, addresses, b"another token", timeout=5)
        listener.connect(1, addresses, TOKEN).close()

    together(lambda each: each[0](each[1]), [(wait, listeners[0]), (intrude, listeners[1])])


def _content(sender: int, receiver: int, step: int) -> np.ndarray:
    size = (0, 1, 40, 5_000, 300_000, 0)[step % 6] + sender
    return np.random.default_rng(sender * 100 + receiver * 10 + step).integers(0, 255, size).astype(np.uint8)
