from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.io import ldbc
from clew.io.ldbc import Files, KnownIds, Properties, read_properties
from clew.io.options import ReadOptions
from clew.io.source import Match, Source
from tests.conftest import SHARED
from tests.io.fuzzing import CASES, assert_valid, damaged, each_case
from tests.io.graphs import graphs, small

VERTICES = b"1\n5\n9000000000000000000\n7\n"
EDGES = b"1 5 0.5\n5 7 2\n9000000000000000000 1 1e3\n"
PROPERTIES = b"""# a graph
graph.g.vertex-file = g.v
graph.g.edge-file = g.e
graph.g.meta.vertices = 4
graph.g.meta.edges = 3
graph.g.directed = true
graph.g.edge-properties.names = weight
graph.g.edge-properties.types = real
graph.g.bfs.source-vertex = 1
graph.g.algorithms: bfs, sssp
"""
NAMES = [path.stem for path in sorted(SHARED.glob("ldbc/*.properties"))] or ["example-directed"]


def put(folder: Path, **files: bytes) -> Path:
    """Write g.v, g.e and g.properties, as far as they are given, and return the path of g.e."""
    for suffix, data in files.items():
        (folder / f"g.{suffix}").write_bytes(data)
    return folder / "g.e"


def message(path: Path, **options: Any) -> str:
    with pytest.raises(clew.FormatError) as caught:
        clew.read(path, format="ldbc", **options)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path, v=VERTICES, e=EDGES, properties=PROPERTIES)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_real_graphs(shared_data: Path, name: str) -> None:
    text = (shared_data / "ldbc" / f"{name}.properties").read_text()
    said = dict(re.findall(rf"^graph\.{name}\.(\S+) = (.*)$", text, re.MULTILINE))
    graph = clew.read(shared_data / "ldbc" / f"{name}.e")
    assert graph.num_vertices == int(said["meta.vertices"])
    assert graph.num_edges == int(said["meta.edges"])
    assert graph.directed == (said["directed"] == "true")
    assert graph.weighted == ("edge-properties.names" in said)
    assert graph.metadata["ldbc"] == {
        key: value for key, value in said.items() if not re.match("meta|directed|edge-|vertex-", key)
    }
    for suffix in (".v", ".properties"):
        assert clew.read(shared_data / "ldbc" / f"{name}{suffix}") == graph


def test_a_large_real_graph(shared_data: Path) -> None:
    folder = shared_data / "ldbc_p2p31"
    graph = clew.read(folder / "p2p-31.e.gz")
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (62_586, 147_892, True)
    assert graph.weights is not None
    assert graph.weights.dtype == np.int64
    assert graph.weights[graph.indptr[graph.vertex(1)]] == 8
    assert clew.read(folder / "p2p-31.v.gz") == graph
    undirected = clew.read(folder / "p2p-31.e.gz", directed=False)
    assert (undirected.num_edges, undirected.directed) == (147_892, False)


def test_names_are_ids_in_ascending_order(folder: Path) -> None:
    graph = clew.read(folder / "g.e")
    assert graph.names is not None
    assert graph.names.array.to_pylist() == [1, 5, 7, 9 * 10**18]
    assert graph.neighbors(5) == [7]
    assert graph.weights is not None
    assert graph.weights.tolist() == [0.5, 2, 1000]
    assert graph.metadata["ldbc"] == {"bfs.source-vertex": "1", "algorithms": "bfs, sssp"}


def test_ids_that_are_numbers_of_vertices_need_no_names(tmp_path: Path) -> None:
    path = put(tmp_path, v=b"2\n0\n1\n", e=b"0 2\n")
    assert clew.read(path) == clew.Graph.from_edges([0], [2])


