"""clew as a backend of NetworkX: ``nx.pagerank(G, backend="clew")``, or ``NETWORKX_BACKEND_PRIORITY=clew``.

Algorithms stay in ``clew.algorithms``; here are NetworkX's signatures, names of nodes, orders and exceptions.
"""

from clew.nx.conversion import from_clew
from clew.nx.graph import ClewGraph

__all__ = ["ClewGraph", "from_clew"]
