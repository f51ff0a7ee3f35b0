"""Who has how much of the memory that edges may have on a device: one account for all graphs and both directions.

What is charged to it is an array (or whatever else stands for some bytes), for as long as it lives. So what a cache has
dropped but a run still reads is in it, and what is freed is not.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clew.engines.cuda.device import Device
from clew.memory import Policy, current

#: Which rows: the ids of the device and of the array of neighbours.
Key = tuple[int, int]
#: Vertices and edges. Rows of the same size are taken for those of one graph, in its two directions.
Family = tuple[int, int]


@dataclass(frozen=True, eq=False)
class _Charge:
    """Bytes of a device's memory, whose they are, and what was in force when they were taken."""

    thing: weakref.ref[Any]
    device: weakref.ref[Any]
    owner: Key
    family: Family
    policy: Policy
    nbytes: int


_charges: dict[int, _Charge] = {}


def charge(device: Device, thing: Any, nbytes: int, owner: Key, family: Family) -> None:
    """``nbytes`` of edges are in device memory while ``thing`` lives."""
    number = id(thing)
    known = _charges.get(number)
    if nbytes == 0 and known is None:
        return
    new = _Charge(weakref.ref(thing), weakref.ref(device), owner, family, current(), nbytes)
    _charges[number] = new
    if known is None or known.thing() is not thing:
        weakref.finalize(thing, _charges.pop, number, None).atexit = False


def _of(device: Device) -> list[_Charge]:
    return [entry for entry in list(_charges.values()) if entry.device() is device]


def charged(device: Device, owner: Key | None = None) -> int:
    """The bytes of edges in a device's memory: all, or an owner's."""
    return sum(entry.nbytes for entry in _of(device) if owner is None or entry.owner == owner)


def other_direction_is_there(device: Device, owner: Key, family: Family) -> bool:
    """Whether rows of the same size have been given memory under the policy in force."""
    policy = current()
    return any(e.owner != owner and e.family == family and e.policy == policy for e in _of(device))


def make_room(device: Device, wanted: int, owner: Key, family: Family, used: set[Key],
              drop: Callable[[Key], None]) -> None:  # fmt: skip
    """Have rows dropped that the budget is not for any more, until ``wanted`` bytes of it are left or none can go.

    First those that another policy put there, then those of other graphs. What this run uses and what the same graph
    was given under this policy stays.
    """
    policy = current()
    if policy.fast_memory is None:
        return
    others = [e for e in _of(device) if e.owner != owner and e.owner not in used]
    strangers = [e for e in others if e.policy != policy]
    strangers += [e for e in others if e.policy == policy and e.family != family]
    for entry in strangers:
        if charged(device) - charged(device, owner) + wanted <= policy.fast_memory:
            return
        drop(entry.owner)
