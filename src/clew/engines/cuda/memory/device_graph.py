"""DeviceGraph: the arrays of a graph on a device, copied once as ``clew.memory`` says, and freed with the graph.

A ``Ledger`` finds it by the graph's array of neighbours, which it references weakly. Graphs are read-only, so copies
never go stale.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.build import on_device
from clew.engines.cuda.memory.device_rows import DeviceRows, transposed
from clew.engines.cuda.memory.edge_memory import PAIR, EdgePlan, Rows, can_pair, plan_edges, put
from clew.engines.cuda.memory.ledger import Ledger, clock, ledger_of, ledgers
from clew.engines.cuda.memory.packer import unpacked_neighbours
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.failures import clean
from clew.engines.retry import SMALLER, this_try
from clew.errors import DeviceError, ResourceError
from clew.free_memory import available_bytes
from clew.graph import Graph
from clew.memory import Policy, current
from clew.packed import PackedAdjacency


@dataclass(frozen=True, eq=False)
class _Edges:
    """Rows on the device, and the request that placed them.

    ``boundary`` is the placement's. A graph whose placement keeps all numbers shares its arrays with the original
    graph. There are rows without weights unless neighbours and weights are in pairs.
    """

    policy: Policy
    plan: EdgePlan
    plain: DeviceRows | None
    weights: weakref.ref[Any] | None = None
    weighted: DeviceRows | None = None
    indptr: weakref.ref[Any] | None = None
    boundary: int | None = None

    @property
    def whole(self) -> DeviceRows:
        """The rows with all their arrays."""
        whole = self.weighted or self.plain
        assert whole is not None
        return whole

    def serve(self, policy: Policy, rows: Adjacency, requested: Any, paired: bool) -> bool:
        """Whether they match the policy and the request."""
        if requested is not None and (self.weights is None or self.weights() is not requested):
            return False
        if self.plain is None and (requested is None or not paired):
            return False
        if self.policy == policy:
            return policy.edges != "tiered" or self.boundary == rows.boundary
        # Edges that are all in device memory serve every policy without a limit.
        return self.plan.mode == "device" and policy.fast_memory is None and policy.edges in ("auto", "device")


class DeviceGraph:
    """The arrays of a graph on one device: offsets, edges, in-edges built from them, and layouts.

    In-edges from the host are another ``DeviceGraph`` of the same ``family``.
    """

    def __init__(self, neighbours: Any = None, family: object = None) -> None:
        self.ref = weakref.ref(self)
        self.of = None if neighbours is None else weakref.ref(neighbours)
        self.family = family or object()
        self.last_used = 0
        self.spare = self.directory = 0  # bytes that the next placement should leave (edge_memory.Rows)
        self.edges: _Edges | None = None
        self.in_edges: DeviceGraph | None = None  # built on the device
        self.offsets: tuple[weakref.ref[Any], Any] | None = None  # of which indptr, and the copy
        #: The same edges as coordinates or a padded table, dropped when rows are replaced (spmv.py).
        self.forms: dict[str, Any] = {}
        #: Graphs derived from this one, with their own device graphs (symmetric_rows.py).
        self.derived: dict[Any, Any] = {}

    def drop(self) -> None:
        """Drop edges in every form, but keep the offsets."""
        self.edges = self.in_edges = None
        self.forms.clear()

    def forget(self) -> None:
        """Drop everything."""
        self.drop()
        self.offsets = None
        self.derived.clear()

    def drop_layouts(self) -> bool:
        """Drop cached layouts of products, and scratch arrays of calls; returns whether there were any."""
        had = self.in_edges is not None and self.in_edges.drop_layouts()
        for rows in () if self.edges is None else (self.edges.plain, self.edges.weighted):
            if rows is not None:
                had |= rows.facts.pop("sweep", None) is not None
                for form in (rows, rows.facts.get("packed", rows)):  # packed rows are a fact of their words
                    had |= bool(form.scratch)
                    form.scratch.clear()
        return had

    def rows(self, device: Device, rows: Adjacency, requested: Any, parts: float, paired: bool) -> DeviceRows:
        """The rows on the device with the requested weights (None: without), as ``rows_on`` describes."""
        policy, attempt = current(), this_try()
        if attempt is not None:
            attempt.used.add(self.ref)
            if policy.edges == "auto":
                attempt.note(self.ref, 0)
        cached = self.edges
        if cached is not None and not self._same_offsets(device, cached, rows):
            cached = None
            ledger_of(device).evict(self)
        if cached is None or not cached.serve(policy, rows, requested, paired):
            cached = None  # else the rows to replace would be kept alive
            cached = self.edges = self._put(device, rows, requested, policy, parts, paired)
        if attempt is not None and policy.edges == "auto":
            attempt.note(self.ref, cached.plan.fast_bytes)
        there = cached.plain if requested is None else cached.weighted
        assert there is not None
        return there

    def _same_offsets(self, device: Device, cached: _Edges, rows: Adjacency) -> bool:
        """Whether the offsets equal those on the device: two layouts may share an array of neighbours.

        The offsets of a list of coordinates are counted at every call, so equal offsets come in different arrays.
        """
        assert cached.indptr is not None
        if cached.indptr() is rows.indptr:
            return True
        known, asked = cached.whole.offsets, self.offsets_of(device, rows)
        if known is asked:
            return True
        same = bool(known.size == asked.size and (known == asked).all())
        if same:  # keep one copy, and do not compare again
            self.offsets = (weakref.ref(rows.indptr), known)
        return same

    def offsets_of(self, device: Device, rows: Adjacency) -> Any:
        """The offsets of rows, in device memory."""
        if self.offsets is None or self.offsets[0]() is not rows.indptr:
            dtype = np.uint32 if rows.indptr[-1] < 2**32 else np.int64  # words of packed rows are fewer than arcs
            self.offsets = (weakref.ref(rows.indptr), device.upload(rows.indptr.astype(dtype)))
        return self.offsets[1]

    def _put(
        self, device: Device, rows: Adjacency, requested: Any, policy: Policy, parts: float, paired: bool
    ) -> _Edges:
        """Place rows on the device instead of the present ones; less of them in device memory if allocation fails."""
        ledger, before, attempt = ledger_of(device), self.edges, this_try()
        paired = paired and (before is None or before.plain is None or before.policy != policy)
        offsets = self.offsets_of(device, rows)
        number = 0 if attempt is None else attempt.number
        self.forms.clear()
        while True:
            held = _left_by_build(rows.identity, requested)
            held = max(held, 0 if before is None else ledger.charged(self))
            size = size_of(device, rows, requested, parts, held=held, makes_room=True)
            plan = plan_edges(policy, size, SMALLER[number])
            if plan.mode != "device":
                for array in (rows.identity, *(() if requested is None else (requested,))):
                    on_device.device_copies.pop(array)
            if before is not None and not before.plan.mode == plan.mode == "device":
                before = None  # weights can be added only if all edges are in device memory
                ledger.evict(self)
                continue  # plan again with the memory that was freed
            placed = None
            try:
                placed = _placed_or_hosted(device, rows, requested, plan, offsets, before, paired)
            except ResourceError:
                if plan.mode not in ("device", "tiered") or policy.edges not in ("auto", "tiered"):
                    raise
            if placed is None:  # the error, and the arrays it held, are gone by now
                before = None
                ledger.evict(self)
                number = min(number + 1, len(SMALLER) - 1)
                continue
            plain, weighted = placed
            whole = weighted or plain
            assert whole is not None
            assert whole.plan is not None
            _charge(ledger, self, whole)
            whose = None if weighted is None else weakref.ref(requested)
            return _Edges(policy, whole.plan, plain, whose, weighted, weakref.ref(rows.indptr), rows.boundary)

    def build_in_edges(self, device: Device, rows: Adjacency, weights: bool) -> DeviceRows | None:
        """In-edges built from the out-edges, if both fit in device memory; else None."""
        requested, policy = rows.stored_weights if weights else None, current()
        cached = None if self.in_edges is None else self.in_edges.edges
        if cached is not None and policy.fast_memory is not None and cached.policy != policy:
            cached = None  # they may exceed the limit in force now
        if cached is None or (requested is not None and (cached.weights is None or cached.weights() is not requested)):
            cached = self.in_edges = None
            if not self._has_room_for_both(device, rows, requested):
                return None
            out = rows_on(device, rows, weights=weights, parts=2)
            if out.plan is None or out.plan.mode != "device":
                return None
            with clean("the in-edges cannot be built on the GPU"):
                built = replace(transposed(device, out), plan=out.plan)
            self.in_edges = reverse = DeviceGraph(family=self.family)
            _charge(ledger_of(device), reverse, built)
            if requested is None:
                cached = _Edges(policy, out.plan, built)
            else:
                cached = _Edges(policy, out.plan, replace(built, weights=None), weakref.ref(requested), built)
            reverse.edges = cached
        assert self.in_edges is not None
        self.in_edges.last_used = self.last_used
        if (attempt := this_try()) is not None:
            attempt.used.add(self.in_edges.ref)
        return cached.plain if requested is None else cached.weighted

    def _has_room_for_both(self, device: Device, rows: Adjacency, requested: Any) -> bool:
        """Whether the out-edges and as many in-edges fit in device memory."""
        policy, attempt = current(), this_try()
        if self.edges is not None and self.edges.serve(policy, rows, requested, False):
            if self.edges.plan.mode != "device":
                return False
            limit = policy.fast_memory
            left = device.free_memory() if limit is None else limit - ledger_of(device).charged()
            return left >= self.edges.plan.fast_bytes
        try:
            size = size_of(device, rows, requested, 2)
            return plan_edges(policy, size, SMALLER[0 if attempt is None else attempt.number]).mode == "device"
        except ResourceError:
            return False


def graph_on(device: Device, neighbours: Any) -> DeviceGraph:
    """The device graph of an array of neighbours, which may have nothing on the device yet."""
    ledger = ledgers.get(device) or ledger_of(device)
    cached: DeviceGraph | None = ledger.latest()
    if cached is not None and cached.of is not None and cached.of() is neighbours:
        return cached  # calls come in rows over one graph
    cached = ledger.graphs.get(neighbours)
    if cached is None:
        cached = ledger.graphs[neighbours] = DeviceGraph(neighbours)
    cached.last_used, ledger.latest = next(clock), cached.ref
    return cached


def rows_on(
    device: Device, rows: Adjacency, *, weights: bool = True, parts: float = 1, paired: bool = False
) -> DeviceRows:
    """The rows on the device, placed there by the first call.

    ``parts`` is 2 if the rows of the other direction are needed next. Half of the memory is left for them, unless they
    are on the device already. It need not be whole. Placed rows are not moved.

    ``paired`` is for kernels that support pairs. They get pairs if edges are in two memories and have two words each.
    Edges are in one form at a time. Converting costs more than pairs gain, so edges without pairs stay so.
    """
    return graph_on(device, rows.identity).rows(device, rows, rows.stored_weights if weights else None, parts, paired)


def incoming_on(device: Device, graph: Graph, *, weights: bool = True) -> DeviceRows:
    """The in-edges on the device: built there, unless the graph has them on the host or they do not fit."""
    if not graph.directed:
        return rows_on(device, graph.outgoing, weights=weights)
    if not graph.has_incoming and current().edges in ("auto", "device"):
        try:
            built = graph_on(device, graph.outgoing.identity).build_in_edges(device, graph.outgoing, weights)
        except MemoryError:  # building takes memory on the device; the host has more
            built = None
        if built is not None:
            return built
    return rows_on(device, into_of(device, graph), weights=weights)


def into_of(device: Device, graph: Graph) -> Adjacency:
    """The in-edges on the host, registered as the other direction of the out-edges."""
    into = graph.incoming
    if graph.directed:
        out, other = graph_on(device, graph.outgoing.identity), graph_on(device, into.identity)
        for member in (other, other.in_edges):
            if member is not None:
                member.family = out.family
    return into


def offsets_on(device: Device, rows: Adjacency) -> Any:
    """The offsets of rows, in device memory under every policy, for callers that need no edges."""
    return graph_on(device, rows.identity).offsets_of(device, rows)


def plan_in_force(device: Device, rows: Adjacency, weights: Any, *, paired: bool = False) -> EdgePlan | None:
    """The plan of rows that the next call would reuse; None if it would place them."""
    cached = _edges_of(device, rows)
    return cached.plan if cached is not None and cached.serve(current(), rows, weights, paired) else None


def plan_of(device: Device, rows: Adjacency) -> EdgePlan | None:
    """In which memory the edges of rows are and why; None if they have not been placed yet."""
    cached = _edges_of(device, rows)
    return None if cached is None else cached.plan


def _edges_of(device: Device, rows: Adjacency) -> _Edges | None:
    """The edges that were placed; this does not count as a use."""
    cached: DeviceGraph | None = ledger_of(device).graphs.get(rows.identity)
    return None if cached is None else cached.edges


def bytes_on(device: Device, rows: Adjacency) -> int:
    """The bytes of device memory that the edges of rows use."""
    return ledger_of(device).charged(graph_on(device, rows.identity))


def size_of(
    device: Device, rows: Adjacency, weights: Any, parts: float, *, held: int = 0, makes_room: bool = False
) -> Rows:
    """The inputs of the plan for rows; ``makes_room`` evicts rows that exceed a budget."""
    ledger, graph, attempt = ledger_of(device), graph_on(device, rows.identity), this_try()
    widths = [int(dtype.itemsize) for dtype in (rows.id_dtype, None if weights is None else rows.weight_dtype) if dtype]
    if parts > 1 and ledger.has_other_direction(graph):
        parts = 1
    if makes_room:
        if current().fast_memory is not None:  # copies from the build are outside the budget
            for array in on_device.device_copies.objects():
                if array is not rows.identity and array is not weights:
                    on_device.device_copies.pop(array)
        ledger.make_room(int(rows.num_arcs * sum(widths) * parts), graph, () if attempt is None else attempt.used)
    taken = ledger.charged() - min(held, ledger.charged(graph))
    first_fast = None if rows.boundary is None else int(rows.indptr[rows.boundary])
    return Rows(
        rows.num_vertices, rows.num_arcs, sum(widths), device.free_memory(), available_bytes(), device.page,
        device.why_not_split(), first_fast, parts, held, taken, min(widths), graph.spare, graph.directory,
    )  # fmt: skip


def _left_by_build(*arrays: Any) -> int:
    """Bytes of arrays that a build on the device left there."""
    left = [on_device.device_copy(array) for array in arrays if array is not None]
    return sum(int(array.nbytes) for array in left if array is not None)


def _charge(ledger: Ledger, owner: DeviceGraph, rows: DeviceRows) -> None:
    """Charge rows to the device's memory budget."""
    fast = rows.num_arcs if rows.plan is None else rows.num_arcs - rows.plan.cut
    for array in (rows.pairs,) if rows.paired else (rows.neighbours, rows.weights):
        if array is not None:
            ledger.charge(array, fast * array.dtype.itemsize, owner)