@pytest.mark.parametrize(("directed", "word"), [(True, b"true"), (False, b"FALSE")])
def test_direction(folder: Path, directed: bool, word: bytes) -> None:
    path = put(folder, properties=PROPERTIES.replace(b"= true", b"= " + word))
    graph = clew.read(path)
    assert (graph.directed, graph.num_edges) == (directed, 3)
    other = clew.read(path, directed=not directed)
    # An undirected edge read as directed is two; a directed one read as undirected stays one.
    assert (other.directed, other.num_edges) == (not directed, 3 if directed else 6)


@pytest.mark.parametrize("ending", [b"\r\n", b"\r", b"\n\n", b" \n", b"\n# comment\n"])
def test_line_ends_and_blanks_change_nothing(folder: Path, ending: bytes) -> None:
    graph = clew.read(folder / "g.e")
    put(folder, v=VERTICES.replace(b"\n", ending), e=EDGES.replace(b"\n", ending))
    put(folder, properties=PROPERTIES.replace(b"\n", ending))
    assert clew.read(folder / "g.e") == graph
    put(folder, v=VERTICES[:-1], e=EDGES[:-1].replace(b" ", b"\t "), properties=PROPERTIES[:-1])
    assert clew.read(folder / "g.e") == graph
    put(folder, e=EDGES.replace(b" ", b" | "))
    assert clew.read(folder / "g.e") == graph


def test_without_properties(tmp_path: Path) -> None:
    path = put(tmp_path, v=b"3|x\n4|y z\n", e=b"3|4|7\n")
    graph = clew.read(path)
    assert (graph.directed, graph.num_edges, dict(graph.metadata)) == (True, 1, {})
    assert graph.weights is not None
    assert (graph.weights.dtype, graph.weights.tolist()) == (np.int64, [7])
    assert not clew.read(put(tmp_path, e=b"3|4\n")).weighted


def test_files_are_found_compressed_and_by_the_names_in_the_properties(folder: Path) -> None:
    graph = clew.read(folder / "g.e")
    (folder / "g.v.gz").write_bytes(gzip.compress(VERTICES, mtime=0))
    (folder / "g.v").unlink()
    assert clew.read(folder / "g.e") == graph
    (folder / "g.e").rename(folder / "other.edges")
    put(folder, properties=PROPERTIES.replace(b"= g.e", b"= somewhere/other.edges"))
    assert clew.read(folder / "g.properties") == graph
    (folder / "other.edges").unlink()
    assert "there is no 'g.e' in its folder" in message(folder / "g.properties")


def test_choice_of_weights(tmp_path: Path) -> None:
    described = b"graph.g.directed = true\ngraph.g.edge-properties.names = since, cost\n"
    path = put(tmp_path, v=b"1\n2\n", e=b"1 2 1999-12-31 7\n", properties=described)
    assert "the since is '1999-12-31'; expected a number" in message(path)
    assert clew.read(path, weight="cost").weights.tolist() == [7]  # type: ignore[union-attr]
    assert not clew.read(path, weights=False).weighted
    assert "no edge property is called 'weight'" in message(path, weight="weight")
    put(tmp_path, properties=described + b"graph.g.sssp.weight-property = cost\n")
    narrow = clew.read(path, weight_dtype="uint8").weights
    assert narrow is not None
    assert (narrow.dtype, narrow.tolist()) == (np.uint8, [7])


def test_properties_of_another_name(folder: Path) -> None:
    graph = clew.read(folder / "g.e")
    put(folder, properties=PROPERTIES.replace(b"graph.g.", b"graph.some.other.name."))
    assert clew.read(folder / "g.e") == graph


