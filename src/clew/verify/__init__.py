"""Independent checkers, serial and obvious: each accepts every valid answer and names the first rule that is broken.

They share no code with the algorithms: NumPy and the graph's own arrays are all they know.
"""

from clew.verify.all_pairs import all_pairs, multi_source_bfs
from clew.verify.centrality import betweenness
from clew.verify.clustering import clustering_coefficient, triangles
from clew.verify.coloring import coloring
from clew.verify.components import connected_components, strongly_connected_components
from clew.verify.cores import k_core
from clew.verify.independent_set import maximal_independent_set
from clew.verify.labels import label_propagation
from clew.verify.matching import bipartite_matching
from clew.verify.paths import bellman_ford, sssp, sswp
from clew.verify.ranks import hits, pagerank, random_walk_with_restart
from clew.verify.traversal import bfs

__all__ = [
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
