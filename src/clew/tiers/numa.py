"""Binding pages to a NUMA node, by libnuma or the system call behind it."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable
from functools import lru_cache

from clew.errors import ResourceError

PREFERRED = 1  # MPOL_PREFERRED: on that node as long as it has room, then elsewhere, never a failure
SYSTEM_CALLS = {"x86_64": 237, "aarch64": 235, "riscv64": 235, "ppc64le": 259}
WORD = 8 * ctypes.sizeof(ctypes.c_ulong)


def prefer(address: int, size: int, node: int) -> None:
    """Place pages that are touched from now on on ``node``, while it has free memory."""
    words = node // WORD + 1
    mask = (ctypes.c_ulong * words)()
    mask[node // WORD] = 1 << node % WORD
    # The kernel takes the number of bits to be one more than it looks at.
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
