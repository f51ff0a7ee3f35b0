"""The edges of a graph on a device, put there once, as ``clew.memory`` says, and kept as long as the graph lives."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clew.adjacency import Adjacency
from clew.build import on_device
from clew.dtypes import OffsetArray
from clew.engines.cuda.account import (
    Key,
    belong_together,
    charge,
    charged,
    is_charged,
    make_room,
    other_direction_is_there,
)
from clew.engines.cuda.device import Device, index_defines
from clew.engines.cuda.edge_memory import SMALLER, EdgePlan, Rows, bytes_per_edge, narrowest, plan_edges, put, put_pairs
from clew.engines.cuda.failures import clean
from clew.engines.cuda.pairs import WORD, WORD_BITS, can_pair
from clew.engines.cuda.source import ctype
from clew.engines.retry import this_try
from clew.errors import DeviceError, ResourceError
from clew.graph import Graph
from clew.memory import Policy, current


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """Compressed rows on a device: offsets in 32 bits where the arcs can be counted so.

    ``plan`` says in which memory the neighbours and weights are; None for rows made on the device, which are there.
    Where an edge's neighbour and weight are beside each other, ``pairs`` has them, and the other two are views of it
    with gaps: only kernels that know of pairs can be given such rows.
    """

    offsets: Any
    neighbours: Any
    weights: Any
    num_vertices: int
    num_arcs: int
    plan: EdgePlan | None = None
    pairs: Any = None
    #: Products that are ready to be started, by what they are told (products.py).
    ready: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def paired(self) -> bool:
        """Whether neighbours and weights are in pairs."""
        return self.pairs is not None

    @property
    def edges(self) -> tuple[Any, Any]:
        """Neighbours and weights as kernels that know of pairs take them: these in the place of neighbours."""
        return (self.pairs.view(self.neighbours.dtype), None) if self.paired else (self.neighbours, self.weights)

    def weights_of(self, begin: int, end: int) -> Any:
        """The weights of some edges without gaps; of pairs, a copy, read in whole pairs, which CuPy is faster at."""
        if not self.paired:
            return self.weights[begin:end]
        return (self.pairs[begin:end] >> WORD_BITS).astype(WORD).view(self.weights.dtype)

    @property
    def defines(self) -> dict[str, str]:
        """The macros of kernels that run over these rows; ``weight_t`` and WEIGHTED say what the weights are."""
        macros = index_defines(np.dtype(self.neighbours.dtype), self.num_arcs)
        weight = "float" if self.weights is None else ctype(self.weights.dtype)
        return {**macros, "weight_t": weight, "WEIGHTED": str(int(self.weights is not None))}

    @property
    def in_device_memory(self) -> bool:
        """Whether all edges are, and a second copy of them may be there as well."""
        return self.plan is None or (self.plan.mode == "device" and self.plan.copies)

    @property
    def in_two_memories(self) -> bool:
        """Whether some edges are on the host and some in device memory."""
        return self.plan is not None and self.plan.mode == "tiered"

    @property
    def on_host(self) -> bool:
        """Whether kernels read edges, or some of them, over the link."""
        return self.plan is not None and self.plan.mode in ("zero_copy", "tiered")


@dataclass(frozen=True, eq=False)
class _Kept:
    """Rows as they were put, and what had been asked for.

    ``boundary`` is the placement's: a graph whose placement renumbers nobody shares its arrays with the one it was
    made of. Without weights there are rows unless neighbours and weights are in pairs.
    """

    device: weakref.ref[Any]
    indptr: weakref.ref[Any]
    policy: Policy
    boundary: int | None
    plain: DeviceRows | None
    weights: weakref.ref[Any] | None = None
    weighted: DeviceRows | None = None

    @property
    def whole(self) -> DeviceRows:
        whole = self.weighted or self.plain
        assert whole is not None
        return whole

    @property
    def plan(self) -> EdgePlan:
        plan = self.whole.plan
        assert plan is not None
        return plan


_kept: dict[Key, _Kept] = {}
_offsets: dict[Key, tuple[weakref.ref[Any], Any]] = {}
_watched: set[Key] = set()


def rows_on(
    device: Device, rows: Adjacency, *, weights: bool = True, parts: int = 1, paired: bool = False
) -> DeviceRows:
    """The rows on the device; the second call finds what the first has put there.

    ``parts`` is 2 where rows of the same size, those of the other direction, will be asked for next: they are left half
    of the memory, unless they are there already. What was put stays where it is.

    ``paired`` is for kernels that know of pairs: where edges are in two memories, and two words each, they have them
    so. Edges are there in one form at a time, and putting them anew costs more than pairs gain: where others have had
    them put as they are, they stay so.
    """
    key, policy = (id(device), id(rows.indices)), current()
    wanted = rows.weights if weights else None
    attempt = this_try()
    if attempt is not None:
        attempt.used.add(key)
        if policy.edges == "auto":
            attempt.note(key, 0)
    found = _found(device, key)
    if found is not None and not _begin_alike(device, found, rows):
        found = None
        _drop(key)
    if found is None or not _is_as_asked(found, policy, rows, wanted, paired):
        found = None  # nobody but the cache has what is to be replaced
        found = _put(device, rows, wanted, policy, parts, paired)
    if attempt is not None and policy.edges == "auto":
        attempt.note(key, found.plan.fast_bytes)
    there = found.plain if wanted is None else found.weighted
    assert there is not None
    return there


def _found(device: Device, key: Key) -> _Kept | None:
    found = _kept.get(key)
    return found if found is not None and found.device() is device else None


def _begin_alike(device: Device, found: _Kept, rows: Adjacency) -> bool:
    """Whether rows begin where those do that are there: layouts may share an array of neighbours and cut it otherwise.

    A list of coordinates has its offsets counted at every call, so that these are others and yet the same.
    """
    if found.indptr() is rows.indptr:
        return True
    known, asked = found.whole.offsets, offsets_on(device, rows)
    return bool(known.size == asked.size and (known == asked).all())


def _is_as_asked(found: _Kept, policy: Policy, rows: Adjacency, wanted: Any, paired: bool) -> bool:
    if wanted is not None and (found.weights is None or found.weights() is not wanted):
        return False
    if found.whole.paired and (wanted is None or not paired):
        return False
    if found.policy == policy:
        return policy.edges != "tiered" or found.boundary == rows.boundary
    # Whatever was said then: all edges are in device memory, and nobody wants fewer of them there.
    return found.plan.mode == "device" and policy.fast_memory is None and policy.edges in ("auto", "device")


def _in_pairs(rows: Adjacency, wanted: Any, plan: EdgePlan) -> bool:
    """Whether those who can read pairs have them: where there are copies anyway, and an edge is two words."""
    return plan.mode == "tiered" and can_pair(rows.indices, wanted)


def _put(device: Device, rows: Adjacency, wanted: Any, policy: Policy, parts: int, paired: bool) -> _Kept:
    """Put rows on the device, in the place of what is there; fewer of them where there is less room than was said."""
    key = (id(device), id(rows.indices))
    before = _found(device, key)
    paired = paired and (before is None or before.whole.paired or before.policy != policy)
    offsets = offsets_on(device, rows)
    attempt = this_try()
    number = 0 if attempt is None else attempt.number
    for cache in _caches[OWN_CACHES:]:  # the same edges in another form
        cache.pop(key, None)
    while True:
        size = size_of(device, rows, wanted, parts, held=_held(device, rows, wanted, before), makes_room=True)
        plan = plan_edges(device, policy, size, SMALLER[number])
        if plan.mode != "device":
            for array in (rows.indices, wanted):
                on_device.made.pop(id(array), None)
        if before is not None and not before.plan.mode == plan.mode == "device":
            before = None  # only where all is in device memory can weights be added to what is there
            _drop(key)
            continue  # what was freed, and only that, is counted as free
        placed = None
        try:
            placed = _placed_or_hosted(device, rows, wanted, plan, offsets, before, paired)
        except ResourceError:
            if plan.mode not in ("device", "tiered") or policy.edges not in ("auto", "tiered"):
                raise
        if placed is None:  # the error is forgotten by now, with what it held
            before = None
            _drop(key)
            number = min(number + 1, len(SMALLER) - 1)
            continue
        kept = _Kept(weakref.ref(device), weakref.ref(rows.indptr), policy, rows.boundary, *placed)
        _charge(device, key, kept.whole)
        _watch(key, rows.indices)
        _kept[key] = kept
        return kept


def size_of(
    device: Device, rows: Adjacency, weights: Any, parts: int, *, held: int = 0, makes_room: bool = False
) -> Rows:
    """What the plan for rows depends on; ``makes_room`` has rows dropped that stand in the way of a budget."""
    key, attempt = (id(device), id(rows.indices)), this_try()
    each = bytes_per_edge(rows.indices, weights)
    if parts > 1 and other_direction_is_there(device, key):
        parts = 1
    if makes_room:
        if current().fast_memory is not None:  # what the build left there has no part in the budget
            for number in on_device.made.keys() - {id(rows.indices), id(weights)}:
                on_device.made.pop(number, None)
        make_room(device, rows.num_arcs * each * parts, key, set() if attempt is None else attempt.used, _drop)
    taken = charged(device) - min(held, charged(device, key))
    first_fast = None if rows.boundary is None else int(rows.indptr[rows.boundary])
    shape = (rows.num_vertices, rows.num_arcs, each)
    return Rows(*shape, first_fast, parts, held, taken, narrowest(rows.indices, weights))


def _charge(device: Device, key: Key, rows: DeviceRows) -> None:
    """Have the account know what rows have of the device's memory."""
    fast = rows.num_arcs if rows.plan is None else rows.num_arcs - rows.plan.cut
    for array in (rows.pairs,) if rows.paired else (rows.neighbours, rows.weights):
        if array is not None:
            charge(device, array, fast * array.dtype.itemsize, key)


