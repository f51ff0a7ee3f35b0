"""Every algorithm, registered once: the command line, the tests and the documentation find them here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec

from clew.arguments import check_graph
from clew.engines.choice import gpu_of_hybrid, is_hybrid
from clew.engines.retry import retried
from clew.result import Result

Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A function from a graph to a ``Result``, and what a caller has to know to run it unseen."""

    name: str
    function: Callable[..., Result]

    @property
    def needs_source(self) -> bool:
        """Whether it starts at a vertex."""
        return "source" in inspect.signature(self.function).parameters

    @property
    def needs_sources(self) -> bool:
        """Whether it starts at several."""
        return "sources" in inspect.signature(self.function).parameters

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n\n")[0].replace("\n", " ")


ALGORITHMS: dict[str, Algorithm] = {}


def algorithm(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Register a function under its name."""

    @functools.wraps(function)
    def checked(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        if args or "graph" in options:
            check_graph(args[0] if args else options["graph"])
        device = options.get("device")
        if isinstance(device, str) and is_hybrid(device):  # the GPU computes, and the results are in host memory
            options["device"] = gpu_of_hybrid(device)
            return function(*args, **options).numpy()
        return function(*args, **options)

    public = retried(checked)
    ALGORITHMS[function.__name__] = Algorithm(function.__name__, public)
    return public
