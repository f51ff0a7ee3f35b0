"""Edges to compressed rows: counting, placing, sorting and merging, in parallel."""

from clew.build.edges import Built, build, from_rows

__all__ = ["Built", "build", "from_rows"]