def _drop(key: Key) -> None:
    """Keep rows no longer, in whatever form."""
    for cache in (_kept, *_caches[OWN_CACHES:]):
        cache.pop(key, None)
    for turned in (key, _turned_key(key)):
        _turned.pop(turned, None)
    if is_charged(key):  # another thread's run has it, or one that was broken off, whose frames may be in a cycle
        gc.collect()


def _turned_key(key: Key) -> Key:
    """The in-edges that were made of rows on the device."""
    return key[0], -key[1]


def _held(device: Device, rows: Adjacency, wanted: Any, before: _Kept | None) -> int:
    """Bytes of these edges that are on the device already: put there before, or left there when the graph was built."""
    left = [on_device.made_here(array) for array in (rows.indices, wanted) if array is not None]
    left_bytes = sum(int(array.nbytes) for array in left if array is not None)
    return max(left_bytes, 0 if before is None else charged(device, (id(device), id(rows.indices))))


_Placed = tuple[DeviceRows | None, weakref.ref[Any] | None, DeviceRows | None]


def _placed_or_hosted(
    device: Device, rows: Adjacency, wanted: Any, plan: EdgePlan, offsets: Any, before: _Kept | None, paired: bool
) -> _Placed:
    """Rows as planned; all on the host where the driver turns out to be unable to have them in two memories."""
    try:
        if paired and _in_pairs(rows, wanted, plan):
            return None, weakref.ref(wanted), _placed_in_pairs(device, rows, wanted, plan, offsets)
        return _placed(device, rows, wanted, plan, offsets, before)
    except DeviceError as error:
        if plan.mode != "tiered":
            raise
        problem = str(error)
    whole = replace(plan, mode="zero_copy", cut=plan.num_arcs, why=f"all bytes of edges on the host: {problem}")
    return _placed(device, rows, wanted, whole, offsets, None)


