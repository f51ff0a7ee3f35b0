"""Graphs that come with the package."""

from clew.datasets.debian12 import debian

__all__ = ["debian"]
