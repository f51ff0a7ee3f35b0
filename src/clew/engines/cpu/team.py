"""Run one kernel on a team of threads that meet at barriers; see ``kernels_team``."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from clew import threads

SMALL = 1 << 16  # arcs; below this one thread is done before a second has woken up

_one_team = threading.Lock()


def run(kernel: Callable[..., Any], work: int, *args: Any) -> Any:
    """``kernel(member, size, state, *args)`` on all threads at once; what member 0 returns.

    ``work`` is about how many arcs there are to look at: little work gets a team of one. Teams run one after the other,
    because two that wait for each other's threads would wait for ever. The calling thread waits outside the team, so
    that Ctrl-C reaches it: it then asks the team to stop, which kernels heed between their steps.
    """
    from clew.engines.cpu import kernels_team

    state = np.zeros(kernels_team.STATE_SIZE, dtype=np.int64)
    size = threads.count() if work > SMALL else 1
    if work <= SMALL:
        return kernel(0, 1, state, *args)
    with _one_team:
        return threads.apart(kernel, size, lambda: state.__setitem__(int(kernels_team.STOP), 1), size, state, *args)[0]
