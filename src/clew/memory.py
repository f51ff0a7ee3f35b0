"""Where the edges of graphs are stored while a GPU processes them, and how much GPU memory they may use.

>>> import clew
>>> with clew.memory(edges="zero_copy"):
...     depth = clew.bfs(clew.generate.path(4), 0).depth
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from clew.checks import parse_bytes
from clew.errors import GraphError

#: What ``edges`` may be, and what it means.
MODES: dict[str, str] = {
    "auto": "as much as fits in GPU memory, the rest on the host",
    "device": "all in GPU memory, or an error",
    "managed": "pages move to GPU memory when they are touched",
    "managed+prefetch": "pages move to GPU memory before the run",
    "zero_copy": "all on the host, read over the link",
    "tiered": "fast rows of a placement in GPU memory, the rest on the host",
}
#: Modes that clew no longer has, and why.
REMOVED: dict[str, str] = {"stream": 'edges="stream" was removed, because reading edges in place is faster.'}


@dataclass(frozen=True)
class Policy:
    """A memory policy: active within ``with``, and in tasks and threads started there that copy the context."""

    edges: str = "auto"
    fast_memory: int | None = None
    packed: bool | Literal["auto"] = "auto"

    def __enter__(self) -> Policy:
        _entered.set((*_entered.get(), self))  # of this thread or task alone: others may enter the same policy
        return self

    def __exit__(self, *error: object) -> None:
        _entered.set(_entered.get()[:-1])


_entered: ContextVar[tuple[Policy, ...]] = ContextVar("clew_memory", default=(Policy(),))


def memory(
    edges: str = "auto", fast_memory: int | str | None = None, packed: bool | Literal["auto"] = "auto"
) -> Policy:
    """Set where the edges of graphs are stored for a GPU, for all calls within ``with clew.memory(...):``.

    Results are the same in every mode. The default mode is "auto".

    Parameters
    ----------
    edges
        "auto" puts what fits into GPU memory and leaves the rest on the host. It uses less if an allocation fails.
        "device": all in GPU memory, or a ResourceError. "managed": pages move to the GPU when they are touched.
        "managed+prefetch" moves them before. "zero_copy": the graph's own arrays on the host, read over the link.
        "tiered": the fast rows of a graph with a placement in GPU memory, and the others on the host. Without a
        placement, as much as fits is in GPU memory.
    fast_memory
        Bytes of GPU memory for edges, as a number or a text such as "8GiB". It covers neighbours and weights of both
        directions, of all graphs together. Memory goes to the first request; what does not fit stays on the host. The
        default is the free memory, less what algorithms need.
    packed
        Whether a GPU reads the neighbours of edges packed, which takes half the bytes of GPU memory and link or less.
        Searches, ``pagerank``, ``spmv``, vertex programs, and most other algorithms with kernels of their own can.
        Others ignore it and read plain edges. ``clew.explain`` names the form. "auto": edges of graphs that are packed
        (``Graph.packed``), and those of large graphs that do not fit in GPU memory. True: those of all graphs. The
        first call packs them.

    Examples
    --------
    >>> import clew
    >>> with clew.memory(edges="tiered", fast_memory="8GiB"):
    ...     ranks = clew.pagerank(clew.generate.star(4))
    """
    if edges in REMOVED:
        raise GraphError(REMOVED[edges], remedy='Use clew.memory(edges="tiered") or "auto".')
    if edges not in MODES:
        raise GraphError(f"edges is {edges!r}; expected one of {', '.join(map(repr, MODES))}.")
    if packed not in (True, False, "auto"):
        raise GraphError(f"packed is {packed!r}; expected True, False or 'auto'.")
    return Policy(edges, None if fast_memory is None else parse_bytes(fast_memory), packed)


def current() -> Policy:
    """The active policy."""
    return _entered.get()[-1]
