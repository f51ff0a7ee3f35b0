"""The backend object for NetworkX: the supported functions, and whether they can and should run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import networkx as nx

from _clew_nx import FUNCTIONS
from clew.nx import conversion
from clew.nx.serving import Terms

MODULES = {name: module for module, names in FUNCTIONS.items() for name in names}


class Backend:
    """NetworkX's backend protocol; functions are attributes, imported on first use."""

    convert_from_nx = staticmethod(conversion.convert_from_nx)
    convert_to_nx = staticmethod(conversion.convert_to_nx)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in MODULES:
            raise AttributeError(f"clew does not serve {name!r}.")
        function: Callable[..., Any] = getattr(import_module(f"clew.nx.{MODULES[name]}"), name)
        setattr(self, name, function)
        return function

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or a sentence that says why clew cannot serve these arguments."""
        return self._terms(name).refusal(args, kwargs) or True

    def should_run(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
        """True, or a sentence that says why NetworkX is likely to be faster, conversion included."""
        graph = args[0] if args else kwargs.get("G")
        if not isinstance(graph, nx.Graph) or _is_converted(graph):
            return True
        if self._terms(name).quick:
            return "NetworkX answers this in less time than a conversion takes, and the graph is not converted yet."
        least, edges = nx.config.backends.clew.min_edges, graph.number_of_edges()
        if edges < least:
            return (
                f"the graph has {edges:,} edges; below {least:,} NetworkX is done before the graph is converted. "
                "Lower nx.config.backends.clew.min_edges to have clew run it."
            )
        return True

    def _terms(self, name: str) -> Terms:
        terms: Terms = getattr(self, name).terms
        return terms


def _is_converted(graph: nx.Graph[Any]) -> bool:
    cache = getattr(graph, "__networkx_cache__", None) or {}
    return bool(nx.config.cache_converted_graphs and cache.get("backends", {}).get("clew"))


backend = Backend()
