"""``clew convert``: convert a graph from one format to another, and clean it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.cli import output
from clew.cli.files import format_to_write, load, lost, save, tell
from clew.cli.reading import Reading, reads_graph
from clew.io.options import Duplicates
from clew.progress import showing


@reads_graph
def convert(
    origin: Annotated[Path, typer.Argument(metavar="IN", help="The file to read, in any format; - for stdin.")],
    destination: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The file to write; the suffix sets the format. - for stdout, with --to."),
    ],
    symmetrize: Annotated[
        bool, typer.Option("--symmetrize", help="Make the graph undirected: add the reverse of every edge.")
    ] = False,
    drop_loops: Annotated[bool, typer.Option("--drop-loops", help="Drop edges from a vertex to itself.")] = False,
    duplicates: Annotated[
        Duplicates | None,
        typer.Option(help="Parallel edges: keep all, drop all but one, or combine their weights."),
    ] = None,
    *,
    reading: Reading,
    to_format: Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="The format of OUT.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Convert a graph to another format.

    Edges can be cleaned at the same time. The output lists what was read, dropped and written.
    """
    wanted_format = format_to_write(destination, to_format, as_json=as_json)
    graph, was_read = load(
        origin,
        reading,
        duplicates=duplicates or "keep",
        loops="drop" if drop_loops else "keep",
    )
    with showing("changing edges"):
        result = graph.symmetrized(duplicates or "first") if symmetrize else graph
        result = reading.weighted(result)
    written = save(result, destination, wanted_format)
    if as_json:
        output.as_json(
            {
                "read": {**was_read.as_dict(), **graph.describe().as_dict()},
                "written": {**written.as_dict(), **result.describe().as_dict()},
                "lost": lost(result, destination, wanted_format),
            }
        )
        return
    rows = [("read", str(was_read)), ("", graph.report.counts), *was_read.decisions(), ("graph", output.size(graph))]
    if result is not graph:
        rows.append(("changed to", output.size(result)))
    rows.append(("written", str(written)))
    tell([*rows, *(("not kept", what) for what in lost(result, destination, wanted_format))], destination)