def _placed_in_pairs(device: Device, rows: Adjacency, wanted: Any, plan: EdgePlan, offsets: Any) -> DeviceRows:
    pairs = put_pairs(device, rows.indices, wanted, plan)
    neighbours, weights = pairs.view(rows.indices.dtype)[::2], pairs.view(wanted.dtype)[1::2]
    return DeviceRows(offsets, neighbours, weights, rows.num_vertices, rows.num_arcs, plan, pairs)


def _placed(
    device: Device, rows: Adjacency, wanted: Any, plan: EdgePlan, offsets: Any, before: _Kept | None
) -> _Placed:
    """Rows without weights, and with them where they are wanted."""
    plain = None if before is None else before.plain
    if plain is None:
        alone = replace(plan, bytes_per_edge=int(rows.indices.itemsize))
        plain = DeviceRows(offsets, put(device, rows.indices, plan), None, rows.num_vertices, rows.num_arcs, alone)
    if wanted is None:
        return plain, None, None
    return plain, weakref.ref(wanted), replace(plain, weights=put(device, wanted, plan), plan=plan)


def offsets_on(device: Device, rows: Adjacency) -> Any:
    """Where rows begin, in the device's memory whatever the policy; for those who need no edges."""
    indptr: OffsetArray = rows.indptr
    key = (id(device), id(indptr))
    found = _offsets.get(key)
    if found is None or found[0]() is not device:
        kind = np.uint32 if rows.num_arcs < 2**32 else np.int64
        _watch(key, indptr)
        found = _offsets[key] = (weakref.ref(device), device.upload(indptr.astype(kind)))
    return found[1]


