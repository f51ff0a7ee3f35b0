"""One Ray for the tests of this folder that need it, and four workers, which are there while a test uses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import clew


class SharedRay:
    """Ray on this machine, whose nodes a test may add and remove, and four workers that start when they are needed."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster as Nodes

        from clew.distributed import nodes

        # A node that is lost fails its checks at once, so the timeout concerns a busy machine only.
        checks = {"health_check_period_ms": 500, "health_check_timeout_ms": 10_000, "health_check_failure_threshold": 3}
        with nodes.without_services():
            self.nodes = Nodes(
                head_node_args={"num_cpus": 4, "num_gpus": 2, "_system_config": checks}, initialize_head=True
            )
        nodes.join(self.nodes.address)
        self._cluster: clew.distributed.Cluster | None = None

    @property
    def cluster(self) -> clew.distributed.Cluster:
        """The four workers; ``close`` ends them."""
        from clew.distributed.session import _current

        if self._cluster is None:
            self._cluster = clew.cluster(workers=4)
        elif self._cluster not in _current:
            _current.append(self._cluster)
            clew.io.on_cluster = self._cluster.read
        return self._cluster

    def pause(self) -> None:
        """Leave the workers running, and let ``clew.read`` read in this process."""
        from clew.distributed.session import _current

        _current.clear()
        clew.io.on_cluster = None

    def close(self) -> None:
        """End the workers, such as for a test that needs their cores."""
        if self._cluster is not None:
            self._cluster.close()
        self._cluster = None


def change_workers(cluster: clew.distributed.Cluster, **attributes: Any) -> None:
    """Set attributes of all workers."""

    def change(worker: Any) -> None:
        worker.__dict__.update(attributes)

    cluster._ray.get([actor.__ray_call__.remote(change) for actor in cluster._open().actors])


@pytest.fixture(scope="package")
def shared_ray() -> Iterator[SharedRay]:
    """Ray for all tests of this folder that one process runs."""
    pytest.importorskip("ray", reason="Ray is not installed")
    import ray

    shared = SharedRay()
    yield shared
    shared.close()
    ray.shutdown()
    shared.nodes.shutdown()


@pytest.fixture
def cluster(shared_ray: SharedRay) -> Iterator[clew.distributed.Cluster]:
    """Four workers, open."""
    yield shared_ray.cluster
    shared_ray.pause()
