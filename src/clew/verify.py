"""Independent checkers, serial and simple: each accepts every valid result and reports the first broken rule.

``clew.verify.bfs(graph, source, result)`` checks a result of ``clew.bfs``, and so on for every algorithm. Checkers
share no code with the algorithms. They use only NumPy and the graph's own arrays.
"""

from __future__ import annotations

from typing import Any

from clew.algorithms.registry import ALGORITHMS


def __getattr__(name: str) -> Any:
    """The checker of an algorithm."""
    if name == "__all__":
        return __dir__()
    if name not in ALGORITHMS or ALGORITHMS[name].check is None:
        raise AttributeError(f"there is no checker called {name!r}; expected one of {', '.join(__dir__())}.")
    return ALGORITHMS[name].load("check")


def __dir__() -> list[str]:
    return sorted(name for name, record in ALGORITHMS.items() if record.check is not None)
