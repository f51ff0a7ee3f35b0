"""The example graph of the paper (its Figure 2), edge for edge as its Table I lists it."""

from __future__ import annotations

import clew

ROWS = {
    0: [1, 3],
    1: [2, 4],
    2: [7],
    3: [4, 6, 9],
    4: [5],
    5: [4],
    6: [1, 2],
    7: [6],
    8: [1, 2, 3],
    9: [8],
}
IN_DEGREES = [0, 3, 3, 2, 3, 1, 2, 1, 1, 1]


def example() -> clew.Graph:
    """A directed graph of ten vertices."""
    edges = [(u, v) for u, row in ROWS.items() for v in row]
    return clew.Graph.from_edges([u for u, _ in edges], [v for _, v in edges])
