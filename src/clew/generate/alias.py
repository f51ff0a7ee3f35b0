"""Walker's alias method: one table lookup draws one of many outcomes with arbitrary probabilities.

Every column of the table has the same probability and holds at most two outcomes. Below a threshold it is the column's
own number, and above it another one, its alias. (Vose, "A linear algorithm for generating random numbers with a given
distribution", 1991).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def alias_table(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """One word for each of 2^k outcomes: the threshold in its high 64-k bits, the alias in its low k.

    A single 64-bit random number draws an outcome: k bits select the column, and 64-k are compared with the threshold.
    Probabilities are exact up to the rounding of doubles.
    """
    outcomes = probabilities.size
    index_bits = outcomes.bit_length() - 1
    full = 1 << (64 - index_bits)
    share = (probabilities * (outcomes / probabilities.sum())).tolist()  # of a column; 1 on average
    table = [(full - 1) << index_bits | column for column in range(outcomes)]  # a full column is its own alias
    poor = [column for column in range(outcomes) if share[column] < 1]
    rich = [column for column in range(outcomes) if share[column] >= 1]
    while poor and rich:
        column, giver = poor.pop(), rich[-1]
        table[column] = min(int(share[column] * full), full - 1) << index_bits | giver
        share[giver] -= 1 - share[column]
        if share[giver] < 1:
            poor.append(rich.pop())
    return np.array(table, dtype=np.uint64)
