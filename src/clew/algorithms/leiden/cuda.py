"""Leiden on the GPU."""

from __future__ import annotations

from typing import Any

from clew.algorithms.communities.cuda import communities, workspace
from clew.algorithms.registry import Answer
from clew.engines.cuda.toolchain.device import Device
from clew.graph import Graph

__all__ = ["leiden", "workspace"]


def leiden(device: Device, graph: Graph, **options: Any) -> Answer:
    """Communities of high modularity; see ``clew.leiden``."""
    return communities(device, graph, **options, refine=True)
