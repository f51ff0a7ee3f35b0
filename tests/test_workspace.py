"""Workspace: arrays are declared once, allocated from the declaration, and counted by it."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from clew.algorithms import ALGORITHMS
from clew.workspace import Workspace, result, scratch

DELEGATES = {"random_walk_with_restart"}  # to pagerank, whose arrays it takes
DECLARED = [
    (name, engine)
    for name, record in ALGORITHMS.items()
    for engine in ("cpu", "cuda")
    if getattr(record, engine) is not None and name not in DELEGATES
]


@pytest.mark.parametrize(("name", "engine"), DECLARED)
def test_every_implementation_declares_its_workspace(name, engine):
    module = sys.modules[ALGORITHMS[name].load(engine).__module__]
    assert next(iter(inspect.signature(module.workspace).parameters)) == "graph"


def test_arrays_are_allocated_as_declared():
    work = Workspace(
        depth=result((2, 3), np.int32, -1),
        marks=scratch(4, np.uint8, 0),
        queue=scratch(5, "u4"),
        votes=scratch(7, np.int64, later=True),
        unused=None,
    )
    arrays = work.allocate()
    assert (arrays.depth == -1).all()
    assert arrays.depth.shape == (2, 3)
    assert not arrays.marks.any()
    assert arrays.queue.dtype == np.uint32
    assert arrays.votes is None
    assert arrays.unused is None
    assert work.nbytes == 24 + 4 + 20 + 56


def test_what_is_allocated_by_a_part_of_the_run_is_counted_once():
    part = Workspace(items=scratch(3, np.int64), times=None)
    whole = Workspace(count=result(2, np.int64), **part.deferred())
    assert whole.nbytes == part.nbytes + 16
    assert whole.allocate().items is None
    assert part.allocate().items.size == 3
