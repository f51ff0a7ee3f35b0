"""``.clewd``: a folder with a graph in tiles, which any number of workers opens.

``header.json`` says what the graph is and which tiles there are. A tile is an ordinary ``.clew`` file with the block of
edges of one worker. The vertices are permuted by a keyed permutation and cut into a segment per tile. Rows and columns
of a tile are places in segments, and the metadata of its file have the names of its own segment. A folder that one
process writes has a single tile: the graph as it is.

The header has a digest of itself and of the header of every tile, which has the checksums of its arrays. So a tile of
another folder, or one that was cut short, is refused at once. The arrays are checked as those of a ``.clew`` file.

A folder is written next to its place and renamed when it is whole. One that was there before is replaced. At an address
such as ``s3://…`` there is no renaming, and the header is written last.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clew.adjacency import COUNTS, Adjacency, BuildReport
from clew.dtypes import WEIGHT_DTYPES, Array
from clew.errors import FormatError, GraphError
from clew.graph import Graph
from clew.io import native
from clew.io.binary import NAME_ARRAYS, names_from_arrays, names_to_arrays
from clew.io.options import ReadOptions, WriteOptions, graph_from_rows
from clew.io.ranges import address_of, file_system, inside, open_source, url_of
from clew.io.sink import Sink, umask
from clew.io.source import Match, Source
from clew.names import VertexNames

HEADER = "header.json"
VERSION, WITH_HUBS = 1, 2
SEGMENT_NAMES = "segment_names"
SEGMENT_PLACES = "segment_places"
INTEGERS, TEXT = "integers", "text"
NUMBERED, LISTED = "numbered", "listed"  # orders
_START = b'{"clewd": '


@dataclass(frozen=True)
class Tile:
    """One file of the folder: its name, its arcs and its bytes, and the digest of its header."""

    file: str
    arcs: int
    bytes: int
    digest: str


@dataclass(frozen=True)
class Header:
    """What ``header.json`` says. ``grid`` has the rows and columns of tiles; without a ``key``, ids are as they are."""

    num_vertices: int
    num_arcs: int
    num_loops: int
    directed: bool
    weights: str | None
    names: str | None
    grid: tuple[int, int]
    key: int | None
    report: Mapping[str, int]
    tiles: tuple[Tile, ...]
    order: str | None = None  # of ranges with few edges between them: by id, or as the tiles list it
    hubs: tuple[tuple[int, ...], ...] | None = None  # vertices with many edges, which are dealt out, and their edges

    @property
    def build_report(self) -> BuildReport:
        """The report of the graph."""
        counts: dict[str, Any] = dict(self.report)
        return BuildReport(**counts)


def sniff(head: bytes) -> Match:
    """The first key of the header."""
    return Match.SURE if head.startswith(_START) else Match.NO


def read(source: Source, options: ReadOptions) -> Graph:
    """The graph of all tiles in this process."""
    header = read_header(source)
    if header.key is None:
        return native.read(tile_source(source, header, 0), options)
    partition = partition_of(header)
    parts = [_edges(source, header, partition, rank, options) for rank in range(len(header.tiles))]
    ends = [np.concatenate([part[k] for part in parts]) for k in (0, 1)]
    weights = None if header.weights is None else np.concatenate([part[2] for part in parts])
    names = None
    if header.names:
        ids = np.concatenate([partition.owned(rank) for rank in range(len(parts))])
        names = VertexNames.trusted(pa.concat_arrays([part[3] for part in parts]).take(np.argsort(ids)))
    built = Graph.from_edges(ends[0], ends[1], weights, header.num_vertices, consume=True)
    if not header.directed or options != ReadOptions(check=options.check, progress=options.progress):
        rows, known = built.outgoing, {"directed": header.directed, "names": names}
        built = graph_from_rows(rows.indptr, rows.indices, rows.weights, options, **known)  # type: ignore[arg-type]
    policies = options.duplicates == options.loops == "keep"
    report = header.build_report if policies else built.report
    return Graph(built.outgoing, directed=built.directed, names=names, report=report)


def write(graph: Graph, sink: Sink, options: WriteOptions) -> None:
    """Write a graph of this process as a folder with one tile."""
    write_folder(graph, str(sink.path), options)


def write_folder(graph: Graph, path: str, options: WriteOptions) -> None:
    """The same, to a path or an address."""
    with written_folder(path) as folder:
        tile = write_tile(folder, 0, (1, 1), graph, options)
        counts = {name: getattr(graph.report, name) for name in COUNTS}
        weights = None if graph.weights is None else graph.weights.dtype.str
        facts = (graph.num_vertices, graph.num_arcs, graph.num_loops, graph.directed, weights)
        write_header(folder, Header(*facts, name_kind(graph.names), (1, 1), None, counts, (tile,)))


def name_kind(names: VertexNames | None) -> str | None:
    """What the header says of names."""
    return None if names is None else INTEGERS if names.are_integers else TEXT


# ---------------------------------------------------------------- the header


def read_header(source: Source) -> Header:
    """The header of a folder, checked."""
    try:
        found = json.loads(source.whole().tobytes())
    except (ValueError, RecursionError) as error:
        raise _damaged(source, f"the header is not JSON ({error})") from None
    if not isinstance(found, dict) or found.pop("clewd", None) not in (VERSION, WITH_HUBS):
        raise source.error(f"the header is not that of version {WITH_HUBS} of a .clewd folder; install a newer clew.")
    if found.pop("digest", None) != _digest(found):
        raise _damaged(source, "the digest of the header does not match")
    try:
        tiles = tuple(Tile(**tile) for tile in found.pop("tiles"))
        hubs = None if found.get("hubs") is None else tuple(map(tuple, found["hubs"]))
        header = Header(**{**found, "grid": tuple(found["grid"]), "hubs": hubs}, tiles=tiles)
        rows, columns = header.grid
        fits = rows * columns == len(tiles) and header.num_arcs == sum(tile.arcs for tile in tiles)
        fits &= header.names in (None, INTEGERS, TEXT) and header.order in (None, NUMBERED, LISTED)
        fits &= header.weights is None or np.dtype(header.weights) in WEIGHT_DTYPES
        fits &= hubs is None or _are_hubs(hubs, header.num_vertices)
        fits &= min(header.num_vertices, header.num_arcs, rows, columns) >= 0 and set(header.report) == set(COUNTS)
    except (TypeError, KeyError, ValueError):
        fits = False
    if not fits:
        raise _damaged(source, f"the header does not have {', '.join(field.name for field in fields(Header))}")
    return header


def write_header(folder: str, header: Header) -> None:
    """Write the header of a folder whose tiles are there."""
    lost = [tile.file for tile in header.tiles if not (Path(folder) / tile.file).is_file()]
    if lost and url_of(folder) is None:
        raise FormatError(
            f"a worker wrote {lost[0]} elsewhere; expected a folder that all workers and this process see.", path=folder
        )
    facts = json.loads(json.dumps(asdict(header)))
    version = WITH_HUBS if facts["hubs"] else VERSION
    if version == VERSION:
        del facts["hubs"]  # earlier versions of clew open this too
    text = json.dumps({"clewd": version, **facts, "digest": _digest(facts)}, indent=1).replace("{\n ", "{", 1)
    _put(folder, HEADER, text.encode())


def _are_hubs(hubs: tuple[Any, ...], num_vertices: int) -> bool:
    """Whether these are different vertices of a graph, and two numbers of each."""
    ids = set(hubs[0])
    whole = all(isinstance(number, int) and 0 <= number < 2**62 for each in hubs for number in each)
    return len(hubs) == 3 and whole and {len(ids)} == set(map(len, hubs)) and max(ids) < num_vertices


def _digest(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _damaged(source: Source, what: str) -> FormatError:
    return source.error(f"the folder is damaged: {what}. Copy it again, or write it again.")


# ---------------------------------------------------------------- tiles


def tile_source(source: Source, header: Header, rank: int) -> Source:
    """The file of a tile, whose header is the one that belongs to the folder."""
    tile = header.tiles[rank]
    if "/" in tile.file:
        raise _damaged(source, f"a tile is called {tile.file!r}")
    try:
        found = open_source(inside(address_of(source), tile.file))
    except FormatError as error:
        raise _damaged(source, f"the tile {tile.file} cannot be opened: {error.problem.rstrip('.')}") from None
    if found.stored_bytes != tile.bytes:
        raise _damaged(source, f"the tile {tile.file} has {found.stored_bytes:,} bytes and should have {tile.bytes:,}")
    if native.digest_of_header(found) != tile.digest:
        raise _damaged(source, f"the tile {tile.file} is damaged, or belongs to another folder")
    return found


def open_tile(source: Source, header: Header, rank: int, check: bool | None) -> tuple[Adjacency, Any]:
    """The block of a tile, mapped into memory; and the names of its segment, or None."""
    partition = partition_of(header)
    tile = native.read(tile_source(source, header, rank), ReadOptions(check=check))
    rows, weights = tile.outgoing, tile.weights
    shape = (rows.num_vertices, rows.num_arcs, None if weights is None else weights.dtype.str)
    if shape != (partition.rows, header.tiles[rank].arcs, header.weights):
        raise _damaged(source, f"the tile {header.tiles[rank].file} does not have the shape that the header says")
    small = rows.nbytes <= native.SMALL if check is None else check
    if small and int(rows.indices.max(initial=0)) >= partition.columns:
        raise _damaged(source, f"the tile {header.tiles[rank].file} has an edge beyond its columns")
    names = None
    if header.names:
        stored = tile.metadata.get(SEGMENT_NAMES, {})
        names = names_from_arrays({name: stored[name] for name in NAME_ARRAYS if name in stored})
        if names is None or len(names) != partition.num_owned(rank):
            raise _damaged(source, f"the tile {header.tiles[rank].file} does not have a name for each of its vertices")
    return Adjacency(rows.indptr, rows.indices, weights), names


def open_places(source: Source, header: Header, rank: int) -> Array:
    """Where the vertices of a tile's segment are in the order that the tiles list."""
    tile = native.read(tile_source(source, header, rank), ReadOptions(check=False))
    places: Array = np.asarray(tile.metadata.get(SEGMENT_PLACES))
    if places.dtype.kind != "i" or places.shape != (partition_of(header).num_owned(rank),):
        raise _damaged(source, f"the tile {header.tiles[rank].file} does not have a place for each of its vertices")
    return places


