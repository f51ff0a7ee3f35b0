"""Worker: what runs in every process of a cluster. It holds shares of graphs and results."""

from __future__ import annotations

import functools
import os
import platform
import resource
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.registry import load_plugins
from clew.distributed.calls import call_algorithm, rehearse
from clew.distributed.carrier import RayCarrier
from clew.distributed.generating import generated_share
from clew.distributed.identity import digest_of
from clew.distributed.kept import Kept, about, column_for, kept_of, table_of
from clew.distributed.loading import read_share
from clew.distributed.locality import by_locality
from clew.distributed.room import MORE_ROOM
from clew.distributed.spares import open_spare, write_spare
from clew.distributed.tiles import open_share, write_share
from clew.dtypes import Array
from clew.engines.base import keep_little_memory, return_free_memory
from clew.engines.cluster.checkpoints import Checkpoints, farthest_buddy
from clew.engines.cluster.listener import Listener
from clew.engines.cluster.mailbox import Mailbox
from clew.engines.cluster.member import Member
from clew.engines.cluster.mending import Mending, placed
from clew.engines.cluster.nccl import CupyGpu, Nccl
from clew.engines.cluster.partition import Partition
from clew.engines.cluster.ranges import cut_here
from clew.engines.cluster.share import Share, build_share, edge_ends
from clew.engines.cluster.transport import SILENT, Sockets, Transport
from clew.errors import ClewError, ClusterError
from clew.free_memory import memory_pools
from clew.io.parts import Piece
from clew.io.tiles import Header, Tile
from clew.names import VertexNames
from clew.primitives import cluster
from clew.result import Result

LARGE = ("spread", "read", "generate", "open_tiles", "derive", "run")  # calls after which much memory is free again


def collective(method: Callable[..., Any]) -> Callable[..., Any]:
    """End the connections of a worker whose call fails, or the others would wait for it."""

    @functools.wraps(method)
    def call(worker: Worker, *args: Any) -> Any:
        try:
            found = method(worker, *args)
            if method.__name__ in LARGE:
                worker.member.mending = None
                return_free_memory()
            return found
        except BaseException as error:
            worker.disconnect()
            if isinstance(error, MemoryError) and not isinstance(error, ClewError):
                raise ClusterError(
                    f"a worker on {socket.gethostname()} has too little memory: {error or 'no room for an array'}; "
                    f"{worker.free_bytes():,} bytes are free.",
                    remedy=MORE_ROOM,
                ) from None
            raise

    return call