@pytest.mark.parametrize(
    ("files", "name", "place", "words"),
    [
        ({"e": EDGES.replace(b"5 7", b"5 8")}, "g.e", "line 2, column 3", "no vertex 8; expected one of those"),
        ({"e": EDGES.replace(b"5 7", b"0 7")}, "g.e", "line 2, column 1", "no vertex 0"),
        ({"v": b"5\n7\n8\n9\n"}, "g.e", "line 1, column 1", "no vertex 1"),
        ({"e": EDGES.replace(b"5 7", b"5 x")}, "g.e", "line 2, column 3", "target is 'x'"),
        ({"e": EDGES.replace(b"5 7", b"-5 7")}, "g.e", "line 2, column 1", "source is '-5'"),
        ({"e": EDGES.replace(b"5 7", b"9223372036854775808 7")}, "g.e", "line 2, column 1", "expected an integer"),
        ({"e": EDGES.replace(b"7 2", b"7 two")}, "g.e", "line 2, column 5", "weight is 'two'"),
        ({"e": EDGES.replace(b"7 2", b"7")}, "g.e", "line 2", "ends after 2 columns"),
        ({"e": EDGES.replace(b"7 2", b"7 2 3")}, "g.e", "line 2, column 7", "one column too many"),
        ({"e": EDGES + b"1 5 1\n"}, "g.e", "line 4, column 1", "promises 3 edges, but there are 4; this is the first"),
        ({"e": EDGES[:8]}, "g.e: ", "", "promises 3 edges, but there are 1; is the file cut short?"),
        ({"e": b""}, "g.e: ", "", "promises 3 edges, but there are 0"),
        ({"v": VERTICES + b"2\n"}, "g.v", "line 5, column 1", "promises 4 vertices, but there are 5"),
        ({"v": VERTICES[:2]}, "g.v: ", "", "promises 4 vertices, but there are 1; is the file cut short?"),
        ({"v": b"1\n5\n7\n5\n1\n"}, "g.v", "line 5, column 1", "promises 4 vertices"),
        ({"v": b"7\n5\n1\n5\n"}, "g.v", "line 4, column 1", "vertex 5 is listed a second time"),
        ({"v": b"7\n5 6\n"}, "g.v", "line 2, column 3", "one column too many"),
        ({"v": b"7\nfive\n"}, "g.v", "line 2, column 1", "vertex is 'five'"),
        ({"properties": b"# nothing\n"}, "g.properties: ", "", "no property describes a graph"),
        ({"properties": PROPERTIES + b"words\n"}, "g.properties", "line 11", "expected 'key = value'"),
        ({"properties": PROPERTIES.replace(b"true", b"yes")}, "g.properties", "line 6", "directed is 'yes'; expected"),
        ({"properties": PROPERTIES.replace(b"= 3", b"= many")}, "g.properties", "line 5", "meta.edges is 'many'"),
        ({"properties": PROPERTIES.replace(b"real", b"real, real")}, "g.properties", "line 8", "as many types as"),
        ({"properties": PROPERTIES.replace(b"= 3", b"= " + b"9" * 18)}, "g.e: ", "", "cut short"),
    ],
)  # fmt: skip
def test_damaged(folder: Path, files: dict[str, bytes], name: str, place: str, words: str) -> None:
    found = message(put(folder, **files))
    assert f"{folder}/{name}" in found
    assert place in found
    assert words in found


def test_edges_without_properties_have_two_or_three_columns(tmp_path: Path) -> None:
    assert "line 2: the line has 4 columns" in message(put(tmp_path, v=b"1\n", e=b"\n1 1 1 1\n"))


def test_what_is_no_ldbc_graph(tmp_path: Path) -> None:
    path = put(tmp_path, e=b"1 2\n")
    assert "there is no 'g.v' in its folder" in message(path)
    assert "format='edge-list'" in message(path)
    with pytest.raises(clew.FormatError, match="consists of several files"):
        clew.read(EDGES, format="ldbc")
    path = path.rename(tmp_path / "g.txt")
    assert "ends in '.txt'; expected NAME.e" in message(path)


