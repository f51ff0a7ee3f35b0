"""Files that members read together make the graph that one machine makes of all their lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clew
from clew.distributed import generating, loading
from clew.distributed.loading import assign_files, files_of, read_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.share import edge_ends
from clew.engines.cluster.transport import Sockets
from clew.io import parts, tables
from clew.names import VertexNames
from tests.cluster.team import mesh, together

EDGES = [(f"v{a % 37}", f"w{b % 23}", a * b % 11) for a, b in zip(range(200), range(7, 207), strict=True)]


def read_together(members: int, pattern: Path | str, **options: Any) -> list[tuple[Any, Any]]:
    """(names of own vertices, edges of the block by id and weight) of every member."""
    files = assign_files(files_of(pattern), members)

    def work(transport: Any) -> Any:
        member = Member(transport)
        try:
            share = read_share(member, files, options)
        except Exception as error:
            transport.close()
            return error
        return ends_of(share)

    done = together(work, mesh(members))
    for each in done:
        if isinstance(each, Exception) and not isinstance(each, clew.ClusterError):
            raise each
    return done


def ends_of(share: Any) -> tuple[Any, ...]:
    return share, *edge_ends(share), share.block.weights


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


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_columns_that_clew_wrote_are_no_weights(tmp_path: Path, suffix: str) -> None:
    graph = clew.Graph.from_edges([0, 1, 5], [1, 2, 2], edge_columns={"km": [1.5, 2.5, 3.5]})
    clew.write(graph, tmp_path / f"graph.{suffix}")
    assert edges_of(read_together(2, tmp_path / f"graph.{suffix}")) == [(0, 1, None), (1, 2, None), (5, 2, None)]


def test_files_of_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source,target\n0,1\n")
    (tmp_path / "b.csv").write_text("from,to,weight\n0,1,2\n")
    with pytest.raises(clew.FormatError, match="do not have the same columns"):
        read_together(2, tmp_path)


def test_a_pattern_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(clew.FormatError, match=r"nothing\*.csv: no file has this name, or matches this pattern"):
        files_of(tmp_path / "nothing*.csv")


@pytest.mark.quick
def test_files_are_shared_out_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [("a", 10), ("b", 10), ("c", 10), ("d", 10), ("e", 40)]
    whole = [[piece.path for piece in each] for each in assign_files(files, 2)]
    assert whole == [["a", "b", "c", "d"], ["e"]]
    monkeypatch.setattr(loading, "SMALLEST", 8)
    cut = [[(piece.path, piece.start, piece.stop) for piece in each] for each in assign_files(files, 3)]
    assert cut == [[("a", 0, 10), ("b", 0, 10), ("c", 0, 10)], [("d", 0, 10), ("e", 0, 13)], [("e", 13, 40)]]


# ---------------------------------------------------------------- one file, many readers, every option

NUMBERS = "".join(f"{a * 7 % 50} {a * a % 50} {a % 9}\n" for a in range(120))
WORDS = "".join(f"v{a * 7 % 50},v{a * a % 50},{a % 9}\n" for a in range(120))
SPARSE = "".join(f"{(a * 7 % 50) * 10**12},{a * a % 50}\n" for a in range(120))
TEXTS = {
    "numbers.txt": NUMBERS,
    "comments.txt": "# a comment\n" + NUMBERS.replace("\n", "\n# another\n", 40),
    "dense.el": "".join(f"{a} {(a + 1) % 90}\n" for a in range(90)),
    "gaps.el": "".join(f"{3 * a} {a}\n" for a in range(90)),
    "header.csv": "from,to,weight\n" + WORDS,
    "no_header.csv": WORDS,
    "last.csv": WORDS.rstrip("\n"),
    "dos.csv": WORDS.replace("\n", "\r\n"),
    "mark.csv": "\ufefffrom,to,weight\n" + WORDS,
    "late_text.csv": NUMBERS.replace(" ", ",") + "007,3,4\n",
    "late_fraction.csv": NUMBERS.replace(" ", ",") + "7,3,4.5\n",
    "comma.csv": NUMBERS.replace(" ", ";") + "7;3;4,5\n",
    "late_header.csv": "v1,v2,weight\n" + WORDS.replace("v1,", "x,").replace("v2,", "y,") + "v1,v7,3\n",
    "sparse.csv": SPARSE,
    "negative.csv": "-5,3\n" + SPARSE,
    "quoted.csv": WORDS + '"a, b",c,3\n"say ""hi""",c,4\n',
    "columns.csv": "id,time,from,to,cost\n" + "".join(f"{a},{a},u{a % 7},u{a % 5},{a}.5\n" for a in range(99)),
    "konect.txt": "% sym weighted\n" + NUMBERS,
    "bipartite.txt": "% bip unweighted\n" + "".join(f"{a % 9 + 1} {a % 7 + 1}\n" for a in range(80)),
    "counted.txt": "60\n" + NUMBERS,
    "networkx.txt": "".join(f"{a} {a + 1} {{'weight': {a}}}\n" for a in range(60)),
    "broken.csv": WORDS + "v1,v2\n" + WORDS,
    "wrong.csv": WORDS + "v1,v2,heavy\n" + WORDS,
    "bars.txt": NUMBERS.replace(" ", "|"),
    "twice.csv": WORDS + WORDS,
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"ids": "keep"},
    {"ids": "map"},
    {"ids": "text"},
    {"directed": False},
    {"directed": True},
    {"duplicates": "drop"},
    {"duplicates": "first", "directed": False},
    {"duplicates": "sum"},
    {"duplicates": "max", "directed": False},
    {"loops": "drop", "directed": False},
    {"weights": False},
    {"weights": True},
    {"weight_dtype": "float32"},
    {"weight_dtype": "uint8"},
    {"header": True},
    {"header": False},
    {"delimiter": ","},
    {"delimiter": "|"},
    {"source": 2, "target": 1},
    {"source": "to", "target": "from", "weight": "cost"},
    {"weight": 3},
    {"max_expanded_bytes": 10_000},
    {"format": "edge-list"},
    {"format": "parquet"},
]


