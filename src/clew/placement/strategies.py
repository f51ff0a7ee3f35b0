"""The placement strategies, and how a command line names them: ``degree:out_degree=2,cutoff=80``."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from clew import threads
from clew.build.rows import blocks_of
from clew.checks import parse_bytes, smallest_budget, whole
from clew.dtypes import as_bits
from clew.errors import GraphError
from clew.generate.arguments import probability
from clew.graph import Graph
from clew.placement.heat import HEAT, hottest_fitting
from clew.placement.placement import Mask, Strategy, edge_bytes, level_sizes, levels_from, vertex_of

Ratio = tuple[int, int]  # slow and fast
MAX_TURNS = 1 << 61  # no graph has more, and twice as many are still a 64-bit number


@dataclass(frozen=True)
class AllFast(Strategy):
    """Put every vertex in fast memory, while it has room."""

    name: ClassVar[str] = "all_fast"

    def choose(self, graph: Graph) -> Mask:
        """All vertices."""
        return np.ones(graph.num_vertices, dtype=np.bool_)


@dataclass(frozen=True)
class AllSlow(Strategy):
    """Put every vertex in slow memory."""

    name: ClassVar[str] = "all_slow"

    def choose(self, graph: Graph) -> Mask:
        """No vertices."""
        return np.zeros(graph.num_vertices, dtype=np.bool_)


@dataclass(frozen=True)
class Random(Strategy):
    """Put every vertex in fast memory with the same probability.

    Parameters
    ----------
    seed
        The random seed.
    bias
        The probability of fast memory, from 0 to 1.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "random"
    seed: int
    bias: float

    def __post_init__(self) -> None:
        whole("seed", self.seed, 0)
        probability("bias", self.bias)

    def choose(self, graph: Graph) -> Mask:
        """One random number per vertex."""
        fast = np.empty(graph.num_vertices, dtype=np.bool_)
        pieces = threads.pieces(fast.size)
        threads.each(self._draw, pieces, pieces, fast)
        return fast

    def _draw(self, piece: int, pieces: int, fast: Mask) -> None:
        """The random numbers of one piece of the vertices; they do not depend on the number of pieces."""
        first, last = piece * fast.size // pieces, (piece + 1) * fast.size // pieces
        numbers = np.random.Generator(np.random.PCG64(self.seed).advance(first))
        np.less(numbers.random(last - first), self.bias, out=fast[first:last])


@dataclass(frozen=True)
class Degree(Strategy):
    """Put children of vertices with many out-edges in fast memory, those with few in-edges first.

    A vertex with more out-edges needs more bandwidth while its children are visited. A child with many in-edges is
    visited often, and gains more from the lower latency of DRAM on the paper's machine.

    Parameters
    ----------
    out_degree
        Children of vertices with more out-edges than this are considered.
    cutoff_percentile
        Children are sorted by ascending in-degree (ties by descending id). The k-th of c children has percentile
        100 k / c, and is chosen if that is less than the cutoff.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "degree"
    out_degree: int
    cutoff_percentile: float

    def __post_init__(self) -> None:
        whole("out_degree", self.out_degree, 0)
        if not 0 <= self.cutoff_percentile <= 100:
            raise GraphError(f"cutoff_percentile is {self.cutoff_percentile}; expected 0 to 100.")

    def choose(self, graph: Graph) -> Mask:
        """The children that are chosen for at least one parent."""
        from clew.placement import kernels

        fast = np.zeros(graph.num_vertices, dtype=np.bool_)
        bounds = blocks_of(graph.outgoing)
        rows = (as_bits(graph.indptr), as_bits(graph.indices))
        in_degrees = np.minimum(graph.degrees("in"), 2**32 - 1).astype(np.uint32)  # half the bytes to look up in
        threshold = np.uint64(min(self.out_degree, graph.num_arcs))  # no vertex has more
        percentile = float(self.cutoff_percentile)
        threads.each(
            kernels.rarely_entered_children, bounds.size - 1, bounds, *rows, in_degrees, threshold, percentile, fast
        )
        return fast


@dataclass(frozen=True)
class Frontier(Strategy):
    """Put frontiers with more vertices than a threshold in fast memory: large ones need its bandwidth.

    Parameters
    ----------
    source
        The name of the vertex to start at. Unreached vertices go to slow memory.
    threshold
        Frontiers with more vertices than this are chosen.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "frontier"
    source: int | str
    threshold: int

    def __post_init__(self) -> None:
        whole("threshold", self.threshold, 0)

    def choose(self, graph: Graph) -> Mask:
        """All vertices of the large frontiers."""
        depth = levels_from(graph, vertex_of(graph, self.source))
        large = level_sizes(graph, depth)[0] > self.threshold
        chosen: Mask = np.append(large, False)[depth]  # the last entry is for depth -1
        return chosen


