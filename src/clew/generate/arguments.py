"""Arguments that generators share: probabilities, sizes that fit in memory, and seeds as keys of random streams."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from clew import threads
from clew.checks import real, whole
from clew.dtypes import IdArray, id_dtype
from clew.errors import GraphError, ResourceError

MAX_SCALE = 40


def probability(name: str, value: Any) -> float:
    """``value`` as a float in 0…1."""
    number = real(name, value)
    if not 0 <= number <= 1:
        raise GraphError(f"{name} is {number:g}; expected a probability, from 0 to 1.")
    return number


def check_memory_of_edges(num_vertices: int, num_edges: int, *, directed: bool) -> None:
    """Reject edges that do not fit in memory together with the rows built from them."""
    id_bytes = id_dtype(num_vertices).itemsize
    arcs = num_edges if directed else 2 * num_edges
    # Both endpoints; each arc's target twice, as the build reads one copy and writes the other, and its row in 2 bytes.
    check_memory(2 * id_bytes * num_edges + (2 * id_bytes + 2) * arcs + 8 * num_vertices, num_vertices, num_edges)


def check_memory_of_rows(num_vertices: int, num_edges: int) -> None:
    """Reject an undirected graph that does not fit in memory, although its rows are written directly."""
    check_memory(2 * id_dtype(num_vertices).itemsize * num_edges + 8 * num_vertices, num_vertices, num_edges)


def check_memory(needed: int, num_vertices: int, num_edges: int) -> None:
    """Reject a graph that needs more bytes than the machine has, before allocating any."""
    present = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if needed > present:
        raise ResourceError(
            f"a graph of {num_vertices:,} vertices and {num_edges:,} edges needs about {needed:,} bytes while it is "
            f"built, but this machine has {present:,} bytes of memory; choose a smaller graph."
        )


SCRAMBLE_ROUNDS = 4


def stream(seed: int, purpose: str) -> np.uint64:
    """The key of a random stream (see ``kernels_random``): a hash of the seed and the purpose."""
    number = whole("seed", seed, 0)
    return np.uint64(int.from_bytes(hashlib.blake2b(f"{purpose}:{number}".encode(), digest_size=8).digest(), "little"))


def scramble_ids(scale: int, seed: int, *columns: IdArray) -> None:
    """Permute the ids 0…2^scale-1 at random in place, in the same way in all columns."""
    from clew.generate import kernels_random as kernels

    rounds = np.empty((SCRAMBLE_ROUNDS, 2), dtype=np.uint64)
    for i in range(SCRAMBLE_ROUNDS):
        # An odd factor can be divided out again; an even one would lose bits.
        rounds[i] = stream(seed, f"scramble mask {i}"), stream(seed, f"scramble factor {i}") | np.uint64(1)
    for ids in columns:
        threads.in_pieces(kernels.scramble_ids, ids.size, np.uint64(scale), rounds, ids)
