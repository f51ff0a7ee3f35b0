"""The negative cycle that NetworkX finds first, with memory for the kernel and the cycle as a list."""

from __future__ import annotations

import numpy as np

from clew.dtypes import as_bits
from clew.nx.two_ends import Rows


def first_negative_cycle(rows: Rows, source: int) -> list[int]:
    """The vertices of a negative cycle, the first again at the end; empty where the search comes across none."""
    from clew.nx import kernels_negative_cycle as kernels

    assert rows.weights is not None
    kind = np.float64 if rows.weights.dtype.kind == "f" else np.int64
    last = np.empty(rows.indptr.size - 1, dtype=np.int64)
    weights = rows.weights.astype(kind, copy=False)
    start, vertex, before = kernels.on_a_cycle(as_bits(rows.indptr), as_bits(rows.indices), weights, source, last)
    if start < 0:
        return []

    def predecessors(v: int) -> list[int]:
        found, k = [], int(last[v])
        while k >= 0:
            found.append(int(vertex[k]))
            k = int(before[k])
        return found[::-1]

    # Backwards over predecessors, depth first, until one leads to where the walk began.
    seen, stack = {int(start)}, [(int(start), predecessors(int(start)))]
    way: list[int] = []
    while stack:
        node, left = stack[-1]
        if start in left:
            return [int(start), node, *reversed(way)]
        if left:
            if (step := left.pop()) not in seen:
                seen.add(step)
                stack.append((step, predecessors(step)))
                way.append(node)
        else:
            stack.pop()
            if way:
                way.pop()
    return []
