"""What ``ReadOptions`` mean for weights and ids, apart from any format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from clew import GraphError
from clew.io.options import ReadOptions, converted, graph_from_edges, ids_are_dense
from tests.graph.strategies import WEIGHT_DTYPES


@settings(max_examples=120, deadline=None)
@given(st.data(), st.sampled_from(WEIGHT_DTYPES), st.sampled_from(WEIGHT_DTYPES))
def test_conversion_loses_nothing_or_is_refused(data: st.DataObject, old: str, new: str) -> None:
    weights = data.draw(hnp.arrays(old, st.integers(0, 5)))
    try:
        result = converted(weights, new)
    except GraphError:
        assert any(_lost(value.item(), np.dtype(new)) for value in weights)
        return
    assert result.dtype == new
    for before, after in zip(weights.tolist(), result.tolist(), strict=True):
        if np.dtype(new).kind == "f":
            assert after == pytest.approx(float(before), rel=1e-6, abs=1e-44, nan_ok=True)
        else:
            assert after == before


def _lost(value: Any, dtype: np.dtype[Any]) -> bool:
    if dtype.kind == "f":
        return abs(value) > float(np.finfo(dtype).max)
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        return True
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return not low <= value <= high


@pytest.mark.parametrize("value", [2.0**63, -(2.0**63) - 2048, 2.0**64, np.inf, -np.inf, np.nan, 0.5])
def test_floats_beyond_integers(value: float) -> None:
    with pytest.raises(GraphError, match="do not fit int64"):
        converted(np.array([value]), "int64")
    assert converted(np.array([-(2.0**63)]), "int64").tolist() == [-(2**63)]


def test_dense_ids() -> None:
    def dense(source: list[int], target: list[int], dtype: str = "int64") -> bool:
        return ids_are_dense(np.array(source, dtype), np.array(target, dtype))

    assert dense([], [])
    assert dense([0, 2], [1, 2])
    assert not dense([1, 2], [1, 2])
    assert not dense([0, 3], [1, 1])
    assert not dense([-1, 0], [1, 2])
    assert not dense([0], [2**64 - 1], "uint64")
    assert not dense([0], [2**63 - 1])


def test_direction() -> None:
    ends = np.array([0, 1, 1]), np.array([1, 2, 1])
    for said in (True, False):
        for wanted in (None, True, False):
            graph = graph_from_edges(*ends, None, ReadOptions(directed=wanted), directed=said)
            assert graph.directed == (said if wanted is None else wanted)
            assert graph.num_edges == (5 if wanted and not said else 3)


def test_unknown_ids() -> None:
    with pytest.raises(GraphError, match="ids is 'some'"):
        graph_from_edges(np.array([0]), np.array([1]), None, ReadOptions(ids="some"), directed=True)  # type: ignore[arg-type]
