"""Where the edges of graphs are kept while a GPU works on them, and how much of its memory they may have.

>>> import clew
>>> with clew.memory(edges="zero_copy"):
...     depth = clew.bfs(clew.generate.path(4), 0).depth
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from clew.errors import GraphError

#: What ``edges`` may be, and what it means.
MODES: dict[str, str] = {
    "auto": "as much as fits in GPU memory, the rest on the host",
    "device": "all in GPU memory, or an error",
    "managed": "pages move to GPU memory when they are touched",
    "managed+prefetch": "pages move to GPU memory before the run",
    "zero_copy": "all on the host, read over the link",
    "tiered": "rows that a placement calls fast in GPU memory, the rest on the host",
}
#: Modes that clew no longer has, and why.
REMOVED: dict[str, str] = {
    "stream": 'edges="stream" was removed, because reading edges in place is faster.',
}


@dataclass(frozen=True)
class Policy:
    """What ``memory`` makes; in force within ``with``, and in tasks and threads started there that copy the context."""

    edges: str = "auto"
    fast_memory: int | None = None

    def __enter__(self) -> Policy:
        _entered.set((*_entered.get(), self))  # of this thread or task alone: others may enter the same policy
        return self

    def __exit__(self, *error: object) -> None:
        _entered.set(_entered.get()[:-1])


_entered: ContextVar[tuple[Policy, ...]] = ContextVar("clew_memory", default=(Policy(),))


def memory(edges: str = "auto", fast_memory: int | str | None = None) -> Policy:
    """Say where the edges of graphs are while a GPU works on them, for all calls within ``with clew.memory(...):``.

    Results are the same in every mode. Without it, "auto" is in force.

    Parameters
    ----------
    edges
        "auto" puts what fits into GPU memory, leaves the rest on the host, and takes less where an allocation fails.
        "device": all in GPU memory, or a ResourceError. "managed": in memory whose pages move to the GPU when they are
        touched; "managed+prefetch" moves them before. "zero_copy": the graph's own arrays on the host, read over the
        link. "tiered": of a graph with a placement, the fast rows in GPU memory and the others on the host; of others,
        as much as may be.
    fast_memory
        Bytes of GPU memory that edges may have, as a number or a text such as "8GiB": neighbours and weights of both
        directions, of all graphs together. Who asks first gets them; what does not fit stays
        on the host. By default what is free, less what algorithms need for themselves.

    Examples
    --------
    >>> import clew
    >>> with clew.memory(edges="tiered", fast_memory="8GiB"):
    ...     ranks = clew.pagerank(clew.generate.star(4))
    """
    if edges in REMOVED:
        raise GraphError(
            REMOVED[edges],
            remedy='Use clew.memory(edges="tiered") or "auto".',
            option="Use --edges tiered or auto.",
        )
    if edges not in MODES:
        raise GraphError(f"edges is {edges!r}; expected one of {', '.join(map(repr, MODES))}.")
    if fast_memory is None:
        return Policy(edges)
    from clew.placement.sizes import parse_bytes

    return Policy(edges, parse_bytes(fast_memory))


def current() -> Policy:
    """What is in force."""
    return _entered.get()[-1]
