"""The backend object for NetworkX, how functions are registered with it, and NetworkX graphs as arrays and back.

A function is registered with the arguments that it does not support, and whether a conversion pays off for it.

NetworkX stores a dict of neighbours per node, and undirected edges in both: these are compressed rows already. All
loops over edges run inside ``itertools`` and NumPy.
"""

from __future__ import annotations

import inspect
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sized
from functools import wraps
from importlib import import_module
from time import perf_counter
from types import GeneratorType
from typing import Any, TypeVar

import networkx as nx
import numpy as np

from _clew_nx import FUNCTIONS
from clew.errors import GraphError, ResourceError
from clew.graph import Graph
from clew.nx import views
from clew.nx.dicts import EdgeValues, rows_as_arrays
from clew.nx.graph import ClewGraph

# ruff: noqa: N803, signatures are those of NetworkX

#: How often every function was answered by clew itself, and not by NetworkX after a refusal.
CALLS: Counter[str] = Counter()

#: NetworkX's handlers see it too.
LOGGER = logging.getLogger("networkx.clew")
#: Nodes or pairs below which NetworkX answers in some microseconds.
FEW = 100
#: Compiling that takes fewer seconds is not reported.
NOTABLE = 0.1

#: Takes some of the function's arguments, by name, and says in a sentence why clew does not serve them, or None.
Refusal = Callable[..., str | None]
Function = TypeVar("Function", bound=Callable[..., Any])


