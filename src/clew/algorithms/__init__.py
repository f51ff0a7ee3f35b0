"""Algorithms, one file each; every one takes a Graph and gives a Result."""

from clew.algorithms.all_pairs import all_pairs
from clew.algorithms.bellman_ford import bellman_ford
from clew.algorithms.betweenness import betweenness
from clew.algorithms.bfs import bfs
from clew.algorithms.bipartite_matching import bipartite_matching
from clew.algorithms.clustering_coefficient import clustering_coefficient
from clew.algorithms.coloring import coloring
from clew.algorithms.connected_components import connected_components
from clew.algorithms.hits import hits
from clew.algorithms.k_core import k_core
from clew.algorithms.label_propagation import label_propagation
from clew.algorithms.maximal_independent_set import maximal_independent_set
from clew.algorithms.multi_source_bfs import multi_source_bfs
from clew.algorithms.pagerank import pagerank
from clew.algorithms.random_walk_with_restart import random_walk_with_restart
from clew.algorithms.registry import ALGORITHMS
from clew.algorithms.sssp import sssp
from clew.algorithms.sswp import sswp
from clew.algorithms.strongly_connected_components import strongly_connected_components
from clew.algorithms.triangles import triangles

__all__ = [
    "ALGORITHMS",
    "all_pairs",
    "bellman_ford",
    "betweenness",
    "bfs",
    "bipartite_matching",
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
