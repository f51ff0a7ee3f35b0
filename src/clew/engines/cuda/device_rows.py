"""DeviceRows: compressed rows on a device, and what was computed from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from clew.engines.cuda.device import index_defines
from clew.engines.cuda.edge_memory import EdgePlan
from clew.engines.cuda.pairs import WORD, WORD_BITS
from clew.engines.cuda.source import ctype

Fact = TypeVar("Fact")


@dataclass(frozen=True, eq=False)
class DeviceRows:
    """Compressed rows on a device: offsets in 32 bits where the arcs can be counted so.

    ``plan`` says in which memory the neighbours and weights are; None for rows made on the device, which are there.
    With ``pairs``, each neighbour is stored next to its weight, and the other two arrays are views of it with gaps.
    Only kernels that support pairs can take such rows.
    """

    offsets: Any
    neighbours: Any
    weights: Any
    num_vertices: int
    num_arcs: int
    plan: EdgePlan | None = None
    pairs: Any = None
    #: Products that are ready to be started, by arithmetic and way (products.py).
    ready: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    #: What ``once`` computed: degrees, tiles, layouts. Values must not hold the rows.
    facts: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, name: str, compute: Callable[[], Fact]) -> Fact:
        """What ``compute`` returned at the first call with this name; it is freed with the rows."""
        if name not in self.facts:
            self.facts[name] = compute()
        found: Fact = self.facts[name]
        return found

    @cached_property
    def paired(self) -> bool:
        """Whether neighbours and weights are in pairs."""
        return self.pairs is not None

    @property
    def edges(self) -> tuple[Any, Any]:
        """Neighbours and weights for kernels that support pairs, which take those in the place of neighbours."""
        return (self.pairs.view(self.neighbours.dtype), None) if self.paired else (self.neighbours, self.weights)

    def weights_of(self, begin: int, end: int) -> Any:
        """The weights of some edges without gaps; of pairs, a copy, read in whole pairs, which CuPy is faster at."""
        if not self.paired:
            return self.weights[begin:end]
        return (self.pairs[begin:end] >> WORD_BITS).astype(WORD).view(self.weights.dtype)

    @cached_property
    def defines(self) -> dict[str, str]:
        """The macros of kernels that run over these rows; ``weight_t`` and WEIGHTED say what the weights are."""
        macros = index_defines(np.dtype(self.neighbours.dtype), self.num_arcs)
        weight = "float" if self.weights is None else ctype(self.weights.dtype)
        return {**macros, "weight_t": weight, "WEIGHTED": str(int(self.weights is not None))}

    @cached_property
    def in_device_memory(self) -> bool:
        """Whether all edges are in device memory, and a second copy of them may be there as well."""
        return self.plan is None or (self.plan.mode == "device" and self.plan.copies)

    @cached_property
    def in_two_memories(self) -> bool:
        """Whether some edges are on the host and some in device memory."""
        return self.plan is not None and self.plan.mode == "tiered"

    @cached_property
    def on_host(self) -> bool:
        """Whether kernels read edges, or some of them, over the link."""
        return self.plan is not None and self.plan.mode in ("zero_copy", "tiered")
