"""What eigenvector and katz share: rounds of a product with the weights of the in-edges, until little changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import semirings


def inflow(waist: Waist, graph: Graph, x: Array, *, weighted: bool) -> Array:
    """y[v] = sum over edges u -> v of weight · x[u]."""
    found: Array = waist.spmv(graph, x, semirings.plus_times if weighted else semirings.plus_second, transpose=True)
    return found


def rounds(
    waist: Waist, step: Callable[[Array], Array], x: Array, tolerance: float, max_iterations: int
) -> tuple[Array, Array]:
    """Repeat a step until it changes less than ``tolerance`` in all, or changes are no numbers; and the changes."""
    changes: list[float] = []
    with np.errstate(over="ignore", invalid="ignore"):
        while len(changes) < max_iterations and (not changes or tolerance <= changes[-1] < np.inf):
            x, changes = waist.checkpoint(len(changes), x, changes)
            before, x = x, step(x)
            changes.append(float(waist.total(np.abs(x - before))))
    return x, np.array(changes)
