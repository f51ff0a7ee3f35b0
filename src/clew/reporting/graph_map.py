"""The data of the picture that a page draws itself: sharp at every zoom, with labels, hover texts and a search.

Places are rounded to 16 bits, sharper than any screen shows them. The page has all vertices and a sample of the edges,
compressed.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from clew.dtypes import Array
from clew.graph import Graph
from clew.reporting import words

MOST_VERTICES = 100_000
MOST_EDGES = 60_000  # drawn; a random sample of this many looks the same
STEPS = 65_535  # along each side


def named(graph: Graph) -> Iterable[Any]:
    """The names of all vertices."""
    every = np.arange(graph.num_vertices)
    return every.tolist() if graph.names is None else graph.names.take(every).to_pylist()


def packed(graph: Graph, places: Array, degrees: Array, community: Array | None, seed: int = 0) -> str:
    """Everything that the page's script needs, as compressed JSON in base64."""
    low, high = places.min(axis=0), places.max(axis=0)
    size = max(float((high - low).max()), np.finfo(np.float32).tiny)
    middle = (low + high) / 2
    at = np.clip(((places - middle) / size + 0.5) * STEPS, 0, STEPS).round().astype(np.int64)
    source, target, _ = graph.edges()
    if source.size > MOST_EDGES:
        chosen = np.sort(np.random.default_rng(seed).choice(source.size, MOST_EDGES, replace=False))
        source, target = source[chosen], target[chosen]
    everything: dict[str, Any] = {
        "x": at[:, 0].tolist(),
        "y": (STEPS - at[:, 1]).tolist(),  # a screen counts from its top
        "degree": np.asarray(degrees).tolist(),
        "group": None if community is None else np.asarray(community).tolist(),
        "names": [words.name(name) for name in named(graph)],
        "edges": np.column_stack([source, target]).ravel().tolist(),
    }
    text = json.dumps(everything, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")
