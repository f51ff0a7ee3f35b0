"""The CPU engine: Numba kernels on all cores."""
