"""Louvain on the GPU."""

from __future__ import annotations

from typing import Any

from clew.algorithms.communities.cuda import communities, workspace
from clew.algorithms.registry import Answer
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph

__all__ = ["louvain", "workspace"]


def louvain(device: Device, graph: Graph, **options: Any) -> Answer:
    """Communities of high modularity; see ``clew.louvain``."""
    return communities(device, graph, **options, refine=False)
