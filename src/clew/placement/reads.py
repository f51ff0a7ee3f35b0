"""What algorithms read of a graph in two memories, as patterns: counted on sampled searches, for any placement."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import Array, as_bits
from clew.graph import Graph
from clew.placement.levels import levels_from
from clew.placement.placement import Placement
from clew.placement.speed import Speeds

GLANCE = 2  # neighbours of every vertex that components begin with
#: A search pulls where its frontier has more edges than this times the vertices to be found and a tenth of all: an edge
#: followed is cheaper than a vertex that looks for a parent. The engines decide likewise.
PULL_COST, OF_ALL = 2.0, 0.1
BLOCKS, FEWEST = 1024, 32  # of rows, with about as many edges each; and how many of them stand for all
ASKED = 1 << 22  # edges: of larger graphs some blocks are enough


class Reads:
    """The reads of four patterns on a graph, whatever the placement.

    - search: a breadth-first search. A frontier's rows are read in whole (push), or the others look through theirs
      until a neighbour is on the frontier (pull; where edges go both ways); how soon depends on the numbering.
    - relax: the same frontiers, always in whole: shortest paths.
    - sweep: all rows in whole, one after the other: PageRank and products.
    - glance: the first neighbours of all rows: components.

    Searches start from a few random vertices that have edges, and the seconds of a pattern are those of one of them.
    """

    def __init__(self, graph: Graph, searches: int, seed: int) -> None:
        candidates = np.flatnonzero(graph.degrees())
        sources = np.random.default_rng(seed).choice(candidates, min(searches, candidates.size), replace=False)
        self._graph = graph
        self._degrees = graph.degrees().astype(np.int64, copy=False)
        self._at_once = np.zeros(graph.num_vertices, dtype=np.int32)
        self._depths = [levels_from(graph, int(source)) for source in sources]

    def seconds(self, placement: Placement, speeds: Speeds) -> dict[str, float]:
        """What each pattern spends on reading rows. Both memories deliver at once, so the slower decides every step."""
        layout = _Layout(self._graph, placement, speeds)
        found = {
            "sweep": float(layout.seconds(self._degrees, self._at_once, 1)[0]),
            "glance": float(layout.seconds(np.minimum(self._degrees, GLANCE), self._at_once, 1)[0]),
        }
        searches = [self._search(layout, depth) for depth in self._depths]
        shares = max(1, len(searches))
        found["search"] = sum(search for search, _ in searches) / shares
        found["relax"] = sum(relax for _, relax in searches) / shares
        return found

    def _search(self, layout: _Layout, depth: npt.NDArray[np.int32]) -> tuple[float, float]:
        """Seconds of one search, with pulling and without."""
        levels = int(depth.max(initial=0)) + 1
        pushed = layout.seconds(self._degrees, depth, levels)
        seconds = pushed.copy()
        for level in self._pulled(depth, levels):
            looked, share = layout.looked(depth, level)
            seconds[level] = layout.seconds(looked, self._at_once, 1)[0] / share
        return float(seconds.sum()), float(pushed.sum())

    def _pulled(self, depth: npt.NDArray[np.int32], levels: int) -> list[int]:
        if self._graph.directed:  # then pulling reads the in-edges, which are other rows
            return []
        reached = depth >= 0
        found = np.bincount(depth[reached], minlength=levels)
        edges = np.bincount(depth[reached], weights=self._degrees[reached], minlength=levels)
        unfound = depth.size - np.cumsum(found)
        return np.flatnonzero(edges > PULL_COST * (unfound + OF_ALL * depth.size)).tolist()


class _Layout:
    """A graph as it lies after renumbering."""

    def __init__(self, graph: Graph, placement: Placement, speeds: Speeds) -> None:
        self._rows, self._speeds = graph.outgoing, speeds
        self._boundary, self._fast = placement.boundary, placement.fast
        self._old_ids = np.empty(graph.num_vertices, dtype=np.int64)
        self._old_ids[placement.permutation] = np.arange(graph.num_vertices)
        self._line = np.array([speed.line for speed in speeds], dtype=np.int64)
        self._near = np.array([speed.near for speed in speeds], dtype=np.int64)

    def seconds(self, taken: Array, step: Array, count: int) -> npt.NDArray[np.float64]:
        """Seconds of every step, in which the vertices of that step read so many of their neighbours."""
        from clew.placement import kernels_reads as kernels

        rows, counts = self._rows, np.zeros((count, 2, 2), dtype=np.int64)
        known = (self._old_ids, np.uint64(self._boundary), as_bits(rows.indptr), taken, step)
        kernels.count_lines(*known, np.int64(rows.indices.itemsize), self._line, self._near, counts)
        slow, fast = (speed.seconds(counts[:, side, 0], counts[:, side, 1]) for side, speed in enumerate(self._speeds))
        slower: npt.NDArray[np.float64] = np.maximum(slow, fast)
        return slower

    def looked(self, depth: npt.NDArray[np.int32], level: int) -> tuple[npt.NDArray[np.int64], float]:
        """How many neighbours vertices beyond a level look at until one is on it; and the part of all that were asked.

        Of a large graph one block in so many of rows is asked, the others read nothing.
        """
        from clew.placement import kernels_reads as kernels

        rows, taken = self._rows, np.zeros(depth.size, dtype=np.int64)
        bounds = blocks_of(rows, BLOCKS)
        every = max(1, min(BLOCKS // FEWEST, rows.num_arcs // ASKED))
        begins, ends = bounds[:-1:every], bounds[1::every]
        arrays = (as_bits(rows.indptr), as_bits(rows.indices), depth, np.int32(level), self._fast, taken)
        threads.each(kernels.look_for, begins.size, begins, ends, *arrays)
        return taken, float((rows.indptr[ends] - rows.indptr[begins]).sum()) / max(1, rows.num_arcs)
