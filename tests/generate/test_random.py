"""The random numbers themselves: a reference, uniformity, and permutations that are permutations."""

from __future__ import annotations

import numpy as np
import pytest

from clew.errors import GraphError
from clew.generate import kernels_random as kernels
from clew.generate.arguments import scramble_ids, stream
from clew.generate.random_edges import alias_table

MASK = 2**64 - 1


def splitmix64(state: int) -> int:
    """The published generator, in plain integers: one step from ``state``."""
    x = (state + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def chi_square(counts: np.ndarray, expected: np.ndarray | float) -> float:
    """The statistic's distance from its mean in standard deviations; |z| < 5 is no surprise."""
    degrees = counts.size - 1
    return float((((counts - expected) ** 2 / expected).sum() - degrees) / np.sqrt(2 * degrees))


def test_first_number_of_seed_zero_is_the_published_one():
    assert int(kernels.bits(np.uint64(0), np.uint64(0))) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("key", [0, 1, 12345678901234567890, MASK])
def test_numbers_are_splitmix64(key):
    for counter in (0, 1, 2, 1000, 2**40):
        state = (key + counter * 0x9E3779B97F4A7C15) & MASK
        assert int(kernels.bits(np.uint64(key), np.uint64(counter))) == splitmix64(state)


def test_below_is_the_high_half_of_the_product():
    for x in (0, 1, 2**32 - 1, 2**32, 0xDEADBEEFCAFEBABE, MASK):
        for limit in (1, 2, 3, 2**31, 2**32 + 1, 2**40 - 1, 2**63 + 12345, MASK):
            assert int(kernels.below(np.uint64(x), np.uint64(limit))) == x * limit >> 64


def test_units_are_uniform_and_neighbours_independent():
    values = np.empty(200_000)
    kernels.fill_units(0, 1, stream(7, "test"), values)
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(chi_square(np.bincount((values * 100).astype(int), minlength=100), values.size / 100)) < 5
    pairs = np.bincount((values[:-1] * 10).astype(int) * 10 + (values[1:] * 10).astype(int), minlength=100)
    assert abs(chi_square(pairs, (values.size - 1) / 100)) < 5


def test_every_bit_is_set_half_of_the_time():
    words = np.array([int(kernels.bits(stream(0, "bits"), np.uint64(i))) for i in range(20_000)], dtype=np.uint64)
    ones = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert np.all(np.abs(ones - 0.5) < 5 * 0.5 / np.sqrt(words.size))


def test_streams_differ_by_seed_and_purpose():
    keys = {int(stream(seed, purpose)) for seed in range(50) for purpose in ("rmat", "uniform", "weights")}
    assert len(keys) == 150


@pytest.mark.parametrize("seed", [-1, 1.5, "x", None])
def test_bad_seeds(seed):
    with pytest.raises(GraphError, match="seed"):
        stream(seed, "test")


@pytest.mark.parametrize("scale", [0, 1, 2, 3, 5, 10, 13])
def test_scrambling_is_a_permutation(scale):
    ids = np.arange(1 << scale, dtype=np.int32)
    scramble_ids(scale, 3, ids)
    assert np.array_equal(np.sort(ids), np.arange(1 << scale))


def test_scrambling_moves_ids_everywhere():
    """Consecutive ids, and ids with one bit set (the hubs of an R-MAT graph), must not stay together."""
    ids = np.arange(1 << 20, dtype=np.int64)
    scramble_ids(20, 0, ids)
    assert np.count_nonzero(ids == np.arange(1 << 20)) < 20
    first = np.bincount(ids[:5000] >> 14, minlength=64)
    assert abs(chi_square(first, 5000 / 64)) < 5
    steps = np.bincount((np.diff(ids) % (1 << 20)) >> 14, minlength=64)
    assert abs(chi_square(steps, steps.sum() / 64)) < 5


def test_alias_table_holds_the_probabilities():
    wanted = np.random.default_rng(0).dirichlet(np.full(64, 0.3))
    wanted[5] = 0
    wanted /= wanted.sum()
    table = alias_table(wanted)
    own = (table >> np.uint64(6)).astype(float) / 2**58
    found = own / 64
    np.add.at(found, (table & np.uint64(63)).astype(int), (1 - own) / 64)
    assert np.allclose(found, wanted, rtol=0, atol=1e-15)
    assert found[5] < 1e-17
