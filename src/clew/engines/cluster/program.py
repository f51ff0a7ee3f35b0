"""Vertex programs on a cluster: send and apply at the owner of a vertex, process and reduce where its edges are.

The kernels are those of the hybrid pipeline. Messages of active vertices go along the grid to the blocks that have
their edges. Blocks have a copy of the fields that edges read, refreshed with the vertices that changed. Partial sums
go to the owners, who reduce them in the order of ranks. With a ``Gather``, blocks count the values that arrive at a
vertex, and the owner adds the counts.
"""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clew.dtypes import Array, as_bits
from clew.engines.cluster import messages, products
from clew.engines.cluster.checkpoints import State
from clew.engines.cluster.kernels_gather import gather_kernels, mark_neighbors
from clew.engines.cluster.share import Share, in_both_directions
from clew.engines.compile_errors import is_compile_error, program_error
from clew.engines.cpu import CpuEngine, compiler
from clew.engines.cpu.program import NO_LIMIT, PUSHED, Done, multisets_of, no_priority, rows_with_weights
from clew.operators import Gather, Monoid
from clew.operators.inspection import uses_argument
from clew.result import Trace

if TYPE_CHECKING:
    from clew.program import VertexProgram

LAST_KEY = 2**64 - 1  # the key of a vertex that never waits


def run_program(program: VertexProgram, graph: Share, state: Array, active: npt.NDArray[np.bool_]) -> Done:
    """Run the program on the states of this member's vertices, in place; all members call this."""
    run = GatherRun if isinstance(program.reduce, Gather) else Run
    try:
        return run(program, graph, state).until_nobody_is_active(active)
    except Exception as error:
        if is_compile_error(error):
            raise program_error(program, graph.weight_dtype, error) from error
        raise


