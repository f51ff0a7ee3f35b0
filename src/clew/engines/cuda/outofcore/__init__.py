"""Graphs larger than GPU memory: edges in chunks, which reach the kernels by the way that suits every one of them."""

from clew.engines.cuda.outofcore.variants import VARIANTS

__all__ = ["VARIANTS"]
