"""Recovery: graphs and results of lost workers, rebuilt when a call needs them.

Every graph and result has a recipe. Surviving workers keep their parts of a graph. Those that replace lost ones open
the spares that these have written to a folder. Without spares, all workers read, draw or send the edges again, and
only those of the lost parts travel. A result is computed again.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from clew.distributed.actors import Calls, LostWorkerError, Workers
from clew.errors import ClusterError

ATTEMPTS = 6  # runs, of which all but the last may lose workers


class Recipe(NamedTuple):
    """How to rebuild a graph or a result: what starts it, what it needs first, and whether workers keep parts."""

    start: Callable[[], Calls]
    needed: tuple[int, ...] = ()
    is_mended: bool = False


class Recovery:
    """The recipes of all graphs and results. With a folder, every part of a graph has a spare there."""

    def __init__(self, folder: str | None) -> None:
        self._recipes: dict[int, Recipe] = {}
        self._missing: dict[int, set[int]] = {}  # the workers that replaced those which had a part, by graph or result
        self._folder = None if folder is None else Path(folder) / f"graphs-{secrets.token_hex(8)}"

    def add(self, workers: Workers, key: int, recipe: Recipe) -> None:
        """Remember how something was made."""
        self._recipes[key] = recipe
        if self._folder is not None and recipe.is_mended:
            path = str(self._folder / str(key))
            self.surviving(workers, lambda: workers.start("write_spare", key, path), [key])

    def forget(self, key: int) -> None:
        """Forget a graph or a result."""
        self._recipes.pop(key, None)
        self._missing.pop(key, None)
        if self._folder is not None:
            shutil.rmtree(self._folder / str(key), ignore_errors=True)

    def close(self) -> None:
        """Remove all spares."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def surviving(self, workers: Workers, start: Callable[[], Calls], needed: Sequence[int] = ()) -> list[Any]:
        """The answers of all workers. A lost worker is replaced, its state is rebuilt, and all start again."""
        for _ in range(ATTEMPTS):
            try:
                if workers.broken:
                    workers.repair()
                self._note(workers.take_replaced())
                for key in needed:
                    self._rebuild(workers, key)
                return workers.wait(start())
            except LostWorkerError as error:
                latest = error
        raise ClusterError(f"{latest} {ATTEMPTS} attempts have lost workers.")

    def _note(self, replaced: set[int]) -> None:
        """Remember that these workers have nothing yet."""
        for key in self._recipes if replaced else ():
            self._missing.setdefault(key, set()).update(replaced)

    def _rebuild(self, workers: Workers, key: int) -> None:
        """Rebuild a graph or a result if lost workers had a part of it."""
        if not self._missing.get(key):
            return
        recipe, lost = self._recipes[key], self._missing[key]
        for each in recipe.needed:
            self._rebuild(workers, each)
        if not (recipe.is_mended and self._mend(workers, key, lost)):
            workers.wait(recipe.start())
        del self._missing[key]

    def _mend(self, workers: Workers, key: int, lost: set[int]) -> bool:
        """Give new workers the parts of lost ones, if their spares are there; or prepare all for the recipe."""
        left = set(range(len(workers.actors))) - lost
        if not left:
            return False
        known = workers.actors[min(left)].placed.remote(key)  # goes from worker to worker
        if self._folder is not None:
            path = str(self._folder / str(key))
            calls = {rank: workers.actors[rank].open_spare.remote(key, known, path) for rank in lost}
            if all(workers.wait(calls)):
                return True
        workers.wait(workers.start("mend", key, known, sorted(lost)))
        return False