class Run:
    """A program at work on one member's vertices and one block of edges."""

    def __init__(self, program: VertexProgram, graph: Share, state: Array) -> None:
        from clew.engines.hybrid.kernels import pipeline_kernels

        self.program, self.monoid = program, self._monoid(program)
        doubled = program.direction == "both" and graph.directed
        self.graph = in_both_directions(graph, graph.block.weights) if doubled else graph
        self.member, self.state = graph.member, state
        self.message = np.dtype(program.message)
        self.identity = self.monoid.identity(self.message)
        self.engine = CpuEngine()
        functions: Any = (program.send, program.process, self.monoid.operator.function, program.apply)
        filters: Any = (program.accepts, program.matters, program.priority or no_priority)
        self.kernels: Any = compiler.kernel(
            pipeline_kernels,
            *functions,
            *filters,
            first_suffices=self.monoid.stops_at_first,
            ordered=program.priority is not None,
        ).dispatcher
        along, self.source_axis, self.target_axis = self.graph.oriented(transpose=program.direction == "in")
        against = self.graph.rows(transpose=self.source_axis == "row")
        self.block_rows = along, against
        self.along, self.against = rows_with_weights(along, program), rows_with_weights(against, program)
        degrees = self.graph.own_degrees(transpose=program.direction == "in")
        self.offsets = as_bits(np.concatenate([[0], np.cumsum(degrees)]))  # as if this member had all edges of a vertex
        self._make_room(state)

    @staticmethod
    def _monoid(program: VertexProgram) -> Monoid:
        assert isinstance(program.reduce, Monoid)
        return program.reduce

    def block_size(self) -> tuple[int, int]:
        """The vertices of the block that send, and those that receive."""
        return self.along[0].size - 1, self.against[0].size - 1

    def _make_room(self, state: Array) -> None:
        size, words = state.size, -(-state.size // 64)
        senders, receivers = self.block_size()
        self.active, self.frontier, self.reached, self.changed = (np.zeros(words, np.uint64) for _ in range(4))
        self.sent, self.nothing = np.zeros(size, self.message), np.zeros(words, np.uint64)
        self.sums = np.full(size, self.identity, self.message)
        self.unused = np.full(size, self.identity, self.message)
        self.block_frontier, self.block_reached = (np.zeros(-(-k // 64), np.uint64) for k in (senders, receivers))
        self.block_sent = np.zeros(senders, self.message)
        self.block_sums = np.full(receivers, self.identity, self.message)
        program = self.program
        read = (program.process, 2), (program.accepts, 0), (program.matters, 1)
        self.mirrored = any(uses_argument(function, place) for function, place in read)
        self.mirror = np.zeros(receivers, state.dtype)
        self.changed[:] = bits_of(np.arange(size), size)  # no block has any state yet

    def until_nobody_is_active(self, active: npt.NDArray[np.bool_]) -> Done:
        """Iterate; the vertices of the mask are the first to send."""
        program, member = self.program, self.member
        limit = NO_LIMIT if program.max_iterations is None else program.max_iterations
        steady = program.active_next == "all"
        self.active[:] = bits_of(np.flatnonzero(active), active.size)
        pushable = program.apply_to != "all" and (self.monoid.is_order_free or self.message.kind in "iu")
        turn, present = 0, np.uint64(0)
        rows: list[tuple[int, int, float]] = []
        going = True if steady else member.any(active.any())
        while going and len(rows) < limit:
            turn, present, rows = self.checkpoint(turn, present, rows)
            turn += 1
            began = perf_counter()
            count, edges, lowest = self.select(present, steady)
            if count == 0 and not steady:
                present = np.uint64(max(lowest, int(present)))
                continue
            self.spread_messages()
            self.refresh_mirror()
            if pushable and not steady and edges <= self.graph.num_arcs * PUSHED:
                self.push()
            else:
                self.pull(everyone=steady)
            changed = self.apply()
            rows.append((count, edges, perf_counter() - began))
            going = changed > 0 if steady else member.any(self.active.any())
        columns = np.array(rows).reshape(-1, 3).T
        whole = {name: column.astype(np.int64) for name, column in zip(("active", "edges"), columns, strict=False)}
        return Done(len(rows), not going, Trace({**whole, "seconds": columns[2]}))

    def checkpoint(self, turn: int, *counters: Any) -> State:
        """Save the states if it is time, or continue from those that were saved; returns the counters to go on with."""
        state, active, *kept = self.member.checkpoint(turn, self.state, self.active, turn, *counters)
        if state is not self.state:
            self.state[...], self.active[:] = state, active
            self.changed[:] = bits_of(np.arange(state.size), state.size)  # mirrors have what this run started with
        return tuple(kept)

    def select(self, present: Any, steady: bool) -> tuple[int, int, int]:
        """Let active vertices send; returns the number of all senders, of their edges, and the lowest waiting key."""
        bounds = np.array([0, self.state.size])
        if steady:
            self.kernels.send_all(0, bounds, self.state, self.sent)
            self.frontier[:] = bits_of(np.arange(self.state.size), self.state.size)
            return self.graph.num_vertices, self.graph.num_arcs, LAST_KEY
        scale = 1 / self.program.width
        count, edges, lowest = self.kernels.select(
            0, bounds, self.state, self.active, self.frontier, self.sent, self.offsets, present, scale
        )
        counts = self.member.all_reduce(np.array([count, edges], np.int64), np.add)
        waits = self.program.priority is not None
        least = int(self.member.all_reduce(np.uint64(lowest), np.minimum)) if waits else LAST_KEY
        return int(counts[0]), int(counts[1]), least

    def spread_messages(self) -> None:
        """Bring the messages of the frontier to the blocks that have its edges."""
        places = places_of(self.frontier, self.state.size)
        packed = messages.pack(places, self.sent[places], self.state.size)
        parts = self.member.all_gather(self.source_axis, packed)
        there, values = messages.unpack(parts, self.graph.partition.segment, self.message)
        self.block_frontier[:] = bits_of(there, self.block_sent.size)
        self.block_sent[there] = values

    def refresh_mirror(self) -> Array:
        """Bring the states that changed to the blocks whose edges read them; returns their places there."""
        if not self.mirrored:
            return np.empty(0, np.int32)
        places = places_of(self.changed, self.state.size)
        self.changed.fill(0)
        plain = np.dtype((np.void, self.state.dtype.itemsize))
        packed = messages.pack(places, np.ascontiguousarray(self.state[places]).view(plain), self.state.size)
        parts = self.member.all_gather(self.target_axis, packed)
        there, values = messages.unpack(parts, self.graph.partition.segment, plain)
        self.mirror[there] = values.view(self.state.dtype)
        return there

    def push(self) -> None:
        """Sums over the edges of the frontier."""
        bounds = np.array([0, self.block_sent.size])
        sums = (self.block_sums, as_bits(self.block_sums))
        given = (bounds, self.along, self.mirror, self.block_sent, self.block_frontier)
        self.kernels.push(0, *given, sums, self.block_reached)

    def pull(self, *, everyone: bool) -> None:
        """Sums over all edges, in the order of rows."""
        bounds = np.array([0, self.block_sums.size])
        given = (bounds, self.against, self.mirror, self.block_sent, self.block_frontier)
        self.kernels.pull(0, *given, everyone, self.identity, self.block_sums, self.block_reached)

    def apply(self) -> int:
        """Apply the sums of all blocks; how many vertices became active, everywhere."""
        places, totals = self.collect()
        self.reached[:] = bits_of(places, self.state.size)
        self.sums[places] = totals
        everyone = self.program.apply_to == "all"
        bounds = np.array([0, self.state.size])
        arrived, nothing = (self.reached, self.sums), (self.nothing, self.unused)
        changed = self.kernels.apply(
            0, bounds, self.state, self.identity, everyone, arrived, nothing, self.active, self.changed
        )
        return int(self.member.all_reduce(np.int64(changed), np.add))

    def collect(self) -> tuple[Array, Array]:
        """The places of this member's vertices that a message reached, and the sums there."""
        there = places_of(self.block_reached, self.block_sums.size)
        sums = self.block_sums[there]
        self.block_sums[there] = self.identity
        self.block_reached.fill(0)
        return products.fold_sparse(self.engine, self.graph, there, sums, self.target_axis, self.monoid)


class GatherRun(Run):
    """The same for a program that sees all messages of a vertex at once.

    A vertex that a message reaches reads the latest messages of all its neighbours, so blocks keep them.
    """

    def __init__(self, program: VertexProgram, graph: Share, state: Array) -> None:
        super().__init__(program, graph, state)
        gather: Any = program.reduce
        functions: Any = (program.process, gather.function, program.accepts, program.matters)
        self.counting: Any = compiler.kernel(gather_kernels, *functions).dispatcher
        self.multiset = tuple(
            room[0] for room in multisets_of(int(np.diff(self.against[0]).max(initial=1)), self.message)
        )
        self.counted = np.dtype([("place", np.int32), ("count", np.int64), ("value", self.message)])
        self.kernels.send_all(0, np.array([0, state.size]), state, self.sent)
        self.spread_latest()

    @staticmethod
    def _monoid(program: VertexProgram) -> Monoid:
        gather: Any = program.reduce
        return Monoid(_first, lambda dtype: np.array(gather.empty).astype(dtype)[()])  # never combines two

    def spread_latest(self) -> None:
        """Bring the latest messages of all vertices to the blocks."""
        self.frontier[:] = bits_of(np.arange(self.state.size), self.state.size)
        self.spread_messages()

    def checkpoint(self, turn: int, *counters: Any) -> State:
        """As with a monoid; the latest messages are part of the state."""
        *kept, sent = super().checkpoint(turn, *counters, self.sent)
        if sent is not self.sent:
            self.sent[:] = sent
            self.spread_latest()
        return tuple(kept)

    def push(self) -> None:
        """Messages of a gather are always pulled."""
        self.pull(everyone=False)

    def pull(self, *, everyone: bool) -> None:
        """Count the values that arrive at every vertex which a message reached in any block."""
        size = self.block_sums.size
        if everyone or self.program.apply_to == "all":
            chosen = np.arange(size)
        else:
            reached = np.zeros(size, np.bool_)
            mark_neighbors(self.along, places_of(self.block_frontier, self.block_sent.size), reached)
            flags = self.member.all_gather(self.target_axis, np.packbits(reached))
            chosen = np.flatnonzero(np.unpackbits(np.bitwise_or.reduce(flags), count=size))
        found = np.empty(int(np.diff(self.against[0])[chosen].sum()), self.counted)
        count = self.counting.count(
            self.against, self.mirror, self.block_sent, chosen, self.multiset, found.view(np.recarray)
        )
        self.distinct = found[:count]

    def collect(self) -> tuple[Array, Array]:
        """The same for counts: those of all blocks are added, and every multiset is reduced."""
        segment, member = self.graph.partition.segment, self.member
        bounds = np.searchsorted(self.distinct["place"], np.arange(len(member.groups[self.target_axis]) + 1) * segment)
        parts = [self.distinct[low:high] for low, high in pairwise(bounds)]
        arrived = np.concatenate(member.all_to_all(self.target_axis, parts))
        place, value = arrived["place"] % segment, arrived["value"]
        order = np.lexsort((value, place))
        place, value = place[order], value[order]
        first = np.flatnonzero(np.diff(place, prepend=-1) | (value != np.roll(value, 1)))
        counts = np.add.reduceat(arrived["count"][order], first) if first.size else arrived["count"]
        place, value = place[first], value[first]
        starts = np.flatnonzero(np.diff(place, prepend=-1))
        totals = np.empty(starts.size, self.message)
        self.counting.reduce(np.append(starts, place.size), value, counts, totals)
        return place[starts], totals


def _first(a: Any, b: Any) -> Any:  # noqa: ARG001
    return a


def bits_of(places: Array, size: int) -> Array:
    """A bitmap of some places."""
    mask = np.zeros(-(-size // 64) * 64, np.bool_)
    mask[places] = True
    return np.packbits(mask, bitorder="little").view(np.uint64)


def places_of(words: Array, size: int) -> npt.NDArray[np.int32]:
    """The places of a bitmap."""
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little", count=size)).astype(np.int32)
