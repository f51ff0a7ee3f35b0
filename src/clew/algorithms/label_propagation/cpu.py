"""Label propagation on the CPU: memory for the kernel, and its answer as arrays."""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.label_propagation import kernels, summary
from clew.algorithms.registry import Answer
from clew.engines.cpu import team
from clew.graph import Graph
from clew.result import TRACED_ROUNDS, timed
from clew.workspace import Workspace, result, scratch


def workspace(graph: Graph, max_iterations: int) -> Workspace:
    """The arrays of a run; either of ``label`` and ``other_label`` is the result."""
    n, ids, traced = graph.num_vertices, f"u{graph.outgoing.id_dtype.itemsize}", min(max_iterations, TRACED_ROUNDS)
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
    """At most ``max_iterations`` rounds; fewer if a round changes nothing."""
    n = graph.num_vertices
    rows, degrees = team.symmetric_rows(graph), team.total_degrees(graph)
    work = workspace(graph, max_iterations).allocate()
    labels, after, changes = np.arange(n, dtype=work.other_label.dtype), work.other_label, work.changes
    limits = (int(degrees.max(initial=0)), max_iterations)
    rounds, changed = team.run(
        kernels.propagate,
        graph.num_arcs * max_iterations,
        *(*rows, labels, after, work.awake, *limits, changes, work.looked, work.begun),
        shown="label propagation",
        unit="rounds",
        poll=lambda: (int(np.count_nonzero(changes)), max_iterations),
    )
    answer = after if rounds % 2 else labels
    active, edges = work.looked[:rounds].T
    trace = timed({"active": active, "edges": edges}, work.begun[: rounds + 1], graph.outgoing.neighbour_bytes)
    settled = rounds > 0 and changed == 0
    return summary(np, answer.view(graph.outgoing.id_dtype), rounds, settled, {"changed": changes[:rounds], **trace})
