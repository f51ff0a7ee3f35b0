"""The directive ``clew-commands``: a section for every subcommand of ``clew``, made from what ``--help`` knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

Option = tuple[str, str]


class Commands(SphinxDirective):
    """Sections with usage, arguments and options."""

    def run(self) -> list[nodes.Node]:
        """The sections, parsed from reStructuredText."""
        from clew.cli.main import app

        root: Any = typer.main.get_command(app)
        lines = [line for name, command in root.commands.items() for line in section(command, f"clew {name}")]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def section(command: Any, path: str) -> Iterator[str]:
    """A command as reStructuredText; of a group, its subcommands too, and what their options have in common."""
    yield from (path, "-" * len(path), "", plain(command.help), "")
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield from usage(command, path)
        yield from (line for option in options_of(command) for line in definition(option))
        return
    options = {name: options_of(one) for name, one in subcommands.items()}
    everywhere = [option for option in next(iter(options.values())) if all(option in own for own in options.values())]
    for name, one in subcommands.items():
        yield from (f"{path} {name}", "~" * len(f"{path} {name}"), "", plain(one.help), "")
        yield from usage(one, f"{path} {name}")
        yield from (line for option in options[name] if option not in everywhere for line in definition(option))
    shared = f"Options of every ``{path}``"
    yield from (shared, "~" * len(shared), "")
    yield from (line for option in everywhere for line in definition(option))


def usage(command: Any, path: str) -> Iterator[str]:
    """How it is called, as a block of code."""
    context = command.make_context(path, [], resilient_parsing=True)
    pieces = " ".join(command.collect_usage_pieces(context)).replace("{", "").replace("}", "")
    yield from (".. code-block:: text", "", f"   {path} {pieces}", "")


def options_of(command: Any) -> list[Option]:
    """Arguments and options with what they are for; ``--help`` needs no words."""
    context = command.make_context("clew", [], resilient_parsing=True)
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    return [record for record in records if record is not None and "--help" not in record[0]]


def definition(option: Option) -> Iterator[str]:
    """An entry of a definition list."""
    yield from (f"``{option[0]}``", f"   {plain(option[1])}", "")


def plain(help_text: str | None) -> str:
    """Help as reStructuredText: what would be markup there stands for itself here; paragraphs stay apart."""
    paragraphs = (help_text or "").partition("\f")[0].strip().split("\n\n")
    flat = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return "\n\n".join(flat).replace("\\", "\\\\").replace("*", "\\*").replace("|", "\\|")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("clew-commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
