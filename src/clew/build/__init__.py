"""Edges to compressed rows: counting, placing, sorting and merging, in parallel; and which rows hang together."""

from clew.build.edges import build, from_rows
from clew.build.rows import Built, component_labels

__all__ = ["Built", "build", "component_labels", "from_rows"]
