"""Workers: the Ray actors of a cluster, placed, connected with each other, watched, and replaced when they are lost."""

from __future__ import annotations

import math
import re
import secrets
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from clew.distributed import nodes
from clew.distributed.room import MORE_ROOM
from clew.engines.cluster.transport import LinkError
from clew.errors import ClewError, ClusterError

STARTED = 120  # seconds to wait for new workers
NEWS = 0.2  # seconds after which a wait for all workers checks whether one of them failed
CHECKED = 1  # seconds after which it asks whether their connections are well
CONNECTED = 15  # seconds to connect workers
GRACE, HURRY = 3, 1  # seconds that a worker has to answer before it counts as lost, and one that was silent
BUSY = 30  # seconds that a worker which answers has to end a call, such as one that compiles

SILENT = re.compile(r"worker (\d+) has been silent")  # as its neighbors say

Calls = dict[int, Any]  # Ray's references to the answers, by the rank of the worker


class LostWorkerError(ClusterError):
    """A worker is gone, or cut off."""


class Workers:
    """The actors of a cluster. ``broken`` says that some may be gone or not connected; ``repair`` mends that."""

    def __init__(self, ray: Any, count: int, cores: float, settings: dict[str, Any], transport: str) -> None:
        from clew.distributed.worker import Worker

        self._ray, self._cores, self._transport = ray, cores, transport
        self._remote, self._settings = ray.remote(Worker), {**settings, "own_process": True}
        self.actors: list[Any] = []
        self.about: list[dict[str, Any]] = []
        self.num_replaced, self._replaced = 0, set[int]()
        self.broken, self._was_connected = True, False
        self._unfinished: Calls = {}
        self._asked: tuple[float, Calls] = 0.0, {}  # whether they answer: since when, and the calls
        self._spares: dict[int, tuple[str, Any]] = {}  # for workers that may be lost: their nodes and actors
        self.actors = [self._new_actor("SPREAD", cores) for _ in range(count)]
        try:
            self.about = [{}] * count
            self._meet(range(count))
            self._connect()
        except BaseException:
            self.close()
            raise

    def _new_actor(self, strategy: Any, cores: float) -> Any:
        # Several calls at once: one that runs, one that stops it, and messages of others.
        options = {"num_cpus": cores, "max_concurrency": 4, "scheduling_strategy": strategy}
        if self._settings["gpus"]:
            options["num_gpus"] = 1
        return self._remote.options(**options).remote(**self._settings)

    def _meet(self, ranks: Iterable[int]) -> None:
        """Ask new workers who they are, and wait until they run."""
        ray, calls = self._ray, {rank: self.actors[rank].about.remote() for rank in ranks}
        ready, late = ray.wait(list(calls.values()), num_returns=len(calls), timeout=STARTED)
        if late:
            free = ray.available_resources().get("CPU", 0)
            raise ClusterError(
                f"the cluster started {len(ready)} of {len(calls)} workers in {STARTED} seconds; they need "
                f"{self._cores:g} cores each, and {free:g} cores are free.",
                remedy="Pass fewer workers.",
            )
        for rank, about in zip(sorted(calls), self.wait(calls), strict=True):
            self.about[rank] = about
        nodes.check_versions(self.about)

    def _connect(self) -> None:
        """Connect all workers with each other, under a new token."""
        homes = [each["node"] for each in self.about]
        again, self._was_connected = self._was_connected, True
        if self._transport != "ray":
            try:
                self._connect_by_sockets(homes, again)
            except LostWorkerError as error:
                if self._transport != "auto" or not isinstance(error.__cause__, LinkError) or self._lost():
                    raise
                warnings.warn(
                    f"{error.__cause__} Workers now send their messages through Ray's object store, which is slower.",
                    stacklevel=2,
                )
                self._transport = "ray"
        if self._transport == "ray":
            run, ranked = secrets.randbits(62), enumerate(self.actors)
            facts = self.actors, run, homes, again
            self.wait({rank: actor.connect_by_ray.remote(rank, *facts) for rank, actor in ranked}, CONNECTED)
        elif self._transport == "auto":
            self._transport = "sockets"
        self.broken = False

    def _connect_by_sockets(self, homes: Sequence[str], again: bool) -> None:
        by_node = {node["NodeID"]: node["NodeManagerAddress"] for node in self._ray.nodes()}
        unknown = [each["host"] for each in self.about if each["node"] not in by_node]
        if unknown:
            raise ClusterError(f"Ray knows no address of the worker on {unknown[0]}.", remedy="Check: ray status")
        hosts = [by_node[home] for home in homes]  # names of hosts say less: several may have the same
        hosts = ["127.0.0.1"] * len(hosts) if len(set(hosts)) == 1 else hosts
        ranked, token = list(enumerate(self.actors)), secrets.token_bytes(32)
        addresses = self.wait({rank: actor.listen.remote(hosts[rank]) for rank, actor in ranked}, CONNECTED)
        calls = {rank: actor.connect.remote(rank, addresses, token, homes, again) for rank, actor in ranked}
        self.wait(calls, CONNECTED + len(calls) / 50)

    def start(self, method: str, *args: Any) -> Calls:
        """Call a method of all workers at once."""
        return {rank: getattr(actor, method).remote(*args) for rank, actor in enumerate(self.actors)}

    def wait(self, calls: Calls, seconds: float = math.inf) -> list[Any]:
        """The answers of workers, by rank. After the first error all stop, and the error that caused the others rises.

        A loss is a ``LostWorkerError``, and so is no answer after some seconds. If the caller is interrupted, the
        workers stop too.
        """
        pending = {reference: rank for rank, reference in calls.items()}
        answers: dict[int, Any] = {}
        errors: list[BaseException] = []
        try:
            began = checked = time.monotonic()
            while pending and not errors:
                self._collect(pending, NEWS, answers, errors)
                now = time.monotonic()
                if now - began > seconds and pending:
                    late = min(pending.values())
                    errors.append(LostWorkerError(f"worker {late} has not answered for {seconds:g} seconds."))
                elif now - checked > CHECKED and not self.broken:
                    errors += self._ended_links()
                    checked = time.monotonic()
            if errors:
                self._stop()
                now = time.monotonic()
                self._start_spares(errors)
                while pending and time.monotonic() < now + (
                    HURRY if self._spares.keys() >= {*pending.values()} else GRACE
                ):
                    self._collect(pending, NEWS, answers, errors)
                    self._start_spares(errors)
        except BaseException:
            self._stop()
            raise
        finally:
            self._unfinished = {rank: reference for reference, rank in pending.items()}
        if not errors:
            return [answers[rank] for rank in sorted(answers)]
        first = min(errors, key=_causality)
        if isinstance(first, LinkError):
            raise LostWorkerError(str(first)) from first
        raise first

    def _collect(
        self, pending: dict[Any, int], seconds: float, answers: dict[int, Any], errors: list[BaseException]
    ) -> None:
        """Wait for all calls, or for some seconds, and return what has arrived."""
        done, _ = self._ray.wait(list(pending), num_returns=len(pending), timeout=seconds) if pending else ([], [])
        for reference in done:
            rank = pending.pop(reference)
            try:
                answers[rank] = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                errors.append(self._explained(rank, error))

    def _ended_links(self) -> list[LinkError]:
        """What workers noticed while no message was awaited, such as a neighbor that is silent."""
        calls = list(self.start("ended").values())
        done, _ = self._ray.wait(calls, num_returns=len(calls), timeout=CHECKED)
        with suppress(self._ray.exceptions.RayError):
            return [LinkError(f"{reason}.") for reason in self._ray.get(done) if reason]
        return []  # the call of a worker that died will say so

    def _stop(self) -> None:
        """End the connections of all workers, so that a call that is not done ends with an error."""
        self.broken = True
        self.start("disconnect")
        self._asked = time.monotonic(), self.start("about")

    def _start_spares(self, errors: Sequence[BaseException]) -> None:
        """Start a process in place of every worker that is said to be silent, while that worker has time to answer."""
        for rank in {int(found[1]) for error in errors if (found := SILENT.search(str(error)))} - self._spares.keys():
            (place,) = self._nodes_for([rank])
            self._spares[rank] = place.node_id, self._new_actor(place, 0)

    def _take_spares(self, lost: Sequence[int]) -> Calls:
        """The processes that were started for lost workers, but for those on nodes that are gone; the others end."""
        spares, self._spares = self._spares, {}
        alive = {each["node"] for rank, each in enumerate(self.about) if rank not in lost}
        taken = {rank: actor for rank, (node, actor) in spares.items() if rank in lost and node in alive}
        for rank in spares.keys() - taken.keys():
            self._ray.kill(spares[rank][1])
        return taken

    def _explained(self, rank: int, error: Any) -> BaseException:
        """The error of a worker's own code; the loss of a worker otherwise."""
        exceptions = self._ray.exceptions
        if isinstance(error, exceptions.RayTaskError):
            cause: BaseException = error.cause if isinstance(error.cause, Exception) else error
            if not isinstance(cause, ClewError) and cause is not error:
                cause.__cause__ = error  # a surprise: its text has the traceback in the worker
            return cause
        host = self.about[rank].get("host", "a node")
        if isinstance(error, exceptions.OutOfMemoryError):
            reason = str(error).splitlines()[0]
            return ClusterError(f"Ray ended worker {rank} on {host}, whose memory is full: {reason}", remedy=MORE_ROOM)
        return LostWorkerError(f"worker {rank} on {host} died.")

    def _lost(self) -> list[int]:
        """The workers that have not stopped in time, or do not answer."""
        (began, calls), unfinished = self._asked, self._unfinished
        if not calls:
            began, calls = time.monotonic(), self.start("about")
        self._asked, self._unfinished = (0.0, {}), {}
        silent = {rank: reference for rank, reference in calls.items() if rank in self._spares}
        lost = self._late({rank: reference for rank, reference in calls.items() if rank not in silent}, began + GRACE)
        lost |= self._late(silent, began + HURRY)
        for rank in calls.keys() - lost:
            try:
                self._ray.get(calls[rank])
            except self._ray.exceptions.RayError:
                lost.add(rank)
        busy = {rank: reference for rank, reference in unfinished.items() if rank not in lost}
        return sorted(lost | self._late(busy, time.monotonic() + BUSY))

    def _late(self, calls: Calls, deadline: float) -> set[int]:
        """The workers whose calls are not done in time."""
        references, seconds = list(calls.values()), max(0.0, deadline - time.monotonic())
        late = self._ray.wait(references, num_returns=len(calls), timeout=seconds)[1] if calls else []
        return {rank for rank, reference in calls.items() if reference in late}

    def take_replaced(self) -> set[int]:
        """The workers that were replaced since the last call, also by a repair that failed."""
        replaced, self._replaced = self._replaced, set()
        return replaced

    def repair(self) -> None:
        """Start workers in place of those that are gone, and connect all."""
        lost = self._lost()
        spares = self._take_spares(lost)
        for rank in lost:
            self._ray.kill(self.actors[rank])
        for rank, place in zip(lost, self._nodes_for(lost), strict=True):
            self.actors[rank] = spares[rank] if rank in spares else self._new_actor(place, 0)
            self.num_replaced += 1
            self._replaced.add(rank)
        if lost:
            self._meet(lost)
        self._connect()

    def _nodes_for(self, lost: Sequence[int]) -> list[Any]:
        """Where to start a worker for each lost one: the nodes with the fewest workers for their cores.

        Such a worker reserves no cores, because a node that is gone has taken its own along. A node that lost all its
        workers comes last: it may be gone, and Ray may not know yet.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        left = Counter(each["node"] for rank, each in enumerate(self.about) if rank not in lost)
        gone = {self.about[rank]["node"] for rank in lost} - left.keys()
        cores = {node["NodeID"]: node["Resources"].get("CPU", 1) for node in self._ray.nodes() if node["Alive"]}
        chosen = []
        for _ in lost:
            node = min(cores, key=lambda node: (node in gone, (left[node] + 1) / cores[node]))
            left[node] += 1
            chosen.append(NodeAffinitySchedulingStrategy(node, soft=True))
        return chosen

    def close(self) -> None:
        """End all workers."""
        for actor in (*self.actors, *(actor for _, actor in self._spares.values())):
            self._ray.kill(actor)
        self.actors, self._spares = [], {}


def _causality(error: BaseException) -> int:
    """Errors of the work itself come first, then losses that Ray saw, then their echoes in other workers."""
    return 2 if isinstance(error, LinkError) else 1 if isinstance(error, LostWorkerError) else 0
