"""How members of a run connect: each calls those before it and waits for those behind it.

Both sides prove that they know the token of the run before the first frame (HMAC over random challenges), so the token
itself never travels.
"""

from __future__ import annotations

import hmac
import secrets
import select
import socket
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from clew.engines.cluster.transport import SILENT, LinkError, Sockets

GREETING = b"clew cluster 2\n"


class Listener:
    """Where a member waits for the others: a TCP port of one address, and a Unix socket for those on the same host."""

    def __init__(self, host: str = "127.0.0.1", *, unix: bool = True) -> None:
        self.tcp = socket.create_server((host, 0), family=_family(host), backlog=1024)
        self.unix: socket.socket | None = None
        self.path = ""
        if unix:
            self.path = f"\0clew-{secrets.token_hex(16)}"  # the leading zero: a name without a file
            self.unix = socket.socket(socket.AF_UNIX)
            self.unix.bind(self.path)
            self.unix.listen(1024)

    @property
    def address(self) -> dict[str, Any]:
        """What the others need to connect."""
        host, port = self.tcp.getsockname()[:2]
        return {"host": host, "port": port, "path": self.path, "machine": _machine()}

    def connect(
        self,
        rank: int,
        addresses: Sequence[dict[str, Any]],
        token: bytes,
        timeout: float = 10.0,
        silent: float = SILENT,
    ) -> Sockets:
        """The transport of member ``rank``: it calls all members before it, and waits for all members behind it."""
        size = len(addresses)
        neighbors = {(rank + 1) % size, (rank - 1) % size} - {rank}
        # A connection for pulses greets with the rank plus the number of members.
        calls = [*range(rank), *(size + peer for peer in neighbors if peer < rank)]
        waits = {*range(rank + 1, size), *(size + peer for peer in neighbors if peer > rank)}
        links: dict[int, socket.socket] = {}
        try:
            for link in calls:
                pulse, peer = divmod(link, size)
                links[link] = _call(addresses[peer], rank + pulse * size, peer, token, timeout)
            deadline = time.monotonic() + timeout
            while waits - links.keys():
                link, accepted = self._accept(rank, token, deadline)
                if link in waits and link not in links:
                    links[link] = accepted
                else:
                    accepted.close()
        except BaseException:
            for each in links.values():
                each.close()
            raise
        finally:
            self.close()
        sockets = {link: each for link, each in links.items() if link < size}
        pulses = {link - size: each for link, each in links.items() if link >= size}
        run = int.from_bytes(hmac.digest(token, b"run", "sha256")[:7], "little")
        return Sockets(rank, sockets, run, pulses=pulses, silent=silent)

    def stop(self) -> None:
        """Let ``connect`` give up, from any thread."""
        for each in (self.tcp, self.unix):
            if each is not None:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more connections."""
        for each in (self.tcp, self.unix):
            if each is not None:
                each.close()

    def _accept(self, rank: int, token: bytes, deadline: float) -> tuple[int, socket.socket]:
        """The next member that knows the token; callers that do not are rejected."""
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([each for each in (self.tcp, self.unix) if each is not None], [], [], left)
            for server in ready:
                try:
                    accepted, _ = server.accept()
                except OSError:
                    raise LinkError("this worker stopped waiting for the others.") from None
                accepted.settimeout(min(left, 5.0))
                try:
                    return _greet_caller(accepted, rank, token), accepted
                except (OSError, LinkError):
                    accepted.close()
        raise LinkError("not all workers of the cluster connected in time.")


def _call(address: dict[str, Any], rank: int, peer: int, token: bytes, timeout: float) -> socket.socket:
    """A connection to member ``peer``, which has proved that it knows the token."""
    local = address["path"] and address["machine"] == _machine()
    connected = socket.socket(socket.AF_UNIX if local else _family(address["host"]))
    try:
        connected.settimeout(timeout)
        connected.connect(address["path"] if local else (address["host"], address["port"]))
        challenge = secrets.token_bytes(32)
        connected.sendall(GREETING + struct.pack("<q", rank) + challenge)
        theirs, proof = _read(connected, 32), _read(connected, 32)
        if not hmac.compare_digest(proof, _proof(token, challenge, peer)):
            raise LinkError(f"worker {peer} does not know the token of this run.")
        connected.sendall(_proof(token, theirs, rank))
    except OSError as error:
        connected.close()
        raise LinkError(f"worker {peer} at {address['host']} cannot be reached: {error}.") from None
    except LinkError:
        connected.close()
        raise
    return connected


def _greet_caller(accepted: socket.socket, rank: int, token: bytes) -> int:
    """The rank of a caller that has proved that it knows the token."""
    greeting = _read(accepted, len(GREETING) + 40)
    if not greeting.startswith(GREETING):
        raise LinkError("a caller is not a worker of clew.")
    peer = struct.unpack_from("<q", greeting, len(GREETING))[0]
    challenge = secrets.token_bytes(32)
    accepted.sendall(challenge + _proof(token, greeting[-32:], rank))
    if not hmac.compare_digest(_read(accepted, 32), _proof(token, challenge, peer)):
        raise LinkError("a caller does not know the token of this run.")
    return int(peer)


def _proof(token: bytes, challenge: bytes, rank: int) -> bytes:
    """What only a member can answer to a challenge. The rank is part of it, so no answer can be sent back."""
    return hmac.digest(token, challenge + struct.pack("<q", rank), "sha256")


def _read(connected: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        part = connected.recv(count - len(received))
        if not part:
            raise ConnectionError("the connection ended")
        received += part
    return received


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _machine() -> str:
    """The same for all processes that can share a Unix socket."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()
    return f"{boot.strip()} {Path('/proc/self/ns/net').readlink()}"
