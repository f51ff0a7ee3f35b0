"""Connected components on the CPU."""

from __future__ import annotations

from typing import NamedTuple

from clew.build.components import component_labels
from clew.dtypes import Array, as_bits
from clew.graph import Graph


class Components(NamedTuple):
    """The smallest vertex of each vertex's component, and the sizes of the components in the order of those."""

    label: Array
    sizes: Array


def connected_components(graph: Graph) -> Components:
    """Components over edges in any direction."""
    return measured(component_labels(graph.outgoing, both_directions=not graph.directed))


def measured(label: Array) -> Components:
    """Labels with the sizes of what they label."""
    from clew.engines.cpu import kernels_components as kernels

    return Components(label, kernels.component_sizes(as_bits(label)))
