"""Independent checkers, serial and obvious: each accepts every valid answer and names the first rule that is broken.

``clew.verify.bfs(graph, source, result)`` checks a result of ``clew.bfs``, and so on for every algorithm. Checkers
share no code with the algorithms: NumPy and the graph's own arrays are all they know.
"""

from __future__ import annotations

from typing import Any

from clew.algorithms.registry import ALGORITHMS


def __getattr__(name: str) -> Any:
    """The checker of an algorithm."""
    if name == "__all__":
        return __dir__()
    if name not in ALGORITHMS or ALGORITHMS[name].check is None:
        raise AttributeError(f"there is no checker called {name!r}; there are {', '.join(__dir__())}.")
    return ALGORITHMS[name].load("check")


def __dir__() -> list[str]:
    return sorted(name for name, record in ALGORITHMS.items() if record.check is not None)
