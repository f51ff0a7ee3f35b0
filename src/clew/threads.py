"""Work on all cores: compiled kernels that release the GIL, a piece each, on one set of threads.

Pieces are handed out one by one, so unequal pieces even out by themselves. A kernel that takes the number of its piece
first and is compiled with ``nogil=True`` needs nothing else to run in parallel. It compiles in half the time of a
``parallel=True`` function of Numba and may be called from any thread. Ctrl-C is handled between pieces.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

from clew.errors import GraphError

Answer = TypeVar("Answer")

PIECES_PER_THREAD = 8  # enough to even out pieces of unequal work, few enough that handing them out costs nothing
GRAIN = 1 << 15  # below this many items a piece, waking a thread costs more than it saves

_requested: int | None = None
_local = threading.local()


@contextmanager
def alone() -> Iterator[None]:
    """Let this thread do all work itself within the block, which is one piece of what all threads do."""
    _local.alone = True
    try:
        yield
    finally:
        _local.alone = False


def count() -> int:
    """The number of threads in use: what was set, else ``CLEW_NUM_THREADS``, else the cores this process may run on."""
    if getattr(_local, "alone", False):
        return 1
    if _requested is not None:
        return _requested
    given = os.environ.get("CLEW_NUM_THREADS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else len(os.sched_getaffinity(0))


def set_count(threads: int | None) -> None:
    """Use this many threads from now on; None restores the default. Results do not depend on it."""
    global _requested
    if threads is not None and threads < 1:
        raise GraphError(f"the number of threads is {threads}; expected 1 or more.")
    _requested = threads


def pieces(work: int, grain: int = GRAIN) -> int:
    """Into how many pieces to cut ``work`` items: none below ``grain``, at most 8 to a thread, and 1 for one thread."""
    threads = count()
    return 1 if threads == 1 else max(1, min(threads * PIECES_PER_THREAD, work // grain))


def each(kernel: Callable[..., Answer], pieces: int, *args: Any) -> list[Answer]:
    """``[kernel(0, *args), …, kernel(pieces - 1, *args)]``, computed on all threads, the calling one among them."""
    helpers = min(count(), pieces) - 1 if pieces > 1 else 0  # to count the cores takes a microsecond
    if helpers < 1:
        return [kernel(piece, *args) for piece in range(pieces)]
    job = _Job(kernel, pieces, args)
    try:
        _workers.call(helpers, job)
        job.work()
        job.finished.wait()
    except BaseException:
        job.pieces = 0  # first, or a helper that fails now would tell its error after all
        job.error = None  # or it would hold the frames that hold the job, and all that they have, until they are found
        raise
    finally:  # after Ctrl-C too, whenever it comes: pieces that have not started never will
        job.pieces = 0
    return job.result()


def in_pieces(kernel: Callable[..., Answer], work: int, *args: Any) -> list[Answer]:
    """Run ``kernel(piece, pieces, *args)`` on all threads, where ``pieces`` suits ``work`` items."""
    number = pieces(work)
    return each(kernel, number, number, *args)


def copy(target: Any, source: Any) -> None:
    """Copy an array of bytes on all threads."""
    in_pieces(_copy, target.size >> 5, target, source)  # a piece has a megabyte or more


def _copy(piece: int, pieces: int, target: Any, source: Any) -> None:
    part = slice(piece * target.size // pieces, (piece + 1) * target.size // pieces)
    target[part] = source[part]


def apart(
    kernel: Callable[..., Answer], pieces: int, stop: Callable[[], None], *args: Any, movers: bool = False
) -> list[Answer]:
    """As ``each``, but all pieces run at once and on other threads; on Ctrl-C, ``stop()`` is to make them return.

    It returns after all of them have, however often Ctrl-C comes: what they use may be freed then. ``movers`` are
    threads that no team keeps waiting.
    """
    job, workers = _Job(kernel, pieces, args), _movers if movers else _members
    try:
        workers.call(pieces, job)
        job.finished.wait()
    except BaseException:
        stop()
        _see_to_the_end(workers, pieces, job)
        job.error = None
        raise
    return job.result()


def _see_to_the_end(workers: _Workers, pieces: int, job: _Job) -> None:
    """Wait for a job that was stopped, even if Ctrl-C comes again."""
    called = False
    while not job.finished.is_set():
        try:
            if not called:  # Ctrl-C may have come before all were called; who finds no piece left goes home
                workers.call(pieces, job)
                called = True
            job.finished.wait()
        except BaseException:  # another Ctrl-C, or a benchmark's alarm: the first one is raised in the end
            continue


def alongside(
    kernel: Callable[..., Answer], pieces: int, begun: Callable[[], bool], stop: Callable[[], None], *args: Any
) -> Answer:
    """As ``apart``, but the calling thread runs piece 0 and returns its answer at once, without waking a thread.

    For kernels whose pieces wait for each other, at the end as well, and that are done soon: Ctrl-C is honoured only
    after. ``begun()`` says whether piece 0 has run. If it has not run, because Ctrl-C came before or during
    compilation, the other pieces still wait for it. Then it runs on another thread, with the request to stop.
    """
    others = _Job(kernel, pieces, args, first=1)
    try:
        _members.call(pieces - 1, others)
        return kernel(0, *args)
    except BaseException:
        if not begun():
            stop()
            _see_to_the_end(_members, pieces, _Job(kernel, 1, args))
        _see_to_the_end(_members, pieces, others)
        others.error = None
        raise


class _Job:
    """Pieces of one call of ``each``; every worker takes the next piece until there are none."""

    def __init__(self, kernel: Callable[..., Any], pieces: int, args: tuple[Any, ...], first: int = 0) -> None:
        self.kernel, self.pieces, self.args = kernel, pieces, args
        self.answers: list[Any] = [None] * pieces
        self.error: BaseException | None = None
        self.finished = threading.Event()
        self._left = pieces - first
        self._next = itertools.count(first)
        self._lock = threading.Lock()

    def work(self) -> None:
        while (piece := next(self._next)) < self.pieces:
            try:
                self.answers[piece] = self.kernel(piece, *self.args)
            except BaseException as error:
                if self.pieces > 0:  # later workers do not take it
                    self.error, self.pieces = error, 0
                self.finished.set()
                raise
            with self._lock:
                self._left -= 1
                if self._left == 0:
                    self.finished.set()

    def result(self) -> list[Any]:
        """The answers, or the error that one piece ended with, which is the caller's from then on."""
        error, self.error = self.error, None
        if error is None:
            return self.answers
        try:
            raise error
        finally:
            del error


class _Workers:
    """Threads that wait for jobs. They are daemons: a program that ends does not wait for them."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._started = 0
        self._lock = threading.Lock()

    def call(self, helpers: int, job: _Job) -> None:
        """Let this many threads join the job as they become free."""
        if self._started < helpers:
            with self._lock:
                while self._started < helpers:
                    threading.Thread(target=self._serve, name=f"clew-{self._started}", daemon=True).start()
                    self._started += 1
        for _ in range(helpers):
            self._jobs.put(job)

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job.work()
            except BaseException:  # the one who called for help raises it
                continue
            finally:
                del job  # or its arrays would live until the next job


_workers = _Workers()
_members = _Workers()  # of teams, whose pieces wait for each other: they must not wait for pieces of other work
_movers = _Workers()  # of copies to and from a GPU, which need not wait for a team's work to end


def _start_anew() -> None:
    """A forked child has none of its parent's threads."""
    global _workers, _members, _movers
    _workers, _members, _movers = _Workers(), _Workers(), _Workers()


os.register_at_fork(after_in_child=_start_anew)
