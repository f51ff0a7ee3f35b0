"""Edges to compressed rows: counting, placing, sorting and merging, in parallel; and which rows hang together."""

from clew.build.components import component_labels
from clew.build.edges import Built, build, from_rows

__all__ = ["Built", "build", "component_labels", "from_rows"]
