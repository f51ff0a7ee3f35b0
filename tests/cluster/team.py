"""Members of a run as threads of one process, connected by socket pairs: the cluster engine without a cluster."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

import clew
from clew.algorithms.registry import ALGORITHMS
from clew.engines.cluster.member import Member
from clew.engines.cluster.owned import OwnedFact, joined
from clew.engines.cluster.share import Share, build_share
from clew.engines.cluster.transport import Sockets
from clew.errors import ClusterError
from clew.names import VertexNames

Item = TypeVar("Item")


def mesh(members: int) -> list[Sockets]:
    """Transports in which everybody is connected with everybody."""
    sockets: list[dict[int, socket.socket]] = [{} for _ in range(members)]
    for one in range(members):
        for other in range(one):
            sockets[one][other], sockets[other][one] = socket.socketpair()
    return [Sockets(rank, mine) for rank, mine in enumerate(sockets)]


def together(work: Callable[[Item], Any], members: Sequence[Item]) -> list[Any]:
    """``[work(member), …]``, all at once; the first error is raised. Transports are closed at the end."""
    try:
        with ThreadPoolExecutor(len(members)) as pool:
            return [done.result(timeout=300) for done in [pool.submit(work, member) for member in members]]
    finally:
        for member in members:
            if isinstance(member, Sockets):
                member.close()


def on_team(
    members: int,
    graph: clew.Graph,
    name: str,
    options: dict[str, Any],
    layout: Callable[[Share], Share] = lambda share: share,
) -> clew.Result:
    """The result of an algorithm that members run together, gathered; an error of any member is raised.

    ``layout`` may place the vertices in another way.
    """
    return run_on_team(members, graph, lambda share: ALGORITHMS[name].function(share, **options), layout)


def run_on_team(
    members: int,
    graph: clew.Graph,
    run: Callable[[Any], clew.Result],
    layout: Callable[[Share], Share] = lambda share: share,
) -> clew.Result:
    """The same of any function of a share."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    cuts = np.linspace(0, source.size, members + 1).astype(int)

    def work(transport: Sockets) -> tuple[np.ndarray, clew.Result] | Exception:
        mine = slice(cuts[transport.rank], cuts[transport.rank + 1])
        weights = None if graph.weights is None else graph.weights[mine]
        try:
            share = build_share(
                Member(transport),
                source[mine],
                graph.indices[mine].astype(np.int64),
                weights,
                graph.num_vertices,
                directed=graph.directed,
            )
            share = layout(share)
            if graph.names is not None:
                share = share.with_names(VertexNames(graph.names.take(share.ids)))
            result = run(share)
            return share.ids if result.rows is None else result.rows.numbers, result
        except Exception as error:
            transport.close()
            return error

    done = together(work, mesh(members))
    errors = sorted((each for each in done if isinstance(each, Exception)), key=lambda e: isinstance(e, ClusterError))
    if errors:
        raise errors[0]
    values = {}
    for column, first in done[0][1].values.items():
        size = graph.num_vertices if done[0][1].rows is None else done[0][1].rows.size
        values[column] = np.empty((size, *first.shape[1:]), first.dtype)
        for ids, result in done:
            values[column][ids] = result.values[column]
    one = done[0][1]
    facts, unreached = dict(one.facts), one.unreached
    for name, fact in facts.items():
        if isinstance(fact, OwnedFact):
            facts[name] = joined([(result.facts[name].keys, result.facts[name].values) for _, result in done])
    return clew.Result(
        one.algorithm, values, facts=facts, unreached=unreached, iterations=one.iterations, trace=one.trace
    )
