"""Widest paths over a graph in chunks."""

from __future__ import annotations

import numpy as np

from clew.dtypes import Array
from clew.engines.cpu.path_weights import extent
from clew.engines.cuda.outofcore.choice import Options
from clew.engines.cuda.outofcore.chunks import ChunkedRows
from clew.engines.cuda.outofcore.sssp import sample_of, searched
from clew.engines.cuda.paths import Found
from clew.engines.cuda.sswp import widths

BUCKETS = 64  # over the range of the weights: few edges are followed twice then


def sswp(rows: ChunkedRows, source: int, weights: Array, options: Options, *, deterministic: bool = False) -> Found:
    """The largest smallest weight of a path to every vertex."""
    sample = sample_of(weights)
    delta = float(np.ptp(sample)) / BUCKETS if options.delta is None else float(sample.mean()) * options.delta
    largest = extent(weights)[1] if weights.size else 0
    problem = widths(weights.dtype, largest, delta or 1.0)
    return searched(rows, source, problem, options, deterministic)
