"""PageRank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy.typing as npt

from clew.algorithms.pagerank.arguments import check_flow_weights, check_fraction, check_rounds, jumps_of
from clew.algorithms.registry import Answer, algorithm, run
from clew.checks import one_of
from clew.dtypes import Array
from clew.graph import Graph
from clew.result import Result, Trace

Precision = Literal["float64", "float32"]


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("in_edges",))
def pagerank(
    graph: Graph,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    max_iterations: int = 100,
    personalization: Mapping[Any, float] | npt.ArrayLike | None = None,
    start: Mapping[Any, float] | npt.ArrayLike | None = None,
    weighted: bool = False,
    dtype: Precision = "float64",
    device: str = "auto",
) -> Result:
    """How likely a walker is at each vertex who follows edges at random and now and then jumps elsewhere.

    At each step the walker follows an out-edge with probability ``damping`` and else jumps to a random vertex; from a
    vertex without out-edges every step is a jump.

    Parameters
    ----------
    graph
        Directed or not. Parallel edges count each, and self-loops lead back to their vertex.
    damping
        How likely a step follows an edge.
    tolerance
        Stop when a round changes the ranks by less than this in all: the sum of the changes of all vertices. (NetworkX
        multiplies its ``tol`` by the number of vertices first.) With 0, exactly ``max_iterations`` rounds are run.
    max_iterations
        The most rounds to run.
    personalization
        Where jumps lead, those from vertices without out-edges included: a number for each vertex, as an array or as
        a dict (or pandas Series) by name in which missing vertices have 0. They are scaled to sum to 1. By default
        all vertices alike.
    start
        The ranks before the first round, in the same forms: those of an earlier run save rounds. By default the
        personalization, so that vertices it does not lead to have rank 0. NetworkX starts with all vertices alike.
        Where the walk starts changes ranks only within the tolerance.
    weighted
        Edges of a vertex are followed in proportion to their weights. All must be 0 or more; a vertex whose weights
        are all 0 counts as one without out-edges.
    dtype
        "float64", or "float32" for less memory and about 7 digits; sums are taken in float64 either way.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``rank``, which sums to 1; ``converged`` says whether the tolerance was met; the trace has ``change``,
        ``frontier``, ``edges``, ``bytes`` and ``seconds``. Ranks do not depend on the number of threads, to the
        last bit; those of a GPU differ from a CPU's in the last digits.

    Notes
    -----
    Time O(n + m) a round, and about log(tolerance) / log(damping) rounds. The ranks are within
    tolerance · damping / (1 - damping) of the exact ones, in all. Memory: four arrays of ranks beside the graph and its
    in-edges; with ``weighted``, a number per edge more.

    References
    ----------
    L. Page, S. Brin, R. Motwani, T. Winograd: "The PageRank citation ranking: bringing order to the web", 1999.

    Examples
    --------
    >>> import clew
    >>> ranks = clew.pagerank(clew.generate.star(4))
    >>> ranks.rank.round(3).tolist()
    [0.48, 0.173, 0.173, 0.173]
    """
    damping = check_fraction("damping", damping)
    tolerance, max_iterations = check_rounds(tolerance, max_iterations)
    one_of("dtype", dtype, get_args(Precision))
    if weighted:
        check_flow_weights(graph, "pagerank")
    return run(
        "pagerank",
        graph,
        device,
        damping=damping,
        tolerance=tolerance,
        max_iterations=max_iterations,
        jumps=jumps_of(graph, personalization),
        start=jumps_of(graph, start, "start"),
        weighted=weighted,
        dtype=dtype,
    )


def summary(
    rank: Any, rounds: int, converged: bool, changes: Array, moved: Mapping[str, Array] | None = None
) -> Answer:
    """The answer, from the ranks, by how much each round changed them, and the other columns of the trace."""
    trace = Trace.later(lambda: {"change": changes, **(moved or {})})
    return Answer({"rank": rank}, iterations=rounds, converged=converged, trace=trace)
