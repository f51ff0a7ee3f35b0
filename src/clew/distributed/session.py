"""``clew.cluster``: workers on a Ray cluster, started or joined, connected with each other, and given back."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

from clew import checks, io
from clew.distributed import nodes
from clew.distributed.actors import Calls, Workers
from clew.distributed.generating import Generators
from clew.distributed.graph import ClusterGraph
from clew.distributed.identity import identity
from clew.distributed.loading import assign_files, files_of
from clew.distributed.progress import watched
from clew.distributed.recovery import Recipe, Recovery
from clew.distributed.room import bytes_of_files, bytes_of_tiles, check_room, free_bytes
from clew.distributed.tiles import tiles_at
from clew.engines.cluster.partition import Grid
from clew.errors import ClusterError, GraphError
from clew.graph import Graph
from clew.progress import showing

TRANSPORTS = ("auto", "sockets", "ray", "nccl")

_current: list[Cluster] = []


def cluster(
    workers: int | None = None,
    *,
    address: str | None = None,
    transport: str = "auto",
    checkpoints: str | Path | None = None,
    resume: str | Path | None = None,
    gpus: bool = False,
) -> Cluster:
    """Start workers for graphs that one process cannot hold, or not fast enough.

    Parameters
    ----------
    workers
        The number of worker processes; by default one for every core of this machine, or every node of a cluster.
    address
        None starts Ray on this machine. "auto" joins the cluster that this machine is part of, and
        "ray://host:10001" one that is elsewhere.
    transport
        "sockets" connects workers with each other directly. "ray" sends messages through Ray's object store, which
        needs no open ports and is slower. "nccl" sends long messages between GPUs; it has not run on hardware yet.
        "auto" uses sockets if all workers can connect.
    checkpoints
        A folder that all workers see. Long runs save their state there, besides in each other's memory.
    resume
        Such a folder of an earlier process. A run that was interrupted there continues when it is started again with
        the same graph, the same arguments and as many workers. Runs save their state to the same folder.
    gpus
        Give every worker a GPU of its own, for products with its edges and for the edges of vertex programs.

    Returns
    -------
    Cluster
        Use it in a ``with`` statement; at its end all workers stop.

    Examples
    --------
    >>> import clew
    >>> with clew.cluster(workers=4):  # doctest: +SKIP
    ...     g = clew.generate.kronecker(16).spread()
    ...     ranks = clew.pagerank(g).top(3)
    """
    if workers is not None:
        workers = checks.whole("workers", workers, 1, 4096)
    checks.one_of("transport", transport, TRANSPORTS)
    if transport == "nccl" and not checks.flag("gpus", gpus):
        raise ClusterError('transport="nccl" connects GPUs, and needs gpus=True.')
    folder = resume if checkpoints is None else checkpoints
    if None not in (checkpoints, resume) and Path(str(checkpoints)).absolute() != Path(str(resume)).absolute():
        raise ClusterError(
            f"checkpoints is {str(checkpoints)!r} and resume is {str(resume)!r}; expected the same folder.",
            remedy="Pass resume alone.",
        )
    saving = {"folder": None if folder is None else str(Path(folder).absolute()), "recover": resume is not None}
    return Cluster(workers, address, transport, saving, gpus=checks.flag("gpus", gpus))


def current() -> Cluster:
    """The innermost cluster that is open."""
    if not _current:
        raise ClusterError("no cluster is open.", remedy="Put the call into: with clew.cluster(workers=4): ...")
    return _current[-1]


class Cluster:
    """Workers that hold graphs together; see ``clew.cluster``."""

    def __init__(
        self, workers: int | None, address: str | None, transport: str, saving: dict[str, Any], *, gpus: bool = False
    ) -> None:
        self._ray = nodes.import_ray()
        if _current:
            raise ClusterError("a cluster is open already; clusters cannot be nested. Leave the with statement first.")
        self._keys = itertools.count(1)
        self._lock = threading.Lock()
        self._forgotten: list[int] = []
        self._recovery = Recovery(saving["folder"])
        self._rehearsed: set[tuple[Any, ...]] = set()
        self._saving = saving
        self._workers: Workers | None = None
        self._started_ray = address is None and not self._ray.is_initialized()
        try:
            count, threads = self._start_ray(workers) if address is None else self._join_ray(workers, address)
            self.grid = Grid(count)
            cores = 1 if address is None else threads
            settings = {"num_threads": threads, "gpus": gpus, "nccl": transport == "nccl", **saving}
            self._check_gpus(count if gpus else 0)
            self._workers = Workers(self._ray, count, cores, settings, transport)
        except BaseException:
            self.close()
            raise
        _current.append(self)
        io.on_cluster = self.read

    # ------------------------------------------------------------------ life

    def _check_gpus(self, count: int) -> None:
        """Reject more workers with a GPU than the cluster has GPUs: Ray would wait for them."""
        there = int(self._ray.cluster_resources().get("GPU", 0))
        if there < count:
            raise ClusterError(
                f"{checks.counted(count, 'worker')} with a GPU each need {count} GPUs, and the cluster has {there}.",
                remedy="Pass fewer workers, or omit gpus.",
            )

    def _start_ray(self, workers: int | None) -> tuple[int, int]:
        """Start Ray here unless it runs; the number of workers, and of threads each."""
        cores = len(os.sched_getaffinity(0))
        count = workers or cores
        if self._started_ray:
            with nodes.without_services():
                self._ray.init(
                    address="local",  # or Ray joins a cluster that runs here, which was not requested
                    num_cpus=max(count, cores),
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level="ERROR",
                    configure_logging=False,
                )
        return count, max(1, cores // count)

    def _join_ray(self, workers: int | None, address: str) -> tuple[int, int]:
        """Join a cluster that runs; the number of workers, and of threads each."""
        nodes.join(address)
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        count = workers or len(alive)
        return count, nodes.threads_each([int(node["Resources"].get("CPU", 1)) for node in alive], count)

    def close(self) -> None:
        """Stop all workers; graphs and results on them are gone."""
        if self in _current:
            _current.remove(self)
            io.on_cluster = None
        workers, self._workers = self._workers, None
        if workers is not None:
            workers.close()
        self._recovery.close()
        if self._started_ray:
            self._ray.shutdown()
            self._started_ray = False

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._workers is None:
            return "Cluster: closed"
        workers = f"{checks.counted(self.grid.workers, 'worker')} ({self.grid.rows} × {self.grid.columns})"
        return f"Cluster: {workers} on {checks.counted(len({each['host'] for each in self.workers}), 'host')}"

    @property
    def workers(self) -> list[dict[str, Any]]:
        """The version, host, node and process of every worker."""
        return self._open().about

    @property
    def num_replaced(self) -> int:
        """The number of workers that were lost, and replaced."""
        return self._open().num_replaced

    # ------------------------------------------------------------------ work

    def spread(self, graph: Graph) -> ClusterGraph:
        """A graph of this process on the workers; see ``Graph.spread``."""
        self.check_room(graph.outgoing.nbytes, "the edges of this graph")
        return self._graph(lambda key: self._start_spreading(key, graph))

    def read(self, pattern: Any, options: dict[str, Any]) -> ClusterGraph:
        """The graph of all files that a path, a folder or a pattern names; every worker reads its share of them."""
        folder = tiles_at(pattern)
        report = options.pop("progress", None)
        if folder is not None and folder.partition("?")[0].endswith(".clewd"):
            self.check_room(bytes_of_tiles(folder, self.grid), f"the edges of {str(pattern)!r}")
            return self.build_by("open_tiles", folder, options)
        files = files_of(folder or pattern)
        found, total = assign_files(files, self.grid.workers), sum(size for _, size in files)
        self.check_room(bytes_of_files(files, options), f"the files of {str(pattern)!r}")
        with watched(self._bytes_read, f"reading {Path(str(pattern)).name}", total, report):
            return self.build_by("read", found, options)

    def _bytes_read(self) -> int:
        """The stored bytes that the workers have read of the files that they are reading; 0 if they do not answer."""
        ray = self._ray
        calls = [actor.bytes_read.remote() for actor in self._open().actors]
        done, _ = ray.wait(calls, num_returns=len(calls), timeout=1)
        try:
            return int(sum(ray.get(done)))
        except ray.exceptions.RayError:  # a worker is gone, which the call that reads will notice
            return 0

    def derive(self, origin: ClusterGraph, method: str, *args: Any) -> ClusterGraph:
        """A graph that every worker makes from its share of another one."""
        graph = self._graph(lambda key: self._open().start("derive", key, origin.key, method, args), (origin.key,))
        graph.origin = origin  # a worker that replaces a lost one makes the first graph, then this one
        return graph

    def check_sendable(self, what: str, value: Any) -> None:
        """Reject what cannot be pickled, before Ray tries, with the reason."""
        try:
            self._ray.cloudpickle.dumps(value)
        except Exception as error:  # any class may have its own reason
            raise GraphError(
                f"{what} cannot be sent to the workers: {error}.",
                remedy="Keep open files, locks and connections out of it.",
            ) from None

    @property
    def generate(self) -> Generators:
        """The generators of ``clew.generate``, whose edges the workers draw; see ``Generators``."""
        return Generators(self)

    def build_by(self, method: str, *args: Any) -> ClusterGraph:
        """A graph that a method of the workers builds."""
        return self._graph(lambda key: self._open().start(method, key, *args))

    def _graph(self, start: Callable[[int], Calls], needed: tuple[int, ...] = ()) -> ClusterGraph:
        """A graph that ``start`` lets the workers build, now and again if one of them is lost."""
        key = self.new_key()
        facts = self._made(key, Recipe(lambda: start(key), needed, is_mended=not needed))
        return ClusterGraph(self, key, facts)

    def free_bytes(self) -> list[int]:
        """The bytes of memory that every worker may still use."""
        return free_bytes(self.workers, self.call("memory_pools"))

    def check_room(self, nbytes: int, what: str) -> None:
        """Refuse a graph that the workers cannot hold, given the bytes of all its edges."""
        check_room(self.workers, self.free_bytes(), nbytes, what)

    def _start_spreading(self, key: int, graph: Graph) -> Calls:
        ray, count, actors = self._ray, self.grid.workers, self._open().actors
        # As many edges for every worker to send on; the workers exchange them among themselves.
        goals = (graph.num_arcs * rank // count for rank in range(count))
        cuts = [0, *graph.indptr.searchsorted(list(goals))[1:].tolist(), graph.num_vertices]
        names = None if graph.names is None else ray.put(graph.names.array)
        facts = {"num_vertices": graph.num_vertices, "directed": graph.directed}
        calls = {}
        for rank, (low, high) in enumerate(pairwise(cuts)):
            start, stop = int(graph.indptr[low]), int(graph.indptr[high])
            weights = None if graph.weights is None else graph.weights[start:stop]
            rows = (low, graph.indptr[low : high + 1] - start, graph.indices[start:stop], weights)
            calls[rank] = actors[rank].spread.remote(key, ray.put(rows), facts, names)
        return calls

    def run(self, graph: int, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Run an algorithm on a graph; the key of its result, and its facts."""
        key = self.new_key()
        saved_as = self._saved_as(name, args, options)
        recipe = Recipe(lambda: self._open().start("run", graph, key, name, args, options, saved_as), (graph,))
        with showing(f"{name} on {checks.counted(self.grid.workers, 'worker')}", self._poll, unit="supersteps"):
            return key, self._made(key, recipe)[0]

    def multiply(self, graph: int, column: tuple[int, str], *how: Any) -> tuple[int, dict[str, Any]]:
        """The product of a graph with a column of a result, as another result; its key and its facts."""
        key = self.new_key()
        recipe = Recipe(lambda: self._open().start("multiply", graph, key, column, *how), (graph, column[0]))
        return key, self._made(key, recipe)[0]

    def _made(self, key: int, recipe: Recipe) -> list[Any]:
        """Make a graph or a result, now and again if a worker is lost; what the workers say of it."""
        found = self._surviving(recipe.start, recipe.needed)
        self._recovery.add(self._open(), key, recipe)
        return found

    def _poll(self) -> tuple[float, None]:
        """The superstep of the first worker, for a progress bar."""
        try:
            return float(self._ray.get(self._open().actors[0].progress.remote(), timeout=1)), None
        except (self._ray.exceptions.RayError, ClusterError):  # it is busy, or gone
            return 0.0, None

    def _saved_as(self, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> str | None:
        """A name for the checkpoints of a run in a folder: the same call has the same name in every process."""
        if self._saving["folder"] is None:
            return None
        return identity(name, args, sorted(options.items()))

    def call(self, method: str, *args: Any) -> list[Any]:
        """Call a method of all workers at once; returns their answers. The first argument is a graph or a result."""
        workers = self._open()
        return self._surviving(lambda: workers.start(method, *args), args[:1])

    def _surviving(self, start: Callable[[], Calls], needed: Sequence[int] = ()) -> list[Any]:
        """The answers of all workers. A lost worker is replaced, its state is rebuilt, and all start again.

        First the workers free the graphs and results that this process no longer uses.
        """
        workers = self._open()
        forgotten, self._forgotten = self._forgotten, []
        if forgotten:
            for key in forgotten:
                self._recovery.forget(key)
            workers.start("forget", forgotten)
        return self._recovery.surviving(workers, start, needed)

    def rehearse(self, name: str, args: tuple[Any, ...], options: dict[str, Any], weights: str | None) -> None:
        """Let one worker of every node compile what a run needs, once, before all of them need it."""
        what = (args[0].__class__.__qualname__ if name == "run" else name, tuple(sorted(options)), weights)
        if what in self._rehearsed:
            return
        self._rehearsed.add(what)

        def start() -> Calls:
            workers = self._open()
            first = {each["node"]: rank for rank, each in reversed(list(enumerate(workers.about)))}
            return {rank: workers.actors[rank].rehearse.remote(name, args, options, weights) for rank in first.values()}

        self._surviving(start)

    def put(self, value: Any) -> Any:
        """A value that all workers read, stored once per node."""
        return self._ray.put(value)

    def new_key(self) -> int:
        """A number for a graph or a result."""
        return next(self._keys)

    def forget_later(self, key: int) -> None:
        """Free a graph or a result with the next call; a finalizer must not wait for workers."""
        with self._lock:
            self._forgotten.append(key)

    def _open(self) -> Workers:
        if self._workers is None:
            raise ClusterError("the cluster is closed, and what was on its workers is gone.")
        return self._workers
