"""Owned facts: arrays of which every member has some entries, and which are no values of vertices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from clew.dtypes import Array

if TYPE_CHECKING:
    from clew.engines.cluster.member import Member


class OwnedFact:
    """An array in the order of distinct keys, of which this member has the entries of its own keys; collective."""

    def __init__(self, member: Member, keys: Array, values: Array) -> None:
        self.keys, self.values = keys, values
        self.size = int(member.all_reduce(np.int64(keys.size), np.add))
        self._largest = int(member.all_reduce(np.int64(values.max(initial=0)), np.maximum))

    def max(self) -> int:
        """The largest entry of all members; 0 if there is none."""
        return self._largest


def joined(parts: Sequence[tuple[Array, Array]]) -> Array:
    """The whole array, from the keys and the values of all members."""
    keys, values = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    return values[np.argsort(keys)]
