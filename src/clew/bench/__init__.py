"""Races: clew and other libraries and programs on the same graph, in turns, with their answers compared.

Every contender is a process of its own (``worker``) that has the graph ready and runs an algorithm when told to. So
they take turns on a noisy machine, each has its own number of threads, and one that takes too long is ended without
harm.
"""
