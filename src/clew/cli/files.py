"""Reading and writing as the commands do it: timed, and remembering what there is to say about the file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from clew.adjacency import BuildReport
from clew.cli import output
from clew.cli.output import duration
from clew.cli.reading import Reading
from clew.describe import human_bytes
from clew.errors import ClewError, FormatError, GraphError
from clew.graph import Graph
from clew.io import losses, read, registry, write
from clew.io.files import format_of, read_opened, write_opened
from clew.io.options import ReadOptions, WriteOptions
from clew.io.sink import Sink, StreamSink
from clew.io.source import Source, plain_suffix

DASH = Path("-")  # standard input where a graph is read, standard output where one is written
STDIN = Path("/dev/stdin")


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read or written; of one that was read, the report of its graph."""

    path: Path
    format: registry.Format
    bytes: int
    seconds: float
    report: BuildReport | None = None

    def __str__(self) -> str:
        return f"{self.path}  ({self.format.title}, {human_bytes(self.bytes)}, {duration(self.seconds)})"

    @property
    def name(self) -> str:
        """What to call it in a heading."""
        return "stdin" if self.path == DASH else self.path.name

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        return {
            "file": str(self.path),
            "format": self.format.name,
            "file_bytes": self.bytes,
            "seconds": round(self.seconds, 6),
            **(
                {}
                if self.report is None
                else {"columns": dict(self.report.columns), "decisions": self.report.decisions}
            ),
        }

    def decisions(self) -> list[tuple[str, str]]:
        """What became of the columns and what else was decided, as rows of facts."""
        if self.report is None:
            return []
        columns = ", ".join(f"{name} ({role})" for name, role in self.report.columns.items())
        heads = chain(["decided"], repeat(""))
        return [*([("columns", columns)] if columns else []), *zip(heads, self.report.decisions, strict=False)]


def load(path: Path, reading: Reading | None = None, **options: Any) -> tuple[Graph, File]:
    """Read a graph; the time is that of reading alone, with the code for it loaded before."""
    reading = reading or Reading()
    chosen = reading.options(**options)
    source = Source(STDIN if path == DASH else path)
    found = format_of(source, reading.format_name, chosen)
    _rehearse(source, found, chosen)
    started = perf_counter()
    graph = read_opened(source, reading.format_name, chosen)
    return graph, File(path, found, source.stored_bytes, perf_counter() - started, graph.report)


def _rehearse(source: Source, chosen: registry.Format, options: ReadOptions) -> None:
    """Load compiled code, which takes longer than to read most files: by the file's first lines, or a small graph."""
    with suppress(ClewError):
        head = source.head()
        read_opened(Source(head[: head.rfind(b"\n") + 1] or head), chosen.name, options)
        return
    with suppress(ClewError, OSError), TemporaryDirectory() as folder:  # there may be no room for one
        small = Path(folder) / f"small{chosen.suffixes[0]}"
        write(Graph.from_edges([0, 1], [1, 2], directed=False), small, chosen.name)
        read(small, chosen.name)


def format_to_write(path: Path, format_name: str | None, *, as_json: bool = False) -> registry.Format:
    """The format that ``save`` will need; asked for first, so that nobody waits for a graph that cannot be written."""
    if path == DASH:
        if format_name is None:
            raise GraphError("standard output has no suffix; name the format of what is written there with --to.")
        if as_json:
            raise GraphError(
                "the graph itself goes to standard output, so that --json has no place there; leave it out."
            )
        found = registry.named(format_name)
    else:
        sink = Sink(path)
        found = registry.named(format_name) if format_name else registry.for_writing(sink.suffix, sink.name)
        sink.check()
    if found.write is None:
        raise FormatError(f"{found.title} can be read but not written.", path=path)
    return found


def lost(graph: Graph, path: Path, chosen: registry.Format) -> list[str]:
    """What the format has no place for, so that whoever reads the file will not find it."""
    return losses.lost(graph, chosen, plain_suffix(path), "--undirected")


def save(graph: Graph, path: Path, chosen: registry.Format) -> File:
    """Write a graph."""
    started = perf_counter()
    if path == DASH:
        sink = StreamSink(sys.stdout.buffer, "standard output")
        write_opened(graph, sink, chosen, WriteOptions())
        return File(path, chosen, sink.written, perf_counter() - started)
    write(graph, path, chosen.name)
    return File(path, chosen, path.stat().st_size, perf_counter() - started)


def tell(rows: Iterable[tuple[str, str]], destination: Path) -> None:
    """What was read and written; on stderr where the graph itself has gone to stdout."""
    output.facts(rows, output.messages if destination == DASH else output.results)
