"""The connected components of the graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.checks import counted
from clew.dtypes import Array
from clew.reporting import words
from clew.reporting.content import Column, Section, Table
from clew.reporting.figures import charted, sizes
from clew.reporting.study import Study

MOST_ROWS = 20


def components(study: Study) -> Section:
    """Weak components, and strong ones where edges have a direction."""
    graph = study.graph
    if not graph.num_vertices:
        return Section("components", "Components", "There are no vertices, hence no components.")
    kinds = {"connected components": study.weak_sizes}
    lead = _sentence("", study.weak_sizes, graph.num_vertices, "ignoring directions" * graph.directed)
    if graph.directed:
        kinds["strongly connected components"] = study.strong_sizes
        lead += " " + _sentence("strongly ", study.strong_sizes, graph.num_vertices, "following directions")
    with study.step("Component sizes"):
        most = [f"{found[0]:,}" for found in kinds.values()]
        least = [
            f"{counted(int((found == found[-1]).sum()), kind.removesuffix('s'))} of size {found[-1]:,}"
            for kind, found in kinds.items()
        ]
        alt = f"Components by size on logarithmic axes, from {words.listed(least)} to {words.listed(most)}."
        figure = charted("components", sizes("Components by size", kinds, alt), _table(kinds))
    return Section("components", "Components", lead, [figure])


def _sentence(kind: str, found: Array, vertices: int, how: str) -> str:
    alone = int((found == 1).sum())
    text = f"{counted(found.size, f'{kind}connected component')}{f' ({how})' if how else ''}"
    text += f"; the largest has {counted(int(found[0]), 'vertex')}"
    text += f", {words.percent(found[0] / vertices)} of all" if found.size > 1 else ""
    return text + (f", and {counted(alone, 'vertex is', 'vertices are')} isolated." if alone else ".")


def _table(kinds: dict[str, Array]) -> Table:
    """The sizes that occur, largest first; of many, the largest and the smallest."""
    counts = {kind: dict(zip(*_counted(found), strict=True)) for kind, found in kinds.items()}
    occurring = sorted({size for count in counts.values() for size in count}, reverse=True)
    rows: list[list[Any]] = [[size, *(count.get(size, 0) for count in counts.values())] for size in occurring]
    caption = "Components by size"
    if len(rows) > MOST_ROWS:
        half = MOST_ROWS // 2
        caption += f": the {half} largest and the {half} smallest of {len(rows):,} sizes"
        rows = rows[:half] + rows[-half:]
    columns = [Column("Vertices", words.whole), *(Column(kind.capitalize(), words.whole) for kind in kinds)]
    return Table(caption, columns, rows)


def _counted(found: Array) -> tuple[list[int], list[int]]:
    size, count = np.unique(found, return_counts=True)
    return size.tolist(), count.tolist()