_Placed = tuple[DeviceRows | None, DeviceRows | None]


def _placed_or_hosted(
    device: Device, rows: Adjacency, requested: Any, plan: EdgePlan, offsets: Any, before: _Edges | None, paired: bool
) -> _Placed:
    """Rows as planned; all on the host if the driver cannot map them in two memories."""
    try:
        if paired and plan.mode == "tiered" and requested is not None and can_pair(rows.id_dtype, rows.weight_dtype):
            return None, _placed_in_pairs(device, rows, plan, offsets)
        return _placed(device, rows, requested, plan, offsets, before)
    except DeviceError as error:
        if plan.mode != "tiered":
            raise
        problem = str(error)
    whole = replace(plan, mode="zero_copy", cut=plan.num_arcs, why=f"all bytes of edges on the host: {problem}")
    return _placed(device, rows, requested, whole, offsets, None)


def _placed_in_pairs(device: Device, rows: Adjacency, plan: EdgePlan, offsets: Any) -> DeviceRows:
    pairs = device.split(rows.indices, plan.cut * PAIR.itemsize, rows.weights)
    neighbours, weights = pairs.view(rows.id_dtype)[::2], pairs.view(rows.weight_dtype)[1::2]
    return DeviceRows(offsets, neighbours, weights, rows.num_vertices, rows.num_arcs, plan, pairs)