def named_edges(graph: clew.Graph) -> list[tuple[Any, Any, Any]]:
    source = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    values = [None] * source.size if graph.weights is None else graph.weights.tolist()
    name = graph.name
    return sorted((name(s), name(t), w) for s, t, w in zip(source, graph.indices, values, strict=True))


def compare(path: Path, members: int, options: dict[str, Any]) -> None:
    """The same graph and report as on one machine, or the same sentence."""
    try:
        expected: Any = clew.read(path, **options)
    except clew.ClewError as error:
        expected = error
    if isinstance(expected, clew.ClewError):
        with pytest.raises(type(expected)) as caught:
            read_together(members, path, **options)
        assert str(caught.value) == str(expected), options
        return
    done = read_together(members, path, **options)
    share = done[0][0]
    assert edges_of(done) == named_edges(expected), options
    assert (share.num_vertices, share.num_arcs, share.num_loops, share.directed) == (
        expected.num_vertices,
        expected.num_arcs,
        expected.num_loops,
        expected.directed,
    ), options
    assert (share._names is None) == (expected.names is None), options
    assert (share.weights is None) == (expected.weights is None), options
    assert share.weights is None or share.weights.dtype == expected.weights.dtype, options
    report, alike = share.report, expected.report
    assert report.counts == alike.counts, options
    assert report.columns == alike.columns, options
    only_here = ("One worker read", "The metadata of the graph")
    assert tuple(each for each in report.decisions if not each.startswith(only_here)) == alike.decisions, options


@pytest.mark.parametrize("name", TEXTS)
def test_members_share_a_text_and_every_option_means_the_same(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "SMALLEST", 16)
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    for options in OPTIONS if name in ("numbers.txt", "header.csv", "columns.csv", "sparse.csv") else OPTIONS[:8]:
        compare(path, 3, options)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".clew", ".mtx", ".npz", ".csv.gz", ".csv.zst", ".wel"])
