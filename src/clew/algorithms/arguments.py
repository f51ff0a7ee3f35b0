"""Arguments that many algorithms share, checked in one place before any work is done."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np

from clew.checks import one_of, whole
from clew.errors import GraphError
from clew.graph import Graph

#: How a GPU shares the edges of active vertices among threads.
Balance = Literal["auto", "thread", "warp", "block", "merge_path", "degree_cut"]
MOST_CUT = 128  # edges that one thread fetches to shared memory


def check_balance(balance: Balance, cut: int | None, *, on_gpu: bool) -> None:
    """Refuse ways of sharing edges that do not exist, or that do not apply here."""
    one_of("balance", balance, get_args(Balance))
    if cut is not None:
        whole("cut", cut, 1, MOST_CUT)
        if balance != "degree_cut":
            raise GraphError(
                f"cut is {cut} and balance {balance!r}; cut is the number of edges of a piece of the degree cut.",
                remedy='Use balance="degree_cut", or leave cut out.',
                option="Use --balance degree_cut, or leave --cut out.",
            )
    if balance != "auto" and not on_gpu:
        raise GraphError(
            f"balance is {balance!r}, which says how a GPU shares edges, and this search runs on the CPU.",
            remedy='Use device="cuda", or balance="auto".',
            option="Use --device cuda, or leave --balance out.",
        )


def vertex_of(graph: Graph, source: Any) -> int:
    """The id of the vertex that the user calls ``source``."""
    return graph.vertex(source.item() if isinstance(source, np.generic) else source)


#: What takes negative weights, in Python and on the command line.
BELLMAN_FORD = ("clew.bellman_ford", "clew run bellman-ford")


def weights_of(
    graph: Graph, *, algorithm: str, negative: bool = False, instead: tuple[str, str] = BELLMAN_FORD
) -> np.ndarray[Any, Any]:
    """The weights of the out-edges, refused where the algorithm cannot use them.

    An unweighted graph is refused too: to count edges, there are algorithms without weights. ``instead`` is advised
    where weights are negative.
    """
    if graph.weights is None:
        raise GraphError(
            f"{algorithm} needs edge weights, and this graph has none.",
            remedy="Add some with graph.with_weights(...) or clew.generate.random_weights(graph, 1, 255), or count "
            "edges with clew.bfs.",
            option="Add random ones with --weights random:1:255, or count edges with clew run bfs.",
        )
    if graph.weights.dtype.kind == "f" and np.isnan(graph.weights).any():
        count = int(np.isnan(graph.weights).sum())
        raise GraphError(f"{count:,} weights are NaN; {algorithm} needs numbers. Drop or replace those edges first.")
    from clew.engines.cpu.path_weights import extent

    if not negative and graph.weights.dtype.kind in "if" and graph.num_arcs and (low := extent(graph.weights)[0]) < 0:
        problem = f"the smallest weight is {low}; {algorithm} needs weights of 0 or more."
        others = "--weights random:1:255"
        if np.isneginf(low):  # which leaves no path the shortest for anybody
            raise GraphError(
                problem, remedy="Drop or replace those edges first.", option=f"Take other weights, such as {others}."
            )
        if not graph.directed:
            raise GraphError(
                f"{problem} In an undirected graph there is no shortest path over a negative edge: it leads there and "
                "back, again and again.",
                remedy="Replace those weights first, with graph.with_weights.",
                option=f"Take other weights, such as {others}.",
            )
        remedy, option = instead
        raise GraphError(problem, remedy=f"Try {remedy}.", option=f"Try {option}, or other weights, such as {others}.")
    return graph.weights
