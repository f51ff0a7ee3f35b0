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

from clew.errors import GraphError
from clew.placement.as_numbered import AsNumbered
from clew.placement.comparison import Compared, compare
from clew.placement.degree import Degree
from clew.placement.frontier import Frontier
from clew.placement.hot import Hot
from clew.placement.interleave import Interleave
from clew.placement.intraleave import Intraleave
from clew.placement.parse import NO_AUTO, parse_strategy
from clew.placement.placement import Placement
from clew.placement.random import Random
from clew.placement.sizes import parse_bytes
from clew.placement.speed import Speed
from clew.placement.strategy import Strategy
from clew.placement.uniform import AllFast, AllSlow

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