@pytest.mark.parametrize("names", [None, "text", "integers"])
def test_members_share_other_files(
    suffix: str, names: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "SMALLEST", 16)
    monkeypatch.setattr(tables, "BATCH_ROWS", 20)  # several row groups and record batches
    graph = clew.Graph.from_edges([a * 7 % 50 for a in range(120)], [a * a % 50 for a in range(120)], range(120), 52)
    called = {"text": [f"v{(k * 7) % 52}" for k in range(52)], "integers": np.arange(52)[::-1] * 10**10}
    graph = clew.Graph(graph.outgoing, names=None if names is None else VertexNames(called[names]))
    path = tmp_path / f"graph{suffix}"
    clew.write(graph, path)
    for options in ({}, {"ids": "map"}, {"ids": "text"}, {"directed": False, "duplicates": "first", "loops": "drop"}):
        if suffix not in (".clew", ".mtx") or "directed" not in options:  # those store rows, which are no pairs
            compare(path, 3, options)


def test_one_reader_of_a_file_that_cannot_be_split_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "SMALLEST", 16)
    clew.write(clew.generate.path(200), tmp_path / "path.mtx")
    clew.write(clew.generate.path(200), tmp_path / "path.csv.gz")
    for name, why in (
        ("path.mtx", "files of this kind (Matrix Market) cannot be split"),
        ("path.csv.gz", "compressed"),
    ):
        decisions = read_together(3, tmp_path / name)[0][0].report.decisions
        assert any(f"One worker read {name}: " in each and why in each for each in decisions), decisions


def test_progress_counts_the_stored_bytes_of_a_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "BATCH_ROWS", 100)
    graph = clew.generate.rmat(7, seed=1)
    for name in ("a.csv", "b.parquet"):
        clew.write(graph, tmp_path / name)
        seen: list[int] = []
        read_share(Member(Sockets(0, {})), assign_files(files_of(tmp_path / name), 1), {}, seen.append)
        assert seen == sorted(seen)
        assert seen[-1] == (tmp_path / name).stat().st_size
        assert len(seen) > (5 if name == "b.parquet" else 1)


LOADED = """
import resource, sys
from clew import threads
from clew.distributed.loading import assign_files, files_of, read_share
from clew.engines.cluster.member import Member
from clew.engines.cluster.transport import Sockets

threads.set_count(1)
peaks = []
for path in sys.argv[1:]:
    share = read_share(Member(Sockets(0, {})), assign_files(files_of(path), 1), {})
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)
print(share.num_arcs, peaks[1] - peaks[0])
"""


def test_loading_takes_little_more_than_the_edges(tmp_path: Path) -> None:
    """At most 1.5 times the 8 bytes of an edge, and some MB for the pieces that are read and exchanged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    for name, groups in (("small.parquet", 1), ("large.parquet", 12)):
        with pq.ParquetWriter(tmp_path / name, pa.schema({"source": pa.int32(), "target": pa.int32()})) as writer:
            for _ in range(groups):
                ends = rng.integers(0, 1 << 19, (2, 1 << 19), dtype=np.int32)
                writer.write_table(pa.table({"source": ends[0], "target": ends[1]}))
    paths = [str(tmp_path / name) for name in ("small.parquet", "large.parquet")]
    done = subprocess.run([sys.executable, "-c", LOADED, *paths], capture_output=True, text=True, check=True).stdout
    edges, taken = map(int, done.split())
    assert edges == 12 << 19
    assert taken < 1.5 * 8 * edges


# ---------------------------------------------------------------- generators


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("kronecker", (7,), {"seed": 3}),
        ("rmat", (6, 5), {"seed": 2, "scramble": True, "duplicates": "drop"}),
        ("uniform", (50, 300), {"seed": 1, "directed": False, "loops": "drop"}),
        ("barabasi_albert", (60, 3), {"seed": 4}),
        ("path", (30,), {}),
        ("cycle", (31,), {"directed": True}),
        ("star", (20,), {}),
    ],
)
def test_members_draw_the_edges_of_one_machine(
    name: str, args: tuple[Any, ...], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generating, "BLOCK", 17)
    expected = getattr(clew.generate, name)(*args, **options)
    for members in (1, 4):
        done = together(
            lambda transport: ends_of(generating.generated_share(Member(transport), name, args, options)), mesh(members)
        )
        assert edges_of(done) == named_edges(expected)
        assert done[0][0].report == expected.report
