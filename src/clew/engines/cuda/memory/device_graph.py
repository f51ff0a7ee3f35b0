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
from clew.engines.cuda.memory.host_memory import free_on_host
from clew.engines.cuda.memory.ledger import Ledger, clock, ledger_of, ledgers
from clew.engines.cuda.toolchain.device import Device
from clew.engines.cuda.toolchain.failures import clean
from clew.engines.retry import SMALLER, this_try
from clew.errors import DeviceError, ResourceError
from clew.graph import Graph
from clew.memory import Policy, current


@dataclass(frozen=True, eq=False)
class _Edges:
    """Rows on the device, and the request that put them there.

    ``boundary`` is the placement's: a graph whose placement renumbers nobody shares its arrays with the one it was
    made of. There are rows without weights unless neighbours and weights are in pairs.
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
        """The rows with all that was put."""
        whole = self.weighted or self.plain
        assert whole is not None
        return whole

    def serve(self, policy: Policy, rows: Adjacency, wanted: Any, paired: bool) -> bool:
        """Whether they are what the policy and the caller ask for."""
        if wanted is not None and (self.weights is None or self.weights() is not wanted):
            return False
        if self.plain is None and (wanted is None or not paired):
            return False
        if self.policy == policy:
            return policy.edges != "tiered" or self.boundary == rows.boundary
        # Under whatever policy: all edges are in device memory, and nobody wants fewer of them there.
        return self.plan.mode == "device" and policy.fast_memory is None and policy.edges in ("auto", "device")


class DeviceGraph:
    """What the rows of a graph have on one device: offsets, edges, in-edges made of them, and layouts.

    Where the in-edges come from the host they are a ``DeviceGraph`` of their own, of the same ``family``.
    """

    def __init__(self, neighbours: Any = None, family: object = None) -> None:
        self.ref = weakref.ref(self)
        self.of = None if neighbours is None else weakref.ref(neighbours)
        self.family = family or object()
        self.last_used = 0
        self.edges: _Edges | None = None
        self.in_edges: DeviceGraph | None = None  # made on the device
        self.offsets: tuple[weakref.ref[Any], Any] | None = None  # of which indptr, and the copy
        #: The same edges as coordinates or a padded table, dropped when rows are replaced (spmv.py).
        self.forms: dict[str, Any] = {}
        #: Graphs made of this one, with device graphs of their own (symmetric_rows.py).
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
        """Drop cached layouts of products; returns whether there were any."""
        had = self.in_edges is not None and self.in_edges.drop_layouts()
        for rows in () if self.edges is None else (self.edges.plain, self.edges.weighted):
            had |= rows is not None and rows.facts.pop("sweep", None) is not None
        return had

    def rows(self, device: Device, rows: Adjacency, wanted: Any, parts: int, paired: bool) -> DeviceRows:
        """The rows on the device with the wanted weights (None: without), as ``rows_on`` describes."""
        policy, attempt = current(), this_try()
        if attempt is not None:
            attempt.used.add(self.ref)
            if policy.edges == "auto":
                attempt.note(self.ref, 0)
        found = self.edges
        if found is not None and not self._begin_alike(device, found, rows):
            found = None
            ledger_of(device).evict(self)
        if found is None or not found.serve(policy, rows, wanted, paired):
            found = None  # or what is to be replaced would be held here
            found = self.edges = self._put(device, rows, wanted, policy, parts, paired)
        if attempt is not None and policy.edges == "auto":
            attempt.note(self.ref, found.plan.fast_bytes)
        there = found.plain if wanted is None else found.weighted
        assert there is not None
        return there

    def _begin_alike(self, device: Device, found: _Edges, rows: Adjacency) -> bool:
        """Whether rows begin where those on the device do: layouts may share an array of neighbours and cut it anew.

        The offsets of a list of coordinates are counted at every call, so equal offsets come in different arrays.
        """
        assert found.indptr is not None
        if found.indptr() is rows.indptr:
            return True
        known, asked = found.whole.offsets, self.offsets_of(device, rows)
        if known is asked:
            return True
        alike = bool(known.size == asked.size and (known == asked).all())
        if alike:  # one copy will do, and these need not be compared again
            self.offsets = (weakref.ref(rows.indptr), known)
        return alike

    def offsets_of(self, device: Device, rows: Adjacency) -> Any:
        """Where rows begin, in device memory."""
        if self.offsets is None or self.offsets[0]() is not rows.indptr:
            dtype = np.uint32 if rows.num_arcs < 2**32 else np.int64
            self.offsets = (weakref.ref(rows.indptr), device.upload(rows.indptr.astype(dtype)))
        return self.offsets[1]

    def _put(self, device: Device, rows: Adjacency, wanted: Any, policy: Policy, parts: int, paired: bool) -> _Edges:
        """Put rows on the device in the place of what is there; fewer where there is less room than planned."""
        ledger, before, attempt = ledger_of(device), self.edges, this_try()
        paired = paired and (before is None or before.plain is None or before.policy != policy)
        offsets = self.offsets_of(device, rows)
        number = 0 if attempt is None else attempt.number
        self.forms.clear()
        while True:
            held = _left_by_build(rows.indices, wanted)
            held = max(held, 0 if before is None else ledger.charged(self))
            size = size_of(device, rows, wanted, parts, held=held, makes_room=True)
            plan = plan_edges(policy, size, SMALLER[number])
            if plan.mode != "device":
                for array in (rows.indices, *(() if wanted is None else (wanted,))):
                    on_device.device_copies.pop(array)
            if before is not None and not before.plan.mode == plan.mode == "device":
                before = None  # only where all is in device memory can weights be added to what is there
                ledger.evict(self)
                continue  # what was freed, and only that, is counted as free
            made = None
            try:
                made = _placed_or_hosted(device, rows, wanted, plan, offsets, before, paired)
            except ResourceError:
                if plan.mode not in ("device", "tiered") or policy.edges not in ("auto", "tiered"):
                    raise
            if made is None:  # the error is forgotten by now, with what it held
                before = None
                ledger.evict(self)
                number = min(number + 1, len(SMALLER) - 1)
                continue
            plain, weighted = made
            whole = weighted or plain
            assert whole is not None
            assert whole.plan is not None
            _charge(ledger, self, whole)
            whose = None if weighted is None else weakref.ref(wanted)
            return _Edges(policy, whole.plan, plain, whose, weighted, weakref.ref(rows.indptr), rows.boundary)

    def made_in_edges(self, device: Device, rows: Adjacency, weights: bool) -> DeviceRows | None:
        """In-edges made of the out-edges, where these are, or can be, all in device memory and both fit there."""
        wanted, policy = rows.weights if weights else None, current()
        found = None if self.in_edges is None else self.in_edges.edges
        if found is not None and policy.fast_memory is not None and found.policy != policy:
            found = None  # there may be more of them in device memory than is allowed now
        if found is None or (wanted is not None and (found.weights is None or found.weights() is not wanted)):
            found = self.in_edges = None
            if not self._has_room_for_both(device, rows, wanted):
                return None
            out = rows_on(device, rows, weights=weights, parts=2)
            if out.plan is None or out.plan.mode != "device":
                return None
            with clean("the in-edges cannot be made on the GPU"):
                made = replace(transposed(device, out), plan=out.plan)
            self.in_edges = turned = DeviceGraph(family=self.family)
            _charge(ledger_of(device), turned, made)
            if wanted is None:
                found = _Edges(policy, out.plan, made)
            else:
                found = _Edges(policy, out.plan, replace(made, weights=None), weakref.ref(wanted), made)
            turned.edges = found
        assert self.in_edges is not None
        self.in_edges.last_used = self.last_used
        if (attempt := this_try()) is not None:
            attempt.used.add(self.in_edges.ref)
        return found.plain if wanted is None else found.weighted

    def _has_room_for_both(self, device: Device, rows: Adjacency, wanted: Any) -> bool:
        """Whether the out-edges are in device memory and leave as much again, or both can be put there."""
        policy, attempt = current(), this_try()
        if self.edges is not None and self.edges.serve(policy, rows, wanted, False):
            if self.edges.plan.mode != "device":
                return False
            limit = policy.fast_memory
            left = device.free_memory() if limit is None else limit - ledger_of(device).charged()
            return left >= self.edges.plan.fast_bytes
        try:
            size = size_of(device, rows, wanted, 2)
            return plan_edges(policy, size, SMALLER[0 if attempt is None else attempt.number]).mode == "device"
        except ResourceError:
            return False


def graph_on(device: Device, neighbours: Any) -> DeviceGraph:
    """The device graph of an array of neighbours, which may have nothing on the device yet."""
    ledger = ledgers.get(device) or ledger_of(device)
    found: DeviceGraph | None = ledger.latest()
    if found is not None and found.of is not None and found.of() is neighbours:
        return found  # calls come in rows over one graph
    found = ledger.graphs.get(neighbours)
    if found is None:
        found = ledger.graphs[neighbours] = DeviceGraph(neighbours)
    found.last_used, ledger.latest = next(clock), found.ref
    return found


def rows_on(
    device: Device, rows: Adjacency, *, weights: bool = True, parts: int = 1, paired: bool = False
) -> DeviceRows:
    """The rows on the device; the second call finds what the first has put there.

    ``parts`` is 2 where rows of the same size, those of the other direction, will be asked for next: they are left half
    of the memory, unless they are there already. What was put stays where it is.

    ``paired`` is for kernels that support pairs: they get them where edges are in two memories and have two words each.
    Edges are there in one form at a time, and changing it costs more than pairs gain: edges without pairs stay so.
    """
    return graph_on(device, rows.indices).rows(device, rows, rows.weights if weights else None, parts, paired)


def incoming_on(device: Device, graph: Graph, *, weights: bool = True) -> DeviceRows:
    """The in-edges on the device: made there, unless the graph has them on the host or they do not fit."""
    if not graph.directed:
        return rows_on(device, graph.outgoing, weights=weights)
    if not graph.has_incoming and current().edges in ("auto", "device"):
        try:
            made = graph_on(device, graph.indices).made_in_edges(device, graph.outgoing, weights)
        except MemoryError:  # it takes memory of its own on the device; the host has more
            made = None
        if made is not None:
            return made
    return rows_on(device, into_of(device, graph), weights=weights)


def into_of(device: Device, graph: Graph) -> Adjacency:
    """The in-edges on the host, for the device: they share its memory with the out-edges."""
    into = graph.incoming
    if graph.directed:
        out, other = graph_on(device, graph.indices), graph_on(device, into.indices)
        for member in (other, other.in_edges):
            if member is not None:
                member.family = out.family
    return into


def offsets_on(device: Device, rows: Adjacency) -> Any:
    """Where rows begin, in device memory whatever the policy; for those who need no edges."""
    return graph_on(device, rows.indices).offsets_of(device, rows)


def plan_in_force(device: Device, rows: Adjacency, weights: Any, *, paired: bool = False) -> EdgePlan | None:
    """The plan of rows that the next call would find and keep; None where it would put them."""
    found = _edges_of(device, rows)
    return found.plan if found is not None and found.serve(current(), rows, weights, paired) else None


def plan_of(device: Device, rows: Adjacency) -> EdgePlan | None:
    """In which memory the edges of rows are and why; None where they have not been put anywhere yet."""
    found = _edges_of(device, rows)
    return None if found is None else found.plan


def _edges_of(device: Device, rows: Adjacency) -> _Edges | None:
    """What has been put of rows; looking does not count as a use."""
    found: DeviceGraph | None = ledger_of(device).graphs.get(rows.indices)
    return None if found is None else found.edges


def bytes_on(device: Device, rows: Adjacency) -> int:
    """The bytes of device memory that the edges of rows take."""
    return ledger_of(device).charged(graph_on(device, rows.indices))


def size_of(
    device: Device, rows: Adjacency, weights: Any, parts: int, *, held: int = 0, makes_room: bool = False
) -> Rows:
    """What the plan for rows depends on; ``makes_room`` evicts rows that exceed a budget."""
    ledger, graph, attempt = ledger_of(device), graph_on(device, rows.indices), this_try()
    widths = [int(array.itemsize) for array in (rows.indices, weights) if array is not None]
    if parts > 1 and ledger.has_other_direction(graph):
        parts = 1
    if makes_room:
        if current().fast_memory is not None:  # what the build left there has no part in the budget
            for array in on_device.device_copies.objects():
                if array is not rows.indices and array is not weights:
                    on_device.device_copies.pop(array)
        ledger.make_room(rows.num_arcs * sum(widths) * parts, graph, () if attempt is None else attempt.used)
    taken = ledger.charged() - min(held, ledger.charged(graph))
    first_fast = None if rows.boundary is None else int(rows.indptr[rows.boundary])
    return Rows(
        rows.num_vertices, rows.num_arcs, sum(widths), device.free_memory(), free_on_host(), device.page,
        device.why_not_split(), first_fast, parts, held, taken, min(widths),
    )  # fmt: skip


def _left_by_build(*arrays: Any) -> int:
    """Bytes of arrays that were left on the device when the graph was built there."""
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
    device: Device, rows: Adjacency, wanted: Any, plan: EdgePlan, offsets: Any, before: _Edges | None, paired: bool
) -> _Placed:
    """Rows as planned; all on the host where the driver turns out to be unable to have them in two memories."""
    try:
        if paired and plan.mode == "tiered" and can_pair(rows.indices, wanted):
            return None, _placed_in_pairs(device, rows, wanted, plan, offsets)
        return _placed(device, rows, wanted, plan, offsets, before)
    except DeviceError as error:
        if plan.mode != "tiered":
            raise
        problem = str(error)
    whole = replace(plan, mode="zero_copy", cut=plan.num_arcs, why=f"all bytes of edges on the host: {problem}")
    return _placed(device, rows, wanted, whole, offsets, None)


def _placed_in_pairs(device: Device, rows: Adjacency, wanted: Any, plan: EdgePlan, offsets: Any) -> DeviceRows:
    pairs = device.split(rows.indices, plan.cut * PAIR.itemsize, wanted)
    neighbours, weights = pairs.view(rows.indices.dtype)[::2], pairs.view(wanted.dtype)[1::2]
    return DeviceRows(offsets, neighbours, weights, rows.num_vertices, rows.num_arcs, plan, pairs)


def _placed(
    device: Device, rows: Adjacency, wanted: Any, plan: EdgePlan, offsets: Any, before: _Edges | None
) -> _Placed:
    """Rows without weights, and with them where they are wanted."""
    plain = None if before is None else before.plain
    if plain is None:
        alone = replace(plan, bytes_per_edge=int(rows.indices.itemsize))
        plain = DeviceRows(offsets, put(device, rows.indices, plan), None, rows.num_vertices, rows.num_arcs, alone)
    return plain, None if wanted is None else replace(plain, weights=put(device, wanted, plan), plan=plan)
