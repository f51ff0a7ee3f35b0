"""The waist as functions: products of a graph and a vector over any semiring, and what goes with them.

Every one takes ``device``: "cpu" for the compiled engine, "cuda" for a GPU, "auto" for the one that suits the arrays
and the size of the graph, "reference" for plain Python, slow and obvious. Arrays may be NumPy's or, for a GPU, anything
with ``__cuda_array_interface__``; results of a GPU are CuPy arrays and stay there.
"""

from clew.primitives.bits import pack_bits, unpack_bits
from clew.primitives.matrices import spgemm
from clew.primitives.products import min_plus, spmspv, spmv, spvisit
from clew.primitives.vectors import compact, elementwise, outer, reduce_segments

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
