"""Calls of algorithms and vertex programs on a worker: for a share of a graph, and as a rehearsal on three vertices."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from typing import Any

import numpy as np

from clew.algorithms.registry import ALGORITHMS
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import Share, build_share
from clew.program import run as run_program
from clew.result import Result


def call_algorithm(share: Share, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Result:
    """Run an algorithm, or with the name "run" a vertex program."""
    if name == "run":
        return run_program(args[0], share, **options)
    return ALGORITHMS[name].function(share, *args, **options)


def rehearse(alone: Member, name: str, args: tuple[Any, ...], options: dict[str, Any], weights: str | None) -> None:
    """Run the same on three vertices, so that it is compiled."""
    ends = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 2])
    share = build_share(alone, *ends, None if weights is None else np.ones(4, weights), 3)
    options = {key: value for key, value in options.items() if key not in ("source", "sources")}
    if "max_iterations" in options:
        options["max_iterations"] = min(options["max_iterations"], 2)  # a run without tolerance may be endless
    if name == "run":
        program = copy(args[0])
        program.max_iterations = min(program.max_iterations or 2, 2)
        args = (program,)
    else:
        args = ()
        options.update({"sources": [0]} if ALGORITHMS[name].needs_sources else {})
    with suppress(Exception):  # such as a vertex that this graph does not have: the run itself will compile
        call_algorithm(share, name, args, options)
