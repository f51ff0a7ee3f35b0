"""Who has how much of the memory that edges may have on a device: one account for all graphs and both directions.

What is charged to it is an array (or whatever else stands for some bytes), for as long as it lives. So what a cache has
dropped but a run still reads is in it, and what is freed is not.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from clew.dtypes import Array
from clew.engines.cuda.device import Device
from clew.memory import Policy, current

#: Which rows: the ids of the device and of the array of neighbours.
Key = tuple[int, int]

#: Which graph an array of neighbours belongs to, by its id, where both directions have been seen.
_graphs: dict[int, int] = {}
_numbers = count(1)


@dataclass(frozen=True, eq=False)
class _Charge:
    """Bytes of a device's memory, whose they are, and what was in force when they were taken."""

    thing: weakref.ref[Any]
    device: weakref.ref[Any]
    owner: Key
    policy: Policy
    nbytes: int


_charges: dict[int, _Charge] = {}


def belong_together(neighbours: Array, in_neighbours: Array) -> None:
    """Have the two directions of a graph known as such."""
    both = (neighbours, in_neighbours)
    known = [_graphs[id(array)] for array in both if id(array) in _graphs]
    number = known[0] if known else -next(_numbers)  # no id is negative
    for array in both:
        if id(array) not in _graphs:
            _graphs[id(array)] = number
            weakref.finalize(array, _graphs.pop, id(array), None).atexit = False


def _graph_of(owner: Key) -> int:
    """What the rows of both directions, also those that were turned round on the device, have in common."""
    number = abs(owner[1])
    return _graphs.get(number, number)


def charge(device: Device, thing: Any, nbytes: int, owner: Key) -> None:
    """``nbytes`` of edges are in device memory while ``thing`` lives."""
    number = id(thing)
    known = _charges.get(number)
    if nbytes == 0 and known is None:
        return
    new = _Charge(weakref.ref(thing), weakref.ref(device), owner, current(), nbytes)
    _charges[number] = new
    if known is None or known.thing() is not thing:
        weakref.finalize(thing, _charges.pop, number, None).atexit = False


def _of(device: Device) -> list[_Charge]:
    return [entry for entry in list(_charges.values()) if entry.device() is device]


def charged(device: Device, owner: Key | None = None) -> int:
    """The bytes of edges in a device's memory: all, or an owner's."""
    return sum(entry.nbytes for entry in _of(device) if owner is None or entry.owner == owner)


def is_charged(owner: Key) -> bool:
    """Whether anything of an owner's lives."""
    return any(entry.owner == owner for entry in list(_charges.values()))


def other_direction_is_there(device: Device, owner: Key) -> bool:
    """Whether it has been given memory under the policy in force."""
    policy, graph = current(), _graph_of(owner)
    return any(e.owner != owner and _graph_of(e.owner) == graph and e.policy == policy for e in _of(device))


def make_room(device: Device, wanted: int, owner: Key, used: set[Key], drop: Callable[[Key], None]) -> None:
    """Have rows dropped that the budget is not for any more, until ``wanted`` bytes of it are left or none can go.

    First those that another policy put there, then those of other graphs. What this run uses and what the same graph
    was given under this policy stays.
    """
    policy, graph = current(), _graph_of(owner)
    if policy.fast_memory is None:
        return
    others = [e for e in _of(device) if e.owner != owner and e.owner not in used]
    strangers = [e for e in others if e.policy != policy]
    strangers += [e for e in others if e.policy == policy and _graph_of(e.owner) != graph]
    for stranger in dict.fromkeys(entry.owner for entry in strangers):
        if charged(device) - charged(device, owner) + wanted <= policy.fast_memory:
            return
        drop(stranger)
