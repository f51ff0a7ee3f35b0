"""Graphs in memories of different speed, on a GPU: the tables of docs/notebook, a module for each."""
