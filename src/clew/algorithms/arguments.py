"""Checks of arguments that several algorithms share."""

from __future__ import annotations

import difflib
import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clew.checks import counted, one_of, whole
from clew.dtypes import Array, Numbers, labels_of
from clew.engines.cluster.share import Share
from clew.errors import ArgumentError, GraphError
from clew.graph import Graph

#: How a GPU shares the edges of active vertices among threads.
Balance = Literal["auto", "thread", "warp", "block", "merge_path", "degree_cut"]
MOST_CUT = 128  # edges that one thread fetches to shared memory


def check_balance(balance: str, cut: int | None, *, on_gpu: bool = True) -> None:
    """Reject an unknown load balancing strategy, or one that does not apply here."""
    one_of("balance", balance, get_args(Balance))
    if cut is not None:
        whole("cut", cut, 1, MOST_CUT)
        if balance != "degree_cut":
            raise GraphError(
                f"cut is {cut} and balance is {balance!r}; cut applies to the degree cut only.",
                remedy='Use balance="degree_cut", or omit cut.',
                option="Use --balance degree_cut, or omit --cut.",
            )
    if balance != "auto" and not on_gpu:
        raise GraphError(
            f"balance is {balance!r}, which applies to GPUs only, and this search runs on the CPU.",
            remedy='Use device="cuda", or balance="auto".',
            option="Use --device cuda, or omit --balance.",
        )


def check_start(algorithm: str, graph: Graph) -> None:
    """Reject a call without a source where no vertex is called 0, which is the default."""
    try:
        graph.vertex(0)
    except GraphError:
        if not graph.num_vertices:
            raise
        example = repr(graph.name(0))
        raise GraphError(
            f"{algorithm} starts at the vertex 0 unless a source is given, and no vertex of this graph is called 0.",
            remedy=f"Pass source=…, such as source={example}.",
            option=f"Add --source NAME, such as --source {example}.",
        ) from None


#: What NetworkX and others call an argument, and the names that clew has for it.
OTHER_NAMES = {
    "alpha": "damping",
    "damping_factor": "damping",
    "tol": "tolerance",
    "eps": "tolerance",
    "epsilon": "tolerance",
    "max_iter": "max_iterations",
    "iterations": "max_iterations",
    "k": "samples",
    "nstart": "start",
    "s": "source",
    "root": "source",
    "t": "sink",
    "target": "sink",
    "nodes": "sources",
    "backend": "device",
    "G": "graph",
}
THREADS = ("threads", "num_threads", "thread_count", "n_jobs")


def check_flags(flags: Iterable[str], options: Mapping[str, Any]) -> None:
    """Reject what is neither True nor False, such as weighted="length", which would be true."""
    for name in flags:
        if not isinstance(value := options[name], (bool, np.bool_)) and not (type(value) is int and value in (0, 1)):
            remedy = ""
            if name == "weighted" and isinstance(value, str):
                remedy = f"Pass graph.with_weights({value!r}) and weighted=True."
            raise GraphError(f"{name} is {reprlib.repr(value)}; expected True or False.", remedy=remedy)


