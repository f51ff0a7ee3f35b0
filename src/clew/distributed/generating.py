"""Generators on a cluster: every worker draws its share of the edges, the same ones as on one machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from clew import generate
from clew.distributed.locality import by_locality
from clew.distributed.room import PAIR
from clew.engines.cluster.edges import EdgeExchange
from clew.engines.cluster.hubs import LEAST, partition_by_degree
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import Share, share_of
from clew.errors import GraphError
from clew.generate.drawn import Drawn, postponed

if TYPE_CHECKING:
    from clew.distributed.graph import ClusterGraph
    from clew.distributed.session import Cluster

BLOCK = 1 << 20  # edges that are drawn at once


class Generators:
    """The functions of ``clew.generate``, whose graphs are on the workers: ``cluster.generate.kronecker(24)``.

    Workers draw the edges of ``kronecker``, ``rmat``, ``uniform``, ``barabasi_albert``, ``path``, ``cycle`` and
    ``star`` themselves. This process builds the other graphs and spreads them.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __getattr__(self, name: str) -> Callable[..., ClusterGraph]:
        if name not in generate.__all__:
            raise AttributeError(f"there is no generator {name!r}; expected one of {', '.join(generate.__all__)}.")
        return partial(self._generate, name)

    def __dir__(self) -> list[str]:
        return list(generate.__all__)

    def _generate(self, name: str, *args: Any, **options: Any) -> ClusterGraph:
        found = _called(name, args, options)  # refuses wrong arguments here, and draws nothing yet
        if isinstance(found, Drawn):
            if found.packed:
                raise GraphError("graphs on a cluster are not packed.", remedy="Remove packed=True.")
            nbytes = found.num_edges * PAIR * (1 if found.directed else 2)
            self._cluster.check_room(nbytes, f"the edges of {name}")
            return self._cluster.build_by("generate", name, args, options)
        return self._cluster.spread(found)


def generated_share(member: Member, name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Share:
    """Take part in drawing the edges of a graph; returns this member's share."""
    drawn = _called(name, args, options)
    first, stop = (drawn.num_edges * rank // member.size for rank in (member.rank, member.rank + 1))
    some = drawn.draw(first, min(LEAST, stop - first))
    partition = partition_by_degree(member, drawn.num_vertices, *some, both=not drawn.directed)
    exchange = EdgeExchange(member, partition, symmetrize=not drawn.directed, drop_loops=drawn.loops == "drop")
    for start in range(first, stop, BLOCK):
        source, target = drawn.draw(start, min(BLOCK, stop - start))
        exchange.add(source, target, None)
    return by_locality(share_of(exchange, None, directed=drawn.directed, duplicates=drawn.duplicates))


def _called(name: str, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
    with postponed():
        return getattr(generate, name)(*args, **options)
