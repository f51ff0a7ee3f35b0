"""Plain or packed edges: which form a run reads and why, and what either takes in bytes and seconds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from clew.adjacency import Adjacency
from clew.algorithms.registry import Algorithm
from clew.describe import human_bytes
from clew.engines.cuda.memory.packed_rows import SCATTERED, form_of_rows
from clew.graph import Graph
from clew.packed import PackedAdjacency, narrowed, packed
from clew.plan.parts import Choice, Share, duration
from clew.plan.plan import Plan

PLAIN, PACKED = "plain", "packed"
_ON_GPU = "on the GPU where they fit"
SAMPLES, SAMPLED = 16, 1 << 14  # stretches of edges that are packed to know how small all will be, and their length


class Form(NamedTuple):
    """The bytes of the edges in one form: of a direction's neighbours, and of its weights.

    ``slower`` is by how much it slows down kernels whose edges are in fast memory. ``converted`` says that the
    edges are in another form now.
    """

    name: str
    neighbours: int
    weights: int
    slower: float = 1.0
    converted: bool = False

    def holds(self, share: Share) -> Share:
        """An array of the graph in this form."""
        for what, size in (("neighbours", self.neighbours), ("weights", self.weights)):
            if self.name == PACKED and share.role == "graph" and share.what.endswith(what):
                return replace(share, what=f"{share.what}, packed", bytes=size)
        return share


def forms_of(record: Algorithm, graph: Graph, plain: Graph, on_gpu: bool) -> dict[str, Form]:
    """Both forms of a graph for an algorithm; ``plain`` is the graph unpacked. How small edges become is sampled."""
    rows, unpacked = graph.outgoing, plain.outgoing
    weights = 0 if unpacked.weights is None else int(unpacked.weights.nbytes)
    slower = record.packed_slowdown[0 if on_gpu else 1]
    if isinstance(rows, PackedAdjacency):
        narrow = 0 if rows.stored_weights is None else int(rows.stored_weights.nbytes)
        small = Form(PACKED, rows.neighbours.nbytes, narrow, slower)
    else:
        small = Form(PACKED, *_sampled(unpacked), slower, converted=True)
    return {PLAIN: Form(PLAIN, int(unpacked.indices.nbytes), weights, converted=graph.is_packed), PACKED: small}


def _sampled(rows: Adjacency) -> tuple[int, int]:
    """About how many bytes neighbours and weights take when they are packed."""
    size = rows.num_arcs
    if size == 0:
        return 0, 0
    starts = range(0, size, max(SAMPLED, size // SAMPLES))
    taken = counted = narrow = 0
    for start in starts:
        first = int(np.searchsorted(rows.indptr, start, side="right")) - 1
        last = max(first + 1, int(np.searchsorted(rows.indptr, start + SAMPLED, side="right")) - 1)
        begin, end = int(rows.indptr[first]), int(rows.indptr[last])
        part = Adjacency(rows.indptr[first : last + 1] - begin, rows.indices[begin:end], width=rows.num_columns)
        taken += packed(part).neighbours.nbytes
        counted += end - begin
        if rows.weights is not None:
            narrow = max(narrow, narrowed(rows.weights[begin:end]).itemsize)
    return round(taken * (size / counted)), narrow * size


def chosen_form(record: Algorithm, graph: Graph, engine: str, gpu: Any, shares: Iterable[Share], weighted: bool) -> Any:
    """The name of the form that a run reads, and why, by the rules of the engine."""
    rows, on_gpu = graph.outgoing, engine != "cpu"
    # On a CPU, sums with weights read plain edges.
    if engine not in record.packed or (weighted and not on_gpu):
        why = f"{record.name} does not read packed edges there"
        if graph.is_packed:
            why += f"; the run unpacks them first, {_ON_GPU if on_gpu else 'and the graph keeps both forms'}"
        return PLAIN, why
    if not on_gpu:
        if isinstance(rows, PackedAdjacency) and rows.reads_packed:
            return PACKED, "the graph is packed; rows are unpacked while they are read"
        return PLAIN, "the graph is plain" if not graph.is_packed else "the edges are unpacked already"
    if gpu is None:
        return (PACKED, "the graph is packed") if graph.is_packed else (PLAIN, "the graph is plain")
    there = [share.what for share in shares if share.tier == "gpu" and share.role == "graph"]
    weights, parts = any(what.endswith("weights") for what in there), 1 + any(w.startswith("in-edges") for w in there)
    least = SCATTERED if record.scattered else 0.0
    reads, why = form_of_rows(gpu, rows, weights, parts, least, makes_room=False)
    if not reads and graph.is_packed:
        why += f"; the run unpacks the edges first, {_ON_GPU}"
    return PACKED if reads else PLAIN, why


def form_choice(plans: dict[str, Plan], forms: dict[str, Form], weights: bool, name: str, why: str) -> Choice:
    """The choice of a form, with what both would take; ``weights`` says that the run reads them."""
    said = []
    for form in (forms[name], forms[PLAIN if name == PACKED else PACKED]):
        size, expected = form.neighbours + (form.weights if weights else 0), plans[form.name].expected
        seconds = "" if expected is None else f" and {duration(expected.likely)}"
        said.append(f"{form.name} {human_bytes(size)}{seconds}")
    return Choice("form of edges", name, f"{why}; {', '.join(said)}")
