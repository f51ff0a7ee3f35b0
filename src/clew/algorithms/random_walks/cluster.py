"""Random walks on a cluster: every member has a share of the walks, and asks the owners of vertices for next steps.

Random numbers depend on the number of the walk and of the step, so walks are those of one machine. Walks of node2vec
ask twice: the owner of the vertex for a neighbour, and the owner of the vertex before for an edge to it. Walks that are
refused a step draw again while others go on, so no round waits for the slowest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew import threads
from clew.algorithms.random_walks import Walks, cpu
from clew.algorithms.random_walks import kernels_cluster as kernels
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster.own_rows import OwnRows, own_rows
from clew.engines.cluster.share import Share
from clew.result import Rows

COPIES = (OwnRows(weights="weighted"),)
BATCH = 1 << 18  # walks of a member that go on together: a few MB of messages
NEIGHBOR = np.dtype([("place", np.int64), ("bits", np.uint64)])
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
        self.biases = (1 / given.p, 1 / given.q)

    def take(self, walk: Array, numbers: Array) -> None:
        """Fill some walks; all members call this."""
        state = (walk, *np.zeros((2, numbers.size), np.int64), np.empty(numbers.size, np.uint64))
        kernels.begin(self.given.key, numbers, state[-1])
        left = np.arange(numbers.size if self.given.length else 0)
        while self.share.member.any(left.size):
            vertices, drawn = np.empty(left.size, np.int64), np.empty(left.size, np.uint64)
            threads.in_pieces(kernels.draw, left.size, left, *state, vertices, drawn)
            found = self._answers(vertices, drawn, NEIGHBOR, kernels.neighbors, (self.rows, self.sums))
            verdicts = np.empty(left.size, np.uint8)
            threads.in_pieces(kernels.judge, left.size, left, *state, found, *self.biases, verdicts)
            if self.biases != (1.0, 1.0):
                self._judge_by_edges(left, walk, state[1], found, verdicts)
            left = left[: kernels.go_on(left, *state[:3], found, verdicts, self.given.length)]

    def _judge_by_edges(self, left: Array, walk: Array, step: Array, candidates: Array, verdicts: Array) -> None:
        """Decide about steps that depend on an edge from the vertex before."""
        open_ones = np.flatnonzero(verdicts == kernels.BY_EDGE)
        who = left[open_ones]
        before, v = walk[who, step[who] - 1], candidates[open_ones]
        linked = self._answers(before, v, EDGE, kernels.are_edges, (self.rows,))
        # The bias is 1 with an edge: more than without one if steps far away are unlikely.
        verdicts[open_ones] = np.where(linked == (self.biases[1] < 1), kernels.TAKEN, kernels.REFUSED)

    def _answers(self, vertices: Array, given: Array, question: Any, kernel: Any, rows: tuple[Any, ...]) -> Array:
        """What a kernel of the vertices' owners answers to questions about them."""

        def answer(asked: Array) -> Array:
            found = np.empty(asked.size, np.int64)
            columns = (np.ascontiguousarray(asked[name]) for name in question.names)
            threads.in_pieces(kernel, asked.size, *rows, *columns, found)
            return found

        owner, local = self.share.partition.place(vertices)
        questions = np.empty(local.size, question)
        for name, column in zip(question.names, (local, given), strict=True):
            questions[name] = column
        return self.share.member.ask(owner, questions, answer)
