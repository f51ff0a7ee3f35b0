# mypy: ignore-errors
"""Watts-Strogatz: edge number s of the ring lattice belongs to vertex s // half, the one it starts at."""

import numpy as np

from clew.generate.kernels_random import below, bits, unit
from clew.jit import njit


@njit(cache=True, nogil=True)
def ring_edges(part, parts, key, num_vertices, half, rewire, source, target, rewired):
    """The lattice, and which of its edges are to be rewired."""
    size = source.size
    for slot in range(part * size // parts, (part + 1) * size // parts):
        u = slot // half
        v = u + 1 + slot - u * half
        source[slot] = u
        target[slot] = v if v < num_vertices else v - num_vertices
        rewired[slot] = unit(bits(key, np.uint64(slot))) < rewire


@njit(cache=True, nogil=True)
def new_targets(part, parts, key, first_counter, num_vertices, half, slots, chosen):
    """A random vertex for every slot that is neither its own vertex nor one of the lattice's neighbours."""
    size = slots.size
    limit = np.uint64(num_vertices - 1 - 2 * half)
    for i in range(part * size // parts, (part + 1) * size // parts):
        slot = slots[i]
        step = half + 1 + np.int64(below(bits(key, np.uint64(first_counter + slot)), limit))
        chosen[i] = (slot // half + step) % num_vertices
