"""To and from what other libraries call a graph, as plain arrays: nothing here knows the class Graph."""

from clew.convert.arrow import column_roles, from_arrow, to_arrow, to_pandas
from clew.convert.edges import Edges, edges
from clew.convert.matrices import from_dense, from_scipy, to_scipy
from clew.convert.networkx import from_networkx, to_networkx

__all__ = [
    "Edges",
    "column_roles",
    "edges",
    "from_arrow",
    "from_dense",
    "from_networkx",
    "from_scipy",
    "to_arrow",
    "to_networkx",
    "to_pandas",
    "to_scipy",
]
