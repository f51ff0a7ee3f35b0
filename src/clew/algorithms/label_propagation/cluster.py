"""Label propagation on a cluster: blocks count the labels of neighbours, and owners choose from the counts of all."""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.algorithms.label_propagation import kernels_cluster as kernels
from clew.algorithms.label_propagation.kernels import FEW
from clew.algorithms.registry import Answer
from clew.dtypes import Array
from clew.engines.cluster import products
from clew.engines.cluster.share import Share, in_both_directions
from clew.primitives.arguments import engine_of
from clew.primitives.products import VISIT

BATCH = 1 << 22  # edges of a block whose labels are counted before they are sent, which bounds the memory


def label_propagation(share: Share, max_iterations: int) -> Answer:
    """The most frequent label among the neighbours, the smallest of several; see ``clew.label_propagation``."""
    member = share.member
    links = in_both_directions(share, None) if share.directed else share
    batches = _Batches(links)
    label = before = share.ids.copy()
    changes: list[int] = []
    while len(changes) < max_iterations and (not changes or changes[-1]):
        label, changes, before = member.checkpoint(len(changes), label, changes, before)
        few = bool(changes) and changes[-1] * FEW < share.num_vertices
        awake = batches.near(label != before) if few else batches.everyone
        before, (label, changed) = label, batches.vote(label, awake)
        changes.append(int(member.all_reduce(np.int64(changed), np.add)))
    owner, local = share.partition.place(np.unique(label))
    (named,) = member.send_to_owners(owner, [local])
    count = int(member.all_reduce(np.int64(np.unique(named).size), np.add))
    settled = bool(changes) and changes[-1] == 0
    trace = {"changed": np.array(changes, np.int64)}
    return Answer({"label": label}, {"count": count}, iterations=len(changes), converged=settled, trace=trace)


class _Batches:
    """Rows in batches: the same range of every owner's vertices, so that an owner can choose after each."""

    def __init__(self, links: Share) -> None:
        self.links, self.member, segment = links, links.member, links.partition.segment
        block, self.routes = links.routes(transpose=False)
        self.rows = self.routes.rows(block)
        most = int(self.member.all_reduce(np.int64(self.rows.num_arcs), np.maximum))
        number = max(1, -(-most // BATCH))
        self.cuts = np.arange(number + 1) * segment // number
        # Where every owner's part of every batch begins in the rows, and among the places that counts arrive for.
        filled, owners = self.routes.filled, len(self.routes.due)
        self.begins = [np.searchsorted(filled, self.cuts + k * segment) for k in range(owners)]
        self.due = [np.searchsorted(places, self.cuts) for places in self.routes.due]
        self.everyone = np.ones(filled.size, np.bool_)
        longest = max(int(degrees.max(initial=1)) for degrees in (self.rows.degrees(), links.own_degrees()))
        size = 2 << longest.bit_length()
        self.table = np.empty(size, links.ids.dtype), np.zeros(size, np.uint32), np.empty(size, np.uint64)

    def near(self, changed: Array) -> Array:
        """Which rows belong to a vertex with a neighbour that changed, wherever that edge is."""
        awake = products.spmv(engine_of("cpu"), self.links, changed, VISIT, transpose=False)
        rows: Array = products.expand(self.links, awake, self.routes.row_axis)[self.routes.filled]
        return rows

    def vote(self, label: Array, awake: Array) -> tuple[Array, int]:
        """The labels after a round in which some rows vote, and how many changed."""
        x = self.routes.expand(self.member, label, self.rows.num_columns)
        after, changed = label.copy(), 0
        for batch in range(self.cuts.size - 1):
            counted = zip(*(self._count(x, awake, *begins[batch : batch + 2]) for begins in self.begins), strict=True)
            arrived = [self.member.all_to_all(self.routes.row_axis, list(parts)) for parts in counted]
            changed += self._choose(batch, arrived, label, after)
        return after, changed

    def _count(self, labels: Array, awake: Array, low: int, high: int) -> tuple[Array, Array, Array]:
        """The lengths, labels and counts of some rows."""
        edges = int(self.rows.indptr[high]) - int(self.rows.indptr[low])
        lengths = np.empty(high - low, np.uint32)
        found, counts = np.empty(edges, labels.dtype), np.empty(edges, np.uint32)
        rows = self.rows.unsigned()
        total = int(kernels.count_labels(low, high, *rows, awake, labels, *self.table, lengths, found, counts))
        return lengths, found[:total], counts[:total]

    def _choose(self, batch: int, arrived: list[list[Array]], label: Array, after: Array) -> int:
        places = [due[low:high] for due, (low, high) in zip(self.routes.due, self._due(batch), strict=True)]
        lengths, found, counts = (np.concatenate(parts) for parts in arrived)
        ends = np.cumsum([0, *(each.size for each in places)])
        starts = np.cumsum([0, *(each.size for each in arrived[1])])[:-1]
        first, last = (min(int(cut), label.size) for cut in self.cuts[batch : batch + 2])
        given = (np.concatenate(places), ends, lengths, found, counts, starts)
        return int(kernels.choose_labels(first, last, *given, *self.table, label, after))

    def _due(self, batch: int) -> list[Any]:
        return [cuts[batch : batch + 2] for cuts in self.due]
