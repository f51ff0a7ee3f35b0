"""Graphs from files and back: ``read`` and ``write``, whatever the format."""

from clew.io.files import read, write

__all__ = ["read", "write"]
