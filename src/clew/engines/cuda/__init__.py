"""The CUDA engine: kernels in CUDA C++ (``kernels/*.cuh``), compiled at run time, launched from Python.

Host code is written against ``device.Device`` and runs unchanged on a GPU and in the emulation on the CPU.
"""
