"""Memory handed back to the system while the array that holds it still exists."""

from __future__ import annotations

import ctypes
import mmap

from clew.dtypes import Array

DONT_NEED = 4  # MADV_DONTNEED of <sys/mman.h>

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def give_back(array: Array, start: int, stop: int) -> None:
    """Let the system have the whole pages of ``array[start:stop]``, whose values are lost; a hint, never an error.

    Only memory that the array itself owns is given back: not a view, not a mapped file, not a read-only array.
    """
    if not (array.flags.owndata and array.flags.writeable and array.flags.c_contiguous):
        return
    page = mmap.PAGESIZE
    address: int = array.ctypes.data
    first = -(-(address + start * array.itemsize) // page) * page
    last = (address + stop * array.itemsize) // page * page
    if last > first:
        _libc.madvise(first, last - first, DONT_NEED)
