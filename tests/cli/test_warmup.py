"""``clew warmup``."""

from __future__ import annotations

import json

from clew.algorithms.registry import ALGORITHMS
from tests.cli.running import OK, clew


def test_every_algorithm_is_compiled():
    code, out, _ = clew("warmup", "--json")
    assert code == OK
    assert sorted(json.loads(out)) == sorted(ALGORITHMS)
