"""Trying again with less GPU memory for edges where an allocation failed, as long as the policy is "auto".

What an algorithm needs in addition to the edges is known only when it allocates it. If that fails, the edges are to
blame as well: they were given all memory that seemed free.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar
from weakref import ref

from clew.engines.cuda.memory.ledger import forget_all, forget_layouts, holds_others
from clew.errors import ResourceError
from clew.memory import current

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

#: The part of the fast memory that edges get in the tries of "auto", one after the other, where allocations fail.
SMALLER = (1.0, 0.5, 0.25, 0.125, 0.0)


class Try:
    """One run of an algorithm: how many failed before, whether other graphs were cleared away, what was put where."""

    def __init__(self, number: int = 0, cleared: bool = False) -> None:
        self.number, self.cleared = number, cleared
        self.fast_bytes = 0
        self.auto: set[ref[Any]] = set()  # device graphs that this run uses under "auto"
        self.used: set[ref[Any]] = set()  # those that it uses under any policy

    def note(self, graph: ref[Any], fast_bytes: int) -> None:
        """A device graph that this run uses under "auto", and the bytes of its edges in fast memory."""
        self.auto.add(graph)
        self.fast_bytes += fast_bytes


_current: ContextVar[Try | None] = ContextVar("clew_try", default=None)


def this_try() -> Try | None:
    """The run under way."""
    return _current.get()


def retried(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, run again with less fast memory for edges after a ResourceError."""

    @functools.wraps(function)
    def run(*args: Arguments.args, **options: Arguments.kwargs) -> Returned:
        attempt = Try()
        while True:
            token = _current.set(attempt)
            try:
                return function(*args, **options)
            except ResourceError:
                following = _next(attempt)
                if following is None:
                    raise
            finally:
                _current.reset(token)
            gc.collect(1)  # what failed may hold arrays in cycles, which are young
            attempt = following

    return run


def tried_again(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The same for what takes microseconds: nothing is kept for another try until one has failed.

    Within a run that is itself tried again, that one decides.
    """
    again = retried(function)

    @functools.wraps(function)
    def run(*args: Arguments.args, **options: Arguments.kwargs) -> Returned:
        try:
            return function(*args, **options)
        except ResourceError:
            if this_try() is not None:
                raise
        return again(*args, **options)

    return run


def _next(failed: Try) -> Try | None:
    """The next try, with room made for it; None where nothing smaller can be tried."""
    others = holds_others(failed.auto)  # all there are where it failed before it allocated its own
    if not failed.auto and not (others and current().edges == "auto"):
        return None if failed.cleared or not forget_layouts() else Try(failed.number, cleared=True)
    forget_all()
    if others and not failed.cleared:  # what other graphs have there is only kept in case it is needed again
        return Try(failed.number, cleared=True)
    if failed.fast_bytes == 0 or failed.number + 1 >= len(SMALLER):
        return None
    return Try(failed.number + 1, cleared=True)
