"""Graphs on more than one machine: ``clew.cluster`` starts or joins a Ray cluster, whose workers hold graphs together.

Ray places, starts and watches the workers. They run the cluster engine (``clew.engines.cluster``) and exchange vectors
over their own connections; no Ray call happens inside an algorithm.
"""

from clew.distributed.session import Cluster, cluster

__all__ = ["Cluster", "cluster"]
