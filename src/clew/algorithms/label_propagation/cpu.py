"""Label propagation on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

import numpy as np

from clew.algorithms.label_propagation import summary
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.graph import Graph
from clew.tracing import edge_bytes, timed

TRACED_ROUNDS = 1 << 16


def label_propagation(graph: Graph, max_iterations: int) -> Answer:
    """At most so many rounds; fewer where nothing changes any more."""
    from clew.algorithms.label_propagation import kernels

    n = graph.num_vertices
    out = graph.outgoing.unsigned()
    into = graph.incoming.unsigned() if graph.directed else None
    degrees = graph.degrees() + graph.degrees("in") if graph.directed else graph.degrees()
    labels, after = np.arange(n, dtype=out[1].dtype), np.empty(n, dtype=out[1].dtype)
    awake = np.empty(n, dtype=np.uint8)
    longest = int(degrees.max()) if n else 0
    changes = np.zeros(min(max_iterations, TRACED_ROUNDS), dtype=np.int64)
    looked = np.zeros((changes.size, 2), dtype=np.int64)
    begun = np.zeros(changes.size + 1, dtype=np.int64)
    work = graph.num_arcs * max_iterations
    rounds, changed = team.run(
        kernels.propagate,
        work,
        out,
        into,
        labels,
        after,
        awake,
        longest,
        max_iterations,
        changes,
        looked,
        begun,
        shown="label propagation",
        unit="rounds",
        poll=lambda: (int(np.count_nonzero(changes)), max_iterations),
    )
    answer = after if rounds % 2 else labels
    active, edges = looked[:rounds].T
    told = timed({"active": active, "edges": edges}, begun[: rounds + 1], edge_bytes(graph.indices))
    settled = rounds > 0 and changed == 0
    return summary(np, answer.view(graph.indices.dtype), rounds, settled, {"changed": changes[:rounds], **told})
