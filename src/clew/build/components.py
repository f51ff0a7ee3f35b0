"""Connected components of compressed rows: the label of a component is its smallest vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.adjacency import Adjacency
from clew.build.rows import blocks_of
from clew.dtypes import Array, IdArray, as_bits

SAMPLES = 1024  # enough to find a tree that most vertices are in; another choice only costs time


def component_labels(rows: Adjacency, *, both_directions: bool) -> IdArray:
    """The smallest vertex that each vertex hangs together with, over edges in any direction.

    ``both_directions`` says that every edge is stored both ways, which saves looking at most of them. The same for any
    number of threads.
    """
    from clew.build import kernels_components as kernels

    labels = np.empty(rows.num_vertices, dtype=rows.indices.dtype)
    if not labels.size:
        return labels
    pointer, indptr, indices = as_bits(labels), as_bits(rows.indptr), as_bits(rows.indices)
    bounds, parts = blocks_of(rows), threads.pieces(labels.size)
    blocks = bounds.size - 1
    threads.each(kernels.point_to_first, blocks, bounds, indptr, indices, pointer)
    threads.each(kernels.join_second, blocks, bounds, indptr, indices, pointer)
    threads.each(kernels.flatten, parts, parts, pointer)
    largest = _most_frequent(pointer[:: max(1, pointer.size // SAMPLES)])
    marks = None
    if not both_directions:
        marks = np.empty(-(-labels.size // 64), dtype=np.uint64)
        threads.each(kernels.mark, parts, parts, pointer, largest, marks)
    threads.each(kernels.join_all, blocks, bounds, indptr, indices, pointer, largest, marks)
    threads.each(kernels.flatten, parts, parts, pointer)
    return labels


def _most_frequent(values: Array) -> Any:
    found, counts = np.unique(values, return_counts=True)
    return found[np.argmax(counts)]
