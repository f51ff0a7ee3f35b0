"""Vectors travel in any form and arrive as they were; the form with the fewest bytes is chosen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.engines.choice import gpu_for
from clew.engines.hybrid import exchange
from clew.engines.hybrid.exchange import BITMAP, DENSE, SPARSE, Exchange, Sent, bytes_of, choose


def there_and_back(num_vertices, share, columns, form, ids="int32", seed=0):
    """Send a random vector to the device and fetch it again; what the two transfers said."""
    random = np.random.default_rng(seed)
    route = Exchange(gpu_for("emulated", 0), num_vertices, np.dtype(ids), columns, form)
    mask = random.random(num_vertices) < share
    source = route.host_vector()
    padded = np.zeros(route.num_words * 64, dtype=bool)
    padded[:num_vertices] = mask
    source.words[:] = np.packbits(padded, bitorder="little").view(np.uint64)
    for column in source.columns:
        column[:] = random.integers(0, 2 if column.dtype == bool else 100, num_vertices)
    there = route.device_vector()
    up = route.up(source, there)
    np.testing.assert_array_equal(route.device.download(there.words).view(np.uint64), source.words)
    back = route.host_vector()
    back.words[:] = 2**64 - 1
    for column in back.columns:
        column[:] = 1
    down = route.down(there, back)
    np.testing.assert_array_equal(back.words, source.words)
    for sent, arrived in zip(source.columns, back.columns, strict=True):
        np.testing.assert_array_equal(arrived[mask], sent[mask])
        assert (arrived[~mask] == 1).all()  # places without a value keep what they had
    assert up == down
    return up, int(mask.sum())


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([1, 31, 63, 64, 65, 1000, 1025, 5000]),
    st.sampled_from([0.0, 0.001, 0.1, 0.5, 1.0]),
    st.sampled_from([(), ("float64",), ("int32", "bool")]),
    st.sampled_from([None, SPARSE, BITMAP, DENSE]),
    st.sampled_from(["int32", "int64"]),
    st.integers(0, 2**32),
)
def test_any_vector_in_any_form(num_vertices, share, columns, form, ids, seed):
    sent, count = there_and_back(num_vertices, share, columns, form, ids, seed)
    assert sent.form == "none" if count == 0 else sent.form in (SPARSE, BITMAP, DENSE)
    if form in (SPARSE, BITMAP) and count:
        assert sent.form == form


def test_the_form_with_the_fewest_bytes_is_chosen():
    n = 6400
    assert choose(n, 10, 4, 8) == SPARSE
    assert choose(n, n // 2, 4, 8) == BITMAP
    assert choose(n, n, 4, 8) == DENSE
    assert choose(n, n - 1, 4, 8) == BITMAP  # a dense vector cannot say that one is missing
    assert [bytes_of(form, n, 100, 4, 8) for form in (SPARSE, BITMAP, DENSE)] == [1200, 800 + 800, 51200]
    for count in (1, 199, 200, 201, n):
        chosen = bytes_of(choose(n, count, 4, 8), n, count, 4, 8)
        assert chosen <= min(bytes_of(form, n, count, 4, 8) for form in (SPARSE, BITMAP))
    assert there_and_back(n, 1.0, ("float64",), None)[0] == Sent(DENSE, 8 * n)


@pytest.mark.parametrize("form", [SPARSE, BITMAP, DENSE])
def test_large_vectors_go_in_pieces(form, monkeypatch):
    monkeypatch.setattr(exchange, "PIECE", 1 << 12)
    monkeypatch.setattr(exchange, "WORDS", 8)
    sent, count = there_and_back(20_000, 1.0 if form == DENSE else 0.4, ("float64", "int32"), form)
    assert sent == Sent(form, bytes_of(form, 20_000, count, 4, 12))