def write_tile(folder: str, rank: int, grid: tuple[int, int], graph: Graph, options: WriteOptions) -> Tile:
    """Write the graph of a tile as a ``.clew`` file; returns its entry in the header."""
    file = f"tile-{rank // grid[1]}-{rank % grid[1]}.clew"
    with contextlib.ExitStack() as stack:
        local = folder
        if url_of(folder) is not None:
            local = stack.enter_context(tempfile.TemporaryDirectory(prefix="clew-"))
        with Sink(Path(local) / file) as sink:
            native.write(graph, sink, options)
        written = Source(Path(local) / file)
        if local != folder:
            _put(folder, file, written.whole())
        return Tile(file, graph.num_arcs, written.stored_bytes, native.digest_of_header(written))


def tile_graph(block: Adjacency, names: VertexNames | None, places: Array | None = None) -> Graph:
    """A block as a graph of its own, with the names and the places of its segment in the metadata."""
    rows = Adjacency(block.indptr.astype(np.int64, copy=False), block.indices, block.weights)
    kept: dict[str, Any] = {} if names is None else {SEGMENT_NAMES: names_to_arrays(names)}
    return Graph(rows, directed=True, metadata=kept if places is None else {**kept, SEGMENT_PLACES: places})


def partition_of(header: Header) -> Any:
    """The partition of the vertices among the tiles."""
    module: Any = importlib.import_module("clew.engines.cluster.partition")  # a layer above this one
    grid = module.Grid(len(header.tiles))
    hubs = None if header.hubs is None else module.Hubs(*header.hubs)
    partition = module.Partition(header.num_vertices, grid, hubs=hubs)
    if header.grid != (grid.rows, grid.columns) or header.key != module.KEY:
        raise GraphError("the vertices are placed by a rule that this clew does not know; write the folder again.")
    return partition


