# mypy: ignore-errors
"""Where compiled loops return to Python so that a checkpoint can be saved: in all members after the same superstep.

The last numbers of a loop's state belong to this: how often it has paused and whether it pauses now. Then the work so
far, and at most, between two pauses. Work is counted in vertices that all members sent, which every member knows.
"""

import numpy as np
import numpy.typing as npt

from clew.jit import njit

PAUSES, PAUSED, WORK, MOST, NUMBERS = range(5)  # from the end of the state's own numbers
SUPERSTEP = 1 << 12  # vertices that a superstep without any counts for


@njit(nogil=True, cache=True)
def pauses(state, vertices):
    """Whether to return now, after a superstep in which all members together sent that many vertices."""
    first = state.size - NUMBERS
    state[first + WORK] += vertices + SUPERSTEP
    if state[first + WORK] < state[first + MOST]:
        return False
    state[first + WORK], state[first + PAUSED] = 0, 1
    return True


def new_state(numbers: int) -> npt.NDArray[np.int64]:
    """The state of a loop, with room for pauses behind its own numbers."""
    return np.zeros(numbers + NUMBERS, np.int64)
