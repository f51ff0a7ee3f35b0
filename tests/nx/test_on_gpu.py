"""The backend with a GPU behind it, emulated: that answers come back to the host, in NetworkX's shapes."""

from __future__ import annotations

import networkx as nx
import pytest

from clew.engines import choice
from clew.engines.cuda.emulation.device import the_emulation
from clew.engines.cuda.toolchain import cuda_device
from tests.nx.test_answers import DIRECTED, FROM_A_NODE, UNDIRECTED, WHOLE, compare

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions:UserWarning")


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """What device="auto" finds for graphs of any size; whether it was asked."""
    asked = []

    def the_device():
        asked.append(True)
        return the_emulation()

    monkeypatch.setattr(choice, "WORTH_A_GPU", 0)
    monkeypatch.setattr(choice, "_has_gpu", lambda: True)
    monkeypatch.setattr(cuda_device, "the_device", the_device)
    return asked


def test_undirected_graphs(device):
    graph = nx.gnm_random_graph(40, 90, seed=3)
    for name, shape in (WHOLE | UNDIRECTED).items():
        compare(graph, name, shape)
    assert len(device) > 10


def test_directed_graphs(device):
    graph = nx.gnp_random_graph(30, 0.08, seed=1, directed=True)
    for name, shape in DIRECTED.items():
        compare(graph, name, shape)
    assert len(device) == 8  # the others have no kernels of their own


def test_from_a_node(device):
    graph = nx.gnm_random_graph(40, 90, seed=3)
    nx.set_edge_attributes(graph, {edge: 1 + sum(edge) % 7 for edge in graph.edges}, "weight")
    for name, shape in FROM_A_NODE.items():
        compare(graph, name, shape, 0)
    assert len(device) == 2  # by weight; searches without weights go in NetworkX's order, one vertex after the other
