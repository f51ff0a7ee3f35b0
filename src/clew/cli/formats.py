"""``clew formats``: the file formats that clew reads and writes."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.cli import output
from clew.cli.output import Column
from clew.io import registry
from clew.io.source import COMPRESSION_SUFFIXES


def formats(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the file formats.

    --format, --from and --to take the names in the first column.
    """
    known = list(registry.formats())
    if as_json:
        output.as_json(
            [
                {
                    "name": one.name,
                    "title": one.title,
                    "suffixes": list(one.suffixes),
                    "reads": True,
                    "writes": True,
                }
                for one in known
            ]
        )
        return
    output.heading("File formats")
    output.table(
        [
            Column("name", style="bold"),
            Column("format", wrap=True),
            Column("suffixes", wrap=True),
            Column("reads"),
            Column("writes"),
        ],
        ((one.name, one.title, " ".join(one.suffixes), "yes", "yes") for one in known),
    )
    output.paragraph(f"All of them can be compressed: add {', '.join(COMPRESSION_SUFFIXES)} to the suffix.")
