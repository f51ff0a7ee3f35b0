"""Widest paths from one vertex."""

from __future__ import annotations

from typing import Any

from clew.algorithms.arguments import Balance
from clew.algorithms.paths.weights import weights_of
from clew.algorithms.registry import algorithm, run
from clew.graph import Graph
from clew.result import Result


@algorithm(generic="generic", cpu="cpu", cuda="cuda", check="check", needs=("weights",))
def sswp(
    graph: Graph,
    source: Any = 0,
    *,
    deterministic: bool = False,
    balance: Balance = "auto",
    cut: int | None = None,
    device: str = "auto",
) -> Result:
    """How much can pass along one path from ``source`` to every vertex: the largest smallest weight on the way.

    Also called bottleneck or maximin paths; weights are capacities.

    Parameters
    ----------
    graph
        Directed or not, with weights of any dtype, negative ones too. An edge whose weight is the smallest number of
        its dtype (0 for unsigned integers, False, -inf for floats) cannot be taken.
    source
        Where to start, by name.
    deterministic
        Choose parents that are the same in every run and on every engine: the breadth-first tree over the widest
        paths, and the smallest of several parents. Without it, parents may differ from run to run with more than one
        thread; widths never do. Costs one more pass, on a CPU by one thread.
    balance
        How a GPU shares edges among threads: "auto", "thread", "warp", "block", "merge_path" or "degree_cut";
        ``clew.bfs`` says what each does.
    cut
        The most edges of a piece with "degree_cut", 1 to 128; by default 16.
    device
        "auto", "cpu", "cuda", or "hybrid": the GPU, with results in host memory.

    Returns
    -------
    Result
        ``width``, of the weights' dtype: its largest number (inf for floats) at the source, its smallest (-inf for
        floats) where unreached. ``parent``: the vertex before on a widest path (vertex ids, -1 where unreached, the
        source's own id at the source). ``reached``: a mask. ``num_reached``: how many were. The trace has ``bucket``,
        ``frontier`` (vertices relaxed), ``edges``, ``bytes`` and ``seconds``.

    Notes
    -----
    Delta-stepping by falling width; time about O(n + m), 13 or 17 bytes a vertex and a copy of the weights.

    References
    ----------
    M. Pollack: "The maximum capacity through a network", Operations Research 8, 1960.

    Examples
    --------
    >>> import clew
    >>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2], [4.0, 1.0, 3.0])
    >>> clew.sswp(g, 0).width.tolist()
    [inf, 4.0, 3.0]
    """
    start = graph.vertex(source)
    weights_of(graph, algorithm="sswp", negative=True)
    return run("sswp", graph, device, source=start, deterministic=deterministic, balance=balance, cut=cut)
