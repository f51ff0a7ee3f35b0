"""Memories: which there are, what is in which, and graphs spread over two of them."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import clew
from clew.engines.choice import gpu_for
from clew.engines.cuda.memory.bandwidth import bandwidths
from clew.placement import AllFast, AllSlow, Degree, Hot, Placement
from clew.tiers import Tier, allocate, mapping, measure, rates, spread, tier_named, tiers
from clew.tiers.survey import nodes, parse_nodes
from tests.placement.example import example

PAGE = mapping.PAGE
MAPS = Path("/proc/self/maps")


def make_node(root, number, *, cores="", kib=1024, bandwidth=None):
    folder = root / f"node{number}"
    (folder / "access0" / "initiators").mkdir(parents=True)
    (folder / "meminfo").write_text(
        f"Node {number} MemTotal:  {kib} kB\nNode {number} MemFree:  {kib // 2} kB\n"
        f"Node {number} FilePages:  {kib // 4} kB\nNode {number} Shmem:  {kib // 8} kB\n"
    )
    (folder / "cpulist").write_text(cores + "\n")
    if bandwidth is not None:
        (folder / "access0" / "initiators" / "read_bandwidth").write_text(f"{bandwidth}\n")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Folders as Linux has them, to be filled."""
    monkeypatch.delenv("MEMKIND_HBW_NODES", raising=False)
    (tmp_path / "nodes").mkdir()
    (tmp_path / "tiering").mkdir()
    return tmp_path


def kinds(machine, fast=None):
    return [tier.kind for tier in nodes(fast, machine / "nodes", machine / "tiering")]


def file_tier(folder):
    usage = shutil.disk_usage(folder)
    return Tier("file", "file", usage.total, usage.free, folder=str(folder))


def here():
    return tier_named("node0") if any(tier.name == "node0" for tier in tiers()) else file_tier("/tmp")


# ------------------------------------------------------------------ which there are


@pytest.mark.quick
def test_a_plain_machine(machine):
    make_node(machine / "nodes", 0, cores="0-7", kib=4096)
    (tier,) = nodes(None, machine / "nodes", machine / "tiering")
    assert tier == Tier("node0", "dram", 4096 << 10, (2048 + 1024 - 512) << 10, 0)


def test_nodes_without_cores_by_what_the_firmware_says(machine):
    make_node(machine / "nodes", 0, cores="0-7", bandwidth=80_000)
    make_node(machine / "nodes", 1, bandwidth=400_000)
    make_node(machine / "nodes", 2, bandwidth=20_000)
    make_node(machine / "nodes", 10)
    make_node(machine / "nodes", 11, kib=0)  # no memory: no tier
    assert kinds(machine) == ["dram", "hbm", "cxl", "cxl"]


def test_nodes_without_cores_by_the_kernels_order(machine):
    for number, cores in enumerate(("0-3", "", "")):
        make_node(machine / "nodes", number, cores=cores)
    for rank, listed in ((4, "0"), (2, "1"), (36, "2")):
        (machine / "tiering" / f"memory_tier{rank}").mkdir()
        (machine / "tiering" / f"memory_tier{rank}" / "nodelist").write_text(listed + "\n")
    assert kinds(machine) == ["dram", "hbm", "cxl"]


def test_high_bandwidth_memory_can_be_emulated(machine, monkeypatch):
    for number in (0, 1, 2):
        make_node(machine / "nodes", number, cores=str(number))
    assert kinds(machine) == ["dram", "dram", "dram"]
    assert kinds(machine, "1") == ["dram", "hbm", "dram"]
    monkeypatch.setenv("MEMKIND_HBW_NODES", "0,2")
    assert kinds(machine) == ["hbm", "dram", "hbm"]
    assert kinds(machine, "") == ["dram", "dram", "dram"]
    with pytest.raises(clew.GraphError, match="'1,7' lists NUMA node 7, which has no memory; expected some of 0, 1, 2"):
        kinds(machine, "1,7")


@pytest.mark.quick
def test_lists_of_nodes():
    assert parse_nodes("0,2-4, 7") == {0, 2, 3, 4, 7}
    assert parse_nodes("") == set()
    for wrong in ("x", "1-", "1;2", "-1", "99999", "3-1"):
        with pytest.raises(clew.GraphError, match="not a list of NUMA nodes"):
            parse_nodes(wrong)


def test_this_machine(tmp_path):
    found = tiers(folder=tmp_path)
    assert found[-1] == file_tier(tmp_path) or found[-1].kind == "file"
    assert all(0 <= tier.free <= tier.capacity for tier in found)
    assert tier_named("file", found).folder == str(tmp_path)
    with pytest.raises(clew.GraphError, match="there is no tier 'tape' on this machine; expected one of"):
        tier_named("tape", found)
    with pytest.raises(clew.GraphError, match="cannot be the folder"):
        tiers(folder=tmp_path / "missing")
    (tmp_path / "file").touch()
    with pytest.raises(clew.GraphError, match="cannot be the folder of the file tier: it is a file"):
        tiers(folder=tmp_path / "file")


