"""Comparison of placements: simulated reads of rows in two memories of given speeds, and the time they take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.checks import whole
from clew.dtypes import Array, as_bits
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.placement import Placement, Strategy, level_sizes, levels_from

if TYPE_CHECKING:
    from clew.tiers import Rates

LINE, PAGE = 64, 4096  # what a CPU fetches at once, and how far it sees what comes next
GPU_LINE, GPU_NEAR = 128, 64 << 10
#: The same by kinds of ``clew.tiers``, if they differ from DRAM.
LINE_AND_NEAR = {"file": (PAGE, PAGE), "managed": (PAGE, GPU_NEAR)} | dict.fromkeys(
    ("device", "pinned", "managed+prefetch"), (GPU_LINE, GPU_NEAR)
)


class Speed(NamedTuple):
    """The speed of a memory.

    Parameters
    ----------
    in_order
        Bytes per second, sequentially.
    at_random
        Random accesses per second. Infinite if only the bandwidth is known: then a byte costs the same everywhere.
    line
        Bytes that an access transfers.
    near
        The largest gap in bytes that still counts as sequential.
    """

    in_order: float
    at_random: float = math.inf
    line: int = 1
    near: int = 0

    @classmethod
    def measured(cls, rates: Rates, kind: str = "dram") -> Speed:
        """The speed from ``clew.tiers.measure``, for a memory of that kind."""
        return cls(rates.read, rates.random_reads, *LINE_AND_NEAR.get(kind, (LINE, PAGE)))

    @property
    def access(self) -> float:
        """The seconds of a random access, in addition to the bytes it transfers."""
        return max(0.0, 1 / self.at_random - self.line / self.in_order)

    def seconds(self, accesses: Array, lines: Array) -> Array:
        """The seconds for this many lines, with this many random accesses."""
        taken: Array = accesses * self.access + lines * (self.line / self.in_order)
        return taken


Speeds = tuple[Speed, Speed]

#: Slow and fast memory by their command-line names. Host memory that an H200 reads over its link, and its own, were
#: measured with rows of 128 bytes in order and anywhere. DRAM and MCDRAM have the bandwidths of the paper's Figure 1.
#: What is near for a GPU is inferred from searches with all edges on the host. With 64 KiB (or 2 MiB), reading over the
#: link is predicted 1.5 times too slow on a Kronecker graph and a grid. With the next line alone it is 5.6 and 8.3
#: times.
KNOWN: dict[str, Speeds] = {
    "gpu": (Speed(51.2e9, 7.7e9 / GPU_LINE, GPU_LINE, GPU_NEAR), Speed(4.4e12, 694e9 / GPU_LINE, GPU_LINE, GPU_NEAR)),
    "mcdram": (Speed(84.0e9), Speed(396.1e9)),
}


def parse_speeds(speeds: str | tuple[float | Speed, float | Speed]) -> Speeds:
    """Parse the speeds of slow and fast memory: a name in ``KNOWN``, or a pair of ``Speed`` or bytes per second."""
    if isinstance(speeds, str):
        if speeds not in KNOWN:
            names = ", ".join(map(repr, KNOWN))
            raise GraphError(f"speeds is {speeds!r}; expected one of {names}, or a pair for slow and fast memory.")
        return KNOWN[speeds]
    if isinstance(speeds, Speed) or not isinstance(speeds, (tuple, list)) or len(speeds) != 2:
        raise GraphError(f"speeds is {speeds!r}; expected a pair for slow and fast memory.")
    slow, fast = (one if isinstance(one, Speed) else Speed(one) for one in speeds)
    for speed in (slow, fast):
        numbers = all(isinstance(number, Real) for number in speed)
        if not (
            numbers and 0 < speed.in_order < math.inf and speed.at_random > 0 and speed.line >= 1 and speed.near >= 0
        ):
            raise GraphError(
                f"speeds has {tuple(speed)}; expected numbers above 0, where only the accesses may be infinite."
            )
    return slow, fast


GLANCE = 2  # the neighbours of every vertex that connected components read first
WHOLE = np.iinfo(np.int64).max  # more neighbours than any vertex has
#: A search pulls if its frontier has more edges than this many times the unreached vertices plus a tenth of all
#: vertices. Following an edge is cheaper than searching for a parent. The engines use the same rule.
PULL_COST, OF_ALL = 2.0, 0.1
BLOCKS, FEWEST_BLOCKS = 1024, 32  # blocks of rows with equally many edges, and how many are a sample
SAMPLED_EDGES = 1 << 22  # larger graphs are sampled


class Reads:
    """The reads of four patterns on a graph, for any placement.

    - search: a breadth-first search. A frontier's rows are read completely (push), or the other vertices scan theirs
      until a neighbour is on the frontier (pull; for undirected edges). How soon depends on the numbering.
    - relax: the same frontiers, always read completely: shortest paths.
    - sweep: all rows read completely, in order: PageRank and products.
    - glance: the first neighbours of all rows: components.

    Searches start at a few random vertices that have edges. The seconds of a pattern are those of one search.
    """

    def __init__(self, graph: Graph, searches: int, seed: int) -> None:
        rows = graph.outgoing
        candidates = np.flatnonzero(rows.indptr[1:] > rows.indptr[:-1])
        sources = np.random.default_rng(seed).choice(candidates, min(searches, candidates.size), replace=False)
        self._graph = graph
        self._at_once = np.zeros(graph.num_vertices, dtype=np.int32)
        self._searches = [_search(graph, levels_from(graph, int(source))) for source in sources]
        self._sampled, self._share = _sampled(rows)

    def seconds(self, layouts: Sequence[Layout], speeds: Speeds) -> list[dict[str, float]]:
        """The seconds that each pattern spends on reading rows, for every layout.

        Both memories work at the same time, so the slower one decides every step. Passes over the rows are independent,
        so all passes of all layouts share the cores.
        """
        passes: list[_Pass] = [_Pass(WHOLE, self._at_once, 1), _Pass(GLANCE, self._at_once, 1)]
        passes += [_Pass(WHOLE, search.depth, search.levels) for search in self._searches]
        passes += [_Pass(WHOLE, search.depth, len(search.pulled), search.pulled) for search in self._searches]
        work = [(layout, one) for layout in layouts for one in passes]
        taken = threads.each(self._seconds_of, len(work), work, speeds)
        each = len(passes)
        return [self._by_pattern(taken[start : start + each]) for start in range(0, len(work), each)]

    def _by_pattern(self, taken: list[npt.NDArray[np.float64]]) -> dict[str, float]:
        """The seconds of the steps of all passes, summed by pattern."""
        (sweep, glance), count = taken[:2], len(self._searches)
        found = {"sweep": float(sweep[0]), "glance": float(glance[0]), "search": 0.0, "relax": 0.0}
        for search, pushed, pulled in zip(self._searches, taken[2 : 2 + count], taken[2 + count :], strict=True):
            steps = pushed.copy()
            steps[search.pulled] = pulled / self._share
            found["search"] += float(steps.sum()) / count
            found["relax"] += float(pushed.sum()) / count
        return found

    def _seconds_of(self, number: int, work: list[tuple[Layout, _Pass]], speeds: Speeds) -> npt.NDArray[np.float64]:
        """Seconds of every step of one pass."""
        from clew.placement import kernels

        layout, one = work[number]
        rows = self._graph.outgoing
        accesses, lines = np.zeros((2, one.steps * 2), dtype=np.int64)  # of every step, alternating slow and fast
        line, near = (np.array(values, dtype=np.int64) for values in zip(*(speed[2:] for speed in speeds), strict=True))
        shift = np.array([size.bit_length() - 1 if size.bit_count() == 1 else -1 for size in line.tolist()])
        memories = (np.int64(rows.indices.itemsize), line, shift, near, accesses, lines)
        indptr = as_bits(rows.indptr)
        pulls = None if one.pulled is None else (self._sampled, as_bits(rows.indices), one.pulled)
        kernels.count_lines(*layout, indptr, np.int64(one.most), one.step, pulls, *memories)
        slow, fast = (speed.seconds(accesses[side::2], lines[side::2]) for side, speed in enumerate(speeds))
        slower: npt.NDArray[np.float64] = np.maximum(slow, fast)
        return slower


class Layout(NamedTuple):
    """How rows are stored: which are in fast memory, and the vertices in storage order if groups do not keep theirs."""

    order: npt.NDArray[np.int64] | None
    fast: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, placement: Placement) -> Layout:
        """The layout after renumbering."""
        return cls(None if placement.keeps_order else placement.old_ids(), placement.fast)


class _Search(NamedTuple):
    """The level of every vertex, the number of levels, and the levels after which the search pulls."""

    depth: npt.NDArray[np.int32]
    levels: int
    pulled: npt.NDArray[np.int32]


class _Pass(NamedTuple):
    """One pass over the rows: the number of neighbours read, the steps, and the levels that pull."""

    most: int
    step: npt.NDArray[np.int32]
    steps: int
    pulled: npt.NDArray[np.int32] | None = None


def _search(graph: Graph, depth: npt.NDArray[np.int32]) -> _Search:
    """A search with the levels on which it pulls, which do not depend on the placement."""
    vertices, edges = level_sizes(graph, depth)
    if graph.directed:  # then pulling reads the in-edges, which are other rows
        return _Search(depth, vertices.size, np.zeros(0, dtype=np.int32))
    unreached = depth.size - np.cumsum(vertices)
    pulled = np.flatnonzero(edges > PULL_COST * (unreached + OF_ALL * depth.size))
    return _Search(depth, vertices.size, pulled.astype(np.int32))


def _sampled(rows: Adjacency) -> tuple[npt.NDArray[np.bool_], float]:
    """The sampled vertices, and the share of all edges that are theirs.

    In a large graph one block of rows in several is sampled, with about the same number of edges for any size.
    """
    every = max(1, rows.num_arcs // SAMPLED_EDGES)
    bounds = blocks_of(rows, max(BLOCKS, FEWEST_BLOCKS * every))
    begins, ends = bounds[:-1:every], bounds[1::every]
    sampled = np.zeros(rows.num_vertices, dtype=np.bool_)
    for begin, end in zip(begins, ends, strict=True):
        sampled[begin:end] = True
    return sampled, float((rows.indptr[ends] - rows.indptr[begins]).sum()) / max(1, rows.num_arcs)


#: Without a measurement: the bandwidths of the paper's memories.
SPEEDS = "mcdram"


class Compared(NamedTuple):
    """A placement, the seconds of every read pattern, and their geometric mean."""

    strategy: Strategy
    placement: Placement
    seconds: float
    patterns: dict[str, float]


def compare(
    graph: Graph,
    strategies: Iterable[Strategy],
    fast_memory: int | str | None = None,
    *,
    speeds: str | tuple[float | Speed, float | Speed] = SPEEDS,
    searches: int = 3,
    seed: int = 0,
) -> list[Compared]:
    """Place ``graph`` by every strategy and estimate the cost of reading its rows; best first.

    Four patterns are simulated. Two are searches from a few random vertices that have edges, with pulling (bfs) and
    without (shortest paths). The others read all rows in order (PageRank), and the first
    neighbours of all rows (components). In each step both memories work at the same time, so the slower one decides.
    Lines and accesses are counted, not timed. This shows which placement suits two memories of these speeds, and says
    nothing about caches. Strategies are ranked by the geometric mean, so that no pattern outweighs the others.
    """
    slow_and_fast = parse_speeds(speeds)
    whole("searches", searches, 0)
    whole("seed", seed, 0)
    tried = list(strategies)
    placements = [strategy.place(graph, fast_memory) for strategy in tried]
    counted = Reads(graph, searches, seed).seconds([Layout.of(one) for one in placements], slow_and_fast)
    results = [
        Compared(strategy, placement, geometric_mean(patterns), patterns)
        for strategy, placement, patterns in zip(tried, placements, counted, strict=True)
    ]
    return sorted(results, key=lambda compared: compared.seconds)


def geometric_mean(patterns: dict[str, float]) -> float:
    """The value that strategies are ranked by."""
    if min(patterns.values()) <= 0:  # there is nothing to read
        return 0.0
    return math.exp(sum(map(math.log, patterns.values())) / len(patterns))
