"""Every algorithm is one record, and ``run`` alone maps a device to an implementation.

A record names up to four implementations. Each takes the checked arguments of the public function by keyword, and
returns an ``Answer``:

``generic(waist, graph, …)``
    Uses the waist alone. Every engine can run it, so an algorithm needs no other.
``cpu(graph, …)``
    Compiled and fused for the CPU, where measurements justify it.
``cuda(device, graph, …)``
    The same for a GPU. ``run`` retries it with less memory for edges if an allocation fails.
``cluster(share, …)``
    The same for a member of a cluster: all members call it with their shares of the graph.

An implementation is the function of the algorithm's name in a file of its folder: ``cpu.py`` has the one for the CPU.
``check.py`` has the checker likewise. They are imported when first used, so that ``import clew`` loads no compiler. A
function given to ``@algorithm`` replaces a file.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, ParamSpec

from clew.algorithms.arguments import check_balance, check_flags, check_start, refuse_unknown
from clew.algorithms.waist import Waist
from clew.edge_result import EdgeResult
from clew.engines.choice import EMULATED, check_device, gpu_for, gpu_of_hybrid, is_hybrid
from clew.engines.cluster.share import Share, is_handle
from clew.engines.retry import retried
from clew.errors import GraphError
from clew.graph import Graph, check_graph
from clew.pair_result import PairResult
from clew.result import Later, Result, Rows
from clew.walk_result import WalkResult
from clew.workspace import Workspace

if TYPE_CHECKING:
    from clew.engines.cuda.toolchain.device import Device

Arguments = ParamSpec("Arguments")
Implementation = Callable[..., "Answer"] | str


@dataclass(slots=True)
class Answer:
    """What an implementation computed; ``run`` turns it into a ``Result``.

    Parameters
    ----------
    values
        Arrays with an entry per vertex, in display order.
    facts
        Single numbers and other facts, or a function that computes them when they are first used.
    unreached, iterations, converged
        As in ``Result``.
    trace
        The columns of the trace, or a function that fetches them when they are first used.
    pairs
        The pairs of vertices of values that are not per edge.
    rows
        On a cluster: which entries of the arrays this worker has, if they are not those of its vertices.
    """

    values: Mapping[str, Any]
    facts: Any = field(default_factory=dict)
    unreached: Any = None
    iterations: int = 1
    converged: bool = True
    trace: Any = None
    pairs: Any = None
    rows: Rows | None = None

    def __post_init__(self) -> None:
        if callable(self.facts):
            self.facts = Later(self.facts)

    def __getattr__(self, name: str) -> Any:
        """The value or fact of that name."""
        for found in (self.values, self.facts):
            if name in found:
                return found[name]
        raise AttributeError(f"the answer has no {name!r}; it has {', '.join([*self.values, *self.facts])}.")


@dataclass(frozen=True)
class Algorithm:
    """A public function and its properties.

    Parameters
    ----------
    function
        The public function: it checks arguments and calls ``run``.
    generic, cpu, cuda, cluster
        Its implementations.
    check
        The checker, ``check(graph, …, result)``: it raises VerificationError for the first broken rule.
    needs
        What the algorithm uses: "weights", "in_edges".
    vertices
        The values that are vertices, which are shown by name.
    size
        The size that "auto" compares with the threshold for using a GPU.
    balanced
        Whether it has the options ``balance`` and ``cut``, which only kernels of a GPU take.
    distributed
        Whether the generic form treats vectors as ``clew.algorithms.waist`` says, so that it runs on a cluster too.
    dense_rounds
        Whether every round changes the values of all vertices. Workers of a cluster then send values without ids.
    packed
        The engines on which it reads packed edges as they are, unless its argument ``weighted`` says that it uses
        weights. Others unpack them first.
    packed_slowdown
        Its time on packed edges divided by that on plain ones, for plans: on a GPU and on a core. What was measured on
        a GPU is in ``docs/packed.md``. The others are assumed to be like these.
    scattered
        Whether it reads a few edges of rows in any order, for which packed edges on the host pay less.
    first_neighbours
        Whether it reads little more than the first neighbours of most rows. A GPU has those of packed rows unpacked.
    paired
        Whether it reads a neighbour and its weight as a pair where a GPU's edges are in two memories.
    by_levels
        Whether every vertex is found once. Workers of a cluster then send ids without values, and do without in-edges.
    per_edge
        Whether the values are of edges, in the order of ``Graph.edges()``, and the result is an ``EdgeResult``.
    per_walk
        Whether the values are walks, and the result is a ``WalkResult``.
    per_pair
        Whether the values are distances from many sources, and the result is a ``PairResult``, which finds paths. On a
        cluster it does not.
    host
        Why the implementation for the CPU runs for devices that have none, such as ``SEQUENTIAL``; empty if the generic
        form does.
    cluster_refusal
        Why it does not run on a cluster, for the error that says so; empty if there is no more to say.
    stays_on_cpu
        Whether "auto" means the CPU although there are kernels for a GPU: that was measured to be no faster. A function
        of the graph and the arguments if it depends on them.
    """

    function: Callable[..., Result]
    generic: Implementation | None = None
    cpu: Implementation | None = None
    cuda: Implementation | None = None
    cluster: Implementation | None = None
    check: Callable[..., None] | str | None = None
    needs: Collection[str] = ()
    vertices: Collection[str] = frozenset({"parent", "label", "mate"})
    size: Callable[[Graph], int] = lambda graph: graph.num_arcs
    balanced: bool = False
    distributed: bool = False
    dense_rounds: bool = False
    packed: Collection[str] = ()
    packed_slowdown: tuple[float, float] = (1.3, 1.6)
    scattered: bool = False
    first_neighbours: bool = False
    paired: bool = False
    by_levels: bool = False
    per_edge: bool = False
    per_walk: bool = False
    per_pair: bool = False
    host: str = ""
    cluster_refusal: str = ""
    stays_on_cpu: Callable[[Graph, Mapping[str, Any]], bool] | bool = False

    @functools.cached_property
    def name(self) -> str:
        """The name of the public function."""
        return self.function.__name__

    @property
    def needs_source(self) -> bool:
        """Whether it starts at a vertex."""
        return "source" in inspect.signature(self.function).parameters

    @property
    def needs_sink(self) -> bool:
        """Whether it ends at another vertex."""
        return "sink" in inspect.signature(self.function).parameters

    @property
    def needs_sources(self) -> bool:
        """Whether it starts at several vertices."""
        return "sources" in inspect.signature(self.function).parameters

    @property
    def summary(self) -> str:
        """The first sentence of its docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n\n")[0].replace("\n", " ")

    def load(self, part: str) -> Any:
        """An implementation ("generic", "cpu", "cuda", "cluster") or the checker ("check"), imported on first use."""
        given = getattr(self, part)
        return _imported(self.function.__module__, given, self.name) if isinstance(given, str) else given

    @property
    def on_host(self) -> bool:
        """Whether the implementation for the CPU runs for every device."""
        return bool(self.host) and self.cuda is None

    def stays(self, graph: Graph, arguments: Mapping[str, Any]) -> bool:
        """Whether "auto" means the CPU for these arguments."""
        return self.stays_on_cpu(graph, arguments) if callable(self.stays_on_cpu) else self.stays_on_cpu

    def workspace(self, engine: str, graph: Graph, **arguments: Any) -> Workspace:
        """The arrays that a run on an engine allocates, as the implementation's module declares them, if it does."""
        declared = self.declared(engine, "workspace", None)
        return Workspace() if declared is None else declared(graph, **arguments)

    def declared(self, part: str, name: str, default: Any) -> Any:
        """What the module of an implementation declares under a name."""
        return getattr(sys.modules.get(getattr(self.load(part), "__module__", "")), name, default)


