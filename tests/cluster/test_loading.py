"""Files that members read together make the graph that one machine makes of all their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed.loading import assign_files, files_of, read_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import edge_ends
from tests.cluster.team import mesh, together

EDGES = [(f"v{a % 37}", f"w{b % 23}", a * b % 11) for a, b in zip(range(200), range(7, 207), strict=True)]


def read_together(members: int, pattern: Path, **options: Any) -> list[tuple[Any, Any]]:
    """(names of own vertices, edges of the block by id and weight) of every member."""
    files = assign_files(files_of(pattern), members)

    def work(transport: Any) -> Any:
        member = Member(transport)
        try:
            share = read_share(member, files[member.rank], options)
        except Exception as error:
            transport.close()
            return error
        source, target = edge_ends(share)
        weights = share.block.weights
        return share, source, target, weights

    done = together(work, mesh(members))
    for each in done:
        if isinstance(each, Exception) and not isinstance(each, clew.ClusterError):
            raise each
    return done


def edges_of(done: list[Any]) -> list[tuple[Any, Any, Any]]:
    """All edges with names, sorted."""
    names: dict[int, Any] = {}
    for share, *_ in done:
        own = share.ids.tolist() if share._names is None else share._names.array.to_pylist()
        names.update(zip(share.ids.tolist(), own, strict=True))
    found = []
    for _, source, target, weights in done:
        values = [None] * source.size if weights is None else weights.tolist()
        found += [(names[s], names[t], w) for s, t, w in zip(source.tolist(), target.tolist(), values, strict=True)]
    return sorted(found)


@pytest.mark.parametrize("members", [1, 2, 4, 6])
@pytest.mark.parametrize("files", [1, 3, 7])
def test_text_names_in_several_files(tmp_path: Path, members: int, files: int) -> None:
    for k in range(files):
        lines = [f"{a} {b} {w}" for a, b, w in EDGES[k::files]]
        (tmp_path / f"part{k}.txt").write_text("\n".join(lines) + "\n")
    done = read_together(members, tmp_path / "*.txt")
    assert edges_of(done) == sorted(EDGES)
    assert done[0][0].num_vertices == 60
    ids = np.concatenate([share.ids for share, *_ in done])
    names = [name for share, *_ in done for name in share._names.array.to_pylist()]
    assert [names[k] for k in np.argsort(ids)] == sorted(names)  # numbered in ascending order


@pytest.mark.parametrize("members", [1, 4])
def test_integers_from_0_on_are_ids_and_others_are_names(tmp_path: Path, members: int) -> None:
    (tmp_path / "a.csv").write_text("0,1\n2,3\n")
    (tmp_path / "b.csv").write_text("3,4\n1,0\n")
    done = read_together(members, tmp_path)
    assert edges_of(done) == [(0, 1, None), (1, 0, None), (2, 3, None), (3, 4, None)]
    assert done[0][0]._names is None
    (tmp_path / "b.csv").write_text("3,900\n1,0\n")
    assert edges_of(read_together(members, tmp_path))[-1] == (3, 900, None)


@pytest.mark.parametrize("members", [1, 4])
def test_one_text_id_makes_all_ids_text(tmp_path: Path, members: int) -> None:
    (tmp_path / "a.csv").write_text("0,1\n2,3\n")
    (tmp_path / "b.csv").write_text("3,007\n1,0\n")
    done = read_together(members, tmp_path)
    assert edges_of(done) == [("0", "1", None), ("1", "0", None), ("2", "3", None), ("3", "007", None)]


def test_parquet_duplicates_loops_and_direction(tmp_path: Path) -> None:
    for k in range(3):
        graph = clew.Graph.from_edges([0, k, 5], [1, k, 2], [1.5, 2.5, k + 0.5])
        clew.write(graph, tmp_path / f"{k}.parquet")
    done = read_together(4, tmp_path / "*.parquet", directed=False, loops="drop", duplicates="sum")
    assert edges_of(done) == [(0, 1, 4.5), (1, 0, 4.5), (2, 5, 4.5), (5, 2, 4.5)]
    report = done[0][0].report
    assert (report.given, report.loops_dropped, report.duplicates_merged) == (9, 3, 4)


def test_files_of_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source,target\n0,1\n")
    (tmp_path / "b.csv").write_text("from,to,weight\n0,1,2\n")
    with pytest.raises(clew.GraphError, match="do not have the same columns"):
        read_together(2, tmp_path)


def test_a_pattern_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(clew.FormatError, match=r"nothing\*.csv: no file has this name, or matches this pattern"):
        files_of(tmp_path / "nothing*.csv")


@pytest.mark.quick
def test_files_are_shared_out_by_their_bytes() -> None:
    files = [("a", 10), ("b", 10), ("c", 10), ("d", 10), ("e", 40)]
    assert assign_files(files, 2) == [["a", "b", "c", "d"], ["e"]]
    assert assign_files(files[:1], 3) == [[], ["a"], []]
