"""How functions are registered with NetworkX: unsupported arguments, and whether a conversion pays off."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from clew.errors import GraphError, ResourceError

# ruff: noqa: N803, NetworkX calls its graphs G

#: How often every function was answered by clew itself, and not by NetworkX after a refusal.
CALLS: Counter[str] = Counter()

#: Takes some of the function's arguments, by name, and says in a sentence why clew does not serve them, or None.
Refusal = Callable[..., str | None]
Function = TypeVar("Function", bound=Callable[..., Any])


class Terms:
    """The conditions for running a function."""

    def __init__(self, function: Callable[..., Any], refusals: tuple[Refusal, ...], quick: bool) -> None:
        self._signature = inspect.signature(function)
        self._refusals = tuple((refusal, tuple(inspect.signature(refusal).parameters)) for refusal in refusals)
        self.quick = quick

    def refusal(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
        """Why these arguments are not supported, or None."""
        if not self._refusals:
            return None
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            return f"{error}."
        bound.apply_defaults()
        reasons = (refusal(*(bound.arguments[name] for name in names)) for refusal, names in self._refusals)
        return next((reason for reason in reasons if reason), None)


def served(*refusals: Refusal, quick: bool = False) -> Callable[[Function], Function]:
    """Register a function with NetworkX, except for arguments that one of ``refusals`` rejects.

    ``quick`` marks functions that NetworkX computes from few edges: clew runs them only on a graph that is already
    converted. clew's errors about a graph or about memory become ``NotImplementedError``, so that NetworkX runs its own
    function.
    """

    def offer(function: Function) -> Function:
        @wraps(function)
        def answer(*args: Any, **kwargs: Any) -> Any:
            (args[0] if args else kwargs["G"]).begin_call()
            try:
                found = function(*args, **kwargs)
            except (GraphError, ResourceError) as error:
                raise NotImplementedError(f"clew does not support this graph: {error}") from error
            CALLS[function.__name__] += 1
            return found

        answer.terms = Terms(function, refusals, quick)  # type: ignore[attr-defined]
        return answer  # type: ignore[return-value]

    return offer


def weight_is_a_function(weight: Any) -> str | None:
    """Arrays hold the values of one attribute."""
    return "weight is a function; clew needs the name of an edge attribute." if callable(weight) else None


def weights_are_asked_for(weight: Any) -> str | None:
    """For algorithms that count edges."""
    return f"weight is {weight!r}; clew counts every edge as 1 in this function." if weight is not None else None


def graph_is_directed(G: Any) -> str | None:
    """For algorithms whose meaning on directed graphs differs."""
    return "the graph is directed; clew supports only undirected graphs here." if G.is_directed() else None


def graph_is_undirected(G: Any) -> str | None:
    """For algorithms about directions."""
    return None if G.is_directed() else "the graph is undirected; clew supports only directed graphs here."


def graph_has_parallel_edges(G: Any) -> str | None:
    """For algorithms that take neighbours once."""
    return "the graph is a multigraph; clew supports only simple graphs here." if G.is_multigraph() else None
