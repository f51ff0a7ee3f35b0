"""Random edges for Hypothesis, with everything that has ever broken a graph builder."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

WEIGHT_DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip
#: One of every kind and width that kernels treat apart, where compiling for all eleven takes minutes.
SOME_DTYPES = ("bool", "int8", "int64", "uint64", "float32")


class EdgeList(NamedTuple):
    source: np.ndarray
    target: np.ndarray
    weights: np.ndarray | None
    num_vertices: int


@st.composite
def edge_lists(draw: st.DrawFn, max_vertices: int = 12, max_edges: int = 40) -> EdgeList:
    """Few vertices and many edges: loops, duplicates and isolated vertices come by themselves."""
    n = draw(st.integers(0, max_vertices))
    m = draw(st.integers(0, max_edges)) if n else 0
    ids = draw(st.sampled_from(["int32", "int64", "uint8", "uint32"]))
    ends = hnp.arrays(ids, m, elements=st.integers(0, max(0, n - 1)))
    weights = None
    if draw(st.booleans()):
        weights = draw(hnp.arrays(draw(st.sampled_from(WEIGHT_DTYPES)), m))
    return EdgeList(draw(ends), draw(ends), weights, n)
