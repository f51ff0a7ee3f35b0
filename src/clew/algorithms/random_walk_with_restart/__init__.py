"""Random walk with restart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from clew.algorithms.pagerank import Precision
from clew.algorithms.pagerank.arguments import check_flow_weights, check_fraction, check_rounds, jumps_of
from clew.algorithms.registry import ALGORITHMS, Answer, algorithm, run
from clew.checks import one_of
from clew.graph import Graph
from clew.result import Result


def _visits(engine: str) -> Callable[..., Answer]:
    """PageRank on an engine, with its ranks called visits."""

    def walk(*given: Any, **options: Any) -> Answer:
        answer: Answer = ALGORITHMS["pagerank"].load(engine)(*given, **options)
        return replace(answer, values={"visiting": answer.values["rank"]})

    return walk


@algorithm(generic=_visits("generic"), cpu=_visits("cpu"), cuda=_visits("cuda"), check="check", needs=("in_edges",))
def random_walk_with_restart(
    graph: Graph,
    source: Any = 0,
    *,
    restart: float = 0.15,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    weighted: bool = False,
    dtype: Precision = "float64",
    device: str = "auto",
) -> Result:
    """How likely a walker is at each vertex who follows edges at random and now and then goes back to ``source``.

    A measure of how near vertices are to the source that counts all ways, not only the shortest. It is the PageRank
    whose jumps all lead to the source; from a vertex without out-edges the walker goes back at once.

    Parameters
    ----------
    graph
        Directed or not. Parallel edges count each, and self-loops lead back to their vertex.
    source
        Where to start, by name.
    restart
        How likely a step goes back to the source.
    tolerance
        Stop when a round changes the probabilities by less than this in all. With 0, exactly ``max_iterations`` rounds
        are run: the probabilities after so many steps.
    max_iterations
        The most rounds to run.
    weighted
        Edges of a vertex are followed in proportion to their weights, which must be 0 or more.
    dtype
        "float64" or "float32".
    device
        "auto", "cpu" or "cuda".

    Returns
    -------
    Result
        ``visiting``, which sums to 1; ``converged`` says whether the tolerance was met; the trace has ``change``.

    Notes
    -----
    Time O(n + m) a round, and about log(tolerance) / log(1 - restart) rounds. Memory: five arrays of probabilities
    beside the graph and its in-edges.

    References
    ----------
    H. Tong, C. Faloutsos, J.-Y. Pan: "Fast random walk with restart and its applications", ICDM 2006.

    Examples
    --------
    >>> import clew
    >>> near = clew.random_walk_with_restart(clew.generate.path(4), 0)
    >>> near.visiting.round(2).tolist()
    [0.3, 0.36, 0.24, 0.1]
    """
    damping = 1 - check_fraction("restart", restart)
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    one_of("dtype", dtype, get_args(Precision))
    if weighted:
        check_flow_weights(graph, "random_walk_with_restart")
    return run(
        "random_walk_with_restart",
        graph,
        device,
        damping=damping,
        tolerance=tolerance,
        max_iterations=max_iterations,
        jumps=jumps_of(graph, {graph.name(graph.vertex(source)): 1.0}),
        weighted=weighted,
        dtype=dtype,
    )
