"""CUDA on the CPU: the same kernels compiled by g++, so that their logic is tested on machines without a GPU.

Blocks run on threads of the operating system, the threads of a block are fibers that switch at barriers and warp
operations. What CUDA leaves undefined (a barrier that some threads never reach, a wrong mask) is an error here.
"""
