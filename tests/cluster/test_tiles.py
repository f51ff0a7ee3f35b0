"""Folders of tiles: written by some members, opened by others or by one process, and refused if damaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed.tiles import open_share, tiles_at, write_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import AsNumbered, Listed
from clew.engines.cluster.ranges import in_ranges
from clew.engines.cluster.share import Share, build_share
from clew.io import tiles
from clew.names import VertexNames
from tests.cluster.team import mesh, together
from tests.cluster.test_loading import edges_of, ends_of, named_edges
from tests.io.fuzzing import NASTY, assert_valid, each_case

GRAPHS = {
    "weighted": clew.generate.random_weights(clew.generate.rmat(6, edge_factor=5, seed=3), 1, 9, seed=4),
    "undirected": clew.generate.kronecker(6, seed=1, duplicates="keep", loops="keep"),
    "named": clew.Graph.from_edges(list("abcdeafgh"), list("bcdeaffah"), np.arange(9) / 4, directed=False),
    "numbers": clew.Graph.from_edges([5, 10**12, 7], [7, 5, 5], ids="map"),
    "empty": clew.Graph.from_edges([], [], num_vertices=0),
}


def write_together(
    members: int, graph: clew.Graph, path: Path | str, layout: Callable[[Share], Share] = lambda share: share
) -> None:
    """What ``clew.write`` does with a graph on a cluster."""
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    cuts = np.linspace(0, source.size, members + 1).astype(int)

    def work(transport: Any) -> Any:
        mine = slice(cuts[transport.rank], cuts[transport.rank + 1])
        weights = None if graph.weights is None else graph.weights[mine]
        ends = source[mine], graph.indices[mine].astype(np.int64)
        share = build_share(Member(transport), *ends, weights, graph.num_vertices, directed=graph.directed)
        share = share.with_report(graph.report)
        if graph.names is not None:
            share = share.with_names(VertexNames.trusted(graph.names.take(share.ids)))
        return write_share(layout(share), folder)

    with tiles.written_folder(str(path)) as folder:
        written = together(work, mesh(members))
        tiles.write_header(folder, replace(written[0][0], tiles=tuple(tile for _, tile in written)))


def open_together(members: int, path: Path | str, **options: Any) -> list[Any]:
    def work(transport: Any) -> Any:
        try:
            return ends_of(open_share(Member(transport), str(path), options))
        except Exception as error:
            transport.close()
            return error

    done = together(work, mesh(members))
    for each in done:
        if isinstance(each, Exception) and not isinstance(each, clew.ClusterError):
            raise each
    return done


@pytest.mark.parametrize("name", GRAPHS)
def test_tiles_are_opened_by_any_number_of_members_and_by_one_process(name: str, tmp_path: Path) -> None:
    graph, path = GRAPHS[name], tmp_path / "graph.clewd"
    write_together(4, graph, path)
    assert tiles_at(path) == str(path)
    assert clew.read(path) == graph
    assert clew.read(path).report == graph.report
    for members in (4, 1, 6):
        done = open_together(members, path)
        share = done[0][0]
        assert edges_of(done) == named_edges(graph)
        assert (share.num_vertices, share.num_arcs, share.num_loops, share.directed, share.report) == (
            graph.num_vertices,
            graph.num_arcs,
            graph.num_loops,
            graph.directed,
            graph.report,
        )
    assert sorted(each.name for each in path.iterdir()) == [
        "header.json", "tile-0-0.clew", "tile-0-1.clew", "tile-1-0.clew", "tile-1-1.clew",
    ]  # fmt: skip
    assert [each.name for each in tmp_path.iterdir()] == ["graph.clewd"]
    assert clew.read(path / "tile-1-0.clew").num_arcs == open_together(4, path)[2][0].block.num_arcs


def test_tiles_are_mapped_on_the_grid_that_wrote_them(tmp_path: Path) -> None:
    write_together(4, GRAPHS["weighted"], tmp_path / "graph.clewd")
    for share, *_ in open_together(4, tmp_path / "graph.clewd"):
        assert not share.block.indices.flags.owndata
        assert not share.block.weights.flags.owndata


def shuffled_path() -> tuple[clew.Graph, Listed]:
    """A path with names and weights whose ids are in any order, and the order of the path."""
    names = [f"v{k}" for k in np.random.default_rng(5).permutation(800)]
    graph = clew.Graph.from_edges(names[:-1], names[1:], np.arange(799) % 7 + 1, directed=False)
    places = np.empty(800, np.int32)
    places[[graph.vertex(name) for name in names]] = np.arange(800)
    return graph, Listed(places)


@pytest.mark.parametrize("listed", [False, True])
def test_ranges_are_ranges_again(listed: bool, tmp_path: Path) -> None:
    """Of the ids or of another order, on any number of members; one process ignores the order."""
    path, (graph, order) = tmp_path / "graph.clewd", shuffled_path()
    if not listed:
        graph, order = clew.generate.path(800), AsNumbered()
    write_together(4, graph, path, lambda share: in_ranges(share, order))
    assert clew.read(path) == graph
    for members in (4, 6, 1):
        done = open_together(members, path)
        assert edges_of(done) == named_edges(graph)
        expected = type(order) if members > 1 else type(None)
        assert {type(each[0].partition.order) for each in done} == {expected}
        assert members == 1 or max(np.ptp(order(each[0].ids)) for each in done) < 200
    many = open_together(20, path)  # whose ranges would cut more than 2 % of the edges
    assert {each[0].partition.order for each in many} == {None}


@pytest.mark.parametrize("damage", ["no places", "too few", "the same", "outside"])
def test_damaged_orders_are_refused(damage: str, tmp_path: Path) -> None:
    path, (graph, order) = tmp_path / "graph.clewd", shuffled_path()
    change = {
        "no places": lambda places: None,
        "too few": lambda places: places[:-1],
        "the same": lambda places: places * 0,
        "outside": lambda places: places + 1,
    }[damage]
    made = tiles.tile_graph
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "tile_graph", lambda block, names, places: made(block, names, change(places)))
        write_together(4, graph, path, lambda share: in_ranges(share, order))
    with pytest.raises(clew.FormatError, match="place"):
        open_together(4, path)


@pytest.mark.parametrize("members", [4, 6])
def test_options_mean_what_they_do_on_one_machine(members: int, tmp_path: Path) -> None:
    path = tmp_path / "graph.clewd"
    for name in ("weighted", "undirected"):
        write_together(4, GRAPHS[name], path)
        for options in (
            {"weights": False},
            {"weight_dtype": "float64"} if name == "weighted" else {"directed": True},
            {"duplicates": "drop", "loops": "drop"},
            {"duplicates": "sum"} if name == "weighted" else {"duplicates": "first"},
        ):
            expected, done = clew.read(path, **options), open_together(members, path, **options)
            assert edges_of(done) == named_edges(expected), options
            assert done[0][0].report.counts == expected.report.counts, options
    write_together(4, GRAPHS["weighted"], path)
    with pytest.raises(clew.FormatError, match=r"directed=False is not available for .clewd folders"):
        open_together(members, path, directed=False)
    with pytest.raises(clew.GraphError, match="do not fit bool"):
        open_together(members, path, weight_dtype="bool")


def test_one_process_writes_a_folder_of_one_tile(tmp_path: Path) -> None:
    path = tmp_path / "graph.clewd"
    graph = clew.Graph.from_edges(list("abc"), list("bca"), [1, 2, 3], metadata={"title": "x"})
    assert clew.write(graph, path) == []
    assert clew.read(path) == graph
    assert clew.read(path).metadata == {"title": "x"}
    assert tiles_at(path) == str(path / "tile-0-0.clew")
    clew.write(GRAPHS["undirected"], path)  # replaces it
    assert clew.read(path) == GRAPHS["undirected"]
    assert [each.name for each in tmp_path.iterdir()] == ["graph.clewd"]


def test_what_is_no_folder_of_tiles_is_neither_read_nor_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = GRAPHS["weighted"]
    with pytest.raises(clew.FormatError, match=r"there is no such folder; expected a .clewd folder with a header.json"):
        clew.read(tmp_path / "nothing.clewd")
    (tmp_path / "mine.clewd").mkdir()
    (tmp_path / "mine.clewd" / "thesis.txt").write_text("years of work")
    with pytest.raises(clew.FormatError, match=r"this is there already, and it is no .clewd folder"):
        clew.write(graph, tmp_path / "mine.clewd")
    assert (tmp_path / "mine.clewd" / "thesis.txt").read_text() == "years of work"
    with pytest.raises(clew.FormatError, match="there is no folder"):
        clew.write(graph, tmp_path / "nowhere" / "graph.clewd")
    with pytest.raises(clew.FormatError, match="not compressed"):
        clew.write(graph, tmp_path / "graph.clewd.gz")
    clew.write(graph, tmp_path / "graph.clewd")
    monkeypatch.setattr(tiles, "write_header", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(clew.FormatError, match=r"No space left on device. Nothing was changed"):
        clew.write(GRAPHS["named"], tmp_path / "graph.clewd")
    assert clew.read(tmp_path / "graph.clewd") == graph
    assert sorted(each.name for each in tmp_path.iterdir()) == ["graph.clewd", "mine.clewd"]


def test_tiles_that_are_missing_damaged_or_foreign_are_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "graph.clewd", tmp_path / "other.clewd"
    write_together(2, GRAPHS["weighted"], path)
    write_together(2, clew.generate.random_weights(GRAPHS["weighted"], 1, 9, seed=5), other)
    tile = path / "tile-0-1.clew"
    kept = tile.read_bytes()
    cases = {
        "is damaged, or belongs to another folder": (other / "tile-0-1.clew").read_bytes(),
        "bytes and should have": kept[:-1],
        "checksum": kept[:-1] + bytes([kept[-1] ^ 1]),
    }
    for sentence, data in cases.items():
        tile.write_bytes(data)
        for opened in (lambda: clew.read(path), lambda: open_together(2, path), lambda: open_together(3, path)):
            with pytest.raises(clew.FormatError, match=sentence):
                opened()
    tile.unlink()
    with pytest.raises(clew.FormatError, match=r"the tile tile-0-1.clew cannot be opened: there is no such file"):
        clew.read(path)
    tile.write_bytes(kept)
    assert clew.read(path) == GRAPHS["weighted"]


def test_damaged_folders_give_a_graph_or_a_sentence(tmp_path: Path) -> None:
    """Any file, changed anywhere; half of the headers get a digest that matches."""
    path = tmp_path / "graph.clewd"
    write_together(2, GRAPHS["named"], path)
    files = {each.name: each.read_bytes() for each in path.iterdir()}

    def check(random: Random) -> None:
        name = random.choice(sorted(files))
        data = files[name]
        place = random.randint(0, len(data))
        damaged = data[:place] + random.choice(NASTY) + data[place + random.randint(0, 9) :]
        if name == "header.json" and random.random() < 0.5:
            damaged = resigned(damaged)
        (path / name).write_bytes(damaged)
        try:
            graph = clew.read(path)
        except clew.FormatError as error:
            str(error)
        else:
            assert_valid(graph)
        finally:
            (path / name).write_bytes(data)

    each_case(300, check)


def resigned(data: bytes) -> bytes:
    """The header with a digest that matches, if it is still JSON."""
    import json

    try:
        found = json.loads(data)
        found.pop("digest", None)
        version = found.pop("clewd", None)
        return json.dumps({"clewd": version, **found, "digest": tiles._digest(found)}).encode()
    except (ValueError, AttributeError):
        return data
