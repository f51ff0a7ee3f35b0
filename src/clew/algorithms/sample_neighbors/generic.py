"""Sampled neighbourhoods by one thread, with vertices numbered by sorting."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from clew.algorithms.registry import Answer
from clew.algorithms.sample_neighbors import Samples, grow, number_by_sorting
from clew.algorithms.sample_neighbors.cpu import draw
from clew.algorithms.waist import Waist
from clew.graph import Graph


def sample_neighbors(waist: Waist, graph: Graph, given: Samples) -> Answer:  # noqa: ARG001, there is no product in it
    """Drawn edges; see ``clew.sample_neighbors``."""
    return grow(np, given, given.sources, partial(draw, graph, given, _by_one_thread), partial(number_by_sorting, np))


def _by_one_thread(kernel: Any, size: int, *args: Any) -> None:  # noqa: ARG001, one share has all
    kernel(0, 1, *args)
