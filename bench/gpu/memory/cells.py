"""Figures by what they are of; kept as JSON, so that those of several runs can be put together."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.gpu.memory.markdown import NO_TIME, Reason, figures, geometric_mean, ratio

#: Graph, algorithm, where the edges are (a mode or a strategy), and one in how many of their bytes is in GPU memory.
Key = tuple[str, str, str, int | None]
Where = tuple[str, int | None]
PACKED = "packed"  # where edges are that are packed: in GPU memory, or in two memories


@dataclass(frozen=True)
class Cell:
    """Seconds of a call, of placing the edges before it (None where they were), how many calls, and other figures."""

    run: float
    place: float | None = None
    runs: int = 1
    more: dict[str, float] = field(default_factory=dict)


@dataclass
class Figures:
    """Cells, or the reasons why there is none, by their keys; and the graphs as captions have them."""

    cells: dict[Key, Cell | Reason] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)

    def add(self, key: Key, entry: Cell | Reason) -> None:
        """Keep a figure or a reason; that there was no time is what nothing means."""
        if entry != NO_TIME:
            self.cells[key] = entry

    def run(self, key: Key) -> Any:
        """Seconds of a call, or why there are none."""
        found = self.cells.get(key, NO_TIME)
        return found.run if isinstance(found, Cell) else found

    def place(self, key: Key) -> Any:
        """Seconds of placing before it."""
        found = self.cells.get(key, NO_TIME)
        return found.place if isinstance(found, Cell) else found

    def has(self, graph: str, where: Where) -> bool:
        """Whether there was time for any of it."""
        return any(key[0] == graph and key[2:] == where for key in self.cells)

    def ratio_to(self, where: Where, base: Where, graph: str, algorithm: str) -> Any:
        """How many times as fast as a base, or why that is not known."""
        found = self.run((graph, algorithm, *where))
        return found if isinstance(found, Reason) else ratio(self.run((graph, algorithm, *base)), found)

    def mean(self, where: Where, base: Where, graphs: Iterable[str], algorithms: Iterable[str]) -> float | None:
        """The geometric mean of that, over graphs and algorithms; None where one is not known, for means of others
        cannot be compared with it.
        """
        wanted = tuple(algorithms)
        found = [self.ratio_to(where, base, graph, name) for graph in graphs for name in wanted]
        return geometric_mean(found) if len(figures(found)) == len(found) else None

    def given_up(self, key: Key) -> Reason | None:
        """Why the same with more fast memory was given up, if it was: then less will not do better."""
        for part in (2, 4):
            found = self.cells.get((*key[:3], part))
            if isinstance(found, Reason) and found.word.startswith(">"):
                self.cells[key] = found
                return found
        return None

    def join(self, later: Figures) -> None:
        """Take over what a later run found; a figure is only replaced by a figure."""
        self.named |= later.named
        for key, cell in later.cells.items():
            if isinstance(cell, Cell) or not isinstance(self.cells.get(key), Cell):
                self.cells[key] = cell

    @property
    def json(self) -> str:
        """All of it, to be read by ``read``."""
        cells = [{"of": key, **asdict(cell)} for key, cell in self.cells.items()]
        return json.dumps({"graphs": self.named, "cells": cells}, indent=1)

    @classmethod
    def read(cls, path: Path) -> Figures:
        """What ``json`` wrote."""
        known = json.loads(path.read_text(encoding="utf-8"))
        found = cls(named=known["graphs"])
        for cell in known["cells"]:
            graph, algorithm, where, part = cell.pop("of")
            found.cells[graph, algorithm, where, part] = Reason(**cell) if "word" in cell else Cell(**cell)
        return found
