"""Checks of arguments that several algorithms share."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clew.checks import one_of, whole
from clew.errors import GraphError
from clew.graph import Graph

#: How a GPU shares the edges of active vertices among threads.
Balance = Literal["auto", "thread", "warp", "block", "merge_path", "degree_cut"]
MOST_CUT = 128  # edges that one thread fetches to shared memory


def check_balance(balance: str, cut: int | None, *, on_gpu: bool = True) -> None:
    """Reject an unknown load balancing strategy, or one that does not apply here."""
    one_of("balance", balance, get_args(Balance))
    if cut is not None:
        whole("cut", cut, 1, MOST_CUT)
        if balance != "degree_cut":
            raise GraphError(
                f"cut is {cut} and balance is {balance!r}; cut applies to the degree cut only.",
                remedy='Use balance="degree_cut", or omit cut.',
                option="Use --balance degree_cut, or omit --cut.",
            )
    if balance != "auto" and not on_gpu:
        raise GraphError(
            f"balance is {balance!r}, which applies to GPUs only, and this search runs on the CPU.",
            remedy='Use device="cuda", or balance="auto".',
            option="Use --device cuda, or omit --balance.",
        )


def vertices_of(graph: Graph, sources: Any) -> npt.NDArray[np.int64]:
    """The ids of the named ``sources``, in the same order."""
    if isinstance(sources, (str, bytes)) or not hasattr(sources, "__iter__"):
        raise GraphError(f"sources is {sources!r}; expected several vertices, such as a list of names.")
    names = sources.tolist() if isinstance(sources, np.ndarray) else list(sources)
    if graph.names is not None:
        return graph.names.ids_of(names)
    return np.array([graph.vertex(name) for name in names], dtype=np.int64)
