"""Graphs in memories of different speed, on a GPU: the tables of docs/performance-gpu.md, a module for each."""
