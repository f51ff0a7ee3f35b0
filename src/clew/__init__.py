"""High-performance graph analytics on the CPUs and GPUs of one machine, from plain Python.

>>> import clew
>>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2])
>>> g.num_vertices, g.num_edges
(3, 3)
"""

from clew import algorithms, datasets, generate, verify
from clew.algorithms import *  # noqa: F403, the algorithms are the public surface
from clew.errors import (
    ClewError,
    FormatError,
    GraphError,
    MissingDependencyError,
    ResourceError,
    VerificationError,
)
from clew.graph import Graph
from clew.io import read, write
from clew.result import Result

__version__ = "0.1.0"

__all__ = [
    *(name for name in algorithms.__all__ if name != "ALGORITHMS"),
    "ClewError",
    "FormatError",
    "Graph",
    "GraphError",
    "MissingDependencyError",
    "ResourceError",
    "Result",
    "VerificationError",
    "datasets",
    "generate",
    "read",
    "verify",
    "write",
]
