"""Checker of walks of node2vec: the rules of random walks."""

from clew.algorithms.random_walks.check import random_walks as node2vec_walks

__all__ = ["node2vec_walks"]