def _watch(key: Key, array: Any) -> None:
    """When an array goes, so does what was made of it. Arrays are read-only and cannot change."""
    if key not in _watched:
        _watched.add(key)
        weakref.finalize(array, _let_go, key)


def _let_go(key: Key) -> None:
    _kept.pop(key, None)
    _offsets.pop(key, None)
    _turned.pop(_turned_key(key), None)
    _watched.discard(key)


def plan_in_force(device: Device, rows: Adjacency, weights: Any, *, paired: bool = False) -> EdgePlan | None:
    """The plan of rows that the next call would find and keep; None where it would put them (anew)."""
    found = _kept.get((id(device), id(rows.indices)))
    return found.plan if found is not None and _is_as_asked(found, current(), rows, weights, paired) else None


def plan_of(device: Device, rows: Adjacency) -> EdgePlan | None:
    """In which memory the edges of rows are and why; None where they have not been put anywhere yet."""
    found = _kept.get((id(device), id(rows.indices)))
    return None if found is None else found.plan


#: The weights that were asked for, the policy in force then, and the in-edges with and without weights.
_turned: dict[Key, tuple[Any, Policy, DeviceRows, DeviceRows]] = {}


def incoming_on(device: Device, graph: Graph, *, weights: bool = True) -> DeviceRows:
    """The in-edges on the device: turned round there, unless the graph has them on the host or they do not fit."""
    if not graph.directed:
        return rows_on(device, graph.outgoing, weights=weights)
    if not graph.has_incoming and current().edges in ("auto", "device"):
        try:
            turned = _turned_on(device, graph, weights)
        except MemoryError:  # turning takes memory of its own, on the device; the host has more
            turned = None
        if turned is not None:
            return turned
    return rows_on(device, into_of(graph), weights=weights)


def into_of(graph: Graph) -> Adjacency:
    """The in-edges on the host, for the device: they share its memory with the out-edges."""
    into = graph.incoming
    if graph.directed:
        belong_together(graph.outgoing.indices, into.indices)
    return into


def _turned_on(device: Device, graph: Graph, weights: bool) -> DeviceRows | None:
    """In-edges made of the out-edges, where these are, or can be, all in device memory and both fit there."""
    from clew.engines.cuda.build import transposed

    rows = graph.outgoing
    key, wanted = _turned_key((id(device), id(rows.indices))), rows.weights if weights else None
    found, policy = _turned.get(key), current()
    if found is not None and policy.fast_memory is not None and found[1] != policy:
        found = None  # there may be more of them in device memory than is allowed now
    if found is None or (wanted is not None and found[0] is not wanted):
        _turned.pop(key, None)
        del found
        if not _has_room_for_both(device, rows, wanted):
            return None
        out = rows_on(device, rows, weights=weights, parts=2)
        if out.plan is None or out.plan.mode != "device":
            return None
        with clean("the in-edges cannot be made on the GPU"):
            made = replace(transposed(device, out), plan=out.plan)
        _charge(device, key, made)
        plain = made if made.weights is None else replace(made, weights=None)
        found = _turned[key] = (wanted, policy, made, plain)
    if (attempt := this_try()) is not None:
        attempt.used.add(key)
    return found[2] if weights else found[3]


def _has_room_for_both(device: Device, rows: Adjacency, wanted: Any) -> bool:
    """Whether the out-edges are in device memory and leave as much again, or both can be put there."""
    there, policy = plan_in_force(device, rows, wanted), current()
    if there is not None:
        if there.mode != "device":
            return False
        left = device.free_memory() if policy.fast_memory is None else policy.fast_memory - charged(device)
        return left >= there.fast_bytes
    attempt = this_try()
    try:
        size = size_of(device, rows, wanted, 2)
        return plan_edges(device, policy, size, SMALLER[0 if attempt is None else attempt.number]).mode == "device"
    except ResourceError:
        return False


#: What is on a device by rows; the first are this module's.
_caches: list[dict[Any, Any]] = [_kept, _offsets, _turned, on_device.made]
OWN_CACHES = len(_caches)


def forgotten_with_rows(cache: dict[Any, Any]) -> None:
    """Have another module's cache of what is on a device emptied with the rows."""
    _caches.append(cache)


def holds_others(keys: set[Key]) -> bool:
    """Whether there is memory of graphs other than these to be freed."""
    return not _kept.keys() <= keys


def forget_all() -> None:
    """Free the memory of all graphs on all devices."""
    for cache in _caches:
        cache.clear()
