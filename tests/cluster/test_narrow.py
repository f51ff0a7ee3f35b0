"""Messages of float32 with 28 bits per value: every bit comes back, and what cannot be shortened stays."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew.engines.cluster import kernels_narrow as kernels
from clew.engines.cluster.share import Share
from tests.cluster.team import run_on_team

VALUES = np.random.default_rng(1).lognormal(0, 3, 5000).astype(np.float32)


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 1025, 4096, 5000])
def test_every_bit_comes_back(size: int) -> None:
    words = VALUES[:size].copy().view(np.uint32)
    left = kernels.narrow(words)
    assert left == kernels.narrow_size(size) == size - size // 1024 * 127
    words[left:] = 0xFFFFFFFF  # the room of the receiver has anything there
    kernels.widen(words)
    assert np.array_equal(words.view(np.float32), VALUES[:size])


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_values_far_apart_stay_as_they_are(value: float) -> None:
    """Also if the last of several blocks has them: nothing is written before all are known to be near."""
    values = VALUES.copy()
    values[4000] = value
    words = values.copy().view(np.uint32)
    assert kernels.narrow(words) == words.size
    assert np.array_equal(words, values.view(np.uint32))


def test_ranks_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four members, with messages of 28 and of 32 bits; the short ones are an eighth shorter."""
    graph = clew.generate.kronecker(14, seed=1)

    def work(share: Share) -> clew.Result:
        clew.pagerank(share, dtype="float32", max_iterations=1)  # agrees on the lists
        before = share.member.transport.bytes_sent
        found = clew.pagerank(share, dtype="float32", tolerance=0, max_iterations=20)
        sent = share.member.all_reduce(np.int64(share.member.transport.bytes_sent - before), np.add)
        return clew.Result("ranks", {"rank": found.rank}, facts={"sent": int(sent)})

    short = run_on_team(4, graph, work)
    monkeypatch.setattr(kernels, "narrow", lambda words: words.size)
    whole = run_on_team(4, graph, work)
    assert np.array_equal(short.rank, whole.rank)
    assert short.sent < 0.94 * whole.sent  # degrees have 64 bits, and are sent once


def test_a_message_of_another_length_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = clew.generate.kronecker(14, seed=1)
    monkeypatch.setattr(kernels, "narrow", lambda words: words.size // 2)
    with pytest.raises(clew.errors.ClusterError, match=r"another length|closed|gone"):
        run_on_team(4, graph, lambda share: clew.pagerank(share, dtype="float32"))
