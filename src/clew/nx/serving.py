"""How a function is offered to NetworkX: what it refuses, and whether it is worth a conversion."""

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
    """On which terms a function is served."""

    def __init__(self, function: Callable[..., Any], refusals: tuple[Refusal, ...], quick: bool) -> None:
        self._signature = inspect.signature(function)
        self._refusals = tuple((refusal, tuple(inspect.signature(refusal).parameters)) for refusal in refusals)
        self.quick = quick

    def refusal(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
        """Why these arguments are not served, or None."""
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
    """Offer a function to NetworkX, except for the arguments that one of ``refusals`` has a reason against.

    ``quick`` marks what NetworkX finds out without looking at most edges: such calls are only worth taking for a graph
    that is converted already. Errors of clew about a graph or about memory become ``NotImplementedError``, so
    that NetworkX runs its own function.
    """

    def offer(function: Function) -> Function:
        @wraps(function)
        def answer(*args: Any, **kwargs: Any) -> Any:
            (args[0] if args else kwargs["G"]).begin_call()
            try:
                found = function(*args, **kwargs)
            except (GraphError, ResourceError) as error:
                raise NotImplementedError(f"clew does not serve this graph: {error}") from error
            CALLS[function.__name__] += 1
            return found

        answer.terms = Terms(function, refusals, quick)  # type: ignore[attr-defined]
        return answer  # type: ignore[return-value]

    return offer


def weight_is_a_function(weight: Any) -> str | None:
    """Arrays hold the values of one attribute."""
    return "weight is a function; clew takes the name of an edge attribute." if callable(weight) else None


def weights_are_asked_for(weight: Any) -> str | None:
    """For algorithms that count edges."""
    return f"weight is {weight!r}; clew counts every edge as 1 here." if weight is not None else None


def graph_is_directed(G: Any) -> str | None:
    """For algorithms whose meaning on directed graphs differs."""
    return "the graph is directed; clew serves this for undirected graphs." if G.is_directed() else None


def graph_is_undirected(G: Any) -> str | None:
    """For algorithms about directions."""
    return None if G.is_directed() else "the graph is undirected; clew serves this for directed graphs."


def graph_has_parallel_edges(G: Any) -> str | None:
    """For algorithms that take neighbours once."""
    return "the graph is a multigraph; clew serves this for simple graphs." if G.is_multigraph() else None
