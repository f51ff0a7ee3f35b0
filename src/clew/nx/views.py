"""Views of NetworkX graphs: their rows as plain dicts, and conversions that are kept until the graph below changes.

NetworkX's own filters, which ``G.subgraph`` and ``G.edge_subgraph`` use, do not change. A filter that is a function of
the user may answer differently at the next call. So it is asked about every node or edge, and a conversion is kept
together with the answers.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import networkx as nx
from networkx.classes.coreviews import FilterAdjacency
from networkx.classes.filters import no_filter

from clew.nx.dicts import Dicts

#: The key of a mark among what NetworkX caches with a graph. NetworkX removes it when the graph is changed.
MARK = "clew views"


def is_view(graph: nx.Graph[Any]) -> bool:
    """Whether a graph shows the edges of another one."""
    return hasattr(graph, "_graph")


def below(view: nx.Graph[Any]) -> nx.Graph[Any]:
    """The graph whose edges a view shows, through any number of other views."""
    while hasattr(view, "_graph"):
        view = view._graph
    return view


def _changes(filter_: Any) -> bool:
    """Whether a filter is not NetworkX's own."""
    return bool(getattr(filter_, "__module__", None) != no_filter.__module__)


def _answers(rows: Any, *, multigraph: bool) -> bytes:
    """What the filters of the user say about all nodes and edges; empty where there are none."""
    if not isinstance(rows, FilterAdjacency):
        return b""
    inner = _answers(rows._atlas, multigraph=multigraph)
    if _changes(rows.NODE_OK):
        inner += bytes(map(bool, map(rows.NODE_OK, rows._atlas)))
    if not _changes(rows.EDGE_OK):
        return inner
    shown, edge_ok = dict.fromkeys(rows), rows.EDGE_OK
    parts = [inner]
    for u in shown:
        row = rows._atlas[u]
        near = [v for v in row if v in shown]
        if multigraph:
            parts += (bytes(map(bool, map(edge_ok, repeat(u), repeat(v), row[v]))) for v in near)
        else:
            parts.append(bytes(map(bool, map(edge_ok, repeat(u), near))))
    return b"".join(parts)


def is_converted(view: nx.Graph[Any]) -> bool:
    """Whether a view keeps a conversion; the filters of the user are not asked again."""
    mark, _, kept = view.__dict__.get(MARK, (None, b"", {}))
    return bool(kept) and mark is (getattr(below(view), "__networkx_cache__", None) or {}).get(MARK)


def kept_conversions(view: nx.Graph[Any]) -> dict[Any, Any] | None:
    """The conversions that a view keeps, until it shows other edges; None if it may keep none."""
    cache = getattr(below(view), "__networkx_cache__", None)
    if cache is None or not nx.config.cache_converted_graphs or not is_plain(view._adj):
        return None
    state = cache.setdefault(MARK, object()), _answers(view._adj, multigraph=view.is_multigraph())
    kept = view.__dict__.get(MARK)
    if kept is None or kept[:2] != state:
        kept = view.__dict__[MARK] = (*state, {})
    found: dict[Any, Any] = kept[2]
    return found


def is_plain(rows: Any) -> bool:
    """Whether rows are dicts, or filters of dicts."""
    while isinstance(rows, FilterAdjacency):
        rows = rows._atlas
    return type(rows) is dict


def plain_rows(rows: Any, *, multigraph: bool) -> Dicts:
    """Rows as dicts in NetworkX's order, which share the dicts of edge attributes; filters are asked once per node."""
    if not isinstance(rows, FilterAdjacency):
        return rows  # type: ignore[no-any-return]
    whole, edge_ok = plain_rows(rows._atlas, multigraph=multigraph), rows.EDGE_OK
    order = list(rows)
    shown = set(order)
    if multigraph:
        chosen = getattr(rows.NODE_OK, "nodes", None)
        return {u: _multiple(whole[u], u, shown, chosen, edge_ok) for u in order}
    if edge_ok is no_filter:
        return {u: {v: data for v, data in whole[u].items() if v in shown} for u in order}
    return {u: {v: data for v, data in whole[u].items() if v in shown and edge_ok(u, v)} for u in order}


def _multiple(row: Any, u: Any, shown: set[Any], chosen: set[Any] | None, edge_ok: Any) -> dict[Any, dict[Any, Any]]:
    """A row of a multigraph. NetworkX lists neighbours in the order of the chosen nodes where these are few."""
    few = chosen is not None and 2 * len(chosen) < len(row)
    edges = ((v, row[v]) for v in chosen if v in row) if few and chosen is not None else row.items()
    parts = ((v, {key: data for key, data in keys.items() if edge_ok(u, v, key)}) for v, keys in edges if v in shown)
    return {v: keys for v, keys in parts if keys}
