"""Memory in one tier or in two: a contiguous address range whose first pages are in one memory, the rest in another.

This is all that a graph in two memories needs. Rows 0 to D-1 and the others are contiguous. The page table knows which
memory a row is in, so kernels need not. GPUs have page tables too: ``clew.engines.cuda.virtual`` does the same with
their memory and the host's.

Python's ``mmap`` object owns the range. Unmapping it frees everything mapped into it. Files are unnamed, and their
space is freed with the last mapping, even if the process crashes.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import tempfile
from typing import IO

import numpy as np
import numpy.typing as npt

from clew.errors import GraphError, ResourceError
from clew.tiers import numa
from clew.tiers.tier import ON_GPU, Tier

PAGE = mmap.PAGESIZE
FIXED = 0x10  # MAP_FIXED of <sys/mman.h>
FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
)


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
    if hasattr(mmap, "MADV_HUGEPAGE"):
        _advise(run, mmap.MADV_HUGEPAGE)
    array = np.frombuffer(run, dtype=np.uint8)
    edge = min(total, -(-cut // PAGE) * PAGE)
    for start, stop, tier in ((0, edge, first), (edge, total, second)):
        if stop > start:
            _put(array.ctypes.data + start, stop - start, tier)
    return array[:size]


def _put(address: int, size: int, tier: Tier) -> None:
    if tier.node is not None:
        numa.prefer(address, size, tier.node)
        return
    with unnamed_file(tier, size) as file:
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        found = _libc.mmap(address, size, protection, mmap.MAP_SHARED | FIXED, file.fileno(), 0)
    if found == FAILED:
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


def _advise(run: mmap.mmap, advice: int) -> None:
    """A hint to the system, which may not support it."""
    try:
        run.madvise(advice)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
