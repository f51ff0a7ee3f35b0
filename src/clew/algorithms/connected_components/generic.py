"""Connected components: the smallest label of the neighbours, again and again, and of the vertex that it names."""

from __future__ import annotations

import numpy as np

from clew.algorithms.connected_components import summary
from clew.algorithms.registry import Answer
from clew.algorithms.waist import Waist
from clew.dtypes import Array
from clew.graph import Graph
from clew.operators import functions, semirings


def connected_components(waist: Waist, graph: Graph) -> Answer:
    """The smallest vertex of every weak component; see ``clew.connected_components``."""
    label: Array = waist.ids(graph)
    changed, rounds = True, 0
    while changed:
        after = label
        for way in (False, True)[: 1 + graph.directed]:
            near = waist.spmv(graph, label, semirings.min_second, transpose=way)
            after = waist.elementwise(functions.smaller, after, near)
        # A label is a vertex of the same component, whose label may be smaller still.
        after = waist.take(graph, after, after)
        changed = bool(waist.total(waist.elementwise(lambda a, b: a != b, after, label).astype(np.int64)))
        label = after
        rounds += 1
    return summary(label, waist.label_sizes(graph, label), rounds)
