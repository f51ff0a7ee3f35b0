"""Graph generators: random and regular graphs, generated in parallel from a seed.

The same arguments give the same graph on any machine and with any number of threads. Every random number is a hash of
the seed and of its index (see ``kernels_random``). It does not depend on threads.
"""

from clew.generate.random_edges import barabasi_albert, kronecker, random_weights, rmat, uniform
from clew.generate.shapes import complete, cycle, delaunay, grid, path, small_world, ssca2, star

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
