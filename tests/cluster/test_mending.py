"""Workers that replace lost ones get the parts of these, and all others keep what they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed.generating import generated_share
from clew.distributed.loading import assign_files, files_of, read_share
from clew.distributed.spares import open_spare, write_spare
from clew.distributed.tiles import open_share, write_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.mending import Mending, placed
from clew.engines.cluster.share import Share, build_share
from clew.io import tiles
from tests.cluster.team import mesh, together

Build = Callable[[Member], Share]
GRAPH = clew.generate.random_weights(clew.generate.rmat(9, edge_factor=6, seed=3), 1, 9, seed=4)
LONG = clew.generate.grid(1500, 12)
NAMES = ["spread", "in ranges", "read", "drawn", "tiles", "tiles of another grid", "tiles in ranges"]


def spread(graph: clew.Graph) -> Build:
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))

    def build(member: Member) -> Share:
        from clew.distributed.locality import by_locality

        mine = slice(member.rank * source.size // member.size, (member.rank + 1) * source.size // member.size)
        ends = source[mine], graph.indices[mine].astype(np.int64)
        weights = None if graph.weights is None else graph.weights[mine]
        return by_locality(build_share(member, *ends, weights, graph.num_vertices, directed=graph.directed))

    return build


def builds(folder: Path, members: int) -> dict[str, Build]:
    """Graphs from a process, from files with names and duplicates, from a generator, and from tiles."""
    numbers = np.random.default_rng(1).integers(0, 300, (4000, 2))
    (folder / "named.csv").write_text("".join(f"u{a},u{b},{k % 7}\n" for k, (a, b) in enumerate(numbers.tolist())))
    (folder / "other.csv").write_text("".join(f"u{a},u{b},1\n" for a, b in numbers[:900].tolist()))
    pieces = assign_files(files_of(folder / "*.csv"), members)
    options = {"directed": False, "duplicates": "first", "header": False}
    for name, graph, grid in (("tiles", GRAPH, members), ("other", GRAPH, members + 2), ("ranges", LONG, members)):
        _write(graph, grid, folder / f"{name}.clewd")
    return {
        "spread": spread(GRAPH),
        "in ranges": spread(LONG),
        "read": lambda member: read_share(member, pieces, options),
        "drawn": lambda member: generated_share(member, "kronecker", (8,), {"seed": 2}),
        "tiles": lambda member: open_share(member, str(folder / "tiles.clewd"), {}),
        "tiles of another grid": lambda member: open_share(member, str(folder / "other.clewd"), {}),
        "tiles in ranges": lambda member: open_share(member, str(folder / "ranges.clewd"), {}),
    }


def _write(graph: clew.Graph, members: int, folder: Path) -> None:
    """Write a graph as the members of a grid do."""
    folder.mkdir()
    build = spread(graph)
    written = together(lambda transport: write_share(build(Member(transport)), str(folder)), mesh(members))
    tiles.write_header(str(folder), replace(written[0][0], tiles=tuple(tile for _, tile in written)))


def same(one: Share, other: Share) -> bool:
    """Whether two members have the same part, bit for bit."""
    blocks = [(share.block.indptr, share.block.indices, share.block.weights, share.ids) for share in (one, other)]
    arrays = all(
        np.array_equal(a, b) and getattr(a, "dtype", 0) == getattr(b, "dtype", 0) for a, b in zip(*blocks, strict=True)
    )
    facts = [(each.num_arcs, each.num_loops, each.directed, each.report, each.partition.grid) for each in (one, other)]
    names = [None if each._names is None else each._names.array.to_pylist() for each in (one, other)]
    return arrays and facts[0] == facts[1] and names[0] == names[1]


@pytest.mark.parametrize(
    "name", ["spread", "in ranges", "read", "drawn", "tiles", "tiles of another grid", "tiles in ranges"]
)
@pytest.mark.parametrize(("members", "lost"), [(4, {2}), (6, {0, 3})])
def test_new_members_get_the_lost_parts_and_the_others_keep_theirs(
    name: str, members: int, lost: set[int], tmp_path: Path
) -> None:
    build = builds(tmp_path, members)[name]
    sent = {}

    def first(transport: Any) -> Share:
        share = build(Member(transport))
        sent[transport.rank] = transport.bytes_sent
        return share

    shares = together(first, mesh(members))
    known = placed(shares[min(set(range(members)) - lost)])

    def again(transport: Any) -> Share:
        member = Member(transport)
        share = None
        if member.rank not in lost:
            share = shares[member.rank]
            share.connect(member)
        member.mending = Mending(frozenset(lost), *known, share)
        found = build(member)
        sent[-1 - transport.rank] = transport.bytes_sent
        assert (found.block is share.block) if share else True
        member.mending = None
        assert clew.connected_components(found).count  # over the new connections
        return found

    mended = together(again, mesh(members))
    for one, other in zip(shares, mended, strict=True):
        assert same(one, other)
    if name in ("spread", "drawn"):
        assert sum(sent[-1 - rank] for rank in range(members)) < 0.7 * sum(sent[rank] for rank in range(members))


@pytest.mark.parametrize("name", ["spread", "in ranges", "read"])
def test_a_spare_is_the_part_that_was_lost(name: str, tmp_path: Path) -> None:
    build, folder = builds(tmp_path, 6)[name], tmp_path / "spares"

    def keep(transport: Any) -> Share:
        share = build(Member(transport))
        write_spare(share, str(folder))
        return share

    shares = together(keep, mesh(6))
    known = placed(shares[0])
    for transport, share in zip(mesh(6), shares, strict=True):
        found = open_spare(Member(transport), *known, str(folder))
        assert found is not None
        assert same(share, found)
    for path, change in zip(sorted(folder.iterdir()), (b"", bytes(40), None), strict=False):
        content = path.read_bytes()
        path.unlink()
        if change is not None:
            path.write_bytes(
                content[: len(content) // 2] + change + content[len(content) // 2 + len(change or content) :]
            )
        assert open_spare(Member(mesh(6)[int(path.stem)]), *known, str(folder)) is None