# ------------------------------------------------------------------ memory


@pytest.mark.quick
@pytest.mark.parametrize("size", [0, 1, PAGE - 1, PAGE, 5 * PAGE + 3])
@pytest.mark.parametrize("cut", [0, 1, PAGE, 2 * PAGE + 1, 10 * PAGE])
def test_one_run_of_addresses_in_two_memories(tmp_path, size, cut):
    array = mapping.in_two(size, min(cut, size), file_tier(tmp_path), here())
    assert (array.size, array.flags.writeable) == (size, True)
    assert not array.any()
    array[:] = np.arange(size) % 251
    assert np.array_equal(array, np.arange(size) % 251)
    assert list(tmp_path.iterdir()) == []  # files have no names


def mapped_bytes(array):
    """How many bytes of an array's addresses are those of a file, as the system sees it."""
    first, last = array.ctypes.data, array.ctypes.data + max(array.nbytes, 1)
    total = 0
    for line in MAPS.read_text().splitlines():
        start, stop = (int(end, 16) for end in line.split()[0].split("-"))
        if "(deleted)" in line:
            total += max(0, min(stop, last) - max(start, first))
    return total


def test_the_page_of_the_cut_is_in_slow_memory(tmp_path):
    slow, fast = file_tier(tmp_path), here()
    if fast.kind == "file":
        pytest.skip("this machine shows no NUMA nodes")
    for cut, expected in ((0, 0), (1, PAGE), (PAGE, PAGE), (PAGE + 1, 2 * PAGE), (4 * PAGE, 4 * PAGE)):
        array = mapping.in_two(4 * PAGE, cut, slow, fast)
        assert mapped_bytes(array) == expected


def test_memory_is_given_back(tmp_path):
    def in_use():
        return MAPS.read_text().count(str(tmp_path))

    array = allocate(1 << 20, file_tier(tmp_path))
    view = array.view(np.int64)[5:]
    del array
    assert in_use() == 1
    view[0] = 7  # still there
    del view
    assert in_use() == 0


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(clew.ResourceError, match=r"4,096 bytes do not fit in .*: No space left"):
        allocate(PAGE, file_tier(tmp_path))
    with pytest.raises(clew.ResourceError, match=r"4,096 bytes do not fit in .*: No space left"):
        measure(file_tier(tmp_path), size=PAGE)


def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path):
    tier = file_tier(tmp_path)
    tmp_path.rmdir()
    for use in (lambda: allocate(PAGE, tier), lambda: measure(tier, size=PAGE)):
        with pytest.raises(clew.GraphError, match="cannot be the folder of the file tier: No such file"):
            use()


def test_more_memory_than_there_are_addresses_is_a_sentence(tmp_path):
    with pytest.raises(clew.ResourceError, match="cannot be allocated"):
        allocate(1 << 60, file_tier(tmp_path))


def test_a_node_that_does_not_exist_is_a_sentence():
    with pytest.raises(clew.ResourceError, match="cannot be placed on NUMA node 900"):
        allocate(PAGE, Tier("node900", "dram", 1 << 30, 1 << 30, 900))


def test_without_libnuma_the_kernel_is_asked(monkeypatch):
    if here().kind == "file":
        pytest.skip("this machine shows no NUMA nodes")
    types = mapping._mbind.__wrapped__().argtypes
    monkeypatch.setattr(mapping, "_mbind", lambda: mapping._system_call(types))
    assert allocate(PAGE, here()).size == PAGE
    monkeypatch.setattr("platform.machine", lambda: "unknown")
    with pytest.raises(clew.ResourceError, match="needs libnuma"):
        allocate(PAGE, here())


@pytest.mark.parametrize("kind", ["device", "pinned", "managed+prefetch", "managed"])
def test_a_gpus_memory_is_refused(kind):
    with pytest.raises(clew.GraphError, match="belongs to a GPU"):
        allocate(8, Tier("gpu", kind, 1 << 30, 1 << 30))


