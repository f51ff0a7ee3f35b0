"""``clew.cluster``: workers on a Ray cluster, started or joined, connected with each other, and given back."""

from __future__ import annotations

import itertools
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from clew import checks, io
from clew.distributed import nodes
from clew.distributed.graph import ClusterGraph
from clew.distributed.loading import assign_files, files_of
from clew.engines.cluster.partition import Grid
from clew.errors import ClusterError
from clew.graph import Graph

STARTED, NOTICED = 120, 10  # seconds to wait for workers: for new ones, and for one that may be gone
ATTEMPTS = 4  # runs, of which all but the last may lose workers

_current: list[Cluster] = []


class _LostWorkerError(ClusterError):
    """A worker is gone."""


def _rank(error: BaseException) -> int:
    """Errors of the work itself come first, then losses that Ray saw, then their echoes in other workers."""
    return 0 if not isinstance(error, ClusterError) else 1 if isinstance(error, _LostWorkerError) else 2


def cluster(workers: int | None = None, *, address: str | None = None) -> Cluster:
    """Start workers for graphs that one process cannot hold, or not fast enough.

    Parameters
    ----------
    workers
        The number of worker processes; by default one for every core of this machine, or every node of a cluster.
    address
        None starts Ray on this machine. "auto" joins the cluster that this machine is part of, and
        "ray://host:10001" one that is elsewhere.

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
    return Cluster(workers, address)


def current() -> Cluster:
    """The innermost cluster that is open."""
    if not _current:
        raise ClusterError("no cluster is open.", remedy="Put the call into: with clew.cluster(workers=4): ...")
    return _current[-1]


class Cluster:
    """Workers that hold graphs together; see ``clew.cluster``."""

    def __init__(self, workers: int | None, address: str | None) -> None:
        self._ray = nodes.import_ray()
        if _current:
            raise ClusterError("a cluster is open already; clusters cannot be nested. Leave the with statement first.")
        self._address = address
        self._keys = itertools.count(1)
        self._lock = threading.Lock()
        self._forgotten: list[int] = []
        self._recipes: dict[int, Callable[[], list[Any]]] = {}
        self.num_replaced = 0
        self._actors: list[Any] = []
        self._rehearsed: set[tuple[Any, ...]] = set()
        self._open = False
        self._started_ray = False
        self._wanted = workers
        self.start()

    # ------------------------------------------------------------------ life

    def start(self) -> None:
        """Start Ray or join it, place the workers, and connect them."""
        ray = self._ray
        cores = len(os.sched_getaffinity(0))
        if self._address is None:
            count = self._wanted or cores
            if not ray.is_initialized():
                ray.init(
                    num_cpus=max(count, cores),
                    include_dashboard=False,
                    log_to_driver=False,
                    logging_level="ERROR",
                    configure_logging=False,
                )
                self._started_ray = True
            threads = max(1, cores // count)
        else:
            nodes.join(self._address)
            alive = [node for node in ray.nodes() if node["Alive"]]
            count = self._wanted or len(alive)
            threads = max(1, int(sum(node["Resources"].get("CPU", 1) for node in alive)) // count)
        self.grid = Grid(count)
        try:
            self._place(count, threads)
        except BaseException:
            self.close()
            raise
        self._open = True
        _current.append(self)
        io.on_cluster = self.read

    def _place(self, count: int, threads: int) -> None:
        from clew.distributed.worker import Worker

        ray = self._ray
        remote = ray.remote(Worker)
        # Two calls at once: one that runs, and one that stops it.
        cores = 1 if self._address is None else threads
        options: dict[str, Any] = {"num_cpus": cores, "max_concurrency": 2, "scheduling_strategy": "SPREAD"}
        self._new_actor: Callable[[], Any] = lambda: remote.options(**options).remote(threads)
        self._actors = [self._new_actor() for _ in range(count)]
        try:
            about = ray.get([actor.about.remote() for actor in self._actors], timeout=STARTED)
        except ray.exceptions.GetTimeoutError:
            free = ray.available_resources()
            raise ClusterError(
                f"the cluster did not start {count} workers of {threads} cores each in {STARTED} seconds; free are "
                f"{free.get('CPU', 0):g} cores.",
                remedy="Pass fewer workers.",
            ) from None
        nodes.check_versions(about)
        self.workers = about
        self.rehearse("bfs", (), {}, None)
        self._connect()

    def _connect(self) -> None:
        """Connect all workers with each other, under a new token."""
        ray = self._ray
        local = len({each["host"] for each in self.workers}) == 1
        host = "127.0.0.1" if local else ""
        hosts = [host or address for address in self._hosts()]
        ready = [actor.listen.remote(host) for actor, host in zip(self._actors, hosts, strict=True)]
        addresses, token = ray.get(ready), secrets.token_bytes(32)
        calls = [actor.connect.remote(rank, addresses, token) for rank, actor in enumerate(self._actors)]
        ray.get(calls)
        self._connected = True

    def _hosts(self) -> list[str]:
        by_name = {node["NodeManagerHostname"]: node["NodeManagerAddress"] for node in self._ray.nodes()}
        return [by_name.get(each["host"], "127.0.0.1") for each in self.workers]

    def close(self) -> None:
        """Stop all workers; graphs and results on them are gone."""
        if self in _current:
            _current.remove(self)
            io.on_cluster = None
        self._open = False
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors = []
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
        if not self._open:
            return "Cluster: closed"
        hosts = len({each["host"] for each in self.workers})
        return f"Cluster: {len(self._actors)} workers ({self.grid.rows} × {self.grid.columns}) on {hosts} hosts"

    # ------------------------------------------------------------------ work

    def spread(self, graph: Graph) -> ClusterGraph:
        """A graph of this process on the workers; see ``Graph.spread``."""
        return self._graph(lambda key: self._start_spreading(key, graph))

    def read(self, pattern: Any, options: dict[str, Any]) -> ClusterGraph:
        """The graph of all files that a path, a folder or a pattern names; every worker reads its share of them."""
        found = assign_files(files_of(pattern), len(self._actors))
        return self._graph(lambda key: self._start("read", key, found, options))

    def _graph(self, start: Callable[[int], list[Any]]) -> ClusterGraph:
        """A graph that ``start`` lets the workers build, now and again if one of them is lost."""
        self._check_open()
        key = self.new_key()
        facts = self._surviving(lambda: start(key))
        self._recipes[key] = lambda: start(key)
        return ClusterGraph(self, key, facts)

    def _start_spreading(self, key: int, graph: Graph) -> list[Any]:
        ray, count = self._ray, len(self._actors)
        # As many edges for every worker to send on; the workers exchange them among themselves.
        goals = (graph.num_arcs * rank // count for rank in range(count))
        cuts = [0, *graph.indptr.searchsorted(list(goals))[1:].tolist(), graph.num_vertices]
        names = None if graph.names is None else ray.put(graph.names.array)
        facts = {"num_vertices": graph.num_vertices, "directed": graph.directed}
        calls = []
        for actor, low, high in zip(self._actors, cuts[:-1], cuts[1:], strict=True):
            start, stop = int(graph.indptr[low]), int(graph.indptr[high])
            weights = None if graph.weights is None else graph.weights[start:stop]
            rows = (low, graph.indptr[low : high + 1] - start, graph.indices[start:stop], weights)
            calls.append(actor.spread.remote(key, ray.put(rows), facts, names))
        return calls

    def run(self, graph: int, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Run an algorithm on a graph; the key of its result, and its facts."""
        key = self.new_key()
        found = self.call("run", graph, key, name, args, options)
        self._recipes[key] = lambda: self._start("run", graph, key, name, args, options)
        return key, found[0]

    def call(self, method: str, *args: Any) -> list[Any]:
        """Call a method of all workers at once; returns their answers."""
        self._check_open()
        forgotten, self._forgotten = self._forgotten, []
        if forgotten:
            for key in forgotten:
                self._recipes.pop(key, None)
            self._start("forget", forgotten)
        return self._surviving(lambda: self._start(method, *args))

    def _start(self, method: str, *args: Any) -> list[Any]:
        return [getattr(actor, method).remote(*args) for actor in self._actors]

    def _surviving(self, start: Callable[[], list[Any]]) -> list[Any]:
        """The answers of all workers. A lost worker is replaced, what it held is made again, and all start again."""
        for attempt in range(ATTEMPTS):
            try:
                return self._wait(start())
            except _LostWorkerError as error:
                if attempt == ATTEMPTS - 1:
                    raise ClusterError(f"{error} {ATTEMPTS} attempts have lost workers.") from None
                self._replace_the_lost()
        raise AssertionError

    def _replace_the_lost(self) -> None:
        """Start workers in place of those that are gone, connect all, and build graphs and results again."""
        for rank, actor in enumerate(self._actors):
            try:
                self._ray.get(actor.about.remote(), timeout=NOTICED)
            except (self._ray.exceptions.RayActorError, self._ray.exceptions.GetTimeoutError):
                self._ray.kill(actor)
                self._actors[rank] = self._new_actor()
                self.num_replaced += 1
        self.workers = self._ray.get([actor.about.remote() for actor in self._actors], timeout=STARTED)
        self._connect()
        for key in sorted(self._recipes):  # a graph was made before its results
            self._wait(self._recipes[key]())

    def _wait(self, calls: Sequence[Any]) -> list[Any]:
        """The answers of all workers; the first error that is not just the echo of another is raised."""
        ray = self._ray
        errors: list[BaseException] = []
        answers: list[Any] = []
        try:
            for each in calls:
                try:
                    answers.append(ray.get(each))
                except ray.exceptions.RayActorError:
                    errors.append(_LostWorkerError("a worker of the cluster died."))
                except ray.exceptions.RayTaskError as error:
                    errors.append(error.cause if isinstance(error.cause, BaseException) else error)
        except BaseException:  # Ctrl-C: the workers stop too
            self._start("disconnect")
            ray.wait(list(calls), num_returns=len(calls), timeout=10)
            self._connect()
            raise
        if errors:
            first = min(errors, key=_rank)
            if isinstance(first, ClusterError) and first.__class__ is ClusterError:
                raise _LostWorkerError(str(first))  # somebody noticed a loss before Ray did
            if not isinstance(first, _LostWorkerError):
                self._connect()  # whoever failed has closed its connections, and so has everybody else
            raise first
        return answers

    def rehearse(self, name: str, args: tuple[Any, ...], options: dict[str, Any], weights: str | None) -> None:
        """Let one worker of every host compile what a run needs, once, before all of them want it."""
        what = (args[0].__class__.__qualname__ if name == "run" else name, tuple(sorted(options)), weights)
        if what in self._rehearsed:
            return
        self._rehearsed.add(what)
        first = {
            each["host"]: actor for each, actor in zip(reversed(self.workers), reversed(self._actors), strict=True)
        }
        self._wait([actor.rehearse.remote(name, args, options, weights) for actor in first.values()])

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

    def _check_open(self) -> None:
        if not self._open:
            raise ClusterError("the cluster is closed, and what was on its workers is gone.")
