"""The rate of the link, of which traces tell a share: measured once, kept, and done without where it cannot be."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import clew
from clew.engines import measured
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory import bandwidth
from clew.engines.cuda.memory.bandwidth import LINK, LINK_SIZE, OnHost, link_rate, with_link
from clew.engines.cuda.toolchain import cuda_device
from clew.errors import ResourceError

TOLD = {"bytes": np.array([400, 400]), "seconds": np.array([1e-6, 0.0])}


class Copying:
    """A device of which nothing is known but how long it copies: milliseconds, one after the other."""

    ordinal = 0

    def __init__(self, *taken):
        self.taken, self.copies = list(taken), 0
        names = {"getDeviceProperties": lambda ordinal: {"name": b"some GPU"}}
        event = SimpleNamespace(record=lambda: None, synchronize=lambda: None)
        self.xp = SimpleNamespace(
            cuda=SimpleNamespace(
                runtime=SimpleNamespace(**names),
                Event=lambda: event,
                get_elapsed_time=lambda begin, end: self.taken[self.copies - 1],
            )
        )
        self.pinned = self.empty = np.empty

    def copy_to(self, target, source):
        assert target.nbytes == source.nbytes == LINK_SIZE
        self.copies += 1


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("CLEW_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(measured, "is_busy", lambda: False)
    monkeypatch.setattr(bandwidth, "_known", {})
    return tmp_path


def test_the_best_of_a_few_copies_counts_and_is_kept(fresh):
    first = Copying(4.0, 1.25, 2.0, 3.0)
    assert link_rate(first) == pytest.approx(LINK_SIZE / 1.25e-3)
    assert link_rate(first) == pytest.approx(LINK_SIZE / 1.25e-3)
    assert first.copies == bandwidth.LINK_ROUNDS
    bandwidth._known.clear()  # as in another process
    assert link_rate(second := Copying()) == pytest.approx(LINK_SIZE / 1.25e-3)
    assert second.copies == 0
    next(fresh.glob("rates-*.json")).write_text('{"upload": "torn"}')
    bandwidth._known.clear()
    assert link_rate(Copying()) == LINK


def test_where_there_is_no_memory_to_measure_in_there_is_a_constant(fresh):
    device = Copying(1.0, 1.0, 1.0, 1.0)
    enough, device.empty = device.empty, lambda *_: (_ for _ in ()).throw(ResourceError("no memory"))
    assert link_rate(device) == LINK
    assert not list(fresh.glob("rates-*.json"))
    device.empty = enough
    assert link_rate(device) == pytest.approx(LINK_SIZE / 1e-3)  # it is tried again


def test_traces_tell_a_share_of_what_was_measured(fresh, monkeypatch):
    monkeypatch.setattr(cuda_device, "the_device", lambda: Copying(*[1.0] * bandwidth.LINK_ROUNDS))
    share = with_link(TOLD, OnHost(0.5, 0.5, emulated=False))["link_share"]
    np.testing.assert_allclose(share, np.array([200 / 1e-6, 200 / 1e-9]) / (LINK_SIZE / 1e-3))
    np.testing.assert_allclose(with_link(TOLD, OnHost(0.5, 0.5))["link_share"], np.array([2e8, 2e11]) / LINK)
    assert with_link(TOLD, OnHost(0.0, 0.0, emulated=False)).keys() == TOLD.keys()


def test_nothing_is_measured_for_a_trace_that_nobody_looks_at(monkeypatch):
    """Of whatever algorithm, all edges or some of them read in place."""

    def asked(*args):
        raise AssertionError("the link is measured")

    monkeypatch.setattr(bandwidth, "share_of_link", asked)
    graph = clew.generate.random_weights(clew.generate.rmat(6, 8, seed=1), 1, 9)
    for mode in ("zero_copy", "tiered"):
        with clew.memory(mode, 0 if mode == "tiered" else None):
            found = [clew.bfs(graph, 0, device="emulated"), clew.sssp(graph, 0, device="emulated")]
            found += [getattr(clew, name)(graph, device="emulated") for name in ("pagerank", "connected_components")]
            for result in found:
                result.numpy()
            with pytest.raises(AssertionError, match="the link is measured"):
                found[2].trace["link_share"]


def test_the_emulation_has_a_constant():
    device = gpu_for("emulated", 0)
    assert hasattr(device.xp, "cuda") or link_rate(device) == LINK
