"""DeviceRows: compressed rows on a device, and values computed from them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from clew.engines.cuda.memory.edge_memory import WORD, WORD_BITS, EdgePlan
from clew.engines.cuda.toolchain.device import Device, index_defines, stable_order
from clew.engines.cuda.toolchain.source import ctype
from clew.result import edge_bytes
from clew.workspace import Workspace

Fact = TypeVar("Fact")
#: The part of the device's memory up to which a call leaves scratch arrays for the next one: an allocation takes 3 µs.
KEPT = 1 / 64
#: The most calls that are kept ready per graph; beyond that, all are dropped, because a loop creates new ones.
MOST_READY = 64
#: The lasting arrays that are kept for the next calls: while a loop computes a result, it still has the one before.
MOST_LENT = 2


class Packed(NamedTuple):
    """What a kernel needs of packed neighbours besides their words; the dtype of ids, and the bytes of all arrays.

    ``described`` has all of that in device memory, for kernels that take one pointer (``ids_t`` in neighbours.cuh).
    ``masks`` are the first 64 bits of every group, if words are on the host. If words are in device memory and there is
    room, ``directory`` has the place, the widths and the mask of every group. ``firsts`` are the first neighbours of
    every row as they are, if a search has made them.
    """

    heads: Any
    bases: Any
    bits: Any
    dtype: np.dtype[Any]
    nbytes: int
    described: Any
    masks: Any = None
    firsts: Any = None
    directory: Any = None

    @property
    def given(self) -> tuple[Any, Any, Any]:
        """The last arguments of a kernel."""
        return self[:3]


@dataclass(frozen=True, eq=False)
class Room:
    """What a call allocates for its result and its trace, what it may leave to the next, and whether it does.

    ``prepare`` makes of the latter what calls need.
    """

    results: list[tuple[Any, np.dtype[Any]]]
    lasting: list[tuple[Any, np.dtype[Any]]]
    left: Workspace
    keeps: bool
    prepare: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """Compressed rows on a device, with 32-bit offsets if the arcs fit.

    ``plan`` says in which memory the neighbours and weights are; None means device memory.
    With ``pairs``, each neighbour is stored next to its weight, and the other two arrays are views of it with gaps.
    Only kernels that support pairs can take such rows. With ``packed``, the neighbours are words of packed ones, and
    ``plan`` counts words. Only kernels that unpack can take such rows.
    """

    offsets: Any
    neighbours: Any
    weights: Any
    num_vertices: int
    num_arcs: int
    plan: EdgePlan | None = None
    pairs: Any = None
    packed: Packed | None = None
    #: The dtype that the weights had before they were narrowed; None if they were not.
    weights_as: np.dtype[Any] | None = None
    #: Prepared products and searches, by arithmetic and method (``prepared``).
    ready: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    #: Values cached by ``once``: degrees, tiles, layouts. They must not reference the rows.
    facts: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    #: Scratch arrays that calls have left (``take``), by their room and the queue of work that uses them.
    scratch: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, name: Any, compute: Callable[[], Fact]) -> Fact:
        """The cached value of this name, computed at the first call; it is freed with the rows."""
        if name not in self.facts:
            self.facts[name] = compute()
        fact: Fact = self.facts[name]
        return fact

    def shape(self, device: Device) -> tuple[Any, ...]:
        """Offsets and ids, passed to the device once."""
        passed: tuple[Any, ...] | None = self.facts.get("shape")
        if passed is None:
            passed = self.facts["shape"] = device.passed(self.offsets, self.ids)
        return passed

    def room(
        self, device: Device, key: Any, declare: Callable[[], Workspace], prepare: Callable[[Any], Any] = lambda _: None
    ) -> Room:
        """The room for the arrays of a workspace; ``key`` tells workspaces over these rows apart.

        ``prepare`` makes of the scratch arrays what calls need of them, once; it must not hold them.
        """
        return self.once(("workspace", key), lambda: self._room(device, declare(), prepare))

    def _room(self, device: Device, space: Workspace, prepare: Callable[[Any], Any]) -> Room:
        per_run, left = space.divided()
        keeps = self.has_room and left.nbytes <= KEPT * device.capacity  # not where memory is short
        results, lasting = (
            [(one.shape, np.dtype(one.dtype)) for one in per_run.values() if one.lasts is lasts]
            for lasts in (False, True)
        )
        return Room(results, lasting, left, keeps, prepare)

    def take(self, device: Device, room: Room) -> list[Any]:
        """Scratch arrays, as attributes, then the arrays of the result, and those that last longer than the call.

        Scratch arrays may be those that the last call gave back, and so may lasting ones whose reader has gone.
        Give them back with ``give_back`` when nothing but the result reads them. ``given`` is what was prepared of the
        scratch arrays.
        """
        place = (room, device.queue)
        work = self.scratch.pop(place, None)
        if work is None:
            work = room.left.allocate(device)
            work.place, work.given, work.lent = place, room.prepare(work), []
        for k, (lasting, reader) in enumerate(work.lent):
            if reader() is None:
                work.lasting = lasting
                del work.lent[k]
                break
        else:
            work.lasting = [device.empty(shape, dtype) for shape, dtype in room.lasting]
        return [work, *[device.empty(shape, dtype) for shape, dtype in room.results], *work.lasting]

    def give_back(self, work: Any, reader: Callable[[], Any] | None = None) -> None:
        """Leave the scratch arrays of ``take`` to the next call, where memory is not short.

        Lasting arrays are left to the first call that finds ``reader`` gone, which reads them for the result.
        """
        if work.place[0].keeps:
            if work.lasting:
                work.lent[MOST_LENT - 1 :] = []
                work.lent.insert(0, (work.lasting, (lambda: None) if reader is None else weakref.ref(reader)))
            self.scratch[work.place] = work

    def prepared(self, key: Any, make: Callable[[], Fact]) -> Fact:
        """What a call needs that stays the same from call to call, made by the first; it must not hold the rows."""
        ready: Fact | None = self.ready.get(key)
        if ready is None:
            if len(self.ready) >= MOST_READY:
                self.ready.clear()
            ready = self.ready[key] = make()
        return ready

    @cached_property
    def paired(self) -> bool:
        """Whether neighbours and weights are in pairs."""
        return self.pairs is not None

    @cached_property
    def id_dtype(self) -> np.dtype[Any]:
        """The dtype of the neighbours."""
        return np.dtype(self.neighbours.dtype) if self.packed is None else self.packed.dtype

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """Offsets, neighbours and weights, as most kernels take them."""
        return self.offsets, self.neighbours, self.weights

    @cached_property
    def ids(self) -> Any:
        """The neighbours for kernels that read plain and packed ones (``ids_t`` in neighbours.cuh)."""
        return self.neighbours if self.packed is None else self.packed.described

    @cached_property
    def weight_dtype(self) -> np.dtype[Any]:
        """The dtype in which algorithms compute with the weights."""
        return np.dtype(self.weights.dtype) if self.weights_as is None else self.weights_as

    @cached_property
    def bytes_per_edge(self) -> float:
        """The bytes that are read for an edge, with its weight."""
        if self.packed is None:
            return edge_bytes(self.neighbours, self.weights)
        return self.packed.nbytes / max(1, self.num_arcs) + (0 if self.weights is None else self.weights.itemsize)

    @cached_property
    def edges(self) -> tuple[Any, Any]:
        """Neighbours and weights for kernels that support pairs, which take pairs instead of neighbours."""
        return (self.pairs.view(self.neighbours.dtype), None) if self.paired else (self.ids, self.weights)

    @cached_property
    def form(self) -> dict[str, Any]:
        """The macros for kernels that read plain and packed neighbours; without any, their machine code is the same."""
        if self.packed is None:
            return {}
        directory = self.packed.directory is not None and not self.on_host
        return {"PACKED": 1, "ON_HOST": int(self.on_host), "DIRECTORY": int(directory)}

    @cached_property
    def stored(self) -> dict[str, Any]:
        """The macro for kernels that compute with weights in their own dtype, where they are stored in a narrow one."""
        return {} if self.weights_as is None else {"stored_t": ctype(self.weights.dtype)}

    def weights_of(self, begin: int, end: int) -> Any:
        """The weights of some edges without gaps; of pairs, a copy. CuPy is faster at reading whole pairs."""
        if not self.paired:
            return self.weights[begin:end]
        return (self.pairs[begin:end] >> WORD_BITS).astype(WORD).view(self.weights.dtype)

    @cached_property
    def defines(self) -> dict[str, str]:
        """The macros of kernels that run over these rows; ``weight_t`` and WEIGHTED say what the weights are."""
        macros = index_defines(self.id_dtype, self.num_arcs)
        weight = "float" if self.weights is None else ctype(self.weights.dtype)
        return {**macros, "weight_t": weight, "WEIGHTED": str(int(self.weights is not None))}

    @cached_property
    def in_device_memory(self) -> bool:
        """Whether all edges are in device memory as they are, and a second copy of them may be there as well."""
        return self.has_room and self.packed is None

    @cached_property
    def has_room(self) -> bool:
        """Whether all edges are in device memory, and there is room for more."""
        return self.plan is None or (self.plan.mode == "device" and self.plan.copies)

    @cached_property
    def in_two_memories(self) -> bool:
        """Whether some edges are on the host and some in device memory."""
        return self.plan is not None and self.plan.mode == "tiered"

    @cached_property
    def on_host(self) -> bool:
        """Whether kernels read edges, or some of them, over the link."""
        return self.plan is not None and self.plan.mode in ("zero_copy", "tiered")


def form_of(*rows: DeviceRows, directory: bool = True) -> dict[str, Any]:
    """The macros for kernels that read all of these rows, which are plain or packed together (``DeviceRows.form``).

    ``directory`` is False for kernels that the directory of packed rows does not make faster.
    """
    if not rows[0].form:
        return {}
    directory = directory and all(each.form["DIRECTORY"] for each in rows)
    return {"PACKED": 1, "ON_HOST": int(any(each.on_host for each in rows)), "DIRECTORY": int(directory)}


def transposed(device: Device, rows: DeviceRows) -> DeviceRows:
    """The same edges by their other end. Sources ascend already, so a stable sort by target is all it takes."""
    xp = device.xp
    order = stable_order(rows.neighbours)
    # The row of an edge: the last that begins at or before it.
    sources = xp.searchsorted(rows.offsets[1:].astype(np.int64), order, side="right")
    return DeviceRows(
        _offsets(device, rows.neighbours, rows.num_vertices),
        sources.astype(rows.neighbours.dtype),
        None if rows.weights is None else rows.weights[order],
        rows.num_vertices,
        rows.num_arcs,
    )


def _offsets(device: Device, ids: Any, num_vertices: int) -> Any:
    """The offset of each vertex's edges after sorting."""
    offset = np.uint32 if ids.size < 2**32 else np.int64
    offsets = device.zeros(num_vertices + 1, offset)
    if num_vertices:
        offsets[1:] = device.xp.cumsum(device.xp.bincount(ids, minlength=num_vertices))
    return offsets
