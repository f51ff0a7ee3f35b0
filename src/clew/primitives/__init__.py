"""The waist as functions: products of a graph and a vector over any semiring, and what goes with them.

Every one takes ``device``: "auto" or "cpu" for the compiled engine, "reference" for plain Python, slow and obvious.
"""

from clew.primitives.matrices import spgemm
from clew.primitives.products import min_plus, spmspv, spmv, spvisit
from clew.primitives.vectors import compact, elementwise, outer, reduce_segments

__all__ = ["compact", "elementwise", "min_plus", "outer", "reduce_segments", "spgemm", "spmspv", "spmv", "spvisit"]
