"""High-performance graph analytics on CPUs, GPUs and clusters, from plain Python.

>>> import clew
>>> g = clew.Graph.from_edges([0, 0, 1], [1, 2, 2])
>>> g.num_vertices, g.num_edges
(3, 3)
"""

from typing import Any as _Any

from clew import algorithms, datasets, generate, layouts, operators, primitives, verify
from clew.algorithms import *  # noqa: F403, the algorithms are the public surface
from clew.algorithms.communities.quality import modularity
from clew.edge_result import EdgeResult
from clew.errors import (
    ClewError,
    ClusterError,
    CycleError,
    DivergenceError,
    FormatError,
    GraphError,
    MissingDependencyError,
    NegativeCycleError,
    OperatorError,
    ResourceError,
    VerificationError,
)
from clew.graph import Graph
from clew.io import read, write
from clew.memory import memory
from clew.operators import Gather, Monoid, Operator, Semiring, gathers, monoids, semirings
from clew.primitives import *  # noqa: F403, so are the primitives
from clew.program import VertexProgram, run
from clew.result import Result
from clew.walk_result import WalkResult

__version__ = "0.1.0"

_LATER = ("placement", "plots", "tiers")  # loaded by modules that use them, so that `import clew` stays light
_INSIDE = {"Plan": "plan", "cluster": "distributed", "explain": "plan", "report": "reporting"}

__all__ = [
    *_LATER,
    *_INSIDE,
    *algorithms.ALGORITHMS,
    *primitives.__all__,
    "ClewError",
    "DivergenceError",
    "ClusterError",
    "CycleError",
    "EdgeResult",
    "WalkResult",
    "FormatError",
    "Gather",
    "Graph",
    "GraphError",
    "MissingDependencyError",
    "Monoid",
    "NegativeCycleError",
    "Operator",
    "OperatorError",
    "ResourceError",
    "Result",
    "Semiring",
    "VerificationError",
    "VertexProgram",
    "datasets",
    "gathers",
    "generate",
    "layouts",
    "memory",
    "modularity",
    "monoids",
    "operators",
    "read",
    "run",
    "semirings",
    "verify",
    "write",
]


def __getattr__(name: str) -> _Any:
    """The packages that are loaded later, and what is in them."""
    import importlib

    if name in _LATER:
        return importlib.import_module(f"clew.{name}")
    if name in _INSIDE:
        return getattr(importlib.import_module(f"clew.{_INSIDE[name]}"), name)
    hint = ""
    if not name.startswith("_"):
        import difflib

        close = difflib.get_close_matches(name, __all__, 1)
        hint = f"; did you mean clew.{close[0]}?" if close else ""
    raise AttributeError(f"module 'clew' has no attribute {name!r}{hint}")
