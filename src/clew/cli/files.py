"""Reading and writing as the commands do it: timed, and remembering what there is to say about the file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from clew.cli.output import duration
from clew.counts import counted
from clew.describe import human_bytes
from clew.errors import ClewError
from clew.graph import Graph
from clew.io import read, registry, write
from clew.io.files import read_opened
from clew.io.options import ReadOptions
from clew.io.sink import Sink
from clew.io.source import Source, plain_suffix


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read or written."""

    path: Path
    format: registry.Format
    bytes: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.path}  ({self.format.title}, {human_bytes(self.bytes)}, {duration(self.seconds)})"

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return {
            "file": str(self.path),
            "format": self.format.name,
            "file_bytes": self.bytes,
            "seconds": round(self.seconds, 6),
        }


def load(path: Path, format_name: str | None, **options: Any) -> tuple[Graph, File]:
    """Read a graph; the time is that of reading alone, with the code for it loaded before."""
    source = Source(path)
    found = registry.named(format_name) if format_name else registry.detect(source.head(), source.suffix, source.name)
    _rehearse(source, found)
    started = perf_counter()
    graph = read_opened(source, format_name, ReadOptions(**options))
    return graph, File(path, found, source.stored_bytes, perf_counter() - started)


def _rehearse(source: Source, chosen: registry.Format) -> None:
    """Load compiled code, which takes longer than to read most files: by the file's first lines, or a small graph."""
    with suppress(ClewError):
        head = source.head()
        read(head[: head.rfind(b"\n") + 1] or head, chosen.name)
        return
    with suppress(ClewError, OSError), TemporaryDirectory() as folder:  # there may be no room for one
        small = Path(folder) / f"small{chosen.suffixes[0]}"
        write(Graph.from_edges([0, 1], [1, 2], directed=False), small, chosen.name)
        read(small, chosen.name)


def format_to_write(path: Path, format_name: str | None) -> registry.Format:
    """The format that ``save`` will need; asked for first, so that nobody waits for a graph that cannot be written."""
    sink = Sink(path)
    found = registry.named(format_name) if format_name else registry.for_writing(sink.suffix, sink.name)
    sink.check()
    return found


def lost(graph: Graph, path: Path, chosen: registry.Format) -> list[str]:
    """What the format has no place for, so that whoever reads the file will not find it."""
    found = []
    if graph.names is not None and not chosen.keeps_names:
        found.append("the names of vertices, which are numbers there")
    if chosen.name == "edge-list":
        from clew.io.edge_list.writer import WITH_HEADER, WITHOUT_COMMENTS

        if isolated := graph.describe().isolated:
            found.append(f"{counted(isolated, 'vertex')} without edges")
        if not graph.directed and plain_suffix(path) in (*WITH_HEADER, *WITHOUT_COMMENTS):
            found.append("that edges go both ways: read it with --undirected")
    return found


def save(graph: Graph, path: Path, chosen: registry.Format) -> File:
    """Write a graph."""
    started = perf_counter()
    write(graph, path, chosen.name)
    return File(path, chosen, path.stat().st_size, perf_counter() - started)
