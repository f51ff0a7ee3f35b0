"""Rates of a GPU's memories and of its link to the host, and the bytes that runs move over the link.

``bandwidths`` measures device, pinned and managed memory. Managed memory is on the host when the clock starts, so the
time includes moving its pages. Faults move them when a kernel touches them, or a prefetch does before the kernel.

``link_rate`` is measured once, at the first trace of edges on the host, and cached on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from clew.dtypes import Array
from clew.engines.cuda.memory.device_rows import DeviceRows
from clew.engines.cuda.memory.edge_memory import EdgePlan
from clew.engines.cuda.memory.host_memory import host_bytes
from clew.engines.cuda.toolchain import cuda_device
from clew.engines.cuda.toolchain.device import Device, blocks_for
from clew.engines.cuda.toolchain.failures import clean
from clew.engines.measured import best_seconds, cpu_name, measured_once
from clew.errors import ClewError

THREADS = 256
SIZE = {"device": 2 << 30, "pinned": 512 << 20, "managed+prefetch": 512 << 20, "managed": 256 << 20}  # bytes
READS = 1 << 24  # at random; numbers of 8 bytes, a multiple of what a thread reads at once
FAULTING_READS = 1 << 16  # each may have to wait for a page
ROUNDS = 4  # the first compiles and warms up
LINK = 55e9  # bytes a second: an H200's, for emulated devices and where there is no memory to measure in
LINK_SIZE = 64 << 20
LINK_ROUNDS = 4
SHORTEST = 1e-9  # seconds: no step is taken to be shorter
_known: MutableMapping[Any, float] = WeakKeyDictionary()


def bandwidths(device: Device, kind: str, size: int | None = None) -> tuple[float, float, float, int]:
    """Bytes per second read, written and read at random (8 bytes at a time), and the bytes of the array.

    ``kind`` is a key of ``SIZE``.
    """
    nbytes = min(size or SIZE[kind], device.free_memory() // 4)
    values, on_host = _memory(device, kind, max(1, nbytes // 8))
    faults, fetched = kind == "managed", kind == "managed+prefetch"
    count, total = np.uint64(values.size), device.zeros(1, np.uint64)
    grid = blocks_for(device, values.size, THREADS)

    def begin() -> None:
        if (faults or fetched) and on_host is not None:
            on_host.fill(1)

    def run(kernel: str, *args: Any) -> Callable[[], None]:
        compiled = device.kernel("bandwidth.cuh", kernel)

        def once() -> None:
            if fetched:
                device.prefetch(values)
            device.launch(compiled, grid, THREADS, values, count, *args)
            device.synchronize()

        return once

    write = best_seconds(run("write_in_order", np.uint64(1)), begin, ROUNDS)
    read = best_seconds(run("read_in_order", total), begin, ROUNDS)
    reads = min(FAULTING_READS if faults else READS, values.size)
    random = best_seconds(run("read_at_random", np.uint64(reads), total), begin, ROUNDS)
    return values.nbytes / read, values.nbytes / write, reads * values.itemsize / random, int(values.nbytes)


def _memory(device: Device, memory: str, count: int) -> tuple[Any, Array | None]:
    """Numbers in a memory of that kind, and as the host sees them, if it does; the caller keeps both."""
    if memory == "device":
        return device.empty(count, np.uint64), None
    if memory == "pinned":
        pinned = device.pinned(count, np.uint64)
        return device.hosted(pinned), pinned
    values = device.managed(np.ones(count, np.uint64), prefetch=False)
    if not hasattr(device.xp, "cuda"):  # the emulation's memory is the host's
        return values, values

    return values, host_bytes(values, values.data.ptr, values.nbytes).view(np.uint64)


def link_rate(device: Any) -> float:
    """Bytes a second that the copy engine fetches from pinned memory of the host, at best."""
    if not hasattr(device.xp, "cuda"):
        return LINK
    if device not in _known:
        try:
            with clean("the link cannot be measured"):
                name = device.xp.cuda.runtime.getDeviceProperties(device.ordinal)["name"].decode()
                measured = measured_once(f"link {name} {cpu_name()}", lambda: {"upload": upload_rate(device)})
            _known[device] = float(measured["upload"])
        except (ClewError, KeyError, TypeError, ValueError):
            return LINK
    return _known[device]


def share_of_link(moved: Array, seconds: Array, rate: float) -> Array:
    """The share of the link's capacity that these bytes use in this time."""
    share: Array = moved / np.maximum(seconds, SHORTEST) / rate
    return share


def upload_rate(device: Any) -> float:
    """Measured now: 64 MiB from pinned memory, the best of a few copies."""
    source, target = device.pinned(LINK_SIZE, np.uint8), device.empty(LINK_SIZE, np.uint8)
    source.fill(1)
    taken: list[float] = []
    for _ in range(LINK_ROUNDS):
        begin, end = (device.xp.cuda.Event() for _ in range(2))
        begin.record()
        device.copy_to(target, source)
        end.record()
        end.synchronize()
        taken.append(device.xp.cuda.get_elapsed_time(begin, end) / 1000)
    return LINK_SIZE / max(min(taken), SHORTEST)


class OnHost(NamedTuple):
    """The part of the edges that is on the host: of the rows that are pushed along, and of those pulled from.

    ``emulated`` says that there is no link that could be measured.
    """

    pushed: float
    pulled: float
    emulated: bool = True


def on_host(pushed: DeviceRows, pulled: DeviceRows | None = None) -> OnHost:
    """The part on the host of rows as they were placed. Iterations in one direction pass ``pushed`` alone."""
    return on_host_by_plans(pushed.plan, (pulled or pushed).plan, isinstance(pushed.neighbours, np.ndarray))


def on_host_by_plans(pushed: EdgePlan | None, pulled: EdgePlan | None, emulated: bool) -> OnHost:
    """The same from plans, for traces that must not hold the rows."""
    there, back = (0.0 if plan is None else plan.slow_share for plan in (pushed, pulled))
    return OnHost(there, back, emulated)


def on_host_by_plan(plan: EdgePlan | None, trace: Any) -> OnHost:
    """The same of iterations in one direction, whose trace is in the device's memory."""
    return on_host_by_plans(plan, plan, isinstance(trace, np.ndarray))


def with_link(columns: Mapping[str, Array], away: OnHost) -> dict[str, Array]:
    """The columns of a trace, with ``link_bytes`` and ``link_share`` added where some edges are on the host.

    If all are, these are the ``bytes`` of the edges that were read. If some are, it is an estimate that assumes the
    same reads of both parts. With a placement, which keeps rarely read rows on the host, it is an upper bound. Whole
    sectors and lines, and hits of a cache, are not counted. The first call on a machine measures the link, when a trace
    is first used.
    """
    if not (away.pushed or away.pulled):
        return dict(columns)
    part = np.where(columns["direction"] == "pull", away.pulled, away.pushed) if "direction" in columns else away.pushed
    moved = np.rint(columns["bytes"] * part).astype(np.int64)
    return {**columns, "link_bytes": moved, "link_share": share_of_link(moved, columns["seconds"], _rate(away))}


def _rate(away: OnHost) -> float:
    if away.emulated:
        return LINK

    return link_rate(cuda_device.the_device())
