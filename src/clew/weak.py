"""A dictionary that holds its keys weakly and compares them by identity: for arrays, which cannot be hashed."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class _Same(weakref.ref[Any]):
    """A weak reference that equals others to the very same object."""

    __slots__ = ("_hash",)
    _hash: int

    def __new__(cls, thing: Any, callback: Callable[[weakref.ref[Any]], object] | None = None) -> _Same:
        reference = super().__new__(cls, thing, callback)
        reference._hash = object.__hash__(thing)
        return reference

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        thing = self()
        return thing is not None and isinstance(other, _Same) and thing is other()


class WeakIdentityDict(Generic[Value]):
    """Values by object; an entry goes as soon as its object does. Values must not hold their objects."""

    def __init__(self) -> None:
        entries: dict[_Same, Value] = {}
        self._entries = entries
        self._drop: Callable[[Any], object] = lambda gone: entries.pop(gone, None)

    def __setitem__(self, thing: Any, value: Value) -> None:
        self._entries[_Same(thing, self._drop)] = value  # of equal keys, a dictionary keeps the first

    def __getitem__(self, thing: Any) -> Value:
        return self._entries[_Same(thing)]

    def __contains__(self, thing: Any) -> bool:
        return _Same(thing) in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, thing: Any) -> Value | None:
        """The value of an object, or None."""
        return self._entries.get(_Same(thing))

    def pop(self, thing: Any) -> Value | None:
        """The value of an object, no longer kept; or None."""
        return self._entries.pop(_Same(thing), None)

    def objects(self) -> list[Any]:
        """The objects, held: entries may go while a caller iterates over them."""
        return [thing for same in list(self._entries) if (thing := same()) is not None]

    def values(self) -> list[Value]:
        """The values of objects that live."""
        return list(self._entries.values())

    def clear(self) -> None:
        """Keep nothing."""
        self._entries.clear()
