"""Checker of shortest paths over any weights."""

from __future__ import annotations

from clew.algorithms.sssp.check import sssp

bellman_ford = sssp  # the rules are the same for all signs of the weights
