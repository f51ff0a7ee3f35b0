"""Work on all cores: compiled kernels that release the GIL, a piece each, on one pool of threads.

Pieces are handed out one by one, so unequal pieces even out by themselves. A kernel that takes the number of its piece
first and is compiled with ``nogil=True`` needs nothing else to run in parallel; it compiles several times faster than a
``parallel=True`` function of Numba, may be called from any thread, and Ctrl-C is honoured between pieces.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from clew.errors import GraphError

Answer = TypeVar("Answer")

PIECES_PER_THREAD = 8  # enough to even out pieces of unequal work, few enough that handing them out costs nothing
GRAIN = 1 << 15  # below this many items a piece, starting a thread costs more than it saves

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_wanted: int | None = None


def count() -> int:
    """The number of threads in use: what was set, else ``CLEW_NUM_THREADS``, else the cores this process may run on."""
    if _wanted is not None:
        return _wanted
    given = os.environ.get("CLEW_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else len(os.sched_getaffinity(0))


def set_count(threads: int | None) -> None:
    """Use so many threads from now on; None goes back to the default. Results do not depend on it."""
    global _pool, _wanted
    if threads is not None and threads < 1:
        raise GraphError(f"the number of threads is {threads}; expected 1 or more.")
    with _lock:
        _wanted, old, _pool = threads, _pool, None
    if old is not None:
        old.shutdown(wait=False)


def pieces(work: int, grain: int = GRAIN) -> int:
    """Into how many pieces to cut ``work`` items: none below ``grain``, at most 8 to a thread, and 1 for one thread."""
    threads = count()
    return 1 if threads == 1 else max(1, min(threads * PIECES_PER_THREAD, work // grain))


def each(kernel: Callable[..., Answer], pieces: int, *args: Any) -> list[Answer]:
    """``[kernel(0, *args), …, kernel(pieces - 1, *args)]``, computed on all threads."""
    if pieces == 1 or count() == 1:
        return [kernel(piece, *args) for piece in range(pieces)]
    futures = [_executor().submit(kernel, piece, *args) for piece in range(pieces)]
    try:
        return [future.result() for future in futures]
    except BaseException:  # Ctrl-C too: what has not started never will
        for future in futures:
            future.cancel()
        raise


def _executor() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(count(), "clew")
        return _pool


def _forget_pool() -> None:
    """A forked child has none of its parent's threads."""
    global _pool, _lock
    _pool, _lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget_pool)
