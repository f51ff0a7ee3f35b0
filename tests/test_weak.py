"""Dictionaries by identity: equal arrays are different keys, and an entry goes with its array."""

from __future__ import annotations

import numpy as np

from clew.weak import WeakIdentityDict


def test_equal_arrays_are_different_keys():
    first, second = np.arange(3), np.arange(3)
    kept: WeakIdentityDict[str] = WeakIdentityDict()
    kept[first] = "first"
    assert kept[first] == "first"
    assert first in kept
    assert second not in kept
    assert kept.get(second) is None
    kept[second] = "second"
    kept[first] = "third"
    assert kept.values() == ["third", "second"]
    assert [array is known for array, known in zip(kept.objects(), (first, second), strict=True)] == [True, True]


def test_an_entry_goes_with_its_array_and_not_with_another_that_takes_its_place():
    kept: WeakIdentityDict[int] = WeakIdentityDict()
    for number in range(100):  # most of them at the address of the one before
        array = np.empty(4)
        assert array not in kept
        kept[array] = number
        kept[array] = number + 1
        assert len(kept) == 1
        del array
        assert len(kept) == 0


def test_what_is_taken_out_is_gone():
    array, kept = np.arange(2), WeakIdentityDict[int]()
    kept[array] = 1
    assert kept.pop(array) == 1
    assert kept.pop(array) is None
    kept[array] = 2
    kept.clear()
    assert array not in kept
