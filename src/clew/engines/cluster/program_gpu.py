"""Vertex programs on workers with GPUs: process and reduce run there, with the edges of the block.

Send and apply stay on the CPU. Messages, sums and the fields that edges read are copied as in the hybrid pipeline, and
the kernels are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array
from clew.engines.cluster.gpu import squared
from clew.engines.cluster.program import Run, bits_of, places_of
from clew.engines.cluster.share import Share
from clew.engines.compile_errors import program_error
from clew.engines.cpu.program import Done, uses_weights
from clew.engines.cuda.balance.symmetric_rows import Directions
from clew.engines.cuda.memory.device_graph import rows_on
from clew.engines.cuda.program.program import monoid_of
from clew.engines.cuda.toolchain.device import Device
from clew.engines.hybrid.exchange import Exchange, Vector
from clew.engines.hybrid.row_product import RowProduct
from clew.errors import OperatorError

if TYPE_CHECKING:
    from clew.program import VertexProgram


def run_program(
    device: Device, program: VertexProgram, graph: Share, state: Array, active: npt.NDArray[np.bool_]
) -> Done:
    """Run the program on the states of this member's vertices, in place; all members call this."""
    monoid_of(program)  # or an error: a gather is for the CPU
    try:
        return GpuRun(device, program, graph, state).until_nobody_is_active(active)
    except OperatorError as error:
        if not isinstance(error.__cause__, Exception):
            raise
        raise program_error(program, graph.weight_dtype, error.__cause__, " for the GPU") from error.__cause__


class GpuRun(Run):
    """A program at work on one member's vertices, and on one block of edges on a GPU."""

    def __init__(self, device: Device, program: VertexProgram, graph: Share, state: Array) -> None:
        self.device = device
        super().__init__(program, graph, state)

    def block_size(self) -> tuple[int, int]:
        """The square that the block is on the GPU."""
        size = squared(self.block_rows[0]).num_vertices
        return size, size

    def _make_room(self, state: Array) -> None:
        super()._make_room(state)
        device, (along, against) = self.device, map(squared, self.block_rows)
        size, ids = along.num_vertices, along.indices.dtype
        weights = uses_weights(self.program) and along.weights is not None
        there = Directions(*(rows_on(device, rows, weights=weights) for rows in (along, against)))
        self.product = RowProduct(device, self.program, self.monoid, there)
        self.messages = Exchange(device, size, ids, (self.message,))
        self.inbox, self.outbox = (self.messages.device_vector() for _ in range(2))
        dtypes = tuple(self.mirror.dtype[name] for name in self.product.fields)
        self.fields = Exchange(device, size, ids, dtypes) if dtypes else None
        self.mirror_there = tuple(device.empty(size, dtype) for dtype in dtypes)

    def refresh_mirror(self) -> Array:
        """The same on the GPU, for the fields that edges read."""
        places = super().refresh_mirror()
        if self.fields is not None and places.size:
            columns = tuple(self.mirror[name] for name in self.product.fields)
            self.fields.up(Vector(bits_of(places, self.mirror.size), columns), Vector(None, self.mirror_there))
        return places

    def push(self) -> None:
        """Sums over the edges of the frontier, where the GPU can add in any order."""
        if not self.product.pushable:
            self.pull(everyone=False)
            return
        senders, offsets = places_of(self.block_frontier, self.block_sent.size), self.along[0]
        edges = int((offsets[senders + 1] - offsets[senders]).sum())
        self.outbox.columns[0].fill(self.identity)
        self._product(lambda inbox, out: self.product.push(inbox.words, senders.size, edges, inbox.columns[0], *out))

    def pull(self, *, everyone: bool) -> None:
        """Sums over all edges."""
        self._product(
            lambda inbox, out: self.product.pull(0, inbox.columns[0], None if everyone else inbox.words, *out)
        )

    def _product(self, launch: Any) -> None:
        """Send the messages to the GPU, and fetch the sums."""
        self.messages.up(Vector(self.block_frontier, (self.block_sent,)), self.inbox)
        sums, reached = self.outbox.columns[0], self.outbox.words
        reached.fill(0)
        launch(self.inbox, (sums, reached, self.mirror_there))
        self.messages.down(self.outbox, Vector(self.block_reached, (self.block_sums,)))
