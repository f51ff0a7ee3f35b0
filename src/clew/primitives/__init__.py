"""The waist as functions: products of a graph and a vector over any semiring, and related primitives.

Each takes ``device``. "cpu" is the compiled engine, and "cuda" a GPU. "auto" chooses by the arrays and the size of the
graph. "reference" is plain Python, slow and simple. Arrays are NumPy arrays or, for a GPU, anything with
``__cuda_array_interface__``. Results of a GPU are CuPy arrays and stay there.
"""

from clew.primitives.products import min_plus, spgemm, spmspv, spmv, spvisit
from clew.primitives.vectors import compact, elementwise, outer, pack_bits, reduce_segments, unpack_bits

__all__ = [
    "compact",
    "elementwise",
    "min_plus",
    "outer",
    "pack_bits",
    "reduce_segments",
    "spgemm",
    "spmspv",
    "spmv",
    "spvisit",
    "unpack_bits",
]
