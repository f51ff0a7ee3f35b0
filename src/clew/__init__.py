"""High-performance graph analytics on the CPUs and GPUs of one machine, from plain Python.

>>> import clew
>>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2])
>>> g.num_vertices, g.num_edges
(3, 3)
"""

from clew import datasets, generate
from clew.errors import ClewError, FormatError, GraphError, MissingDependencyError, ResourceError
from clew.graph import Graph
from clew.io import read, write

__version__ = "0.1.0"

__all__ = [
    "ClewError",
    "FormatError",
    "Graph",
    "GraphError",
    "MissingDependencyError",
    "ResourceError",
    "datasets",
    "generate",
    "read",
    "write",
]