def refuse_unknown(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Reject an argument that an algorithm does not have, and name the one that is meant where that is known."""
    taken = inspect.signature(function).parameters
    unknown = [name for name in options if name not in taken]
    if not unknown:
        return
    name, called = unknown[0], function.__name__
    for weights in {"weight", "weights"}.intersection(unknown):
        more = " and weighted=True" if "weighted" in taken else ""
        raise ArgumentError(
            f"{called} has no argument {weights!r}: weights belong to the graph.",
            remedy=f"Pass graph.with_weights({reprlib.repr(options[weights])}){more}.",
        ) from None
    remedy = ""
    if name in THREADS:
        remedy = "clew.threads.set_count(…) sets the number of threads for all calls."
    elif (meant := OTHER_NAMES.get(name)) in taken:
        remedy = f"clew calls it {meant}."
    elif close := difflib.get_close_matches(name, taken, 1):
        remedy = f"Did you mean {close[0]}?"
    own = ", ".join(one for one in taken if one != "graph")
    raise ArgumentError(f"{called} has no argument {name!r}; expected some of {own}.", remedy=remedy) from None


def vertices_of(graph: Graph, sources: Any) -> npt.NDArray[np.int64]:
    """The ids of the named ``sources``, in the same order."""
    if isinstance(sources, (str, bytes)) or not hasattr(sources, "__iter__"):
        raise GraphError(f"sources is {sources!r}; expected several vertices, such as a list of names.")
    if isinstance(sources, np.ndarray) and graph.names is None and sources.ndim == 1 and sources.dtype.kind in "iu":
        wrong = np.flatnonzero((sources < 0) | (sources >= graph.num_vertices))
        if not wrong.size:
            return sources.astype(np.int64)
        sources = sources[wrong[:1]]  # which is refused below
    names = sources.tolist() if isinstance(sources, np.ndarray) else list(sources)
    if graph.names is not None:
        return graph.names.ids_of(names)
    if isinstance(graph, Share) and graph.name_type is not None:
        from clew.engines.cluster.names import ids_by_name

        return ids_by_name(graph, names)
    return np.array([graph.vertex(name) for name in names], dtype=np.int64)


def share_of_items(graph: Graph, total: int) -> tuple[int, int]:
    """The items that this process works on: all of them, or on a cluster as many as every other worker."""
    if not isinstance(graph, Share):
        return 0, total
    rank, members = graph.member.rank, graph.member.size
    return total * rank // members, total * (rank + 1) // members


def check_fraction(name: str, value: float) -> float:
    """Reject anything but a number from 0 to 1."""
    if not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        raise GraphError(f"{name} is {value!r}; expected a number from 0 to 1.")
    return float(value)


def check_rounds(tolerance: float, max_iterations: int) -> tuple[float, int]:
    """Reject a negative tolerance, and fewer than one iteration."""
    if not isinstance(tolerance, (int, float, np.number)) or not 0 <= tolerance < np.inf:
        raise GraphError(f"tolerance is {tolerance!r}; expected a number of 0 or more. With 0, all iterations are run.")
    return float(tolerance), check_most_rounds(max_iterations)


def check_most_rounds(max_iterations: int, least: int = 1) -> int:
    """Reject a number of iterations that does not fit in 32 bits."""
    return whole("max_iterations", max_iterations, least, 2**31 - 1)


#: What to do about weights that an algorithm cannot use.
OTHER_WEIGHTS = "Drop those edges with graph.filter_edges, or pass other weights to graph.with_weights."
OTHER_WEIGHTS_IN_SHELL = "Use other weights, such as --weights random:1:255."


def wrong_weights(graph: Graph, wrong: Callable[[Array], Array]) -> str:
    """How many weights are wrong, each undirected edge once: "1 weight is", "2 weights are"."""
    once = not graph.directed and not isinstance(graph, Share)
    weights = graph.edges()[2] if once else graph.weights
    assert weights is not None
    return counted(int(wrong(weights).sum()), "weight is", "weights are")


def check_flow_weights(graph: Graph, algorithm: str) -> None:
    """Reject weights that cannot be transition probabilities."""
    if graph.weights is None:
        raise GraphError(
            f"{algorithm}(weighted=True) needs edge weights, and this graph has none.",
            remedy="Use weighted=False to follow all edges equally.",
            option="Omit --weighted to follow all edges equally, or add random weights with --weights random:1:255.",
        )
    if graph.weights.dtype.kind == "f" and not np.isfinite(graph.weights).all():
        wrong = wrong_weights(graph, lambda weights: ~np.isfinite(weights))
        problem = f"{wrong} NaN or infinite; {algorithm}(weighted=True) needs finite weights."
        raise GraphError(problem, remedy=OTHER_WEIGHTS, option=OTHER_WEIGHTS_IN_SHELL)
    if graph.weights.dtype.kind in "if" and graph.weights.size and (low := graph.weights.min()) < 0:
        raise GraphError(f"the smallest weight is {low}; {algorithm}(weighted=True) needs weights of 0 or more.")


def jumps_of(graph: Graph, personalization: Numbers | None, argument: str = "personalization") -> Array | None:
    """The distribution of the jumps, or the initial ranks, as an array that sums to 1; None if not given.

    ``argument`` is the name that errors use. On a worker of a cluster, the array has the entries of its own vertices.
    """
    if personalization is None:
        return None
    jumps = vertex_numbers(graph, personalization, argument)
    together = graph.member.all_reduce if isinstance(graph, Share) else lambda value, _: value
    largest = float(together(jumps.max(initial=0.0), np.maximum))
    if graph.num_vertices and not largest:
        raise GraphError(f"{argument} is 0 everywhere; expected a positive number for at least one vertex.")
    jumps = jumps / (largest or 1.0)  # dividing twice: the sum of the largest floats is infinite
    return np.asarray(jumps / together(jumps.sum(), np.add))


def vertex_numbers(graph: Graph, given: Numbers, argument: str) -> Array:
    """A number of 0 or more for every vertex; missing vertices have 0.

    They are given as an array, a dict by name, a Series, or a function of an array of ids. A worker of a cluster has
    the numbers of its own vertices, and calls a function with their ids.
    """
    ids: Array = graph.ids if isinstance(graph, Share) else np.arange(graph.num_vertices)
    if (labels := labels_of(given)) is not None:
        if not labels.is_unique:
            raise GraphError(f"a vertex occurs twice in the index of {argument}; expected each vertex once.")
        given = dict(zip(labels.tolist(), np.asarray(given).tolist(), strict=True))
    if isinstance(given, Mapping):
        numbers = np.zeros(ids.size)
        values = np.array([_number(argument, value, name) for name, value in given.items()])
        places = vertices_of(graph, given.keys())  # all names at once: each by itself means a search
        if isinstance(graph, Share):
            owner, places = graph.partition.place(places)
            places, values = places[owner == graph.member.rank], values[owner == graph.member.rank]
        numbers[places] = values
    else:
        array = np.asarray(given(ids) if callable(given) else given)
        count = ids.size if callable(given) else graph.num_vertices
        if array.shape != (count,) or array.dtype.kind not in "biuf":
            raise GraphError(
                f"{argument} has shape {array.shape} and dtype {array.dtype}; expected a number for each of the "
                f"{count:,} vertices, or a dict from vertex names to numbers."
            )
        numbers = (array[ids] if isinstance(graph, Share) and not callable(given) else array).astype(np.float64)
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise GraphError(f"{argument} has a negative, infinite or NaN entry; expected finite numbers of 0 or more.")
    return numbers


def _number(argument: str, value: Any, name: Any) -> float:
    if not isinstance(value, (int, float, np.number)):
        raise GraphError(f"{argument} of {name!r} is {value!r}; expected a number of 0 or more.")
    return float(value)