def test_detected() -> None:
    assert ldbc.sniff(PROPERTIES) is Match.SURE
    for maybe in (VERTICES, EDGES, b"# edges\n1|2\n", b"3"):
        assert ldbc.sniff(maybe) is Match.MAYBE
    for other in (b"", b"\n", b"a b\n", b"-1\n", b"1,2\n", b"key = value\n"):
        assert ldbc.sniff(other) is Match.NO


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs(named=False), st.data(), st.sampled_from(["e", "v", "properties", "e.gz", "v.zst"]))
def test_round_trip(tmp_path: Path, graph: clew.Graph, data: st.DataObject, ending: str) -> None:
    n = graph.num_vertices
    names = None
    if n and data.draw(st.booleans()):
        chosen = data.draw(st.lists(st.integers(0, 2**63 - 1), min_size=n, max_size=n, unique=True))
        names = clew.Graph.from_edges([], [], num_vertices=n, names=np.sort(np.array(chosen))).names
    metadata = data.draw(st.sampled_from([{}, {"ldbc": {"bfs.source-vertex": "7", "algorithms": "bfs, pr"}}]))
    graph = clew.Graph(graph.outgoing, directed=graph.directed, names=names, metadata=metadata)
    path = tmp_path / f"some name.{ending}"
    clew.write(graph, path)
    dtype = None if graph.weights is None else graph.weights.dtype
    again = clew.read(path, format="ldbc", weight_dtype=dtype)
    assert again.metadata == metadata
    if dtype is not None and dtype.kind == "f":
        assert np.array_equal(again.weights, graph.weights, equal_nan=True)  # type: ignore[arg-type]
        again, graph = again.with_weights(None), graph.with_weights(None)
    if names is not None and np.array_equal(names.array, np.arange(n)):
        graph = clew.Graph(graph.outgoing, directed=graph.directed)
    assert again == graph
    for left in tmp_path.iterdir():
        left.unlink()


def test_written_files(tmp_path: Path) -> None:
    graph = small(directed=False, weights=[0.5, 1, 2, 3, 4], names=[10, 20, 30, 40, 50, 60])
    clew.write(graph, tmp_path / "g.e")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.e", "g.properties", "g.v"]
    assert (tmp_path / "g.v").read_bytes() == b"10\n20\n30\n40\n50\n60\n"
    assert (tmp_path / "g.e").read_bytes() == b"10 20 0.5\n10 20 1.0\n20 30 2.0\n30 30 3.0\n40 50 4.0\n"
    written = (tmp_path / "g.properties").read_text().splitlines()
    assert "graph.g.directed = false" in written
    assert "graph.g.meta.edges = 5" in written
    assert "graph.g.edge-properties.types = real" in written


def test_nothing_is_left_behind_by_a_graph_that_does_not_fit(tmp_path: Path) -> None:
    for graph, words in [
        (small(names=list("abcdef")), "names such as 'a'"),
        (small(names=[-1, 0, 1, 2, 3, 4]), "name of a vertex is -1"),
        (small(names=np.arange(2**63, 2**63 + 6, dtype=np.uint64)), "ids of an LDBC graph go from 0"),
        (clew.Graph(small().outgoing, metadata={"ldbc": {"a key": "1"}}), "no property of one line"),
        (clew.Graph(small().outgoing, metadata={"ldbc": {"key": "1\n2"}}), "no property of one line"),
        (clew.Graph(small().outgoing, metadata={"ldbc": 7}), "expected a dictionary"),
    ]:
        with pytest.raises(clew.FormatError, match=words):
            clew.write(graph, tmp_path / "g.e")
    with pytest.raises(clew.FormatError, match="the files of an LDBC graph"):
        clew.write(small(), tmp_path / "g.txt", format="ldbc")
    assert list(tmp_path.iterdir()) == []


