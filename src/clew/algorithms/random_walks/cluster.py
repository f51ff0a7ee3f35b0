"""Random walks on a cluster: every member has a share of the walks, and asks the owners of vertices for next steps.

Random numbers depend on the number of the walk and of the step, so walks are those of one machine. Walks of node2vec
ask twice: the owner of the vertex for a neighbour, and the owner of the vertex before for an edge to it. Walks that are
refused a step draw again while others go on, so no round waits for the slowest.
"""

from __future__ import annotations

import numpy as np

from clew import threads
from clew.algorithms.random_walks import Walks, cpu, kernels_cluster
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster.own_rows import own_rows
from clew.engines.cluster.share import Share
from clew.generate import kernels_random as random
from clew.result import Rows

bits, unit = random.bits.py_func, random.unit.py_func
DRAWS = 21  # as in kernels.py
BATCH = 1 << 18  # walks of a member that go on together: a few MB of messages
DRAW = np.dtype([("place", np.int64), ("bits", np.uint64)])
EDGE = np.dtype([("place", np.int64), ("target", np.int64)])


def random_walks(share: Share, given: Walks) -> Answer:
    """Walks; see ``clew.random_walks``."""
    number = given.starts.size
    walk = np.full((number, given.length + 1), -1, share.ids.dtype)
    walk[:, 0] = given.starts
    steps, done = _Steps(share, given), 0
    while done * BATCH * share.member.size < given.total:
        done, walk = share.member.checkpoint(done, done, walk)
        batch = np.arange(min(done * BATCH, number), min((done + 1) * BATCH, number))
        steps.take(walk[batch[0] : batch[-1] + 1] if batch.size else walk[:0], batch + given.first)
        done += 1
    return Answer({"walk": walk}, rows=Rows(np.arange(given.first, given.first + number), given.total))


class _Steps:
    """What this member answers about its own vertices, and its questions to others."""

    def __init__(self, share: Share, given: Walks) -> None:
        self.share, self.given = share, given
        rows = own_rows(share, weighted=given.weighted)
        self.rows, self.sums = rows.unsigned(), cpu.sums_of(rows) if given.weighted else None
        self.back, self.out = 1 / given.p, 1 / given.q
        self.biased = self.back != 1 or self.out != 1

    def take(self, walk: Array, numbers: Array) -> None:
        """Fill some walks; all members call this."""
        own = bits(self.given.key, numbers.astype(np.uint64))
        step, attempt = np.zeros((2, numbers.size), np.int64)
        left = np.arange(numbers.size if self.given.length else 0)
        while self.share.member.any(left.size):
            at = step[left]
            draw = ((at << DRAWS) + 2 * attempt[left]).astype(np.uint64)
            found = self._neighbors(walk[left, at], bits(own[left], draw))
            alone, there = found < kernels_cluster.NOWHERE, found != kernels_cluster.NOWHERE
            v = np.where(alone, kernels_cluster.ALONE - found, found)
            taken = there
            if self.biased:
                before = np.where((at == 0) | alone | ~there, -1, walk[left, at - 1])
                taken = there & self._accepted(before, v, unit(bits(own[left], draw + np.uint64(1))))
            walk[left[taken], at[taken] + 1] = v[taken]
            step[left] += taken
            attempt[left] = np.where(taken, 0, attempt[left] + 1)
            left = left[there & (step[left] < self.given.length)]

    def _neighbors(self, vertices: Array, drawn: Array) -> Array:
        """A random neighbour of every vertex, as ``kernels_cluster.neighbors`` has it."""

        def answer(asked: Array) -> Array:
            found = np.empty(asked.size, np.int64)
            given = np.ascontiguousarray(asked["place"]), np.ascontiguousarray(asked["bits"])
            threads.in_pieces(kernels_cluster.neighbors, asked.size, self.rows, self.sums, *given, found)
            return found

        owner, questions = self._questions(vertices, DRAW)
        questions["bits"] = drawn
        return self.share.member.ask(owner, questions, answer)

    def _accepted(self, before: Array, v: Array, drawn: Array) -> Array:
        """Whether steps to v are taken, by their biases; those without a vertex before always are."""
        limit = drawn * max(self.back, self.out, 1.0)
        bias = np.where(v == before, self.back, 1.0)
        # Only here does an edge from the vertex before decide.
        asked = np.flatnonzero((before >= 0) & (v != before) & ((limit < 1.0) != (limit < self.out)))

        def answer(edges: Array) -> Array:
            found = np.empty(edges.size, np.bool_)
            given = np.ascontiguousarray(edges["place"]), np.ascontiguousarray(edges["target"])
            threads.in_pieces(kernels_cluster.are_edges, edges.size, self.rows, *given, found)
            return found

        owner, questions = self._questions(before[asked], EDGE)
        questions["target"] = v[asked]
        linked = self.share.member.ask(owner, questions, answer)
        bias[asked] = np.where(linked, 1.0, self.out)
        taken: Array = (limit < bias) | (before < 0)
        return taken

    def _questions(self, vertices: Array, dtype: np.dtype[np.void]) -> tuple[Array, Array]:
        owner, local = self.share.partition.place(vertices)
        questions = np.empty(local.size, dtype)
        questions["place"] = local
        return owner, questions
