"""The reads of algorithms on a graph in two memories, as patterns: counted on sampled searches, for any placement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import as_bits
from clew.graph import Graph
from clew.placement.levels import level_sizes, levels_from
from clew.placement.placement import Placement
from clew.placement.speed import Speeds

GLANCE = 2  # neighbours of every vertex that components begin with
WHOLE = np.iinfo(np.int64).max  # more neighbours than any vertex has
#: A search pulls where its frontier has more edges than this times the vertices to be found and a tenth of all: an edge
#: followed is cheaper than a vertex that looks for a parent. The engines decide likewise.
PULL_COST, OF_ALL = 2.0, 0.1
BLOCKS, FEWEST = 1024, 32  # of rows, with about as many edges each; and how many of them stand for all
ASKED = 1 << 22  # edges: of larger graphs some blocks are enough


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
        depths = [levels_from(graph, int(source)) for source in sources]
        self._searches = threads.each(_search, len(depths), graph, depths)
        self._asked, self._share = _asked(rows)

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
        """The seconds of the steps of all passes put together."""
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
        from clew.placement import kernels_reads as kernels

        layout, one = work[number]
        rows = self._graph.outgoing
        accesses, lines = np.zeros((2, one.steps * 2), dtype=np.int64)  # of every step, slow and fast by turns
        line, near = (np.array(values, dtype=np.int64) for values in zip(*(speed[2:] for speed in speeds), strict=True))
        memories = (np.int64(rows.indices.itemsize), line, near, accesses, lines)
        indptr = as_bits(rows.indptr)
        if one.pulled is None:
            kernels.count_lines(*layout, indptr, np.int64(one.most), one.step, *memories)
        elif one.pulled.size:
            where = (indptr, as_bits(rows.indices), one.step, one.pulled)
            kernels.count_pulls(*layout, self._asked, *where, *memories)
        slow, fast = (speed.seconds(accesses[side::2], lines[side::2]) for side, speed in enumerate(speeds))
        slower: npt.NDArray[np.float64] = np.maximum(slow, fast)
        return slower


class Layout(NamedTuple):
    """How rows lie: whose are in fast memory; and the vertices in the order of rows where groups do not keep theirs."""

    order: npt.NDArray[np.int64] | None
    fast: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, placement: Placement) -> Layout:
        """As they lie after renumbering."""
        return cls(None if placement.keeps_order else placement.old_ids(), placement.fast)


class _Search(NamedTuple):
    """The level of every vertex, how many there are, and those that are found by pulling."""

    depth: npt.NDArray[np.int32]
    levels: int
    pulled: npt.NDArray[np.int32]


class _Pass(NamedTuple):
    """One pass over the rows: the number of neighbours read, the steps, and the levels that pull."""

    most: int
    step: npt.NDArray[np.int32]
    steps: int
    pulled: npt.NDArray[np.int32] | None = None


def _search(number: int, graph: Graph, depths: list[npt.NDArray[np.int32]]) -> _Search:
    """With the levels on which it pulls, which are the same wherever rows are."""
    depth = depths[number]
    found, edges = level_sizes(graph, depth)
    if graph.directed:  # then pulling reads the in-edges, which are other rows
        return _Search(depth, found.size, np.zeros(0, dtype=np.int32))
    unfound = depth.size - np.cumsum(found)
    pulled = np.flatnonzero(edges > PULL_COST * (unfound + OF_ALL * depth.size))
    return _Search(depth, found.size, pulled.astype(np.int32))


def _asked(rows: Adjacency) -> tuple[npt.NDArray[np.bool_], float]:
    """The sampled vertices, and the share of all edges that are theirs.

    In a large graph one block of rows in several is sampled, with about the same number of edges for any size.
    """
    every = max(1, rows.num_arcs // ASKED)
    bounds = blocks_of(rows, max(BLOCKS, FEWEST * every))
    begins, ends = bounds[:-1:every], bounds[1::every]
    asked = np.zeros(rows.num_vertices, dtype=np.bool_)
    for begin, end in zip(begins, ends, strict=True):
        asked[begin:end] = True
    return asked, float((rows.indptr[ends] - rows.indptr[begins]).sum()) / max(1, rows.num_arcs)
