"""Graph generators: random and regular graphs, generated in parallel from a seed.

The same arguments give the same graph on any machine and with any number of threads. Every random number is a hash of
the seed and of its index (see ``kernels_random``). It does not depend on threads.
"""

from clew.generate.cliques import ssca2
from clew.generate.independent import uniform
from clew.generate.lattices import grid
from clew.generate.preferential import barabasi_albert
from clew.generate.recursive import kronecker, rmat
from clew.generate.rewired import small_world
from clew.generate.shapes import complete, cycle, path, star
from clew.generate.triangulation import delaunay
from clew.generate.weights import random_weights

__all__ = [
    "barabasi_albert",
    "complete",
    "cycle",
    "delaunay",
    "grid",
    "kronecker",
    "path",
    "random_weights",
    "rmat",
    "small_world",
    "ssca2",
    "star",
    "uniform",
]