#: Why a search runs on the CPU for every device; and why an algorithm does for all but a GPU.
SEQUENTIAL = "every step needs the one before, so one thread of the CPU runs it for every device"
COMPILED = "it has no generic form, so the CPU runs it for every device but a GPU"
ON_GPU = frozenset({"cuda", EMULATED})
PARTS = ("generic", "cpu", "cuda", "cluster", "check")
ALGORITHMS: dict[str, Algorithm] = {}


def algorithm(**record: Any) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Register a public function; the keywords are the fields of ``Algorithm`` that its folder does not show."""

    def register(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        taken = inspect.signature(function).parameters
        from_zero = "source" in taken and taken["source"].default == 0
        flags = frozenset(name for name, one in taken.items() if isinstance(one.default, bool))

        @functools.wraps(function)
        def public(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
            graph = args[0] if args else options.get("graph")
            if given := flags & options.keys():
                check_flags(given, options)
            if not isinstance(graph, Graph) and (args or "graph" in options):
                if is_handle(graph):  # the workers call this function again, with their shares
                    remote: Any = graph
                    refuse_unknown(function, options)
                    rest = {name: value for name, value in options.items() if name != "graph"}
                    return remote.run_algorithm(function.__name__, args[1:], rest)  # type: ignore[no-any-return]
                check_graph(graph)
            if (
                from_zero
                and len(args) < 2
                and "source" not in options
                and type(graph) is Graph
                and graph.names is not None
            ):
                check_start(function.__name__, graph)
            try:
                return function(*args, **options)
            except TypeError:
                refuse_unknown(function, options)
                raise

        ALGORITHMS[function.__name__] = Algorithm(public, **{**_parts_of(function.__module__), **record})
        return public

    return register


def _parts_of(package: str) -> dict[str, str]:
    """The implementations and the checker that are files of a package; a module has none."""
    files = {one.name for one in pkgutil.iter_modules(getattr(sys.modules[package], "__path__", ()))}
    return {part: part for part in PARTS if part in files}


def load_plugins() -> None:
    """Import the algorithms that installed packages register with the entry point ``clew.algorithms``."""
    for entry in entry_points(group="clew.algorithms"):
        entry.load()


def run(name: str, graph: Graph, device: str, /, **arguments: Any) -> Result:
    """Run the algorithm ``name`` on the engine that ``device`` selects."""
    if is_hybrid(device):  # the GPU computes, and the results are in host memory
        return run(name, graph, gpu_of_hybrid(device), **arguments).numpy()
    record = ALGORITHMS[name]
    if type(graph) is Graph and device in ON_GPU and record.cuda is not None:  # a call takes only some microseconds
        gpu = gpu_for(device, 0)
        assert gpu is not None
        return _result(record, graph, _on_gpu(record, gpu, graph, device, arguments))
    on_cluster = isinstance(graph, Share)
    if isinstance(graph, Share) and device == "auto":
        device = graph.member.device if record.distributed else "cpu"  # where its form for members runs
    gpu = None if on_cluster else gpu_of(record, graph, device, arguments)
    if record.balanced and (gpu is None or record.cuda is None):
        balance, cut = arguments.pop("balance"), arguments.pop("cut")
        if balance != "auto" or cut is not None:
            check_balance(balance, cut, on_gpu=False)
    if gpu is not None:
        answer = _on_gpu(record, gpu, graph, device, arguments)
    elif record.cluster is not None and _runs_members(record, graph) and device in ("auto", "cpu"):
        answer = record.load("cluster")(graph, **arguments)
    elif record.cpu is not None and (device != "reference" or record.host) and not on_cluster:
        answer = record.load("cpu")(graph, **arguments)
    else:
        answer = _over_the_waist(record, graph, "cpu" if device == "auto" else device, arguments)
    return _result(record, graph, answer)


def _result(record: Algorithm, graph: Graph, answer: Answer) -> Result:
    kind: Callable[..., Result] = Result
    if record.per_edge:
        kind, known = EdgeResult, {"graph": graph, "pairs": answer.pairs}
    elif record.per_walk:
        kind, known = WalkResult, {"names": graph.names}
    else:
        known = {"columns": graph._attributes.vertices if isinstance(graph, Graph) else None}
        if record.per_pair and not isinstance(graph, Share):
            kind, known["graph"] = PairResult, graph
        else:
            known["names"] = graph.names
    return kind(
        record.name,
        answer.values,
        rows=answer.rows,
        vertices=record.vertices,
        unreached=answer.unreached,
        facts=answer.facts,
        iterations=answer.iterations,
        converged=answer.converged,
        trace=answer.trace,
        **known,
    )


def gpu_of(record: Algorithm, graph: Graph, device: str, arguments: Mapping[str, Any]) -> Device | None:
    """The GPU to run on, or None. "auto" selects one only if the algorithm has kernels that gain by it."""
    check_device(device)
    if record.on_host or device in ("cpu", "reference"):
        return None
    if device == "auto" and (record.cuda is None or record.stays(graph, arguments)):
        return None
    return gpu_for(device, record.size(graph))


@retried
def _on_gpu(record: Algorithm, gpu: Device, graph: Graph, device: str, arguments: dict[str, Any]) -> Answer:
    if record.cuda is None:
        return _over_the_waist(record, graph, device, arguments)
    answer: Answer = record.load("cuda")(gpu, graph, **arguments)
    return answer


def _runs_members(record: Algorithm, graph: Graph) -> bool:
    """Whether to run the form for members. It may need sockets, without which a generic form runs, if there is one."""
    return isinstance(graph, Share) and (graph.member.has_sockets or not record.distributed)


def _over_the_waist(record: Algorithm, graph: Graph, device: str, arguments: dict[str, Any]) -> Answer:
    waist = _waist(record, graph, device)
    if record.generic is None:
        raise GraphError(f'{record.name} has no generic form, which device="{device}" needs; use "cpu" or "cuda".')
    generic = record.load("generic")
    taken = inspect.signature(generic).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken):
        # Options that only steer a fused form are none of the generic one's.
        arguments = {one.name: arguments[one.name] for one in taken if one.name in arguments}
    answer: Answer = generic(waist, graph, **arguments)
    return answer


def _waist(record: Algorithm, graph: Graph, device: str) -> Waist:
    if not isinstance(graph, Share):
        return Waist(device)
    if not record.distributed and record.cluster is not None:
        raise GraphError(
            f"{record.name} does not run on the GPUs of a cluster.",
            remedy='Use device="auto", or "cpu".',
            option="Use --device auto, or cpu.",
        )
    if not record.distributed:
        raise not_on_cluster(record)
    from clew.algorithms.cluster import ClusterWaist

    return ClusterWaist(graph, device)


def not_on_cluster(record: Algorithm) -> GraphError:
    """The error for an algorithm that workers cannot run."""
    why = f": {record.cluster_refusal}" if record.cluster_refusal else ""
    return GraphError(
        f"{record.name} does not run on a cluster{why}.", remedy="Use a graph in one process: graph.gather()."
    )


@functools.cache
def _imported(package: str, module: str, name: str) -> Any:
    """A function of a module in a package."""
    return getattr(importlib.import_module(f"{package}.{module}"), name)