class Worker:
    """One member of a cluster; the driver calls the same method of all of them at once."""

    def __init__(
        self,
        num_threads: int,
        gpus: bool = False,
        nccl: bool = False,
        silent: float = SILENT,
        own_process: bool = False,
        **saving: Any,
    ) -> None:
        if own_process:
            keep_little_memory()
        threads.set_count(num_threads)
        load_plugins()
        self._device, self._nccl, self._silent = "cuda" if gpus else "cpu", nccl, silent
        self._member: Member | None = None
        self._listener: Listener | None = None
        self._mailbox: Mailbox | None = None
        self._shares: dict[int, Share] = {}
        self._results: dict[int, Kept] = {}
        self._bytes_read = 0
        self._checkpoints = Checkpoints(**saving)

    def about(self) -> dict[str, Any]:
        """The versions, the host and the node of this worker."""
        import ray

        from clew import __version__

        node = ray.get_runtime_context().get_node_id()
        versions = {"clew": __version__, "python": platform.python_version()}
        place = {"host": socket.gethostname(), "node": node, "pid": os.getpid()}
        return {**versions, **place, "threads": threads.count()}

    def progress(self) -> int:
        """The superstep that this worker is in; the driver asks while a run goes on."""
        return 0 if self._member is None else self._member.superstep

    def free_bytes(self) -> int:
        """The bytes of memory that this process may still use."""
        return min(self.memory_pools().values())

    def memory_pools(self) -> dict[str, int]:
        """The bytes left in every memory that this process takes from, by a name that its node knows it by."""
        pools, (limit, _) = memory_pools(), resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            pools[f"process {os.getpid()}"] = max(0, limit - used)
        return pools

    def listen(self, host: str) -> dict[str, Any]:
        """Wait for the other workers; returns the address."""
        self.disconnect()
        self._listener = Listener(host)
        return self._listener.address

    @collective
    def connect(
        self, rank: int, addresses: Sequence[dict[str, Any]], token: bytes, nodes: Sequence[str], again: bool
    ) -> None:
        """Connect with all other workers, as member ``rank``.

        ``nodes`` says which workers may be lost together. ``again`` says that some may have checkpoints of a run.
        """
        if self._listener is None:
            raise ClusterError("this worker does not listen yet.")
        links = self._listener.connect(rank, addresses, token, silent=self._silent)
        self._join(Nccl(links, CupyGpu(links)) if self._nccl else links, nodes, again)

    def connect_by_ray(self, rank: int, workers: Sequence[Any], run: int, nodes: Sequence[str], again: bool) -> None:
        """The same with messages through Ray; ``workers`` are the handles of all."""
        self.disconnect()
        self._mailbox = Mailbox(rank, len(workers), RayCarrier(workers), run)
        self._join(self._mailbox, nodes, again)

    def deliver(self, sender: int, run: int, step: int, part: Any) -> None:
        """Take a message of another worker."""
        if self._mailbox is not None:
            self._mailbox.deliver(sender, run, step, part)

    def _join(self, transport: Transport, nodes: Sequence[str], again: bool) -> None:
        self._member = Member(transport, self._checkpoints, farthest_buddy(nodes))
        self._member.device = self._device
        self._checkpoints.recover |= again
        for share in self._shares.values():
            share.connect(self._member)

    def ended(self) -> str:
        """Why this worker has no connections; empty if it has."""
        return "" if self._member is None else self._member.transport.ended

    def disconnect(self) -> None:
        """End all connections; a run that waits for a peer ends with an error."""
        if self._listener is not None:
            self._listener.stop()
        if self._member is not None:
            self._member.transport.close()

    @collective
    def spread(
        self, key: int, rows: tuple[int, Array, Array, Array | None], facts: Mapping[str, Any], names: Any
    ) -> dict[str, Any]:
        """Take part in building a graph from rows that a process has: the first row, its offsets, targets, weights."""
        first, indptr, indices, weights = rows
        source = np.repeat(np.arange(first, first + indptr.size - 1), np.diff(indptr))
        share = build_share(
            self.member,
            source,
            indices.astype(np.int64),
            None if weights is None else np.asarray(weights),
            facts["num_vertices"],
            directed=facts["directed"],
        )
        share = by_locality(share)
        if names is not None:
            share = share.with_names(VertexNames.trusted(names.take(share.ids)))
        self._shares[key] = share
        return self.describe(key)

    @collective
    def read(self, key: int, pieces: Sequence[Sequence[Piece]], options: dict[str, Any]) -> dict[str, Any]:
        """Read this worker's pieces of files, and take part in building the graph of all files."""
        self._shares[key] = read_share(self.member, pieces, options, self._note_bytes_read)
        return self.describe(key)

    def _note_bytes_read(self, done: int) -> None:
        self._bytes_read = done

    def bytes_read(self) -> int:
        """The stored bytes that this worker has read of its pieces of files, at any moment."""
        return self._bytes_read

    @collective
    def generate(self, key: int, name: str, args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
        """Draw this worker's share of the edges of a generator, and take part in building the graph."""
        self._shares[key] = generated_share(self.member, name, args, options)
        return self.describe(key)

    @collective
    def open_tiles(self, key: int, path: str, options: dict[str, Any]) -> dict[str, Any]:
        """Take part in opening a folder of tiles."""
        self._shares[key] = open_share(self.member, path, options)
        return self.describe(key)

    def placed(self, key: int) -> tuple[Partition, dict[str, Any]]:
        """Where the vertices of a graph are, and its facts, for a worker that replaces a lost one."""
        return placed(self._shares[key])

    def mend(self, key: int, known: tuple[Partition, dict[str, Any]], lost: Sequence[int]) -> None:
        """Let the next call, which builds this graph again, bring edges to the workers that replace lost ones only."""
        share = None if self.member.rank in lost else self._shares[key]
        self.member.mending = Mending(frozenset(lost), *known, share)

    def write_spare(self, key: int, folder: str) -> None:
        """Write this worker's part of a graph where the worker that may replace it finds it."""
        write_spare(self._shares[key], folder)

    def open_spare(self, key: int, known: tuple[Partition, dict[str, Any]], folder: str) -> bool:
        """Open the part of a lost worker; returns whether it was there."""
        share = open_spare(self.member, *known, folder)
        if share is not None:
            self._shares[key] = share
        return share is not None

    @collective
    def write_tiles(self, key: int, folder: str) -> tuple[Header, Tile]:
        """Write this worker's tile of a graph; returns what the header of the folder says about all and about it."""
        return write_share(self._shares[key], folder)

    def describe(self, key: int) -> dict[str, Any]:
        """The facts of a graph, and the bytes of this worker's share."""
        share = self._shares[key]
        return {
            "num_vertices": share.num_vertices,
            "num_arcs": share.num_arcs,
            "num_loops": share.num_loops,
            "directed": share.directed,
            "weights": None if share.weights is None else share.weights.dtype.str,
            "names": share.name_type,
            "report": share.report,
            "nbytes": share.block.nbytes + share.ids.nbytes,
            "cut": cut_here(share),
        }

    @collective
    def derive(self, key: int, origin: int, method: str, args: tuple[Any, ...]) -> dict[str, Any]:
        """Take part in making a graph from another one by a method of its shares."""
        self._shares[key] = getattr(self._shares[origin], method)(*args)
        return self.describe(key)

    @collective
    def degrees(self, key: int, transpose: bool) -> tuple[Array, Array]:
        """The ids of this worker's vertices, and their degrees."""
        share = self._shares[key]
        return share.ids, share.own_degrees(transpose=transpose)

    @collective
    def degree_counts(self, key: int, transpose: bool) -> tuple[Array, Array, int]:
        """The distinct degrees of this worker's vertices, how often each occurs, and the isolated vertices."""
        share = self._shares[key]
        degrees = share.own_degrees(transpose=transpose)
        alone = (degrees == 0) & (share.own_degrees(transpose=not transpose) == 0) if share.directed else degrees == 0
        return *np.unique(degrees, return_counts=True), int(alone.sum())

    @collective
    def run(
        self, key: int, result: int, name: str, args: tuple[Any, ...], options: dict[str, Any], saved_as: str | None
    ) -> dict[str, Any]:
        """Take part in a run of an algorithm; the values stay here, the facts are returned.

        ``saved_as`` names its checkpoints in a folder. Without one, they have the name of the result.
        """
        share = self._shares[key]
        self.member.superstep = 0
        saved_as = str(result) if saved_as is None else f"{saved_as}-{digest_of(share)}"
        with self._checkpoints.run(self.member, saved_as):
            found = call_algorithm(share, name, args, options)
        for routes in share._routes.values():
            routes.rest()
        kept = self._results[result] = kept_of(share, found)
        return about(share, kept, found) if self.member.rank == 0 else {}

    @collective
    def product(self, key: int, name: str, x: Any, semiring: Any, transpose: bool, device: str) -> tuple[Array, Array]:
        """Take part in a product with a vector; returns ids of this worker's vertices, and the entries there."""
        share = self._shares[key]
        if name == "spmspv":
            return cluster.spmspv_here(share, x, semiring, transpose, device)
        return share.ids, cluster.spmv_here(share, x[share.ids], semiring, transpose, device)

    @collective
    def multiply(
        self, key: int, result: int, column: tuple[int, str], semiring: Any, transpose: bool, device: str
    ) -> dict[str, Any]:
        """Take part in a product with a column of a result; the entries stay here, the facts are returned."""
        share = self._shares[key]
        own = column_for(share, self._results[column[0]], column[1])
        found = Result("spmv", {"value": cluster.spmv_here(share, own, semiring, transpose, device)}, vertices=())
        kept = self._results[result] = kept_of(share, found)
        return about(share, kept, found) if self.member.rank == 0 else {}

    def rehearse(self, name: str, args: tuple[Any, ...], options: dict[str, Any], weights: str | None) -> None:
        """Run the same on three vertices, alone: what it compiles, the other workers of this node load from disk."""
        # Compiled forms need sockets, so those with a mailbox rehearse the generic forms.
        alone = Member(Sockets(0, {}) if self.member.has_sockets else Mailbox(0, 1, RayCarrier([]), 0))
        alone.device = self._device
        rehearse(alone, name, args, options, weights)

    def column(self, result: int, name: str) -> tuple[Array, Array]:
        """The ids of this worker's vertices, and a column of their values."""
        ids, found, *_ = self._results[result]
        return ids, found.values[name]

    def fact(self, result: int, name: str) -> tuple[Array, Array]:
        """The keys and entries of a fact that is an array, of this worker."""
        return self._results[result].facts[name]

    def top(self, result: int, k: int, by: str | None, smallest: bool) -> tuple[Array, dict[str, Array]]:
        """The ids and values of this worker's first vertices by a column."""
        ids, found, *_ = self._results[result]
        chosen = found.ranked(k, by, smallest=smallest)
        return ids[chosen], {name: column[chosen] for name, column in found.values.items()}

    def names_of(self, key: int, ids: Array) -> tuple[Array, list[Any]]:
        """Which of some vertices are here, and their names."""
        share = self._shares[key]
        owner, local = share.partition.place(ids)
        here = np.flatnonzero(owner == self.member.rank)
        names = share._names
        return here, [] if names is None else list(names.take(local[here]).to_pylist())

    def values_of(self, result: int, ids: Array) -> tuple[Array, dict[str, Array]]:
        """Which of some vertices are here, and their values."""
        mine, found, *_ = self._results[result]
        here, place = np.flatnonzero(np.isin(ids, mine)), np.searchsorted(mine, ids)
        return here, {name: column[place[here]] for name, column in found.values.items()}

    def values_between(self, result: int, first: int, second: int) -> tuple[Array, dict[str, Array]]:
        """Which entries here are for edges from one vertex to another, and their values."""
        numbers, found, *_ = self._results[result]
        here = np.flatnonzero((found.values["source"] == first) & (found.values["target"] == second))
        return numbers[here], {name: column[here] for name, column in found.values.items()}

    @collective
    def vertex(self, key: int, name: Any) -> int:
        """The id of a named vertex; all workers are asked."""
        return self._shares[key].vertex(name)

    @collective
    def write(self, result: int, key: int, folder: str, vertices: Sequence[str]) -> str:
        """Write this worker's rows of a result as one Parquet file; returns its path. ``vertices`` are columns of ids.

        All workers call this together: the name of a parent may be on another worker.
        """
        import pyarrow.parquet as pq

        table = table_of(self._shares[key], self._results[result], vertices)
        path = Path(folder) / f"part-{self.member.rank:05}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path.with_suffix(".unfinished"))
        path.with_suffix(".unfinished").rename(path)
        return str(path)

    def rows(self, key: int) -> tuple[Array, Array, Array | None]:
        """The edges of this worker's block, by the ids of both ends."""
        share = self._shares[key]
        return *edge_ends(share), share.block.weights

    def forget(self, keys: Sequence[int]) -> None:
        """Free graphs and results."""
        for key in keys:
            self._shares.pop(key, None)
            self._results.pop(key, None)

    @property
    def member(self) -> Member:
        """The place among the workers."""
        if self._member is None:
            raise ClusterError("this worker is not connected with the others.")
        return self._member
