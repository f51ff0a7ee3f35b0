"""``clew report``: one HTML page about a graph."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from clew import threads
from clew.cli import output
from clew.cli.files import load, refuse_own_input
from clew.cli.options import AsJson, GraphFile, Reading, reads_graph
from clew.cli.run import source_of
from clew.describe import human_bytes
from clew.errors import MissingDependencyError
from clew.progress import showing


@reads_graph
def report(
    file: GraphFile,
    destination: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="The page to write; an existing file is replaced.")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="The title of the page; default: the file's name.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="VERTEX", help="Source of the distances; default: the largest hub."),
    ] = None,
    fast_memory: Annotated[
        str | None,
        typer.Option(metavar="BYTES", help="Fast memory to place rows in, such as 8GiB; default: a quarter of them."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also compute the parts that take long on a graph of this size.")
    ] = False,
    device: Annotated[str, typer.Option(help="Where algorithms run: auto, cpu or cuda.")] = "auto",
    thread_count: Annotated[int | None, typer.Option("--threads", help="Thread count; default: all cores.")] = None,
    *,
    reading: Reading,
    as_json: AsJson = False,
) -> None:
    """Write one HTML page about a graph.

    The page has facts, a picture, degrees, components, top vertices, distances, plans and timings, with zoomable
    figures. It is one file and works offline. Parts that take long on a graph of this size are skipped, and the page
    lists them. Requires plotly: pip install "clew[plots]".
    """
    from clew.reporting import check_target
    from clew.reporting import report as write

    refuse_own_input(file, destination)
    check_target(destination)  # fails before any work is done
    threads.set_count(thread_count)
    graph, was_read = load(file, reading)
    graph = reading.weighted(graph)
    heading = title or (None if graph.metadata.get("title") else was_read.name)
    start = None if source is None else source_of(graph, source)
    choices: dict[str, Any] = {"source": start, "fast_memory": fast_memory, "everything": everything, "device": device}
    origin = [("file", f"{was_read.name} ({was_read.title}, {human_bytes(was_read.bytes)})")]
    steps = [("Reading the file", was_read.seconds)]
    started = perf_counter()
    with showing("writing the report") as progress:
        write(graph, destination, title=heading, origin=origin, steps=steps, progress=progress, **choices)
    seconds, size = perf_counter() - started, destination.stat().st_size
    if as_json:
        written = {"file": str(destination), "file_bytes": size, "seconds": round(seconds, 6)}
        output.as_json({"read": was_read.as_dict(), "written": written})
        return
    written_in = f"{destination}  ({human_bytes(size)}, {output.duration(seconds)})"
    rows = [("read", str(was_read)), *was_read.decisions(), ("graph", output.size(graph)), ("written", written_in)]
    output.facts(rows)


def of_the_demo(destination: Path) -> None:
    """Write the report of the bundled graph, and print its path."""
    from clew import datasets

    started = perf_counter()
    try:
        from clew.reporting import report as write

        with showing("writing the report") as progress:
            write(datasets.debian(), destination, progress=progress)
    except MissingDependencyError as error:
        output.heading("No report")
        output.paragraph(str(error))
        return
    size, taken = human_bytes(destination.stat().st_size), output.duration(perf_counter() - started)
    output.heading("The report", "open it in a browser")
    output.whole(str(destination.resolve()))
    output.paragraph(f"{size} in {taken}, one page that works offline.")