def _edges(source: Source, header: Header, partition: Any, rank: int, options: ReadOptions) -> tuple[Any, ...]:
    """The sources, targets and weights of a tile by their ids, and the names of its segment."""
    block, names = open_tile(source, header, rank, options.check)
    rows = np.repeat(np.arange(block.num_vertices), block.degrees())
    return *checked_ends(source, partition, rank, rows, block.indices), block.weights, names


def checked_order(source: Source, header: Header, places: Array) -> Array:
    """The places of all vertices, if each has one of its own."""
    n = header.num_vertices
    if places.min(initial=0) < 0 or places.max(initial=0) >= max(n, 1) or (np.bincount(places, minlength=n) != 1).any():
        raise _damaged(source, "two vertices have the same place")
    return places


def checked_ends(source: Source, partition: Any, rank: int, rows: Array, columns: Array) -> tuple[Array, Array]:
    """The ids of both ends of some edges of a tile."""
    places = partition.places(rank, rows, columns)
    if any(each.size and int(each.max()) >= partition.num_vertices for each in places):
        raise _damaged(source, "a tile has an edge to a vertex that does not exist")
    first, second = (partition.permutation.inverse(each) for each in places)
    return first, second


# ---------------------------------------------------------------- the folder


@contextlib.contextmanager
def written_folder(path: str) -> Iterator[str]:
    """A new folder to write tiles into, which takes its name at the end; an error leaves what was there before."""
    if (url := url_of(path)) is not None:
        system, place = file_system(url)
        system.create_dir(place, recursive=True)
        with contextlib.suppress(OSError):
            system.delete_file(f"{place}/{HEADER}")  # until the new one is there, this is no graph
        yield url
        return
    target = Path(os.path.realpath(path))
    check_folder(target)
    temporary = tempfile.mkdtemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    try:
        Path(temporary).chmod(0o777 & ~umask())
        yield temporary
        if target.exists():
            old = tempfile.mkdtemp(prefix=f".{target.name[:100]}.", suffix=".old", dir=target.parent)
            target.rename(Path(old) / "folder")
            Path(temporary).rename(target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            Path(temporary).rename(target)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        if isinstance(error, OSError):
            problem = f"the folder could not be written: {error.strerror or error}. Nothing was changed."
            raise FormatError(problem, path=path) from None
        raise


def check_folder(target: Path) -> None:
    """Refuse a place where no folder of tiles may be written."""
    if target.suffix != ".clewd":
        raise FormatError("the name of a folder of tiles ends in .clewd, and it is not compressed.", path=target)
    if target.exists() and not (target / HEADER).is_file() and (not target.is_dir() or any(target.iterdir())):
        raise FormatError("this is there already, and it is no .clewd folder; expected another name.", path=target)
    if not target.parent.is_dir():
        raise FormatError(f"there is no folder {target.parent}; expected one to write into.", path=target)


def _put(folder: str, file: str, data: Any) -> None:
    """Write a small file, or any file at an address."""
    if url_of(folder) is None:
        with Sink(Path(folder) / file) as sink:
            sink.write(data)
        return
    system, place = file_system(folder)
    with system.open_output_stream(f"{place}/{file}", compression=None) as stream:
        stream.write(data)
