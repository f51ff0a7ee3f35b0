"""Label propagation on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.label_propagation import summary
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.graph import Graph
from clew.result import edge_bytes, timed
from clew.workspace import Workspace, result, scratch

TRACED_ROUNDS = 1 << 16


def workspace(graph: Graph, max_iterations: int) -> Workspace:
    """The arrays of a run; either of ``label`` and ``other_label`` is the result."""
    n, ids, traced = graph.num_vertices, f"u{graph.indices.itemsize}", min(max_iterations, TRACED_ROUNDS)
    return Workspace(
        label=result(n, ids, later=True),
        other_label=scratch(n, ids),
        awake=scratch(n, np.uint8),
        votes=scratch((threads.count(), n), np.uint32, later=True),
        changes=scratch(traced, np.int64, 0),
        looked=scratch((traced, 2), np.int64, 0),
        begun=scratch(traced + 1, np.int64, 0),
    )


def label_propagation(graph: Graph, max_iterations: int) -> Answer:
    """At most so many rounds; fewer where nothing changes any more."""
    from clew.algorithms.label_propagation import kernels

    n = graph.num_vertices
    out = graph.outgoing.unsigned()
    into = graph.incoming.unsigned() if graph.directed else None
    degrees = graph.degrees() + graph.degrees("in") if graph.directed else graph.degrees()
    space = workspace(graph, max_iterations).allocate()
    labels, after, changes = np.arange(n, dtype=out[1].dtype), space.other_label, space.changes
    longest = int(degrees.max()) if n else 0
    work = graph.num_arcs * max_iterations
    rounds, changed = team.run(
        kernels.propagate,
        work,
        out,
        into,
        labels,
        after,
        space.awake,
        longest,
        max_iterations,
        changes,
        space.looked,
        space.begun,
        shown="label propagation",
        unit="rounds",
        poll=lambda: (int(np.count_nonzero(changes)), max_iterations),
    )
    answer = after if rounds % 2 else labels
    active, edges = space.looked[:rounds].T
    told = timed({"active": active, "edges": edges}, space.begun[: rounds + 1], edge_bytes(graph.indices))
    settled = rounds > 0 and changed == 0
    return summary(np, answer.view(graph.indices.dtype), rounds, settled, {"changed": changes[:rounds], **told})