@dataclass(frozen=True)
class _Alternating(Strategy):
    """Takes turns between slow and fast memory, in the ratio (slow, fast)."""

    source: int | str
    ratio: Ratio | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", parse_ratio(self.ratio))

    def _is_fast(self, turns: Any) -> Any:
        """Whether each of these turns goes to fast memory; slow turns come first."""
        slow, fast = (min(turns_each, MAX_TURNS) for turns_each in parse_ratio(self.ratio))
        return np.asarray(turns, dtype=np.int64) % (slow + fast) >= slow


@dataclass(frozen=True)
class Interleave(_Alternating):
    """Put frontiers alternately in slow and in fast memory, in a given ratio.

    Parameters
    ----------
    source
        The name of the vertex to start at. Unreached vertices go to slow memory.
    ratio
        The number of frontiers to slow and to fast memory, as (1, 2) or "1-2".

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "interleave"

    def choose(self, graph: Graph) -> Mask:
        """All vertices of the chosen frontiers."""
        depth = levels_from(graph, vertex_of(graph, self.source))
        chosen: Mask = self._is_fast(depth) & (depth >= 0)
        return chosen


@dataclass(frozen=True)
class Intraleave(_Alternating):
    """Within every frontier, put vertices alternately in slow and in fast memory, in a given ratio.

    Parameters
    ----------
    source
        The name of the vertex to start at. Unreached vertices go to slow memory.
    ratio
        The number of vertices to slow and to fast memory, as (1, 2) or "1-2". It restarts in every frontier, in id
        order.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "intraleave"

    def choose(self, graph: Graph) -> Mask:
        """The chosen vertices of every frontier."""
        from clew.placement import kernels

        depth = levels_from(graph, vertex_of(graph, self.source))
        places = np.zeros(depth.size, dtype=np.int64)
        kernels.places_in_levels(depth, np.zeros(int(depth.max(initial=0)) + 1, dtype=np.int64), places)
        chosen: Mask = self._is_fast(places) & (depth >= 0)
        return chosen


def parse_ratio(ratio: Any) -> Ratio:
    """Parse the paper's ratio of slow to fast: a pair, or a text such as "1-2" or "1:2"."""
    parts = ratio.replace(":", "-").split("-") if isinstance(ratio, str) else ratio
    try:
        slow, fast = (int(part) for part in parts)
    except (TypeError, ValueError):
        slow = fast = 0
    if min(slow, fast) < 0 or slow + fast == 0:
        raise GraphError(f"the ratio is {ratio!r}; expected slow and fast as (1, 2) or '1-2', and not both 0.")
    return slow, fast


@dataclass(frozen=True)
class _Filling(Strategy):
    """Fills fast memory, and so has a budget of its own."""

    fast_memory: int | str

    def __post_init__(self) -> None:
        parse_bytes(self.fast_memory)

    def choose_within(self, graph: Graph, fast_memory: int | str | None) -> Mask:
        """The vertices that fit the smaller of two budgets."""
        return replace(self, fast_memory=smallest_budget(self.fast_memory, fast_memory)).choose(graph)


