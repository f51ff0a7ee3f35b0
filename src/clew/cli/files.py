"""Timed reading and writing, with the facts to report about each file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from clew.adjacency import BuildReport
from clew.cli import output
from clew.cli.options import Reading
from clew.cli.output import duration
from clew.describe import human_bytes
from clew.errors import ClewError, GraphError
from clew.graph import Graph
from clew.io import format_of, read, read_opened, registry, write, write_opened
from clew.io.options import ReadOptions, WriteOptions
from clew.io.ranges import open_source
from clew.io.sink import Sink, StreamSink
from clew.io.source import Source

DASH = Path("-")  # standard input where a graph is read, standard output where one is written
STDIN = Path("/dev/stdin")


@dataclass(frozen=True, slots=True)
class File:
    """A file that was read or written, and the report of a graph that was read."""

    path: Path
    format: registry.Format | None  # None for files that the workers of a cluster have read
    bytes: int
    seconds: float
    report: BuildReport | None = None

    def __str__(self) -> str:
        return f"{self.path}  ({self.title}, {human_bytes(self.bytes)}, {duration(self.seconds)})"

    @property
    def title(self) -> str:
        """The format in words."""
        return "read by workers" if self.format is None else self.format.title

    @property
    def name(self) -> str:
        """The name to show in a heading."""
        return "stdin" if self.path == DASH else self.path.name

    def as_dict(self) -> dict[str, Any]:
        """The facts, for JSON."""
        report: dict[str, Any] = {}
        if self.report is not None:
            report = {"columns": dict(self.report.columns), "decisions": self.report.decisions}
        return {
            "file": str(self.path),
            "format": None if self.format is None else self.format.name,
            "file_bytes": self.bytes,
            "seconds": round(self.seconds, 6),
        } | report

    def decisions(self) -> list[tuple[str, str]]:
        """How the columns were used and what else was decided, as rows of facts."""
        if self.report is None:
            return []
        columns = ", ".join(f"{name} ({role})" for name, role in self.report.columns.items())
        rows = [("columns", columns)] if columns else []
        return rows + [("" if number else "decided", one) for number, one in enumerate(self.report.decisions)]


def load(path: Path, reading: Reading | None = None, **options: Any) -> tuple[Graph, File]:
    """Read a graph; the time excludes loading compiled code."""
    reading = reading or Reading()
    chosen = reading.options(**options)
    source = open_source(STDIN if path == DASH else path)
    found = format_of(source, reading.format_name, chosen)
    _rehearse(source, found, chosen)
    started = perf_counter()
    graph = read_opened(source, reading.format_name, chosen)
    return graph, File(path, found, _stored_bytes(path, source.stored_bytes), perf_counter() - started, graph.report)


def _rehearse(source: Source, chosen: registry.Format, options: ReadOptions) -> None:
    """Load compiled code, which takes longer than reading most files, by reading a few lines or a small graph."""
    with suppress(ClewError):
        head = source.head()
        read_opened(Source(head[: head.rfind(b"\n") + 1] or head), chosen.name, options)
        return
    with suppress(ClewError, OSError), TemporaryDirectory() as folder:  # there may be no room for one
        small = Path(folder) / f"small{chosen.suffixes[0]}"
        write(Graph.from_edges([0, 1], [1, 2], directed=False), small, chosen.name)
        read(small, chosen.name)


def format_to_write(path: Path, format_name: str | None, *, as_json: bool = False) -> registry.Format:
    """The format that ``save`` will need; determined first, to fail early."""
    if path == DASH:
        if format_name is None:
            raise GraphError("standard output has no suffix to detect the format from; name the format with --to.")
        if as_json:
            raise GraphError("the graph itself is written to standard output, so --json is not possible; omit --json.")
        return registry.for_writing("", "standard output", format_name)
    sink = Sink(path)
    format_ = registry.for_writing(sink.suffix, sink.name, format_name)
    sink.check()
    return format_


def refuse_own_input(origin: Path, destination: Path) -> None:
    """Refuse to write over the file that is read, under any of its names, before any work is done."""
    if destination == DASH:
        return
    with suppress(OSError):  # one of them is no file yet, or none of this machine
        if not (STDIN if origin == DASH else origin).samefile(destination):
            return
        raise GraphError(
            f"OUT, {str(destination)!r}, is the file that is read; writing it would lose what is not written, such as "
            "columns. Write another file, and rename it afterwards if it is to replace this one."
        )


def save(graph: Graph, path: Path, chosen: registry.Format) -> File:
    """Write a graph."""
    started = perf_counter()
    if path == DASH:
        sink = StreamSink(sys.stdout.buffer, "standard output")
        write_opened(graph, sink, chosen, WriteOptions())
        return File(path, chosen, sink.written, perf_counter() - started)
    write(graph, path, chosen.name)
    return File(path, chosen, _stored_bytes(path, path.stat().st_size), perf_counter() - started)


def _stored_bytes(path: Path, file_bytes: int) -> int:
    """The bytes on disk of a file, or of all files of a folder."""
    return sum(each.stat().st_size for each in path.iterdir()) if path.is_dir() else file_bytes


def report_files(rows: Iterable[tuple[str, str]], destination: Path) -> None:
    """Report what was read and written, on stderr if the graph itself is on stdout."""
    output.facts(rows, output.messages if destination == DASH else output.results)