class Terms:
    """The conditions for running a function."""

    def __init__(
        self,
        function: Callable[..., Any],
        refusals: tuple[Refusal, ...],
        quick: bool,
        few: str | None,
        every_node: bool,
        sooner: Callable[..., bool] | None,
        omitted: Mapping[str, str],
    ) -> None:
        self._signature = inspect.signature(function)
        self._graph = next(iter(self._signature.parameters))  # NetworkX's flow functions have their own name for it
        self._refusals = tuple((refusal, tuple(inspect.signature(refusal).parameters)) for refusal in refusals)
        self.quick, self._few, self._every_node, self._omitted = quick, few, every_node, omitted
        self._sooner = sooner

    def graph_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The graph that the call is about."""
        return args[0] if args else kwargs.get(self._graph)

    def of_few(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether the call is about so few nodes or pairs that NetworkX needs less time than the call itself."""
        if self._few is None:
            return False
        given = self._signature.bind_partial(*args, **kwargs).arguments.get(self._few)
        if isinstance(given, Sized):
            return len(given) < (len(self.graph_of(args, kwargs)) if self._every_node else FEW)
        return given is not None and given in self.graph_of(args, kwargs)  # a single node

    def is_sooner(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether NetworkX finds the answer near where it starts."""
        try:
            return self._sooner is not None and self._sooner(*self._signature.bind(*args, **kwargs).args)
        except TypeError:  # NetworkX refuses these arguments
            return False

    def refusal(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
        """Why these arguments are not supported, or None."""
        if not (self._refusals or self._omitted):
            return None
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            return f"{error}."
        bound.apply_defaults()
        for name, reason in self._omitted.items():
            if (value := bound.arguments[name]) is not self._signature.parameters[name].default:
                shown = value if isinstance(value, bool) else "a function" if callable(value) else "given"
                return f"{name} is {shown}; {reason}"
        reasons = (refusal(*(bound.arguments[name] for name in names)) for refusal, names in self._refusals)
        return next((reason for reason in reasons if reason), None)


def served(
    *refusals: Refusal,
    quick: bool = False,
    few: str | None = None,
    every_node: bool = False,
    sooner: Callable[..., bool] | None = None,
    **omitted: str,
) -> Callable[[Function], Function]:
    """Register a function with NetworkX, except for arguments that one of ``refusals`` rejects.

    ``omitted`` are arguments that must have their default, with the reason.
    ``quick`` marks functions that NetworkX computes from few edges: clew runs them only on a graph that is already
    converted. ``few`` names an argument, of which NetworkX needs no more than the edges at its nodes or pairs: clew
    runs only calls with many. These are ``FEW``, or as many as the graph has nodes where clew has to read something of
    ``every_node``. ``sooner`` takes the arguments, and says whether NetworkX finds the answer near where it starts.
    clew's errors about a graph or about memory become ``NotImplementedError``, so that NetworkX runs its own function.
    """

    def offer(function: Function) -> Function:
        terms = Terms(function, refusals, quick, few, every_node, sooner, omitted)

        @wraps(function)
        def answer(*args: Any, **kwargs: Any) -> Any:
            terms.graph_of(args, kwargs).begin_call()
            begun, compiled = perf_counter(), _seconds_compiling()
            try:
                found = function(*args, **kwargs)
            except (GraphError, ResourceError) as error:
                raise NotImplementedError(f"clew does not support this graph: {error}") from error
            CALLS[function.__name__] += 1
            _tell_compiling(function.__name__, begun, compiled)
            if isinstance(found, GeneratorType) and CALLS[function.__name__] == 1:
                return _telling(found, function.__name__)
            return found

        answer.terms = terms  # type: ignore[attr-defined]
        return answer  # type: ignore[return-value]

    return offer


#: Why clew does not serve calls with ``sort_neighbors``.
OWN_ORDER = "clew uses the graph's order."


def _seconds_compiling() -> float:
    """What this process has spent on compiling; Numba is loaded only by functions that need it."""
    module = sys.modules.get("clew.jit")
    return 0.0 if module is None else float(module.seconds)


def _tell_compiling(name: str, begun: float, compiled: float) -> None:
    """Log what was compiled since ``begun``, when it had taken ``compiled`` seconds in all."""
    if (compiling := _seconds_compiling() - compiled) > NOTABLE:
        LOGGER.info(
            "Compiling took %.1f s of the %.1f s of this first call of %s. Compiled code is cached on disk.",
            compiling,
            perf_counter() - begun,
            name,
        )


def _telling(answers: Iterator[Any], name: str) -> Iterator[Any]:
    """The same answers. A generator compiles before its first one, so that is logged as well."""
    begun, compiled = perf_counter(), _seconds_compiling()
    for answer in answers:
        _tell_compiling(name, begun, compiled)
        yield answer
        break
    yield from answers


def no_weight_function(weight: Any) -> str | None:
    """Arrays hold the values of one attribute."""
    return "weight is a function; clew needs the name of an edge attribute." if callable(weight) else None


def no_weights(weight: Any) -> str | None:
    """For algorithms that count edges."""
    return f"weight is {weight!r}; clew counts every edge as 1 in this function." if weight is not None else None


def no_directed_graphs(G: Any) -> str | None:
    """For algorithms whose meaning on directed graphs differs."""
    return "the graph is directed; clew supports only undirected graphs here." if G.is_directed() else None


def no_undirected_graphs(G: Any) -> str | None:
    """For algorithms about directions."""
    return None if G.is_directed() else "the graph is undirected; clew supports only directed graphs here."


def no_parallel_edges(G: Any) -> str | None:
    """For algorithms that take neighbours once."""
    return "the graph is a multigraph; clew supports only simple graphs here." if G.is_multigraph() else None


def convert_from_nx(
    graph: nx.Graph[Any],
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,  # noqa: ARG001, NetworkX passes these
    graph_name: str | None = None,  # noqa: ARG001
) -> ClewGraph:
    """A NetworkX graph as arrays, with the requested edge attributes; NetworkX calls this and caches the result."""
    _refuse_own_neighbors(graph)
    # Results that are graphs have all attributes, which are copied from the original. NetworkX may use a graph with all
    # attributes again for a function that needs one of them.
    whole = preserve_edge_attrs is True or preserve_node_attrs is True or bool(node_attrs)
    defaults = {} if whole else edge_attrs or {}
    if not views.is_view(graph):
        return _converted(graph, whole, defaults, preserve_graph_attrs)
    graph.__networkx_cache__ = None  # a view does not notice changes of its graph, so NetworkX may cache nothing
    kept = views.kept_conversions(graph)
    if kept is None:
        return _converted(graph, whole, defaults, preserve_graph_attrs)
    key = (whole, *sorted((name, repr(value)) for name, value in defaults.items() if value != 1))
    if key not in kept:
        kept[key] = _converted(graph, whole, defaults, True)
    converted: ClewGraph = kept[key]
    return converted


def _converted(graph: nx.Graph[Any], whole: bool, defaults: Mapping[str, Any], with_attributes: bool) -> ClewGraph:
    """The arrays of a graph or a view; ``whole`` if results have its attributes, else ``defaults`` are of some."""
    original = graph
    if not views.is_plain(graph._adj):  # a view that computes its rows otherwise than by filters
        graph = graph.copy()
    # Filtered rows may say they are longer than they are.
    rows = views.plain_rows(graph._adj, multigraph=graph.is_multigraph())
    nodes = list(rows)
    indptr, indices = rows_as_arrays(rows, nodes, multigraph=graph.is_multigraph())
    return ClewGraph(
        nodes,
        indptr,
        indices,
        directed=graph.is_directed(),
        multigraph=graph.is_multigraph(),
        dicts=rows,
        in_dicts=graph._pred if graph.is_directed() else None,
        defaults=defaults,
        original=original if whole else None,
        attributes=graph.graph if with_attributes or whole else None,
    )


def _refuse_own_neighbors(graph: nx.Graph[Any]) -> None:
    """A subclass may compute its edges, as NetworkX's complement view does: then the dicts do not hold them."""
    bases = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
    for name in ("__getitem__", "__iter__", "adj", "adjacency", "neighbors"):
        if not any(getattr(type(graph), name) is getattr(base, name) for base in bases):
            raise NotImplementedError(
                f"{type(graph).__name__} has its own {name}; clew reads edges from the dicts of NetworkX's classes."
            )


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:  # noqa: ARG001, NetworkX passes it
    """A NetworkX graph of a ``ClewGraph``; anything else unchanged."""
    return to_networkx(result) if isinstance(result, ClewGraph) else result


def to_networkx(graph: ClewGraph) -> nx.Graph[Any]:
    """The converted graph if it is cached, otherwise a new one with its nodes and edges."""
    if graph.original is not None:
        return graph.original
    classes = ((nx.Graph, nx.DiGraph), (nx.MultiGraph, nx.MultiDiGraph))
    converted = classes[graph.is_multigraph()][graph.is_directed()](**graph.graph)
    converted.add_nodes_from(graph.nodes)
    sources, once = graph.sources, slice(None) if graph.once is None else graph.once
    ends = (graph.named(sources[once]), graph.named(graph.indices[once]))
    known = graph.known_values()
    if not known:
        converted.add_edges_from(zip(*ends, strict=True))
    else:
        columns = [array[once].tolist() for array in known.values()]
        data = (dict(zip(known, row, strict=True)) for row in zip(*columns, strict=True))
        converted.add_edges_from(zip(*ends, data, strict=True))
    return converted


def from_clew(graph: Graph) -> ClewGraph:
    """Wrap a clew graph for NetworkX's functions: ``nx.pagerank(from_clew(graph))``.

    Its weights are the edge attribute "weight".
    """
    nodes = list(range(graph.num_vertices)) if graph.names is None else graph.names.array.to_pylist()
    weights = graph.weights
    known = {} if weights is None else {"weight": EdgeValues(weights, weights.dtype.kind == "f")}
    sources = np.repeat(np.arange(graph.num_vertices), graph.degrees())
    pairs = sources * graph.num_vertices + graph.indices  # in ascending order
    multigraph = bool((np.diff(pairs) == 0).any())
    return ClewGraph(nodes, graph.indptr, graph.indices, directed=graph.directed, multigraph=multigraph, values=known)


class Backend:
    """NetworkX's backend protocol; functions are attributes, imported on first use."""

    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in FUNCTIONS:
            raise AttributeError(f"clew does not serve {name!r}.")
        function: Callable[..., Any] = getattr(import_module(f"clew.nx.{FUNCTIONS[name]}"), name)
        setattr(self, name, function)
        return function

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or a sentence that says why clew cannot serve these arguments."""
        terms: Terms = getattr(self, name).terms
        return terms.refusal(args, kwargs) or True

    def should_run(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or a sentence that says why NetworkX is likely to be faster, conversion included."""
        terms: Terms = getattr(self, name).terms
        graph = terms.graph_of(args, kwargs)
        if not isinstance(graph, nx.Graph):
            return True
        if not views.is_view(graph) and terms.is_sooner(args, kwargs):
            return "NetworkX finds the answer near where it starts, in less time than the call takes."
        if terms.of_few(args, kwargs):
            return "NetworkX answers for so few nodes or pairs in less time than the call takes."
        if _is_converted(graph):
            return True
        if terms.quick:
            return "NetworkX answers this in less time than a conversion takes, and the graph is not converted yet."
        # Counting the edges that a view shows takes as long as a conversion.
        least, edges = nx.config.backends.clew.min_edges, views.below(graph).number_of_edges()
        if edges < least:
            return (
                f"the graph has {edges:,} edges; below {least:,} NetworkX is done before the graph is converted. "
                "Lower nx.config.backends.clew.min_edges to have clew run it."
            )
        return True


def _is_converted(graph: nx.Graph[Any]) -> bool:
    if views.is_view(graph):
        return bool(nx.config.cache_converted_graphs) and views.is_converted(graph)
    cache = getattr(graph, "__networkx_cache__", None) or {}
    return bool(nx.config.cache_converted_graphs and cache.get("backends", {}).get("clew"))


backend = Backend()
