"""Run one kernel on a team of threads that meet at barriers; see ``kernels_team``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from clew import threads

SMALL = 1 << 16  # arcs; below this one thread is done before a second has woken up
BRIEF = 1 << 24  # arcs; up to here a traversal takes some tenths of a second at most

_one_team = threading.Lock()


def run(kernel: Callable[..., Any], work: int, *args: Any, bounded: bool = False) -> Any:
    """``kernel(member, size, state, *args)`` on all threads at once; what member 0 returns.

    ``work`` is about how many arcs there are to look at: little work gets a team of one. Teams run one after the other,
    because two that wait for each other's threads would wait for ever. The calling thread waits outside the team, so
    that Ctrl-C reaches it: it then asks the team to stop, which kernels heed between their steps.

    ``bounded`` says that no arc is looked at more than a few times and that every member's last act is a barrier.
    Then, unless there is much work, the calling thread is member 0 itself: that saves waking one thread to begin and
    another to end, and Ctrl-C waits until the answer is there.
    """
    from clew.engines.cpu import kernels_team

    state = np.zeros(kernels_team.STATE_SIZE, dtype=np.int64)
    size = threads.count() if work > SMALL else 1
    if work <= SMALL or (bounded and size == 1 and work <= BRIEF):
        return kernel(0, 1, state, *args)

    def stop() -> None:
        state[int(kernels_team.STOP)] = 1

    def begun() -> bool:
        return bool(state[int(kernels_team.ROUND)])

    with _one_team:
        if bounded and work <= BRIEF:
            return threads.alongside(kernel, size, begun, stop, size, state, *args)
        return threads.apart(kernel, size, stop, size, state, *args)[0]
