"""Products in a way that the user chooses, and from bits to bits, as users ask for them."""

from __future__ import annotations

import numpy as np
import pytest

import clew
from clew import GraphError, layouts
from clew.engines.cuda.products import spmv as spmv_module
from clew.engines.cuda.products.spmv import METHODS, SpmvMethod
from tests.engines.inputs import ENGINES, numbers, weighted

CHOICES = [*({"way": way} for way in METHODS), {"way": "rows", "lanes": 8}]


@pytest.fixture(scope="module")
def graph():
    """Very long rows, very short ones and empty ones."""
    return weighted(clew.generate.rmat(9, 8, seed=2), "float32")


@pytest.fixture
def ways_taken(monkeypatch):
    """What reaches the GPU's engine."""
    taken, real = [], spmv_module.spmv

    def spmv(*given):
        taken.append(given[-1])
        real(*given)

    monkeypatch.setattr(spmv_module, "spmv", spmv)
    return taken


@pytest.mark.parametrize("device", ["emulated", "hybrid-emulated"])
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_any_way_gives_the_same(graph, choice, device, ways_taken):
    x = numbers(np.random.default_rng(1), "float32", graph.num_vertices)
    found = clew.spmv(graph, x, **choice, device=device)
    np.testing.assert_array_equal(found, clew.spmv(graph, x, device="cpu"))
    assert ways_taken == [SpmvMethod(choice["way"], choice.get("lanes"))]


def test_named_forms_take_ways_too(graph):
    x = numbers(np.random.default_rng(1), "float32", graph.num_vertices)
    found = clew.min_plus(graph, x, way="tiles", transpose=True, device="emulated")
    np.testing.assert_array_equal(found, clew.min_plus(graph, x, transpose=True, device="cpu"))
    found = clew.spvisit(graph, x > 3, way="rows", lanes=2, mask=x > 0, device="emulated")
    np.testing.assert_array_equal(found, clew.spvisit(graph, x > 3, mask=x > 0, device="cpu"))


@pytest.mark.parametrize("device", ["cpu", "reference", "auto"])
@pytest.mark.parametrize("choice", CHOICES[1:], ids=str)
def test_the_cpu_has_one_way(choice, device):
    with pytest.raises(GraphError, match=r'which only a GPU supports.* on the CPU.*device="cuda" or way="auto"'):
        clew.spmv(clew.generate.path(3), np.ones(3), **choice, device=device)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"way": "scenic"}, "way is 'scenic'; expected one of 'auto', 'rows', 'tiles', 'sweep'"),
        ({"way": "hot"}, 'way="hot" was removed.*Use way="sweep"'),
        ({"way": "rows", "lanes": 3}, "lanes is 3 and way is 'rows'; expected one of 1, 2, 4, 8, 16, 32 lanes"),
        ({"way": "tiles", "lanes": 8}, "lanes is 8 and way is 'tiles'"),
        ({"lanes": 8}, "lanes is 8 and way is 'auto'"),
    ],
)
@pytest.mark.parametrize("device", ENGINES)
def test_ways_that_there_are_not(choice, message, device):
    with pytest.raises(GraphError, match=message):
        clew.spmv(clew.generate.path(3), np.ones(3), **choice, device=device)


def test_ways_lead_through_rows():
    for layout in (layouts.coo(clew.generate.path(3)), layouts.ell(clew.generate.path(3))):
        with pytest.raises(GraphError, match=r"compressed rows, and the edges are a (COO|ELL).*clew\.layouts\.csr"):
            clew.spmv(layout, np.ones(3), way="tiles", device="emulated")


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 257])
@pytest.mark.parametrize("device", [*ENGINES, "hybrid-emulated"])
def test_bits(size, device):
    rng = np.random.default_rng(size)
    source, target = rng.integers(0, max(size, 1), (2, 3 * size))
    graph = clew.Graph.from_edges(source, target, np.zeros(3 * size) if size % 2 else None, size)
    x, mask = rng.random((2, size)) < 0.4
    plain = "cpu" if device == "hybrid-emulated" else device  # which serves products only
    words = clew.pack_bits(x, device=plain)
    assert words.dtype == np.uint32
    expected_words = [sum(1 << k for k in np.flatnonzero(x[at : at + 32]).tolist()) for at in range(0, size, 32)]
    np.testing.assert_array_equal(words, np.array(expected_words, np.uint32))
    np.testing.assert_array_equal(clew.unpack_bits(words, size, device=plain), x)
    for options in ({}, {"transpose": True}, {"mask": mask}, {"mask": mask, "complement": True}):
        for edges in (graph, layouts.coo(graph)):
            found = clew.spvisit(edges, words, bits=True, **options, device=device)
            assert found.dtype == np.uint32
            expected = clew.spvisit(graph, x, **options, device="reference")
            np.testing.assert_array_equal(clew.unpack_bits(found, size, device=plain), expected)


@pytest.mark.parametrize("device", ENGINES)
def test_what_is_no_bit_vector(device):
    path = clew.generate.path(40)
    for words in (np.ones(40, np.bool_), np.ones(1, np.uint32), np.ones(2, np.int64), np.ones((2, 1), np.uint32)):
        with pytest.raises(GraphError, match=r"the bit vector is .*expected 2 words of uint32, for 40 bits.*pack_bits"):
            clew.spvisit(path, words, bits=True, device=device)
    with pytest.raises(GraphError, match="bits=True does not support lanes or way"):
        clew.spvisit(path, clew.pack_bits(np.ones(40, np.bool_)), bits=True, way="rows", lanes=2, device=device)
    with pytest.raises(GraphError, match="the mask is float64"):
        clew.pack_bits(np.ones(40), device=device)
