"""The extent of weights is looked for once where they cannot change, and every time where they can."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from clew.algorithms.paths import weights as path_weights

pytestmark = pytest.mark.quick


def test_the_extent_of_weights_that_may_change_is_looked_for_again():
    weights = np.array([3, 1, 2])
    assert path_weights.extent(weights) == (1, 3)
    weights[0] = 9
    assert path_weights.extent(weights) == (1, 9)


def test_the_extent_of_read_only_weights_is_kept_as_long_as_they_live():
    before = len(path_weights._known)
    weights = np.array([3.5, -1.0])
    weights.flags.writeable = False
    assert path_weights.extent(weights) == (-1.0, 3.5)
    assert path_weights.extent(weights) == (-1.0, 3.5)
    assert len(path_weights._known) == before + 1
    del weights
    gc.collect()
    assert len(path_weights._known) == before
