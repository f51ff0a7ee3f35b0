"""Louvain on a cluster."""

from __future__ import annotations

from typing import Any

from clew.algorithms.communities.cluster import communities
from clew.algorithms.registry import Answer
from clew.engines.cluster.share import Share


def louvain(share: Share, **options: Any) -> Answer:
    """Communities of high modularity; see ``clew.louvain``."""
    return communities(share, **options, refine=False)
