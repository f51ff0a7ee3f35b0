"""Walks of node2vec: the biases are arguments of random walks."""

from clew.algorithms.random_walks.cluster import random_walks as node2vec_walks

__all__ = ["node2vec_walks"]
