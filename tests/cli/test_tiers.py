"""``clew tiers``."""

from __future__ import annotations

import json

import pytest

from clew.engines.choice import gpu_for
from clew.engines.cuda.memory import bandwidth
from clew.tiers import rates, survey
from clew.tiers.survey import ON_GPU
from tests.cli import running
from tests.cli.running import BAD_INPUT, OK


@pytest.fixture(autouse=True)
def few_reads(monkeypatch):
    monkeypatch.setattr(rates, "READS", 1 << 12)
    monkeypatch.setattr(rates, "FILE_READS", 8)


def test_a_person_sees_a_table_and_a_plot(tmp_path):
    code, out, err = running.clew("tiers", "--size", "1MiB", "--folder", tmp_path)
    assert (code, err) == (OK, "")
    for word in ("mapped file", "capacity", "free", "read", "write", "random", "GB/s", "█"):
        assert word in out


def test_a_program_gets_numbers(tmp_path):
    code, out, _ = running.clew("tiers", "--json", "--size", "1MiB", "--folder", tmp_path)
    assert code == OK
    for tier in json.loads(out):
        assert 0 < tier["free"] <= tier["capacity"]
        assert min(tier[f"{what}_bytes_per_second"] for what in ("read", "write", "random")) > 0
        if tier["kind"] == "file":
            assert (tier["folder"], tier["measured_bytes"]) == (str(tmp_path), 1 << 20)


@pytest.fixture
def with_gpu(monkeypatch):
    """A machine with a GPU, whose place the emulation takes."""
    monkeypatch.setattr(survey, "_gpu", lambda: survey._seen_by_gpu(1 << 30, 1 << 30))
    monkeypatch.setattr("clew.engines.cuda.toolchain.cuda_device.the_device", lambda: gpu_for("emulated", 0))
    monkeypatch.setattr(bandwidth, "READS", 1 << 10)


@pytest.mark.usefixtures("with_gpu")
def test_memories_that_a_gpu_sees(tmp_path):
    code, out, _ = running.clew("tiers", "--json", "--size", "64KiB", "--folder", tmp_path)
    assert code == OK
    seen = [tier for tier in json.loads(out) if tier["kind"] in ON_GPU]
    assert [tier["name"] for tier in seen] == ["gpu", "pinned", "prefetched", "managed"]
    for tier in seen:
        assert tier["measured_bytes"] == 64 << 10
        assert min(tier[f"{what}_bytes_per_second"] for what in ("read", "write", "random")) > 0
    code, out, _ = running.clew("tiers", "--size", "64KiB", "--folder", tmp_path)
    assert code == OK
    table, bars = out.split("Speeds")
    assert "…" not in "".join(line for line in table.splitlines() if "tier" in line or "prefetched" in line)
    (bar,) = [line for line in bars.splitlines() if "prefetched" in line]
    assert "█" in bar


def test_listing_takes_no_time(monkeypatch):
    monkeypatch.setattr("clew.tiers.measure", None)
    code, out, _ = running.clew("tiers", "--list")
    assert code == OK
    assert "GB/s" not in out
    assert "read_bytes_per_second" not in json.loads(running.clew("tiers", "--list", "--json")[1])[0]


def test_a_node_that_is_not_there():
    code, out, err = running.clew("tiers", "--fast-nodes", "4000")
    assert (code, out) == (BAD_INPUT, "")
    assert "lists NUMA node 4000, which has no memory" in err
