"""Algorithms, a folder each; every one takes a Graph and gives a Result."""

import importlib
import pkgutil
from typing import TYPE_CHECKING

from clew.algorithms.registry import ALGORITHMS as ALGORITHMS
from clew.algorithms.registry import Algorithm as Algorithm
from clew.algorithms.registry import Answer as Answer
from clew.algorithms.registry import algorithm as algorithm
from clew.algorithms.registry import run as run

if TYPE_CHECKING:  # what the loop below finds, for type checkers
    # algorithms: begin (made by tools/update_readme.py)
    from clew.algorithms.all_pairs import all_pairs as all_pairs
    from clew.algorithms.articulation_points import articulation_points as articulation_points
    from clew.algorithms.assortativity import assortativity as assortativity
    from clew.algorithms.bellman_ford import bellman_ford as bellman_ford
    from clew.algorithms.betweenness import betweenness as betweenness
    from clew.algorithms.bfs import bfs as bfs
    from clew.algorithms.biconnected_components import biconnected_components as biconnected_components
    from clew.algorithms.bipartite_matching import bipartite_matching as bipartite_matching
    from clew.algorithms.bridges import bridges as bridges
    from clew.algorithms.closeness import closeness as closeness
    from clew.algorithms.clustering_coefficient import clustering_coefficient as clustering_coefficient
    from clew.algorithms.coloring import coloring as coloring
    from clew.algorithms.condensation import condensation as condensation
    from clew.algorithms.connected_components import connected_components as connected_components
    from clew.algorithms.dfs_order import dfs_order as dfs_order
    from clew.algorithms.eccentricity import eccentricity as eccentricity
    from clew.algorithms.edge_betweenness import edge_betweenness as edge_betweenness
    from clew.algorithms.eigenvector import eigenvector as eigenvector
    from clew.algorithms.harmonic import harmonic as harmonic
    from clew.algorithms.hits import hits as hits
    from clew.algorithms.k_core import k_core as k_core
    from clew.algorithms.k_truss import k_truss as k_truss
    from clew.algorithms.katz import katz as katz
    from clew.algorithms.label_propagation import label_propagation as label_propagation
    from clew.algorithms.leiden import leiden as leiden
    from clew.algorithms.louvain import louvain as louvain
    from clew.algorithms.maximal_independent_set import maximal_independent_set as maximal_independent_set
    from clew.algorithms.maximum_flow import maximum_flow as maximum_flow
    from clew.algorithms.minimum_cut import minimum_cut as minimum_cut
    from clew.algorithms.minimum_spanning_forest import minimum_spanning_forest as minimum_spanning_forest
    from clew.algorithms.most_similar import most_similar as most_similar
    from clew.algorithms.multi_source_bfs import multi_source_bfs as multi_source_bfs
    from clew.algorithms.node2vec_walks import node2vec_walks as node2vec_walks
    from clew.algorithms.pagerank import pagerank as pagerank
    from clew.algorithms.random_walk_with_restart import random_walk_with_restart as random_walk_with_restart
    from clew.algorithms.random_walks import random_walks as random_walks
    from clew.algorithms.sample_neighbors import sample_neighbors as sample_neighbors
    from clew.algorithms.similarity import similarity as similarity
    from clew.algorithms.sssp import sssp as sssp
    from clew.algorithms.sswp import sswp as sswp
    from clew.algorithms.strongly_connected_components import (
        strongly_connected_components as strongly_connected_components,
    )
    from clew.algorithms.topological_order import topological_order as topological_order
    from clew.algorithms.triadic_census import triadic_census as triadic_census
    from clew.algorithms.triangles import triangles as triangles
    # algorithms: end

for _folder in pkgutil.iter_modules(__path__):
    if _folder.ispkg:
        importlib.import_module(f"{__name__}.{_folder.name}")
globals().update({name: record.function for name, record in ALGORITHMS.items()})

__all__ = sorted(ALGORITHMS)
