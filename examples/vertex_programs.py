"""Five algorithms as vertex programs: what a vertex sends, what arrives, what becomes of it."""

from __future__ import annotations

import numpy as np

import clew


class BreadthFirst(clew.VertexProgram):
    """Depths from a source."""

    fields = {"depth": "int32"}
    message = "int32"
    reduce = clew.monoids.any

    def __init__(self, source=0):
        self.source = source

    def start(self, graph):
        depth = np.full(graph.num_vertices, -1)
        depth[self.source] = 0
        return {"depth": depth}, [self.source]

    send = staticmethod(lambda vertex: vertex.depth + 1)
    process = staticmethod(lambda message, weight, vertex: message)
    accepts = staticmethod(lambda vertex: vertex.depth < 0)

    @staticmethod
    def apply(total, vertex):
        vertex.depth = total
        return True


class ShortestPaths(clew.VertexProgram):
    """Distances from a source."""

    fields = {"distance": "float64"}
    reduce = clew.monoids.min

    def __init__(self, source=0):
        self.source = source

    def start(self, graph):
        distance = np.full(graph.num_vertices, np.inf)
        distance[self.source] = 0
        return {"distance": distance}, [self.source]

    send = staticmethod(lambda vertex: vertex.distance)
    process = staticmethod(lambda message, weight, vertex: message + weight)

    @staticmethod
    def apply(total, vertex):
        if total >= vertex.distance:
            return False
        vertex.distance = total
        return True


class Components(clew.VertexProgram):
    """The smallest vertex of every weak component."""

    fields = {"label": "int32"}
    message = "int32"
    reduce = clew.monoids.min
    direction = "both"

    def start(self, graph):
        return {"label": np.arange(graph.num_vertices)}, None

    send = staticmethod(lambda vertex: vertex.label)
    process = staticmethod(lambda message, weight, vertex: message)

    @staticmethod
    def apply(total, vertex):
        if total >= vertex.label:
            return False
        vertex.label = total
        return True


class PageRank(clew.VertexProgram):
    """Ranks, on graphs where every vertex has an out-edge."""

    fields = {"rank": "float64", "degree": "float64", "base": "float64"}
    reduce = clew.monoids.plus
    apply_to = "all"
    active_next = "all"
    max_iterations = 100

    def start(self, graph):
        n = graph.num_vertices
        return {"rank": 1 / n, "degree": np.maximum(graph.degrees(), 1), "base": 0.15 / n}, None

    send = staticmethod(lambda vertex: vertex.rank / vertex.degree)
    process = staticmethod(lambda message, weight, vertex: message)

    @staticmethod
    def apply(total, vertex):
        before = vertex.rank
        vertex.rank = vertex.base + 0.85 * total
        return abs(vertex.rank - before) > 1e-3 * vertex.base
