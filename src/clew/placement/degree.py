"""Degree: children of vertices with many edges, except those with many in-edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from clew import threads
from clew.build.rows import blocks_of
from clew.dtypes import as_bits
from clew.errors import GraphError
from clew.graph import Graph
from clew.placement.strategy import Strategy


@dataclass(frozen=True)
class Degree(Strategy):
    """Put children of vertices with many out-edges in fast memory, those with few in-edges first.

    A vertex with more out-edges needs more bandwidth while its children are visited. A child with many in-edges is
    visited often, and gains more from the lower latency of DRAM on the paper's machine.

    Parameters
    ----------
    out_degree
        Children of vertices with more out-edges than this are considered.
    cutoff_percentile
        Children are sorted by ascending in-degree (ties by descending id). The k-th of c children has percentile
        100 k / c, and is chosen if that is less than the cutoff.

    References
    ----------
    Q. Wu, S. Verma, A. M. Taft: "Graph placement optimization on a heterogeneous memory system", section III-A.
    """

    name: ClassVar[str] = "degree"
    out_degree: int
    cutoff_percentile: float

    def __post_init__(self) -> None:
        if self.out_degree < 0:
            raise GraphError(f"out_degree is {self.out_degree}; expected a number of edges, 0 or more.")
        if not 0 <= self.cutoff_percentile <= 100:
            raise GraphError(f"cutoff_percentile is {self.cutoff_percentile}; expected 0 to 100.")

    def choose(self, graph: Graph) -> npt.NDArray[np.bool_]:
        """The children that are chosen for at least one parent."""
        from clew.placement import kernels_rows as kernels

        fast = np.zeros(graph.num_vertices, dtype=np.bool_)
        bounds = blocks_of(graph.outgoing)
        threads.each(
            kernels.rarely_entered_children,
            bounds.size - 1,
            bounds,
            as_bits(graph.indptr),
            as_bits(graph.indices),
            np.minimum(graph.degrees("in"), 2**32 - 1).astype(np.uint32),  # half the bytes to look up in
            np.uint64(min(self.out_degree, graph.num_arcs)),  # nobody has more
            float(self.cutoff_percentile),
            fast,
        )
        return fast