def test_an_error_while_writing_leaves_all_three_files_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clew.write(small(), tmp_path / "g.e")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clew.write(small(directed=False), tmp_path / "g.e", progress=fail)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def lists_of_ids() -> Iterator[np.ndarray]:
    """Without gaps, with few, with many, far from 0, and none at all."""
    yield np.arange(5)
    yield np.arange(7, 12)
    yield np.array([3, 5, 8])
    yield np.array([0, 10**6, 2**63 - 1])
    yield np.array([2**62, 2**62 + 3])
    yield np.array([], dtype=np.int64)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_known_ids(dtype: str) -> None:
    for ids in lists_of_ids():
        known = KnownIds(ids)
        fitting = ids[ids <= np.iinfo(dtype).max].astype(dtype)
        places, unknown = known.places_of(fitting[::-1].copy())
        assert unknown is None
        assert ids[places].tolist() == fitting[::-1].tolist()
        for stranger in {0, 1, 4, 6, 13, 999_999, np.iinfo(dtype).max} - set(ids.tolist()):
            assert known.places_of(np.append(fitting, fitting.dtype.type(stranger)))[1] == fitting.size


def test_fuzzed() -> None:
    files = (VERTICES, EDGES, PROPERTIES)

    def read(vertices: bytes, edges: bytes, properties: bytes | None) -> clew.Graph:
        described = Properties() if properties is None else read_properties(Source(properties), "g")
        return ldbc.graph_of(Files(Source(vertices), Source(edges), described), ReadOptions())

    def check(random: Random) -> None:
        given_files = list(files)
        which = random.randrange(3)
        given_files[which] = damaged(random, [files[which]])
        vertices, edges, properties = given_files
        try:
            graph = read(vertices, edges, properties if random.random() < 0.5 else None)
        except (clew.FormatError, clew.GraphError) as error:
            str(error)
            return
        assert_valid(graph)

    assert_valid(read(*files))
    each_case(CASES, check)


@pytest.mark.parametrize("vertices", [0, 1, 5])
@pytest.mark.parametrize("ending", ["e", "v", "properties", "e.gz", "v.zst"])
@pytest.mark.parametrize("directed", [True, False])
def test_graphs_without_edges_are_read_back(tmp_path: Path, vertices: int, ending: str, directed: bool) -> None:
    graph = clew.Graph.from_edges([], [], num_vertices=vertices, directed=directed)
    path = tmp_path / f"nothing.{ending}"
    clew.write(graph, path)
    assert clew.read(path) == graph


def test_an_empty_file_alone_is_no_graph(tmp_path: Path) -> None:
    (tmp_path / "graph.e").touch()
    with pytest.raises(clew.FormatError, match=r"there is no 'graph\.v' in its folder"):
        clew.read(tmp_path / "graph.e")


@pytest.mark.parametrize(
    ("vertices", "edges", "ending", "line"),
    [
        (b"1234\n01234\n", b"", "v", 2),
        (b"7\n1234\n", b"7 1234\n7 01234\n", "e", 2),
        (b"7\n1234\n", b"007|1234|1.5\n", "e", 1),
        (b"7\n+1234\n", b"7 1234\n", "v", 2),
        (b"7\n0\n", b"7 -0\n", "e", 1),
    ],
)
def test_ids_that_differ_in_spelling_do_not_merge(
    tmp_path: Path, vertices: bytes, edges: bytes, ending: str, line: int
) -> None:
    (tmp_path / "graph.v").write_bytes(vertices)
    (tmp_path / "graph.e").write_bytes(edges)
    with pytest.raises(clew.FormatError, match="expected an integer without a plus sign or leading zeros") as caught:
        clew.read(tmp_path / "graph.e")
    assert caught.value.line == line
    assert caught.value.path == str(tmp_path / f"graph.{ending}")


def test_weights_may_have_leading_zeros(tmp_path: Path) -> None:
    (tmp_path / "graph.v").write_bytes(b"0\n10\n")
    (tmp_path / "graph.e").write_bytes(b"0 10 007.5\n10 0 +1\n")
    assert clew.read(tmp_path / "graph.e").weights.tolist() == [7.5, 1.0]
