"""Vertex programs on a GPU."""
