"""The kernels of algorithms and macros to compile them with: every file, and every switch in it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from clew.algorithms.bfs.cuda import BIG
from clew.algorithms.label_propagation.cuda import _slots
from clew.algorithms.triangles.cuda import CODES, COUNTS, LINKS, TOTAL
from clew.engines.cuda.toolchain.device import index_defines
from clew.engines.cuda.toolchain.source import KernelSource

#: Ids and offsets of 32 bits, and of 64.
NARROW, WIDE = index_defines(np.dtype(np.int32), 0), index_defines(np.dtype(np.int64), 1 << 32)
MIXED = {"index_t": "int", "offset_t": "long long"}


def _paths(file: str, **changes: Any) -> KernelSource:
    """Shortest paths over int32 weights in 32 bits, and what is different."""
    macros = {**NARROW, "weight_t": "int", "value_t": "unsigned int"}
    widths = {"key_t": "unsigned int", "result_t": "long long", "WIDEST": 0, "WORDS": 1, "LINKS": 1}
    ways = {"BALANCE": 5, "CUT": 0, "PREFETCH": 1, "UNROLL": 2, "LONG_ROW": 64, "IN_ORDER": 0, "PAIRED": 0}
    return KernelSource.of(file, {**macros, **widths, **ways, "COUNT_BITS": 32, "THREADS": 1024, **changes})


_LONG_KEYS = {"key_t": "unsigned long long", "WORDS": 0, "LINKS": 0}
_DOUBLE = {**_LONG_KEYS, "weight_t": "double", "value_t": "double", "result_t": "double"}
_LARGE = {**_LONG_KEYS, **WIDE, "value_t": "long long", "THREADS": 512, "COUNT_BITS": 28}
_WIDEST = {"WIDEST": 1, "value_t": "int", "weight_t": "unsigned char", "result_t": "unsigned char"}
_PACKED = {"PACKED": 1}
_DIRECTORY = {**_PACKED, "DIRECTORY": 1}
PATHS = [
    _paths("near_far.cuh"),
    _paths("near_far.cuh", WORDS=0, weight_t="float", value_t="float", result_t="float"),
    _paths("near_far.cuh", BALANCE=3, CUT=16),
    _paths("near_far.cuh", BALANCE=3, CUT=16, UNIT=1, result_t="int", THREADS=512),
    _paths("near_far.cuh", IN_ORDER=1),
    _paths("near_far.cuh", IN_ORDER=1, PAIRED=1),
    _paths("near_far.cuh", **_DOUBLE, BALANCE=4),
    _paths("near_far.cuh", **_LARGE, IN_ORDER=1),
    _paths("near_far.cuh", **_WIDEST),
    _paths("near_far.cuh", **_DIRECTORY, weight_t="unsigned char"),
    _paths("near_far.cuh", **_PACKED, IN_ORDER=1, ON_HOST=1),
    _paths("near_far.cuh", **_DIRECTORY, BALANCE=3, CUT=16, UNIT=1, result_t="int"),
    _paths("near_far.cuh", **_LARGE, **_PACKED, IN_ORDER=1, ON_HOST=1),
    _paths("shortest_path_tree.cuh"),
    _paths("shortest_path_tree.cuh", **_DIRECTORY, weight_t="unsigned char"),
    _paths("shortest_path_tree.cuh", PAIRED=1),
    _paths("shortest_path_tree.cuh", **_DOUBLE),
    _paths("shortest_path_tree.cuh", **_LARGE),
    _paths("shortest_path_tree.cuh", **_WIDEST),
]

_LENGTHS = {"WEIGHTED": 1, "WIDEST": 0, "MANY": 0, "CLUSTER": 8}
_NARROW_WORDS = {"weight_t": "int", "value_t": "unsigned int", "key_t": "unsigned int", "WORDS": 1, "LINKS": 1}
_NARROW_LENGTHS = {**_LENGTHS, **_NARROW_WORDS}
_WIDE_LENGTHS = {**_LENGTHS, "weight_t": "double", "value_t": "double", **_LONG_KEYS}
_RANKS = {"value_t": "float", "sum_t": "double", "FACTORS": 0, "BINNED": 0, "THREADS": 256, "RESIDENT": 6}
_OVER_ROWS = (
    ("k_core.cuh", {"core_t": "int"}),
    ("labels.cuh", {"SLOTS": 2048, "DIRECTORY": 1}),
    ("coloring.cuh", {"ON_HOST": 1}),
    ("coloring_rounds.cuh", {}),
    ("independent_set.cuh", {"BY_DEGREE": 1}),
    ("many_searches.cuh", {"DIRECTORY": 1}),
)
_COMPONENTS = (("components", 0), ("components", 1), ("components_tiled", 0), ("components_staged", 1))

_STRUCTURE = (
    "trusses",
    "strong_components",
    "generations",
    "shared_neighbours",
    "two_steps",
    "many_searches",
    "blocks",
)

ALGORITHM_KERNELS = [
    *PATHS,
    *(
        KernelSource.of("bfs.cuh", {**ids, "BIG": BIG, "ON_HOST": on_host})
        for ids, on_host in ((NARROW, 0), (MIXED, 1), (WIDE, 0))
    ),
    *(
        KernelSource.of("bfs.cuh", {**ids, "BIG": BIG, "ON_HOST": on_host, "PACKED": 1, "DIRECTORY": 1 - on_host})
        for ids, on_host in ((NARROW, 0), (NARROW, 1), (WIDE, 1))
    ),
    *(
        KernelSource.of("floyd_warshall.cuh", {**NARROW, "number_t": number, "weight_t": weight, "WEIGHTED": weighted})
        for number, weight, weighted in (("int", "unsigned char", 1), ("float", "float", 1), ("double", "float", 0))
    ),
    *(
        KernelSource.of("betweenness.cuh", {**ids, "DIRECTED": directed, "MANY": many, "CLUSTER": 8})
        for ids, directed, many in ((NARROW, 0, 0), (MIXED, 1, 1), (WIDE, 1, 0))
    ),
    KernelSource.of("betweenness.cuh", {**NARROW, "DIRECTED": 0, "MANY": 0, "CLUSTER": 8, "EDGES": 1}),
    KernelSource.of("betweenness.cuh", {**WIDE, "DIRECTED": 1, "MANY": 0, "CLUSTER": 8, "EDGES": 1}),
    KernelSource.of("betweenness.cuh", {**NARROW, **_NARROW_LENGTHS, "DIRECTED": 0, "EDGES": 0}),
    KernelSource.of("betweenness.cuh", {**MIXED, **_WIDE_LENGTHS, "DIRECTED": 1, "EDGES": 0}),
    KernelSource.of("betweenness.cuh", {**NARROW, **_WIDE_LENGTHS, "DIRECTED": 0, "EDGES": 1}),
    KernelSource.of("betweenness.cuh", {**WIDE, **_NARROW_LENGTHS, "LINKS": 0, "DIRECTED": 1, "EDGES": 1}),
    *(
        KernelSource.of("triangles.cuh", {**ids, "DIRECTED": directed, "COUNTED": counted})
        for ids, directed, counted in ((NARROW, 0, TOTAL), (MIXED, 1, COUNTS), (WIDE, 1, LINKS), (NARROW, 1, CODES))
    ),
    KernelSource.of("neighbourhoods.cuh", {**NARROW, "DIRECTED": 0, "WEIGHED": 1}),
    KernelSource.of("triangles.cuh", {**NARROW, "DIRECTED": 0, "COUNTED": COUNTS, "WEIGHED": 1}),
    KernelSource.of("triangles_short.cuh", {**NARROW, "COUNTED": TOTAL}),
    KernelSource.of("triangles_short.cuh", {**WIDE, "COUNTED": COUNTS}),
    *(KernelSource.of(file, ids) for file, ids in product(("coloring.cuh", "coloring_rounds.cuh"), (NARROW, WIDE))),
    KernelSource.of("independent_set.cuh", {**NARROW, "BY_DEGREE": 0}),
    KernelSource.of("independent_set.cuh", {**WIDE, "BY_DEGREE": 1}),
    KernelSource.of("samples.cuh", {**NARROW, "weight_t": "float", "BY_WEIGHT": 0, "REPLACE": 0}),
    KernelSource.of("samples.cuh", {**WIDE, "weight_t": "int", "BY_WEIGHT": 1, "REPLACE": 0}),
    KernelSource.of("samples.cuh", {**WIDE, "weight_t": "double", "BY_WEIGHT": 1, "REPLACE": 1}),
    KernelSource.of("walks.cuh", {**NARROW, "WEIGHTED": 0, "SECOND": 0}),
    KernelSource.of("walks.cuh", {**WIDE, "WEIGHTED": 1, "SECOND": 1}),
    *(
        KernelSource.of("spanning_forest.cuh", {**ids, "weight_t": weight, "WEIGHTED": weighted, "SHORT_KEYS": short})
        for ids, weight, weighted, short in (
            *((NARROW, "signed char", 1, 1), (NARROW, "float", 1, 1), (NARROW, "double", 1, 0)),
            *((WIDE, "long long", 1, 0), (WIDE, "float", 0, 0)),
        )
    ),
    *(KernelSource.of(f"{name}.cuh", ids) for name, ids in product(_STRUCTURE, (NARROW, WIDE))),
    KernelSource.of("push_relabel.cuh", {**NARROW, "code_t": "unsigned int", "amount_t": "long long"}),
    KernelSource.of("push_relabel.cuh", {**WIDE, "code_t": "unsigned long long", "amount_t": "double"}),
    KernelSource.of("k_core.cuh", {**NARROW, "core_t": "int"}),
    KernelSource.of("k_core.cuh", {**WIDE, "core_t": "long long"}),
    KernelSource.of("labels.cuh", {**NARROW, "SLOTS": _slots(np.dtype(np.int32))}),
    KernelSource.of("labels.cuh", {**WIDE, "SLOTS": _slots(np.dtype(np.int64))}),
    KernelSource.of("moves.cuh", {**NARROW, "sum_t": "u32", "SLOTS": 8192}),
    KernelSource.of("moves.cuh", {**WIDE, "SLOTS": 4096}),
    *(
        KernelSource.of(f"{name}.cuh", {**ids, **({"ON_HOST": 1} if on_host else {})})
        for (name, on_host), ids in product(_COMPONENTS, (NARROW, WIDE))
    ),
    KernelSource.of("pagerank.cuh", {**NARROW, **_RANKS}),
    KernelSource.of("pagerank.cuh", {**NARROW, **_RANKS, "LANES": 1}),
    KernelSource.of("pagerank.cuh", {**NARROW, **_RANKS, "BINNED": 1, "THREADS": 512, "RESIDENT": 3}),
    KernelSource.of(
        "pagerank.cuh",
        {**WIDE, **_RANKS, "BINNED": 1, "value_t": "double", "FACTORS": 1, "THREADS": 512, "RESIDENT": 2},
    ),
    KernelSource.of("rank_rounds.cuh", {**NARROW, "value_t": "float", "sum_t": "float", "FACTORS": 0}),
    KernelSource.of(
        "rank_rounds.cuh",
        {"index_t": "long long", "offset_t": "unsigned int", "value_t": "double", "sum_t": "double", "FACTORS": 0},
    ),
    # Packed rows come last: the first variant of a file is the one that is compiled with all optimisations.
    *(
        KernelSource.of("components.cuh", {**ids, "ON_HOST": on_host, "PACKED": 1})
        for ids, on_host in ((NARROW, 0), (WIDE, 1))
    ),
    *(KernelSource.of(file, {**ids, **macros, "PACKED": 1}) for file, macros in _OVER_ROWS for ids in (NARROW, WIDE)),
    KernelSource.of("neighbourhoods.cuh", {**NARROW, "DIRECTED": 0, **_DIRECTORY}),
    KernelSource.of("neighbourhoods.cuh", {**WIDE, "DIRECTED": 1, "PACKED": 1, "ON_HOST": 1}),
]
