"""``clew info``: describe a graph file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew import describe
from clew.cli import output
from clew.cli.files import load
from clew.cli.reading import Reading, reads_graph


@reads_graph
def info(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A graph in any format, compressed or not; - for stdin.")
    ],
    reading: Reading,
    check: Annotated[bool, typer.Option("--check", help="Verify every checksum of a .clew file.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Describe the graph in a file.

    Shows the number and type of vertices and edges, the degrees, the size in memory and on disk, and the reading time.
    """
    graph, found = load(file, reading, check=True if check else None)
    graph = reading.weighted(graph)
    description = graph.describe()
    if as_json:
        output.as_json({**found.as_dict(), **description.as_dict()})
        return
    output.heading(found.name)
    output.facts(
        [
            *describe.facts(description),
            ("format", found.format.title),
            ("on disk", describe.human_bytes(found.bytes)),
            ("time to read", output.duration(found.seconds)),
            *found.decisions(),
        ]
    )
