"""``clew report``: one HTML page about a graph."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from clew import threads
from clew.cli import output
from clew.cli.files import load
from clew.cli.reading import Reading, reads_graph
from clew.cli.run import source_of
from clew.describe import human_bytes
from clew.errors import MissingDependencyError
from clew.progress import showing

DEFAULT = Path("report.html")


@reads_graph
def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A graph in any format; - for stdin.")],
    destination: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="The page to write; one that is there is replaced.")
    ] = DEFAULT,
    title: Annotated[str | None, typer.Option(help="What the page calls the graph; default: the file's name.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="VERTEX", help="Measure distances from it; default: the most connected one."),
    ] = None,
    fast_memory: Annotated[
        str | None,
        typer.Option(metavar="BYTES", help="Place rows into so much, such as 8GiB; default: a quarter of them."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="Compute what takes long on a graph of this size too.")
    ] = False,
    device: Annotated[str, typer.Option(help="Where algorithms run: auto, cpu or cuda.")] = "auto",
    thread_count: Annotated[int | None, typer.Option("--threads", help="How many; default: all cores.")] = None,
    *,
    reading: Reading,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write one HTML page about a graph.

    Facts, a picture, degrees, components, the top vertices, distances, plans and timings, with figures to zoom into.
    The page is one file that needs no network. What would take long on a graph of this size is left out, and the page
    says so. Needs plotly: pip install "clew[plots]".
    """
    from clew.reporting import report as write
    from clew.reporting.writing import check_target

    check_target(destination)  # nobody should wait for a page that cannot be written
    threads.set_count(thread_count)
    graph, was_read = load(file, reading)
    graph = reading.weighted(graph)
    started = perf_counter()
    with showing("writing the report") as progress:
        write(
            graph,
            destination,
            title=title or (None if graph.metadata.get("title") else was_read.name),
            source=None if source is None else source_of(graph, source),
            fast_memory=fast_memory,
            everything=everything,
            device=device,
            origin=[("file", f"{was_read.name} ({was_read.format.title}, {human_bytes(was_read.bytes)})")],
            steps=[("Reading the file", was_read.seconds)],
            progress=progress,
        )
    seconds, size = perf_counter() - started, destination.stat().st_size
    if as_json:
        written = {"file": str(destination), "file_bytes": size, "seconds": round(seconds, 6)}
        output.as_json({"read": was_read.as_dict(), "written": written})
        return
    output.facts(
        [
            ("read", str(was_read)),
            *was_read.decisions(),
            ("graph", output.size(graph)),
            ("written", f"{destination}  ({human_bytes(size)}, {output.duration(seconds)})"),
        ]
    )


def of_the_demo(destination: Path) -> None:
    """Write the report of the bundled graph, and say where it is."""
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
    output.heading("The report", "to open in a browser")
    output.whole(str(destination.resolve()))
    output.paragraph(f"{size} in {taken}, one page that needs no network.")
