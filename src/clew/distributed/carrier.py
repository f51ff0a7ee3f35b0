"""RayCarrier: messages between workers by calls of their actors, where they cannot connect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class RayCarrier:
    """Messages between workers as calls of their actors; Ray puts large ones into its object store."""

    def __init__(self, workers: Sequence[Any]) -> None:
        self._workers = workers

    def send(self, peer: int, *message: Any) -> Any:
        """Call ``deliver`` of a worker."""
        return self._workers[peer].deliver.remote(*message)

    def delivered(self, receipt: Any) -> bool | None:
        """Whether the call returned; None while it has not."""
        import ray

        if not ray.wait([receipt], timeout=0)[0]:
            return None
        try:
            ray.get(receipt)
        except ray.exceptions.RayError:
            return False
        return True
