"""How many vertices have how many edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import plots
from clew.dtypes import OffsetArray
from clew.reporting import words
from clew.reporting.content import Column, Section, Table
from clew.reporting.figures import plot
from clew.reporting.study import Study


def degrees(study: Study) -> Section:
    """The distribution of degrees, and how unequal they are."""
    graph = study.graph
    if not graph.num_arcs:
        return Section("degrees", "Degrees", "There are no edges, so every vertex has degree 0.")
    kinds = {"out-degree": study.out_degrees, "in-degree": study.in_degrees}
    if not graph.directed:
        kinds = {"degree": study.out_degrees}
    with study.step("Degree distribution"):
        figure = plot("degrees", "Vertices by degree", lambda dark: plots.degrees(graph, dark=dark), _table(kinds))
    return Section("degrees", "Degrees", " ".join(_inequality(kind, found) for kind, found in kinds.items()), [figure])


def _inequality(kind: str, found: OffsetArray) -> str:
    """How much of all edges the busiest hundredth of the vertices has."""
    few = max(1, found.size // 100)
    share = np.partition(found, found.size - few)[-few:].sum() / found.sum()
    who = "The vertex" if few == 1 else f"The {few:,} vertices"
    have = "has" if few == 1 else "have"
    return f"{who} of the highest {kind} {have} {words.percent(share)} of the edges."


def _table(kinds: dict[str, OffsetArray]) -> Table:
    """Vertices by powers of two, 0 apart."""
    classes = {kind: np.bincount(degree_classes(found)) for kind, found in kinds.items()}
    rows: list[list[Any]] = []
    for power in range(max(count.size for count in classes.values())):
        counts = [int(count[power]) if power < count.size else 0 for count in classes.values()]
        if any(counts):
            rows.append([class_label(power), *counts])
    columns = [Column("Degree"), *(Column(f"Vertices by {kind}", words.whole) for kind in kinds)]
    return Table("Vertices by degree", columns, rows)


def degree_classes(found: OffsetArray) -> OffsetArray:
    """The number of binary digits: 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7."""
    return np.frexp(found.astype(np.float64))[1].astype(np.int64)


def class_label(power: int) -> str:
    """The degrees of a class in words."""
    low, high = (1 << power) >> 1, (1 << power) - 1
    return f"{low:,}" if low >= high else f"{low:,} to {high:,}"
