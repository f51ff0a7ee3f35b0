"""Breadth-first search over a graph in chunks: paths whose edges all count 1."""

from __future__ import annotations

import numpy as np

from clew.engines.cuda.bfs import Found
from clew.engines.cuda.outofcore.choice import Options
from clew.engines.cuda.outofcore.chunks import ChunkedRows
from clew.engines.cuda.outofcore.paths import FIRST, SMALLEST, Search
from clew.engines.cuda.paths import Problem
from clew.result import Trace

UNREACHED = np.iinfo(np.uint32).max
EDGES = Problem(np.dtype(np.uint32), False, 0, 0, 0, UNREACHED, np.dtype(np.int32), -1, np.inf)


def bfs(rows: ChunkedRows, source: int, options: Options, *, deterministic: bool = False) -> Found:
    """Search from ``source``."""
    search = Search(rows, EDGES, source, SMALLEST if deterministic else FIRST, options)
    search.run()
    depth, parent, reached = search.finish()
    search.steps.close()
    return Found(depth, parent, int(depth.max()) + 1, reached, Trace.later(search.steps.columns))
