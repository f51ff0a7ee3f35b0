"""Keys of random streams: one per seed and purpose, so that no two choices share random numbers."""

from __future__ import annotations

import hashlib

import numpy as np

from clew import threads
from clew.checks import whole
from clew.dtypes import IdArray

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
        parts = threads.pieces(ids.size)
        threads.each(kernels.scramble_ids, parts, parts, np.uint64(scale), rounds, ids)
