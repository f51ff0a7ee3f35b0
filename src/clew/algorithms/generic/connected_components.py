"""Connected components: the smallest label of the neighbours, again and again, and of the vertex that it names."""

from __future__ import annotations

import numpy as np

from clew.algorithms.generic.steps import total
from clew.algorithms.generic.waist import compact, elementwise, spmv
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings
from clew.result import Result


def connected_components(graph: Graph, *, device: str = "auto") -> Result:
    """The smallest vertex of every weak component; see ``clew.connected_components``."""
    ids: Array = np.arange(graph.num_vertices, dtype=graph.indices.dtype)
    label = ids
    changed, rounds = True, 0
    while changed:
        after = label
        for way in (False, True)[: 1 + graph.directed]:
            near = spmv(graph, label, semirings.min_second, transpose=way, device=device)
            after = elementwise(functions.smaller, after, near, device=device)
        after = after[after]  # a label is a vertex of the same component, whose label may be smaller still
        changed = bool(total(elementwise(lambda a, b: a != b, after, label, device=device).astype(np.int64), device))
        label = after
        rounds += 1
    roots = compact(elementwise(lambda a, b: a == b, label, ids, device=device), device=device)
    sizes = np.bincount(label, minlength=graph.num_vertices)[roots]
    facts = {"count": roots.size, "sizes": sizes, "largest": int(sizes.max(initial=0))}
    return Result("connected_components", {"label": label}, names=graph.names, facts=facts, iterations=rounds)
