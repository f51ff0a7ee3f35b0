"""Connected components over a graph in chunks.

Where every edge is stored both ways, an edge between two vertices of the largest component has nothing to join. So
after the chunks in device memory, or a first few, only the rows of vertices outside of it are looked at in the others:
often that is next to nothing. Edges that are stored one way are all looked at, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.engines.cpu.components import Components
from clew.engines.cuda.components import component_sizes
from clew.engines.cuda.device import GRID_BARRIER_WORDS, blocks_for
from clew.engines.cuda.outofcore.bfs import EDGES
from clew.engines.cuda.outofcore.choice import Options
from clew.engines.cuda.outofcore.chunks import ChunkedRows
from clew.engines.cuda.outofcore.loop import THREADS, Listed, Passes
from clew.engines.cuda.outofcore.paths import TOLD_WORDS, defines, row_dtype
from clew.engines.cuda.outofcore.tracing import Steps
from clew.result import Trace

FIRST_SHARE = 1 / 8  # of the edges, in the first group of chunks where fewer are in device memory


def connected_components(rows: ChunkedRows, options: Options, *, both_ways: bool) -> Components:
    """Components over edges in any direction; label and sizes stay on the device."""
    device, n = rows.device, rows.num_vertices
    parent = device.empty(n, rows.index)
    if n == 0:
        return Components(parent, device.empty(0, np.int64))
    joining = _Joining(rows, options, parent)
    for number, (first, end) in enumerate(_groups(rows) if both_ways else [(0, len(rows.chunks))]):
        joining.join(range(first, end), everything=number == 0)
    joining.flatten()
    sizes = component_sizes(device, parent)
    joining.steps.close()
    return Components(parent, sizes, Trace.later(joining.steps.columns))


def _groups(rows: ChunkedRows) -> list[tuple[int, int]]:
    """Runs of chunks: those in device memory and as many more as a first guess needs, then ever more at a time."""
    end = begin = len(rows.chunks)
    seen = 0
    while begin > 0 and (rows.chunks[begin - 1].resident or seen < FIRST_SHARE * rows.num_arcs):
        begin -= 1
        seen += rows.chunks[begin].edges
    groups = [(begin, end)]
    while begin > 0:
        size = max(1, end - begin)
        begin, end = max(0, begin - size), begin
        groups.append((begin, end))
    return groups


class _Joining:
    """Trees that grow, and the list of rows outside of the largest."""

    def __init__(self, rows: ChunkedRows, options: Options, parent: Any) -> None:
        device, n = rows.device, rows.num_vertices
        self.rows, self.device, self.n, self.parent = rows, device, n, parent
        self.passes, self.steps = Passes(rows, options), Steps(rows.device, rows.edge_bytes)
        self.defines = defines(rows, EDGES)
        self.anchor: Any = None
        self._go("chunk_alone", n, parent)

    def join(self, chunks: range, *, everything: bool) -> None:
        """Join along the edges of some chunks: of all rows, or of those outside of the largest tree."""
        kernel = self.device.kernel("chunk_join.cuh", "chunk_join", self.defines)

        def work(blocks: int, head: tuple[Any, ...]) -> None:
            self.device.launch(kernel, blocks, THREADS, *head, self.parent)

        if everything:
            edges = sum(self.rows.chunks[number].edges for number in chunks)
            self.steps.add(0, self.n, edges, self.passes.over(work, only=chunks))
            return
        listed = self._outside()
        first, last = listed.table[[chunks.start, chunks.stop]].tolist()
        moved = self.passes.over(work, listed, only=chunks)
        self.steps.add(0, last[0] - first[0], last[2] - first[2], moved)

    def flatten(self) -> None:
        """Point every vertex at its root."""
        self._go("chunk_flatten", self.n, self.parent)

    def _outside(self) -> Listed:
        """The rows of all vertices that are not in the anchor's tree; the anchor stays the same throughout.

        An edge may be left out at both ends only if both were in the same tree.
        """
        device, n, rows = self.device, self.n, self.rows
        self.flatten()
        if self.anchor is None:
            self.anchor = device.empty(1, rows.index)
            kernel = device.kernel("chunk_join.cuh", "chunk_anchor", self.defines)
            device.launch(kernel, 1, 512, np.uint64(n), self.parent, self.anchor)
            self.bits, self.row = device.empty(-(-n // 32), np.uint32), row_dtype(rows)
            self.list = device.empty(n * self.row.itemsize, np.uint8)
            self.told = device.zeros(TOLD_WORDS + 3 * rows.bounds.size, np.uint64)
            self.barrier = device.zeros(GRID_BARRIER_WORDS, np.uint32)
            self.select = device.kernel("chunk_join.cuh", "chunk_select", self.defines)
            self.sums = device.empty(4 * device.resident_blocks(self.select, THREADS), np.uint64)
        self._go("chunk_outside", n, self.parent, self.anchor, self.bits)
        nobody_waits = (None, np.uint32(0), np.float64(0))
        no_list = (np.uint64(0), np.uint64(0))
        bounds = (rows.bounds, np.uint64(rows.bounds.size))
        device.launch_cooperative(
            self.select, THREADS, np.uint64(n), rows.offsets, self.bits, *nobody_waits, self.list, self.sums, *no_list,
            *bounds, self.told, self.barrier,
        )  # fmt: skip
        words = device.download(self.told)
        self.steps.close()
        return Listed(self.list, self.row, words[TOLD_WORDS:].view(np.int64).reshape(-1, 3))

    def _go(self, name: str, work: int, *args: Any) -> None:
        kernel = self.device.kernel("chunk_join.cuh", name, self.defines)
        self.device.launch(kernel, blocks_for(self.device, work, THREADS), THREADS, np.uint64(self.n), *args)
