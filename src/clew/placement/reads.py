"""What algorithms read of a graph in two memories, as patterns: counted on sampled searches, for any placement."""

from __future__ import annotations

from typing import NamedTuple

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
        self._searches = [self._search(levels_from(graph, int(source))) for source in sources]

    def seconds(self, placement: Placement, speeds: Speeds) -> dict[str, float]:
        """What each pattern spends on reading rows. Both memories deliver at once, so the slower decides every step."""
        layout = _Layout(self._graph, placement, speeds)
        passes: list[_Pass] = [
            (self._degrees, self._at_once, 1),
            (np.minimum(self._degrees, GLANCE), self._at_once, 1),
            *((self._degrees, search.depth, search.levels) for search in self._searches),
        ]
        sweep, glance, *pushes = threads.each(_seconds_of, len(passes), layout, passes)
        found = {"sweep": float(sweep[0]), "glance": float(glance[0]), "search": 0.0, "relax": 0.0}
        for search, pushed in zip(self._searches, pushes, strict=True):  # one at a time: 8 bytes a vertex and level
            looked = [layout.looked(search.depth, level) for level in search.pulled]
            pulls = threads.each(_seconds_of, len(looked), layout, [(taken, self._at_once, 1) for taken, _ in looked])
            steps = pushed.copy()
            for level, pulled, (_, share) in zip(search.pulled, pulls, looked, strict=True):
                steps[level] = pulled[0] / share
            found["search"] += float(steps.sum()) / len(self._searches)
            found["relax"] += float(pushed.sum()) / len(self._searches)
        return found

    def _search(self, depth: npt.NDArray[np.int32]) -> _Search:
        """With the levels on which it pulls, which are the same wherever rows are."""
        levels = int(depth.max(initial=0)) + 1
        if self._graph.directed:  # then pulling reads the in-edges, which are other rows
            return _Search(depth, levels, [])
        reached = depth >= 0
        found = np.bincount(depth[reached], minlength=levels)
        edges = np.bincount(depth[reached], weights=self._degrees[reached], minlength=levels)
        unfound = depth.size - np.cumsum(found)
        return _Search(depth, levels, np.flatnonzero(edges > PULL_COST * (unfound + OF_ALL * depth.size)).tolist())


class _Search(NamedTuple):
    """The level of every vertex, how many there are, and those that are found by pulling."""

    depth: npt.NDArray[np.int32]
    levels: int
    pulled: list[int]


#: Rows gone through once: how many neighbours each vertex reads, in which step, and how many steps there are.
_Pass = tuple[Array, Array, int]


def _seconds_of(number: int, layout: _Layout, passes: list[_Pass]) -> npt.NDArray[np.float64]:
    return layout.seconds(*passes[number])


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