# ------------------------------------------------------------------ graphs


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("strategy", [AllFast(), AllSlow(), Hot("256KiB"), Degree(4, 80)], ids=str)
def test_a_graph_in_two_memories_gives_the_same_results(tmp_path, directed, strategy):
    graph = clew.generate.rmat(12, 16, 0.57, 0.19, 0.19, seed=1, duplicates="drop", loops="drop")
    graph = clew.generate.random_weights(graph if directed else graph.symmetrized(), 1, 99)
    placement = strategy.place(graph)
    placed = spread(placement.apply(graph), slow=file_tier(tmp_path), fast=here())
    assert placed == placement.apply(graph)
    assert placed.directed == directed
    if here().kind != "file":
        entry = graph.indices.itemsize
        wanted = int(placed.indptr[placement.boundary]) * entry
        assert wanted <= mapped_bytes(placed.indices) <= min(wanted + PAGE - 1, placed.indices.nbytes)
    assert np.array_equal(placement.restore(clew.bfs(placed, 1).depth), clew.bfs(graph, 1).depth)
    assert np.allclose(placement.restore(clew.pagerank(placed).rank), clew.pagerank(graph).rank)
    assert np.array_equal(placement.restore(clew.sssp(placed, 1).distance), clew.sssp(graph, 1).distance)
    x = np.arange(graph.num_vertices, dtype=np.float64)
    product = clew.spmv(placed, x[np.argsort(placement.permutation)])
    assert np.allclose(placement.restore(product), clew.spmv(graph, x))
    with pytest.raises(ValueError, match="read-only"):
        placed.indices[:1] = 0


def test_tiers_by_name():
    placed = AllSlow().place(example()).apply(example())
    assert spread(placed, slow="file", fast="file") == placed
    assert Placement.of(spread(placed, slow="file", fast="file")).boundary == 10
    with pytest.raises(clew.GraphError, match="there is no tier 'tape'"):
        spread(placed, slow="tape", fast="file")
    with pytest.raises(clew.GraphError, match="this graph has no placement"):
        spread(example(), slow="file", fast="file")


def test_a_killed_process_leaves_no_file(tmp_path):
    code = (
        "import clew, sys, time; from clew.placement import AllSlow; from clew.tiers import spread, tiers\n"
        "g = clew.generate.path(100000); p = AllSlow().place(g).apply(g)\n"
        f"file = tiers(folder={str(tmp_path)!r})[-1]; q = spread(p, slow=file, fast=file)\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.01)
        assert list(tmp_path.iterdir()) == []
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------ speed


def test_speeds_are_bytes_by_the_clock(monkeypatch):
    monkeypatch.setattr(rates, "READS", 1 << 12)
    found = measure(here(), 1 << 20)
    assert found.size == 1 << 20
    assert min(found.read, found.write, found.random) > 1e5
    assert found.random_reads == found.random / 8
    assert max(found.read, found.write) < 1e13


def test_the_speed_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr(rates, "FILE_READS", 8)
    found = measure(file_tier(tmp_path), 1 << 20)
    assert found.size == 1 << 20
    assert min(found.read, found.write, found.random) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_full_memory_is_not_measured():
    with pytest.raises(clew.ResourceError, match="has 100 bytes free, too few"):
        measure(Tier("node0", "dram", 1 << 30, 100, 0))


def test_less_than_a_page_is_not_measured_on():
    with pytest.raises(clew.GraphError, match="the size to measure is 1 byte; expected at least a page"):
        measure(Tier("node0", "dram", 1 << 30, 1 << 30, 0), 1)


def test_the_kernels_of_a_gpu():
    device = gpu_for("emulated", 0)
    values = device.upload(np.arange(1000, dtype=np.uint64))
    total = device.zeros(1, np.uint64)
    device.launch(device.kernel("bandwidth.cuh", "read_in_order"), 2, 64, values, np.uint64(1000), total)
    assert int(total[0]) == 499_500
    device.launch(device.kernel("bandwidth.cuh", "write_in_order"), 2, 64, values, np.uint64(999), np.uint64(3))
    assert device.download(values).tolist() == [3] * 999 + [999]
    total[0] = 0
    args = (values, np.uint64(999), np.uint64(512), total)
    device.launch(device.kernel("bandwidth.cuh", "read_at_random"), 2, 64, *args)
    assert int(total[0]) == 3 * 512
    for kind in ("device", "pinned", "managed+prefetch", "managed"):
        *speeds, size = bandwidths(device, kind, 1 << 14)
        assert size == 1 << 14
        assert min(speeds) > 0


def test_prefetching_is_on_the_clock_of_its_tier_alone(monkeypatch):
    device, order = gpu_for("emulated", 0), []
    monkeypatch.setattr(device, "prefetch", lambda values: (order.append("prefetch"), time.sleep(0.02)))
    launch = device.launch
    monkeypatch.setattr(device, "launch", lambda *args: (order.append("launch"), launch(*args)))
    *speeds, size = bandwidths(device, "managed+prefetch", 1 << 14)
    assert order == ["prefetch", "launch"] * (len(order) // 2)
    assert max(speeds) <= size / 0.02
    order.clear()
    for kind in ("device", "pinned", "managed"):
        bandwidths(device, kind, 1 << 14)
    assert set(order) == {"launch"}
