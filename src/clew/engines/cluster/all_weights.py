"""AllWeights: facts about the weights of a whole graph, of which no process has all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew.errors import GraphError

if TYPE_CHECKING:
    from clew.engines.cluster.share import Share


class AllWeights:
    """Facts about the weights of all members; every method is collective."""

    def __init__(self, share: Share) -> None:
        assert share._out.weights is not None
        self._member, self._own = share.member, share._out.weights
        self.dtype, self.size = self._own.dtype, share.num_arcs

    def min(self, initial: Any = None) -> Any:
        """The smallest weight."""
        return self._extreme(np.minimum, initial)

    def max(self, initial: Any = None) -> Any:
        """The largest weight."""
        return self._extreme(np.maximum, initial)

    def sum(self) -> Any:
        """The sum of all weights."""
        return self._member.all_reduce(self._own.sum(), np.add)

    def mean(self) -> Any:
        """The mean weight."""
        return self.sum() / self.size

    def _extreme(self, choose: Any, initial: Any) -> Any:
        own = choose.reduce(self._own, keepdims=True) if self._own.size else self._own
        parts = np.concatenate(self._member.all_gather("all", own))
        return choose.reduce(parts, **({} if initial is None else {"initial": initial}))

    def __getattr__(self, name: str) -> Any:
        raise GraphError(
            f"a program on a cluster reads graph.weights.{name}, and no process has all weights; min, max, sum and "
            "mean are available."
        )
