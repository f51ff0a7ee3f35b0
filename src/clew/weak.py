"""A dictionary that holds its keys weakly and compares them by identity: for arrays, which cannot be hashed."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class _Known(weakref.ref[Any]):
    """A weak reference that remembers where its entry is when the object has gone."""

    __slots__ = ("key",)
    key: int


class WeakIdentityDict(Generic[Value]):
    """Values by object; an entry goes as soon as its object does. Values must not hold their objects."""

    def __init__(self) -> None:
        entries: dict[int, tuple[_Known, Value]] = {}  # by id, of which the reference says whether it is still that one
        self._entries = entries

        def drop(gone: Any) -> None:
            if (entry := entries.get(gone.key)) is not None and entry[0] is gone:
                del entries[gone.key]

        self._drop: Callable[[Any], object] = drop

    def __setitem__(self, thing: Any, value: Value) -> None:
        known = _Known(thing, self._drop)
        known.key = id(thing)
        self._entries[known.key] = known, value

    def __getitem__(self, thing: Any) -> Value:
        entry = self._entries[id(thing)]
        if entry[0]() is not thing:
            raise KeyError(thing)
        return entry[1]

    def __contains__(self, thing: Any) -> bool:
        entry = self._entries.get(id(thing))
        return entry is not None and entry[0]() is thing

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, thing: Any) -> Value | None:
        """The value of an object, or None."""
        entry = self._entries.get(id(thing))
        return entry[1] if entry is not None and entry[0]() is thing else None

    def pop(self, thing: Any) -> Value | None:
        """The value of an object, no longer kept; or None."""
        entry = self._entries.pop(id(thing), None) if thing in self else None
        return None if entry is None else entry[1]

    def objects(self) -> list[Any]:
        """The objects, held: entries may go while a caller iterates over them."""
        return [thing for known, _ in list(self._entries.values()) if (thing := known()) is not None]

    def values(self) -> list[Value]:
        """The values of objects that live."""
        return [value for _, value in list(self._entries.values())]

    def clear(self) -> None:
        """Keep nothing."""
        self._entries.clear()
