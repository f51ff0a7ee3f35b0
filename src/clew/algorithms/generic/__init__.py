"""Algorithms written over the primitives alone: a few functions of scalars and a loop, on whatever engine there is.

They give what the algorithms of the same name give, more slowly: as oracles for those, and as what an engine falls back
on that has none of its own. ``device`` is passed on to the primitives; nothing here knows an engine.
"""

from clew.algorithms.generic.all_pairs import all_pairs
from clew.algorithms.generic.betweenness import betweenness
from clew.algorithms.generic.bfs import bfs
from clew.algorithms.generic.clustering_coefficient import clustering_coefficient
from clew.algorithms.generic.coloring import coloring
from clew.algorithms.generic.connected_components import connected_components
from clew.algorithms.generic.hits import hits
from clew.algorithms.generic.k_core import k_core
from clew.algorithms.generic.label_propagation import label_propagation
from clew.algorithms.generic.maximal_independent_set import maximal_independent_set
from clew.algorithms.generic.multi_source_bfs import multi_source_bfs
from clew.algorithms.generic.pagerank import pagerank
from clew.algorithms.generic.random_walk_with_restart import random_walk_with_restart
from clew.algorithms.generic.sssp import sssp
from clew.algorithms.generic.sswp import sswp
from clew.algorithms.generic.strongly_connected_components import strongly_connected_components
from clew.algorithms.generic.triangles import triangles

__all__ = [
    "all_pairs",
    "betweenness",
    "bfs",
    "clustering_coefficient",
    "coloring",
    "connected_components",
    "hits",
    "k_core",
    "label_propagation",
    "maximal_independent_set",
    "multi_source_bfs",
    "pagerank",
    "random_walk_with_restart",
    "sssp",
    "sswp",
    "strongly_connected_components",
    "triangles",
]
