"""``clew formats``: what can be read and written."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.cli import output
from clew.cli.output import Column
from clew.io import registry
from clew.io.source import COMPRESSION_SUFFIXES


def formats(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the file formats.

    The names in the first column are what --format, --from and --to take.
    """
    known = list(registry.formats())
    if as_json:
        output.as_json(
            [
                {
                    "name": one.name,
                    "title": one.title,
                    "suffixes": list(one.suffixes),
                    "reads": one.read is not None,
                    "writes": one.write is not None,
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
        (
            (one.name, one.title, " ".join(one.suffixes), "yes" if one.read else "–", "yes" if one.write else "–")
            for one in known
        ),
    )
    output.paragraph(f"Each of them may be compressed: {', '.join(COMPRESSION_SUFFIXES)} after the suffix.")
