"""Ledger: the graphs on a device, and the bytes of its memory that their edges use.

There is one budget for all graphs and both directions. An array is charged for as long as it lives. An evicted array
that a run still reads counts, a freed one does not.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

from clew.build import on_device
from clew.memory import Policy, current
from clew.weak import WeakIdentityDict

if TYPE_CHECKING:
    from clew.engines.cuda.memory.device_graph import DeviceGraph
    from clew.engines.cuda.toolchain.device import Device

#: Counts uses, for the order in which graphs were used last.
clock = count(1)


@dataclass(frozen=True, eq=False)
class _Charge:
    """Bytes of edges, their owner (None: no graph), and the policy under which they were allocated."""

    owner: weakref.ref[Any] | None
    policy: Policy
    nbytes: int

    @property
    def holder(self) -> DeviceGraph | None:
        """The owner, if it still exists."""
        return None if self.owner is None else self.owner()


class Ledger:
    """The graphs on one device by their array of neighbours, and what is charged to each."""

    def __init__(self) -> None:
        self.graphs: WeakIdentityDict[Any] = WeakIdentityDict()
        self.latest: Callable[[], Any] = lambda: None  # the graph that was used last, held weakly
        self._charges: WeakIdentityDict[_Charge] = WeakIdentityDict()

    def charge(self, array: Any, nbytes: int, owner: DeviceGraph | None = None) -> None:
        """Charge ``nbytes`` of device memory for as long as ``array`` lives."""
        if nbytes or array in self._charges:
            self._charges[array] = _Charge(None if owner is None else owner.ref, current(), nbytes)

    def charged(self, owner: DeviceGraph | None = None) -> int:
        """The bytes of edges in the device's memory: all, or an owner's."""
        return sum(entry.nbytes for entry in self._charges.values() if owner is None or entry.holder is owner)

    def has_other_direction(self, owner: DeviceGraph) -> bool:
        """Whether the other direction of a graph has memory under the policy in force."""
        policy = current()
        return any(
            holder is not owner and holder.family is owner.family and entry.policy == policy
            for entry in self._charges.values()
            if (holder := entry.holder) is not None
        )

    def make_room(self, needed: int, owner: DeviceGraph, used: Collection[weakref.ref[Any]]) -> None:
        """Evict edges until ``needed`` bytes of the budget are left, or nothing more can go.

        Edges of another policy go first, then those of other graphs, the least recently used first. Edges that this
        run uses stay, and so do those of the same graph under this policy.
        """
        policy = current()
        if policy.fast_memory is None:
            return
        for holder in self._evictable(owner, used):
            if self.charged() - self.charged(owner) + needed <= policy.fast_memory:
                return
            self.evict(holder)

    def _evictable(self, owner: DeviceGraph, used: Collection[weakref.ref[Any]]) -> list[DeviceGraph]:
        policy = current()
        ranks: dict[DeviceGraph, tuple[bool, int]] = {}
        for entry in self._charges.values():
            holder = entry.holder
            if holder is None or holder is owner or holder.ref in used:
                continue
            if entry.policy != policy or holder.family is not owner.family:
                rank = (entry.policy == policy, holder.last_used)
                ranks[holder] = min(rank, ranks.get(holder, rank))
        return sorted(ranks, key=ranks.__getitem__)

    def evict(self, holder: DeviceGraph) -> None:
        """Drop the edges of a graph in every form."""
        holder.drop()
        # Another thread or an interrupted run may still hold them in a reference cycle.
        if any(entry.holder is holder for entry in self._charges.values()):
            gc.collect()


#: The ledger of every device that has had a graph.
ledgers: weakref.WeakKeyDictionary[Any, Ledger] = weakref.WeakKeyDictionary()


def ledger_of(device: Device) -> Ledger:
    """The ledger of a device."""
    ledger = ledgers.get(device)
    if ledger is None:
        ledger = ledgers[device] = Ledger()
    return ledger


def _graphs() -> Iterator[DeviceGraph]:
    for ledger in list(ledgers.values()):
        yield from ledger.graphs.values()


def holds_others(known: Collection[weakref.ref[Any]]) -> bool:
    """Whether graphs other than these have memory that can be freed."""
    return any(graph.edges is not None and graph.ref not in known for graph in _graphs())


def forget_all() -> None:
    """Free the memory of all graphs on all devices."""
    for graph in _graphs():
        graph.forget()
    on_device.device_copies.clear()


def forget_layouts() -> bool:
    """Free all layouts, which graphs may build again; returns whether there were any."""
    return sum(graph.drop_layouts() for graph in _graphs()) > 0
