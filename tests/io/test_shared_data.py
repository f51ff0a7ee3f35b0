"""Every real graph beside the project is read, with the counts its README gives, or refused as it should be."""

from __future__ import annotations

import re

import pytest

import clew
from tests.conftest import SHARED
from tests.io.fuzzing import assert_valid

#: vertices, edges, directed; from the folder's README and the files' own headers
KNOWN = {
    "snap/soc-Slashdot0902.txt.gz": (82_168, 948_464, True),
    "snap/web-NotreDame.txt.gz": (325_729, 1_497_134, True),
    "snap/soc-Epinions1.txt.gz": (75_879, 508_837, True),
    "snap/wiki-Vote.txt.gz": (7_115, 103_689, True),
    "snap/facebook_combined.txt.gz": (4_039, 88_234, True),
    "snap/email-Enron.txt.gz": (36_692, 367_662, True),
    "snap/p2p-Gnutella31.txt.gz": (62_586, 147_892, True),
    "roads/roadtokyo.npz": (2_064_578, 2_367_047, False),
    "roads/road-losangeles-lcc.gr.gz": (431_273, 982_318, True),
    "roads/rome99.gr.gz": (3_353, 8_870, True),
    "roads/luxembourg_osm.mtx.gz": (114_599, 119_666, True),
    "ldbc_p2p31/p2p-31.e.gz": (62_586, 147_892, True),
    "ldbc_p2p31/p2p-31.v.gz": (62_586, 147_892, True),
    "gapbs/4.el": (14, 256, True),
    "gapbs/4.wel": (14, 256, True),
    "gapbs/4.gr": (14, 256, True),
    "gapbs/4.mtx": (14, 256, True),
    "gapbs/4w.mtx": (14, 256, True),
    "gapbs/4.graph": (14, 53, True),
    "gapbs/4w.graph": (14, 53, True),
    "ligra/rMatGraph_J_5_100": (128, 708, True),
    "ligra/rMatGraph_WJ_5_100": (128, 708, True),
    "edgelists/foodweb-baydry.konect": (128, 2_137, True),
    "metis/4elt.graph.gz": (15_606, 45_878, False),
    "metis/celegans_metabolic.graph": (453, 2_025, False),
    "metis/example_weighted.graph": (132, 328, False),
    "metis/lesmis.graph": (77, 254, False),
    "metis/power.graph": (4_941, 6_594, False),
    "metis/test.mgraph": (766, 1_314, False),
    "metis/tiny_01.graph": (7, 11, False),
    "metis/tiny_02.graph": (7, 11, False),
    "metis/tiny_03.graph": (7, 11, False),
}
#: answers to algorithms, not graphs
ANSWERS = re.compile(r"-(BFS|CDLP|LCC|PR|SSSP|WCC)(-directed)?(\.gz)?$")
NOT_GRAPHS = {"README.md"}


def paths() -> list[str]:
    if not SHARED.is_dir():
        return []
    found = (str(path.relative_to(SHARED)) for path in SHARED.rglob("*") if path.is_file())
    return sorted(name for name in found if name not in NOT_GRAPHS and not ANSWERS.search(name))


@pytest.mark.parametrize("name", paths() or [pytest.param("", marks=pytest.mark.skip("no ../shared/data here"))])
def test_every_file_is_read_or_refused(name):
    path = SHARED / name
    if path.name.startswith("mangled"):
        with pytest.raises(clew.FormatError, match=re.escape(path.name)):
            clew.read(path)
        return
    graph = clew.read(path)
    if graph.num_arcs < 100_000:
        assert_valid(graph)
    if name in KNOWN:
        assert (graph.num_vertices, graph.num_edges, graph.directed) == KNOWN[name]
    if path.suffix == ".properties":
        text = path.read_text()
        for what, count in (("vertices", graph.num_vertices), ("edges", graph.num_edges)):
            assert re.search(rf"meta\.{what} = {count}\n", text)


def test_every_known_graph_is_there(shared_data):
    assert set(KNOWN) <= set(paths())


def test_self_loops_and_undirected_readings(shared_data):
    assert clew.read(shared_data / "snap/soc-Slashdot0902.txt.gz").num_loops == 78_303
    facebook = clew.read(shared_data / "snap/facebook_combined.txt.gz", directed=False)
    assert (facebook.num_edges, facebook.num_arcs) == (88_234, 176_468)
    enron = clew.read(shared_data / "snap/email-Enron.txt.gz").symmetrized()
    assert enron.num_edges == 183_831


def test_names_are_those_of_the_file(shared_data):
    votes = clew.read(shared_data / "snap/wiki-Vote.txt.gz")
    assert votes.names.array[-1].as_py() == 8_297
    assert votes.neighbors(30) == sorted(votes.neighbors(30))
