"""Algorithms, one file each; every one takes a Graph and gives a Result."""

from clew.algorithms.bfs import bfs
from clew.algorithms.registry import ALGORITHMS

__all__ = ["ALGORITHMS", "bfs"]
