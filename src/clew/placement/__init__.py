"""Placement of vertices in fast and slow memory: strategies, and graphs renumbered by them.

>>> import clew
>>> from clew.placement import Degree
>>> g = clew.Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 2])
>>> placement = Degree(out_degree=2, cutoff_percentile=80).place(g)
>>> placement.boundary, placement.permutation.tolist()
(2, [0, 2, 1, 3])
>>> clew.bfs(placement.apply(g), 0).to_dict()
{0: 0, 2: 1, 1: 1, 3: 1}
"""

from typing import NoReturn

from clew.checks import parse_bytes
from clew.errors import GraphError
from clew.placement.comparison import Compared, Speed, compare
from clew.placement.placement import Placement, Strategy
from clew.placement.strategies import (
    NO_AUTO,
    AllFast,
    AllSlow,
    AsNumbered,
    Degree,
    Frontier,
    Hot,
    Interleave,
    Intraleave,
    Random,
    parse_strategy,
)

__all__ = [
    "AllFast",
    "AllSlow",
    "AsNumbered",
    "Compared",
    "Degree",
    "Frontier",
    "Hot",
    "Interleave",
    "Intraleave",
    "Placement",
    "Random",
    "Speed",
    "Strategy",
    "compare",
    "parse_bytes",
    "parse_strategy",
]


def __getattr__(name: str) -> NoReturn:
    if name == "Auto":
        raise GraphError(NO_AUTO)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
