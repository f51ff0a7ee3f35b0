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
    """Distances from a source, nearest vertices first."""

    fields = {"distance": "float64"}
    reduce = clew.monoids.min

    def __init__(self, source=0):
        self.source = source

    def start(self, graph):
        distance = np.full(graph.num_vertices, np.inf)
        distance[self.source] = 0
        self.width = 16 * graph.weights.max(initial=1) / max(1, graph.num_arcs / graph.num_vertices) ** 2
        return {"distance": distance}, [self.source]

    send = staticmethod(lambda vertex: vertex.distance)
    process = staticmethod(lambda message, weight, vertex: message + weight)
    matters = staticmethod(lambda value, vertex: value < vertex.distance)
    priority = staticmethod(lambda vertex: vertex.distance)

    @staticmethod
    def apply(total, vertex):
        vertex.distance = total
        return True


class Components(clew.VertexProgram):
    """The smallest vertex of every weak component: it spreads all over its own before the next one has its turn."""

    fields = {"label": "int32", "found": "bool"}
    message = "int32"
    reduce = clew.monoids.any
    direction = "both"

    def start(self, graph):
        ids = np.arange(graph.num_vertices, dtype="int32")
        lowest = clew.spmv(graph.symmetrized(), ids, clew.semirings.min_second, device="cpu")
        return {"label": ids, "found": False}, (ids <= lowest) & (lowest < graph.num_vertices)

    send = staticmethod(lambda vertex: vertex.label)
    process = staticmethod(lambda message, weight, vertex: message)
    accepts = staticmethod(lambda vertex: not vertex.found)
    priority = staticmethod(lambda vertex: vertex.label)

    @staticmethod
    def apply(total, vertex):
        changed = total < vertex.label
        vertex.label = total
        vertex.found = True
        return changed


class PageRank(clew.VertexProgram):
    """Ranks, on graphs where every vertex has an out-edge."""

    fields = {"rank": "float64", "share": "float64", "base": "float64"}
    reduce = clew.monoids.plus
    apply_to = "all"
    active_next = "all"
    max_iterations = 100

    def start(self, graph):
        n = graph.num_vertices
        return {"rank": 1 / n, "share": 0.85 / np.maximum(graph.degrees(), 1), "base": 0.15 / n}, None

    send = staticmethod(lambda vertex: vertex.rank * vertex.share)
    process = staticmethod(lambda message, weight, vertex: message)

    @staticmethod
    def apply(total, vertex):
        before = vertex.rank
        vertex.rank = vertex.base + total
        return abs(vertex.rank - before) > 1e-3 * vertex.base


class LabelPropagation(clew.VertexProgram):
    """Communities: everyone takes on the label that most neighbours have, the smallest of several."""

    fields = {"label": "int32"}
    message = "int32"
    reduce = clew.gathers.mode
    direction = "both"
    max_iterations = 10

    def start(self, graph):
        return {"label": np.arange(graph.num_vertices)}, None

    send = staticmethod(lambda vertex: vertex.label)
    process = staticmethod(lambda message, weight, vertex: message)

    @staticmethod
    def apply(total, vertex):
        changed = total != vertex.label
        vertex.label = total
        return changed
