"""Mending a graph of which some members lost their part: it is built again, and only they receive edges.

The other members keep what they have. They take part, since any member may read or draw an edge of a lost block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clew.engines.cluster.partition import Partition

if TYPE_CHECKING:
    from clew.engines.cluster.share import Share


class Mending(NamedTuple):
    """What members know of the graph: who lost a part, where its vertices are, its facts, and this member's share."""

    lost: frozenset[int]
    partition: Partition
    facts: dict[str, Any]
    known: Share | None = None


def placed(share: Share) -> tuple[Partition, dict[str, Any]]:
    """The partition and the facts of a graph, which a new member has from any other one."""
    facts = {"directed": share.directed, "report": share.report, "is_reversed": share.is_reversed}
    return share.partition, {**facts, "num_arcs": share.num_arcs, "num_loops": share.num_loops}
