"""One step of a vertex program on the GPU without send and apply: messages in, sums out, over the rows from one on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew.engines.cuda.balance.symmetric_rows import Directions
from clew.engines.cuda.balance.tiling import LIMITS, rows_by_length
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.products.spmspv import atomic_of, ends_of
from clew.engines.cuda.program.functions import Functions, product_functions_of
from clew.engines.cuda.program.program import is_pushable
from clew.engines.cuda.toolchain.device import Device, blocks_for, index_defines
from clew.engines.hybrid.exchange import Counted
from clew.operators import Monoid

if TYPE_CHECKING:
    from clew.program import VertexProgram

THREADS, RESIDENT = 512, 2
EACH = 8  # rounds of 32 edges that a warp takes at once
CLASSES = len(LIMITS) + 1


class RowProduct:
    """Rows on the GPU, and the program's kernels for products over them.

    ``fields`` are the fields that edges read, in the order of ``mirror`` on the device.
    """

    def __init__(self, device: Device, program: VertexProgram, monoid: Monoid, directions: Directions) -> None:
        self.device, self.n, self.directions = device, directions.against.num_vertices, directions
        functions = product_functions_of(program, self.directions.weight, monoid)
        self.fields, self.operators = functions.fields, functions.operators
        self.pushable = is_pushable(program, monoid)
        self._defines = _macros(functions, self.directions.along, program, monoid)
        self.identity = monoid.identity(np.dtype(program.message))
        self._pull = self._kernel("row_pull.cuh", "product_pull")
        self._push = self._kernel("row_push.cuh", "product_push") if self.pushable else None
        self._classes = rows_by_length(device, self.directions.against)
        self._bounds: tuple[int, Any, Any] | None = None

    def pull(
        self, first_row: int, messages: Any, active: Any, sums: Any, reached: Any, mirror: tuple[Any, ...]
    ) -> None:
        """Sums for the rows from ``first_row`` on; ``active`` None means that all vertices have a message."""
        rows = self.directions.against
        begins, ends = self._from(first_row)
        device = self.device
        blocks = min(device.resident_blocks(self._pull, THREADS), blocks_for(device, self.n, 4, 1 << 20))
        given = (*rows.arrays, self._classes.order, begins, ends)
        device.launch(self._pull, blocks, THREADS, *given, messages, active, self.identity, sums, reached, *mirror)

    def push(
        self, words: Any, count: int, num_edges: int, messages: Any, sums: Any, reached: Any, mirror: tuple[Any, ...]
    ) -> None:
        """Sums along the edges of the vertices whose bits are set; sums are the identity before.

        The caller passes the numbers of vertices and edges; reading them from the device would wait for it.
        """
        if count == 0 or num_edges == 0:
            return
        device, rows = self.device, self.directions.along
        counted = Counted(device, words)
        index = np.dtype(rows.neighbours.dtype)
        listed = counted.ids(count, index, device.empty(count, index))
        ends = ends_of(device, rows, listed)
        given = (*rows.arrays, listed, ends, np.uint64(count), np.uint64(num_edges))
        blocks = min(device.resident_blocks(self._push, THREADS), blocks_for(device, num_edges, THREADS, 1 << 20))
        device.launch(self._push, blocks, THREADS, *given, messages, sums, reached, *mirror)

    def _kernel(self, file: str, name: str) -> Any:
        return self.device.kernel(file, name, self._defines, self.operators)

    def _from(self, first_row: int) -> tuple[Any, Any]:
        """Per class of rows, the position of the first row from ``first_row`` on, and the end."""
        if self._bounds is None or self._bounds[0] != first_row:
            device, order = self.device, self._classes.order
            starts = device.download(self._classes.starts).astype(np.int64)
            begins, ends = starts[:-1].copy(), starts[1:]
            for k in range(CLASSES):
                if order is None:
                    begins[k] = min(max(begins[k], first_row), ends[k])
                elif first_row > 0:  # within a class, rows are in their own order
                    part = order[int(begins[k]) : int(ends[k])]
                    first = device.xp.asarray([min(first_row, self.n - 1)], dtype=part.dtype)
                    begins[k] += int(device.xp.searchsorted(part, first)[0])
                    if first_row >= self.n:
                        begins[k] = ends[k]
            pair = tuple(device.upload(bounds.astype(np.uint64)) for bounds in (begins, ends))
            self._bounds = (first_row, *pair)
        return self._bounds[1], self._bounds[2]


def _macros(functions: Functions, rows: DeviceRows, program: VertexProgram, monoid: Monoid) -> dict[str, Any]:
    return {
        **index_defines(np.dtype(rows.neighbours.dtype), rows.num_arcs),
        **functions.defines,
        "EACH": EACH,
        "THREADS": THREADS,
        "RESIDENT": RESIDENT,
        **(atomic_of(monoid, np.dtype(program.message)) if is_pushable(program, monoid) else {}),
        **({"ON_HOST": 1} if rows.on_host else {}),
    }
