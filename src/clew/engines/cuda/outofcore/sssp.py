"""Shortest paths over a graph in chunks."""

from __future__ import annotations

import numpy as np

from clew.dtypes import Array
from clew.engines.cpu.path_weights import extent
from clew.engines.cuda.outofcore.choice import Options
from clew.engines.cuda.outofcore.chunks import ChunkedRows
from clew.engines.cuda.outofcore.parents import tree_of_tight_edges
from clew.engines.cuda.outofcore.paths import LINKED, NONE, Search
from clew.engines.cuda.paths import DENSE, Found, Problem
from clew.engines.cuda.sssp import sums
from clew.result import Trace

SAMPLE = 1 << 14  # weights looked at for their mean
DENSE_DELTA, SPARSE_DELTA = 4.0, 16.0  # the width of a bucket: times the mean weight, divided by the degree


def sssp(
    rows: ChunkedRows,
    source: int,
    weights: Array,
    options: Options,
    *,
    delta: float | None = None,
    deterministic: bool = False,
) -> Found:
    """Shortest paths over weights of 0 or more."""
    width = delta if delta is not None else bucket_width(weights, rows.num_vertices, options)
    largest = int(extent(weights)[1]) if weights.size and weights.dtype.kind != "f" else 0
    problem = sums(weights.dtype, largest, rows.num_vertices, width)
    return searched(rows, source, problem, options, deterministic)


def searched(rows: ChunkedRows, source: int, problem: Problem, options: Options, deterministic: bool) -> Found:
    """The answer, with parents as the search keeps them where values and ids are narrow, else found afterwards."""
    narrow = problem.value.itemsize == 4 and rows.index.itemsize == 4
    search = Search(rows, problem, source, LINKED if narrow and not deterministic else NONE, options)
    search.run()
    parents = None if narrow and not deterministic else tree_of_tight_edges(search)
    values, parent, reached = search.finish(parents)
    buckets = int(search.read()["buckets"])
    search.steps.close()
    return Found(values, parent, buckets, reached, Trace.later(search.steps.columns))


def bucket_width(weights: Array, num_vertices: int, options: Options) -> float:
    """As told in units of the mean weight, or so narrow that few edges are followed twice.

    Every edge followed moves bytes, and on dense graphs a step has enough to do whatever the width. On sparse ones,
    steps are many and short, so that some work done twice costs less than more steps.
    """
    sample = sample_of(weights)
    if options.delta is not None:
        return float(sample.mean()) * options.delta or 1.0
    degree = max(1.0, weights.size / max(1, num_vertices))
    return float(sample.mean()) * (DENSE_DELTA if degree >= DENSE else SPARSE_DELTA) / degree or 1.0


def sample_of(weights: Array) -> Array:
    """The sizes of some weights, as finite floats."""
    sample = np.abs(weights[:: max(1, weights.size // SAMPLE)].astype(np.float64))
    sample = sample[np.isfinite(sample)]
    return sample if sample.size else np.zeros(1)
