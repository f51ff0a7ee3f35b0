"""Blocks of a graph, which bridges, articulation points and biconnected components share.

Two edges are in one block if a cycle runs through both. An edge that is on no cycle is a block by itself: a bridge.
"""
