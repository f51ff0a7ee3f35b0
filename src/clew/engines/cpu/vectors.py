"""Vector operations on the CPU: element by element, outer, segmented reduction."""

from __future__ import annotations

from clew import threads
from clew.dtypes import Array, as_bits
from clew.engines.cpu.compiler import kernel
from clew.engines.cpu.operands import frozen, stretch_of
from clew.operators import Monoid, Operator


def elementwise(operator: Operator, u: Array, v: Array, out: Array) -> None:
    """out[i] = operator(u[i], v[i])."""
    from clew.engines.cpu import kernels_vectors as kernels

    pieces = threads.pieces(out.size)
    flat = (frozen(u).reshape(-1), frozen(v).reshape(-1), out.reshape(-1))
    kernel(kernels.make_elementwise, operator.function).each(pieces, pieces, *flat)


def outer(operator: Operator, u: Array, v: Array, out: Array) -> None:
    """out[i, j] = operator(u[i], v[j])."""
    from clew.engines.cpu import kernels_vectors as kernels

    pieces = min(threads.pieces(out.size), max(1, u.size))
    kernel(kernels.make_outer, operator.function).each(pieces, pieces, frozen(u), frozen(v), out)


def reduce_segments(values: Array, indptr: Array, monoid: Monoid, out: Array) -> None:
    """out[i] = ⊕ of values[indptr[i]:indptr[i + 1]]."""
    from clew.build.kernels_sort import row_blocks
    from clew.engines.cpu import kernels_vectors as kernels

    bounds = as_bits(row_blocks(indptr, threads.pieces(values.size + out.size)))
    identity, terminal = monoid.identity(out.dtype), monoid.terminal(out.dtype)
    numbers = (identity, identity if terminal is None else terminal)
    made = kernel(kernels.make_segments, monoid.operator.function, stretch=stretch_of(monoid, out.dtype))
    made.each(bounds.size - 1, bounds, frozen(as_bits(indptr)), frozen(values), numbers, out)
