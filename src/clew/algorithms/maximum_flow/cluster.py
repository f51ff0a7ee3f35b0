"""Maximum flow on a cluster."""

from __future__ import annotations

from clew.algorithms.flows.cluster import Flow
from clew.algorithms.registry import Answer
from clew.engines.cluster.share import Share


def maximum_flow(share: Share, source: int, sink: int) -> Answer:
    """As much as the edges can carry; see ``clew.maximum_flow``."""
    found = Flow(share, source, sink)
    found.run()
    edges, facts = found.edges, {"value": found.value()}
    pairs = (edges.source, edges.target)
    return Answer({"flow": found.flow()}, facts, iterations=max(1, found.rounds), pairs=pairs, rows=edges.rows)
