"""Graphs made to measure: random and regular ones, generated in parallel from a seed.

The same arguments give the same graph on any machine and with any number of threads: every random choice is a function
of the seed and of the number of the choice (see ``kernels_random``), never of which thread came first.
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
