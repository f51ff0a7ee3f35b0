"""Races: clew and other libraries and programs on the same graph, in turns, with their answers compared.

Every contender is a process (``worker``) that holds the graph and runs an algorithm on request. So contenders take
turns on a noisy machine, each has its own number of threads, and one that takes too long can be killed.
"""