@dataclass(frozen=True)
class AsNumbered(_Filling):
    """Put the last rows that fit in fast memory, without renumbering vertices.

    Generators, crawlers and map makers give nearby vertices similar numbers, and early vertices tend to have many
    edges. Other strategies destroy that locality. A GPU uses this placement for a graph without one.

    Parameters
    ----------
    fast_memory
        The amount of fast memory: a number of bytes, or a text such as "8GiB".
    """

    name: ClassVar[str] = "as_numbered"

    def choose(self, graph: Graph) -> Mask:
        """All vertices from some vertex on."""
        rows, budget = graph.outgoing, parse_bytes(self.fast_memory)

        def fits(first: int) -> bool:
            arcs, offsets = rows.num_arcs - int(rows.indptr[first]), rows.num_vertices - first
            return arcs * edge_bytes(rows) + offsets * rows.indptr.itemsize <= budget

        fast = np.zeros(rows.num_vertices, dtype=np.bool_)
        fast[bisect_left(range(rows.num_vertices), True, key=fits) :] = True
        return fast


@dataclass(frozen=True)
class Hot(_Filling):
    """Put the hottest vertices in fast memory, hottest first, until it is full.

    Suppose that memories differ only in bandwidth, and a visit reads the whole row. Then the rows visited most often
    save the most per byte of fast memory, for any length. If each access has a cost, as over a GPU's link, that leaves
    the many short rows outside. Then ``by="cost"`` is better. A row that does not fit is skipped, and smaller rows
    after it may still fit.

    Parameters
    ----------
    fast_memory
        The amount of fast memory: a number of bytes, or a text such as "8GiB".
    by
        How visits are estimated: "degree" (in-edges), "pagerank" (a few iterations), or "access" (random walks, which
        read a small part of the graph). With "cost", every row is one access, and the rows that save the most per byte,
        which are the short ones, come first.
    """

    name: ClassVar[str] = "hot"
    by: str = "degree"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by not in HEAT:
            raise GraphError(f"by is {self.by!r}; expected one of {', '.join(map(repr, HEAT))}.")

    def choose(self, graph: Graph) -> Mask:
        """The hottest vertices that fit."""
        return hottest_fitting(graph.outgoing, HEAT[self.by](graph), parse_bytes(self.fast_memory))


STRATEGIES: dict[str, type[Strategy]] = {
    strategy.name: strategy
    for strategy in (Degree, Frontier, Interleave, Intraleave, Random, AllFast, AllSlow, AsNumbered, Hot)
}
SHORT = {"cutoff": "cutoff_percentile"}
NO_AUTO = (
    'The strategy Auto was removed, because Hot by cost is as fast. Use Hot(fast_memory, by="cost"), or on the command '
    "line --strategy hot:by=cost."
)


def parse_strategy(text: str, **otherwise: Any) -> Strategy:
    """The strategy that a text names, with its options; ``otherwise`` has default values for some."""
    name, _, rest = text.partition(":")
    strategy = STRATEGIES.get(name.strip().replace("-", "_"))
    if name.strip() == "auto":
        raise GraphError(NO_AUTO)
    if strategy is None:
        raise GraphError(f"there is no strategy {name!r}; expected one of {', '.join(STRATEGIES)}.")
    options = {option.name: option for option in fields(strategy)}  # type: ignore[arg-type]
    usage = f"{strategy.name}:{','.join(f'{key}=…' for key in options)}" if options else f"{strategy.name} alone"
    given: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        key = SHORT.get(key, key)
        if not equals or key not in options or key in given:
            raise GraphError(
                f"{part!r} is not an option of {strategy.name}; expected {usage}, each option at most once."
            )
        given[key] = _value(str(options[key].type), value, part)
    given = {key: value for key, value in otherwise.items() if key in options} | given
    missing = [key for key, option in options.items() if key not in given and option.default is MISSING]
    if missing:
        raise GraphError(f"{strategy.name} needs {', '.join(missing)}; expected {usage}.")
    return strategy(**given)


def _value(annotation: str, text: str, part: str) -> Any:
    """An option's value; sources and budgets stay text until they are used."""
    try:
        return {"int": int, "float": float}.get(annotation, str)(text)
    except ValueError:
        expected = "an integer" if annotation == "int" else "a number"
        raise GraphError(f"{part!r} is wrong: {text!r} is not {expected}.") from None
