"""Generic forms, also where an engine has a fused one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.algorithms import ALGORITHMS


def over_the_waist(name, graph, device, arguments):
    """The generic form of an algorithm on an engine."""
    record = ALGORITHMS[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ALGORITHMS, name, replace(record, cpu=None, cuda=None))
        return record.function(graph, **arguments, device=device)