def _placed(
    device: Device, rows: Adjacency, requested: Any, plan: EdgePlan, offsets: Any, before: _Edges | None
) -> _Placed:
    """Rows without weights, and with weights if requested."""
    plain = None if before is None else before.plain
    if plain is None:
        alone = replace(plan, bytes_per_edge=int(rows.id_dtype.itemsize))
        neighbours = _put_neighbours(device, rows, plan, offsets)
        plain = DeviceRows(offsets, neighbours, None, rows.num_vertices, rows.num_arcs, alone)
    return plain, None if requested is None else replace(plain, weights=_put_weights(device, rows, plan), plan=plan)


def _put_neighbours(device: Device, rows: Adjacency, plan: EdgePlan, offsets: Any) -> Any:
    """The neighbours in memory as planned. The device unpacks those that it has all of."""
    if plan.mode == "device" and isinstance(rows, PackedAdjacency) and rows.reads_packed:
        return unpacked_neighbours(device, rows.neighbours, offsets)
    return put(device, rows.indices, plan)


def _put_weights(device: Device, rows: Adjacency, plan: EdgePlan) -> Any:
    """The weights in memory as planned. The device widens those that it has all of."""
    weights = rows.stored_weights if plan.mode == "device" else rows.weights
    assert weights is not None
    there = put(device, weights, plan)
    return there if weights.dtype == rows.weight_dtype else there.astype(rows.weight_dtype)
