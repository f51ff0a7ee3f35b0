"""On large grids the vertices with the most edges are dealt out by hand, so that all blocks have as many edges."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import clew
from clew.distributed.tiles import open_share, write_share
from clew.engines.cluster.hubs import partition_by_degree, sample_partition, sampled
from clew.engines.cluster.member import Member
from clew.engines.cluster.partition import Grid, Partition
from clew.engines.cluster.share import Share, build_share
from clew.errors import FormatError
from clew.io import tiles
from tests.cluster.team import mesh, on_team, run_on_team, together

GRAPH = clew.generate.kronecker(14, seed=1)
ENDS = np.repeat(np.arange(GRAPH.num_vertices), np.diff(GRAPH.indptr)), GRAPH.indices.astype(np.int64)


@pytest.mark.quick
@pytest.mark.parametrize("missing", [0, 1, 700])
def test_every_vertex_has_a_place_and_blocks_are_even(missing: int) -> None:
    """Also if the last segments have fewer vertices, or none."""
    n = GRAPH.num_vertices - missing
    source, target = (each[(ENDS[0] < n) & (ENDS[1] < n)] for each in ENDS)
    partition = sample_partition(n, Grid(16), *sampled([source, target], 16))
    places = partition.permutation(np.arange(n))
    assert partition.hubs is not None
    assert np.array_equal(np.sort(places), np.arange(n))
    assert np.array_equal(partition.permutation.inverse(places), np.arange(n))
    assert np.array_equal(np.sort(np.concatenate([partition.owned(rank) for rank in range(16)])), np.arange(n))
    largest = [np.bincount(each.edges(source, target)[0]).max() for each in (partition, Partition(n, Grid(16)))]
    assert largest[0] * 16 < 1.05 * source.size < largest[1] * 16


def test_members_agree_and_even_graphs_have_no_hubs() -> None:
    road = clew.generate.grid(128, 128)
    flat = np.repeat(np.arange(road.num_vertices), np.diff(road.indptr)), road.indices.astype(np.int64)
    found = []
    for ends in (ENDS, flat):
        parts = together(
            lambda transport, ends=ends: partition_by_degree(
                Member(transport), 1 << 14, *(each[transport.rank :: 16] for each in ends), both=False
            ),
            mesh(16),
        )
        assert all(each == parts[0] for each in parts)
        found.append(parts[0].hubs)
    assert found[0] == sample_partition(1 << 14, Grid(16), *ENDS).hubs
    assert found[1] is None


def test_answers_are_those_of_one_machine() -> None:
    source = int(np.argmax(GRAPH.degrees()))
    assert np.array_equal(on_team(16, GRAPH, "bfs", {"source": source}).depth, clew.bfs(GRAPH, source).depth)
    assert np.array_equal(on_team(16, GRAPH, "connected_components", {}).label, clew.connected_components(GRAPH).label)
    ranks = [run_on_team(16, GRAPH, clew.pagerank).rank for _ in range(2)]
    assert np.array_equal(*ranks)
    assert np.allclose(ranks[0], clew.pagerank(GRAPH).rank, rtol=1e-12)


def test_folders_of_tiles_keep_the_hubs(tmp_path: Path) -> None:
    folder = tmp_path / "graph.clewd"
    folder.mkdir()

    def write(transport: object) -> tuple[tiles.Header, tiles.Tile]:
        member = Member(transport)  # type: ignore[arg-type]
        mine = slice(member.rank, None, 16)
        share = build_share(member, ENDS[0][mine], ENDS[1][mine], None, GRAPH.num_vertices, directed=False)
        return write_share(share, str(folder))

    written = together(write, mesh(16))
    header = written[0][0]
    assert header.hubs is not None
    facts = {name: getattr(header, name) for name in header.__dataclass_fields__}
    tiles.write_header(str(folder), tiles.Header(**{**facts, "tiles": tuple(tile for _, tile in written)}))
    whole = clew.read(folder)
    assert np.array_equal(whole.indptr, GRAPH.indptr)
    assert np.array_equal(whole.indices, GRAPH.indices)

    def label(transport: object) -> tuple[np.ndarray, np.ndarray, Share]:
        share = open_share(Member(transport), str(folder), {})  # type: ignore[arg-type]
        return share.ids, clew.connected_components(share).label, share

    for members in (16, 4):
        for ids, labels, share in together(label, mesh(members)):
            assert np.array_equal(labels, clew.connected_components(GRAPH).label[ids])
            assert (share.partition.hubs is None) == (members == 4)
    text = json.loads((folder / "header.json").read_text())
    text["hubs"][0][0] = text["hubs"][0][1]
    text["digest"] = tiles._digest({name: text[name] for name in text if name not in ("clewd", "digest")})
    (folder / "header.json").write_text(json.dumps(text))
    with pytest.raises(FormatError, match="damaged"):
        clew.read(folder)
