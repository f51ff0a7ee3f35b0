"""The kernels over chunks with representative macros, for those who compile them all."""

from __future__ import annotations

from typing import Any

from clew.engines.cuda.source import Program

_NARROW = {"index_t": "int", "offset_t": "unsigned int", "weight_t": "float", "WEIGHTED": 0, "value_t": "unsigned int"}
_BFS: dict[str, Any] = {**_NARROW, "key_t": "unsigned int", "result_t": "int", "WIDEST": 0, "COUNT_BITS": 24}
_SSSP = {**_BFS, "weight_t": "int", "WEIGHTED": 1, "result_t": "long long"}
_WIDE = {**_BFS, "index_t": "long long", "offset_t": "long long", "weight_t": "double", "WEIGHTED": 1}
_SSWP = {**_WIDE, "value_t": "double", "key_t": "unsigned long long", "result_t": "double", "WIDEST": 1}
_PULL = {"index_t": "int", "offset_t": "unsigned int", "value_t": "float", "sum_t": "double", "FACTORS": 0, "LANES": 4}

VARIANTS = [
    Program.of("chunk_levels.cuh", _SSSP),
    Program.of("chunk_levels.cuh", _BFS),
    Program.of("chunk_levels.cuh", _SSWP),
    Program.of("chunk_tight.cuh", _SSSP),
    Program.of("chunk_tight.cuh", _SSWP),
    Program.of("chunk_join.cuh", _BFS),
    Program.of("chunk_pull.cuh", _PULL),
    Program.of(
        "chunk_pull.cuh",
        {**_PULL, "index_t": "long long", "offset_t": "long long", "value_t": "double", "FACTORS": 1, "LANES": 32},
    ),
]
