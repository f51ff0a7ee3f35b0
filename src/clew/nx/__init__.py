"""clew as a backend of NetworkX: ``nx.pagerank(G, backend="clew")``, or ``NETWORKX_BACKEND_PRIORITY=clew``.

Algorithms are in ``clew.algorithms``. Here are NetworkX's signatures, node names, orders and exceptions.
"""

from clew.nx.graph import ClewGraph
from clew.nx.interface import from_clew

__all__ = ["ClewGraph", "from_clew"]
