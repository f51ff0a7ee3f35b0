"""Memory in one tier or in two, and graphs spread over two.

An array is a contiguous address range whose first pages are in one memory and the rest in another. This is all that a
graph in two memories needs. Rows 0 to D-1 and the others are contiguous. The page table knows which memory a row is in,
so kernels need not. GPUs have page tables too: ``clew.engines.cuda.memory.virtual`` does the same with their memory
and the host's.

Python's ``mmap`` object owns the range. Unmapping it frees everything mapped into it. Files are unnamed, and their
space is freed with the last mapping, even if the process crashes.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import IO

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.adjacency import Adjacency
from clew.dtypes import Array
from clew.errors import GraphError, ResourceError
from clew.graph import Graph
from clew.placement import Placement
from clew.tiers.survey import ON_GPU, Tier, tier_named, tiers

PAGE = mmap.PAGESIZE
FIXED = 0x10  # MAP_FIXED of <sys/mman.h>
FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)


def allocate(size: int, tier: Tier) -> npt.NDArray[np.uint8]:
    """``size`` bytes of one memory."""
    return in_two(size, size, tier, tier)


def in_two(size: int, cut: int, first: Tier, second: Tier) -> npt.NDArray[np.uint8]:
    """``size`` bytes; those before ``cut`` are in one memory and those after it in another.

    A page is in one memory only. The page of the cut is in the first, so that the second holds no more than requested.
    """
    for tier in (first, second):
        if tier.kind in ON_GPU:
            raise GraphError(f"tier {tier.name!r} belongs to a GPU; expected a NUMA node or a file, such as 'node0'.")
    total = max(PAGE, -(-size // PAGE) * PAGE)
    try:
        run = mmap.mmap(-1, total, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise ResourceError(f"{size:,} bytes of memory cannot be allocated: {error.strerror}.") from None
    with suppress(AttributeError, OSError):  # a hint, which some systems do not support
        run.madvise(mmap.MADV_HUGEPAGE)
    array = np.frombuffer(run, dtype=np.uint8)
    edge = min(total, -(-cut // PAGE) * PAGE)
    for start, stop, tier in ((0, edge, first), (edge, total, second)):
        if stop > start:
            _put(array.ctypes.data + start, stop - start, tier)
    return array[:size]


def _put(address: int, size: int, tier: Tier) -> None:
    if tier.node is not None:
        prefer_node(address, size, tier.node)
        return
    with unnamed_file(tier, size) as file:
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        mapped = _libc.mmap(address, size, protection, mmap.MAP_SHARED | FIXED, file.fileno(), 0)
    if mapped == FAILED:
        problem = os.strerror(ctypes.get_errno())
        raise ResourceError(f"a file of {size:,} bytes in {tier.folder} cannot be mapped: {problem}.")


def unnamed_file(tier: Tier, size: int) -> IO[bytes]:
    """An unnamed file of ``size`` bytes in a tier's folder, deleted when it is closed and unmapped."""
    try:
        file = tempfile.TemporaryFile(dir=tier.folder)  # noqa: SIM115 — the caller closes it
    except OSError as error:
        raise GraphError(f"{tier.folder} cannot be the folder of the file tier: {error.strerror}.") from None
    try:
        os.posix_fallocate(file.fileno(), 0, size)  # a full disk shows now, and not as a crash later
    except OSError as error:
        file.close()
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        raise ResourceError(
            f"{size:,} bytes do not fit in {tier.folder}: {error.strerror}. Choose another folder."
        ) from None
    return file


PREFERRED = 1  # MPOL_PREFERRED: on that node as long as it has room, then elsewhere, never a failure
SYSTEM_CALLS = {"x86_64": 237, "aarch64": 235, "riscv64": 235, "ppc64le": 259}
WORD = 8 * ctypes.sizeof(ctypes.c_ulong)


def prefer_node(address: int, size: int, node: int) -> None:
    """Place pages that are touched from now on on ``node``, while it has free memory."""
    words = node // WORD + 1
    mask = (ctypes.c_ulong * words)()
    mask[node // WORD] = 1 << node % WORD
    # The kernel takes the number of bits to be one more than it reads.
    if _mbind()(address, size, PREFERRED, mask, words * WORD + 1, 0) != 0:
        problem = os.strerror(ctypes.get_errno())
        raise ResourceError(f"{size:,} bytes cannot be placed on NUMA node {node}: {problem}. Use another tier.")


@lru_cache(maxsize=1)
def _mbind() -> Callable[..., int]:
    types = (ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_uint)
    try:
        function = ctypes.CDLL("libnuma.so.1", use_errno=True).mbind
    except OSError:  # not installed; the C library has no mbind of its own, but the kernel does
        return _system_call(types)
    function.argtypes, function.restype = types, ctypes.c_long
    return function


def _system_call(types: tuple[type, ...]) -> Callable[..., int]:
    number = SYSTEM_CALLS.get(platform.machine())
    if number is None:
        raise ResourceError("memory on a NUMA node needs libnuma on this machine; install libnuma1.")
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.argtypes, call.restype = (ctypes.c_long, *types), ctypes.c_long
    return lambda *args: int(call(number, *args))


def spread(graph: Graph, *, slow: Tier | str, fast: Tier | str) -> Graph:
    """A graph with a placement, with its slow and fast rows in two different memories.

    Each array is a contiguous address range whose pages are in one memory or the other, so all algorithms work
    unchanged. In-edges are included, and cut at the same vertex. A page where the groups meet is in slow memory.

    Parameters
    ----------
    graph
        A graph from ``Placement.apply``, or from a file with a placement.
    slow, fast
        Tiers, by name ("node1", "file") or kind ("dram", "hbm"), or as returned by ``tiers()``.

    Raises
    ------
    ResourceError
        If the graph does not fit. A NUMA node that fills up later is no error: the rest is on other nodes.
    """
    placement = Placement.of(graph)
    if placement is None:
        raise GraphError(
            "this graph has no placement; create one with a strategy of clew.placement and apply it: "
            "Hot('8GiB').place(graph).apply(graph)."
        )
    known = tiers() if isinstance(slow, str) or isinstance(fast, str) else []
    first, second = (tier_named(tier, known) if isinstance(tier, str) else tier for tier in (slow, fast))
    placed = graph._with(_spread(graph.outgoing, placement.boundary, first, second))
    if graph.directed:  # otherwise they would be built later, in ordinary memory
        placed._in = _spread(graph.incoming, placement.boundary, first, second)
    return placed


def _spread(rows: Adjacency, boundary: int, slow: Tier, fast: Tier) -> Adjacency:
    cut = int(rows.indptr[boundary])
    return Adjacency(
        _copied(rows.indptr, boundary, slow, fast),
        _copied(rows.indices, cut, slow, fast),
        None if rows.weights is None else _copied(rows.weights, cut, slow, fast),
        boundary,
    )


def _copied(array: Array, cut: int, slow: Tier, fast: Tier) -> Array:
    """A copy of an array, its first ``cut`` entries in slow memory."""
    bytes_of = np.ascontiguousarray(array).view(np.uint8)
    room = in_two(array.nbytes, cut * array.itemsize, slow, fast)
    threads.copy(room, bytes_of)
    return room.view(array.dtype)
