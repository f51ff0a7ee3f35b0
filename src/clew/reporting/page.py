"""The page: sections as HTML, with styles, scripts and figures embedded. It loads nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from importlib.resources import files
from string import Template
from typing import Any

from clew.plots.theme import DARK, LIGHT
from clew.reporting import embedding
from clew.reporting.content import Block, Column, Facts, Folded, Plot, Section, Skipped, Table, Text, Tiles
from clew.reporting.html import Markup, clean, data, element

HEIGHT = 420  # of figures that do not say; pixels


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    script, plotly = _file("report.js"), embedding.plotly_script()
    plots = [block for section in sections for block in section.blocks if isinstance(block, Plot)]
    return Template(_file("page.html")).substitute(
        title=clean(title),
        lead=element("p", sections[0].lead, class_="lead") if sections else "",
        policy=f"script-src {embedding.digest_of(script.encode())} {plotly.digest}",
        colors=_colors(),
        style=_file("report.css"),
        contents="".join(_entry(section) for section in sections),
        sections="\n".join(_section(section, first=section is sections[0]) for section in sections),
        figures="\n".join(data(embedding.figure(plot), id=f"figure-{plot.key}") for plot in plots),
        templates=data(embedding.templates(), id="templates"),
        plotly=plotly.packed if plots else "",
        script=script,
    )


def _file(name: str) -> str:
    return (files("clew.reporting") / "templates" / name).read_text(encoding="utf-8")


def _colors() -> str:
    """The colours that the page has in common with its figures."""
    shared = {
        "paper": (LIGHT.paper, DARK.paper),
        "ink": (LIGHT.ink, DARK.ink),
        "accent": (LIGHT.palette[0], DARK.palette[0]),
        "warm": (LIGHT.palette[1], DARK.palette[1]),
    }
    return " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in shared.items())


def _entry(section: Section) -> Markup:
    return element("li", element("a", section.title, href=f"#{section.key}"))


def _section(section: Section, *, first: bool) -> Markup:
    heading = element("h2", section.title, id=f"{section.key}-title")
    lead = element("p", section.lead, class_="lead") if section.lead and not first else None
    blocks = (block_markup(block) for block in section.blocks)
    return element("section", heading, lead, *blocks, id=section.key, aria_labelledby=f"{section.key}-title")


@singledispatch
def block_markup(block: Block) -> Markup:
    """A block as HTML."""
    raise TypeError(f"{type(block).__name__} is no block of a report")


@block_markup.register
def _(block: Text) -> Markup:
    return element("p", block.text)


@block_markup.register
def _(block: Skipped) -> Markup:
    return element(
        "p", element("strong", f"{block.what}: skipped,"), f" because {block.why}. {block.remedy}", class_="skipped"
    )


@block_markup.register
def _(block: Tiles) -> Markup:
    tiles = (
        element("div", element("dt", what), element("dd", value), element("dd", remark, class_="remark"))
        for value, what, remark in block.tiles
    )
    return element("dl", *tiles, class_="tiles")


@block_markup.register
def _(block: Facts) -> Markup:
    rows = (element("div", element("dt", what), element("dd", value)) for what, value in block.rows)
    return element("dl", *rows, class_="facts")


@block_markup.register
def _(block: Table) -> Markup:
    columns = block.columns
    limits = [_largest(column, place, block.rows) for place, column in enumerate(columns)]
    heads = (
        element("th", element("button", column.title, type="button"), scope="col", class_=_kind(column))
        for column in columns
    )
    first = next((place for place, column in enumerate(columns) if column.name or not column.numeric), 0)
    body = (
        element("tr", *(_cell(columns[at], value, limits[at], heads=at == first) for at, value in enumerate(row)))
        for row in block.rows
    )
    table = element(
        "table",
        element("caption", element("span", block.caption)),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
    )
    return element("div", table, class_="scroll", role="region", tabindex="0", aria_label=block.caption)


@block_markup.register
def _(block: Plot) -> Markup:
    square = block.light.layout.yaxis.scaleanchor is not None
    name, caption = f"{block.key}-name", f"{block.key}-caption"
    canvas = element(
        "div",
        class_="plot",
        role="img",
        aria_labelledby=name,
        aria_describedby=caption,
        data_figure=f"figure-{block.key}",
        data_square=square,
        style=None if square else f"height:{int(block.light.layout.height or HEIGHT)}px",
    )
    return element(
        "figure",
        element("h3", block.title, id=name),
        canvas,
        element("figcaption", block.alt, id=caption),
        element("details", element("summary", "The numbers as a table"), block_markup(block.table)),
        id=f"plot-{block.key}",
    )


@block_markup.register
def _(block: Folded) -> Markup:
    inside = (block_markup(inner) for inner in block.blocks)
    return element("details", element("summary", block.title), *inside, class_="folded")


def _kind(column: Column) -> str | None:
    return "number" if column.numeric else None


def _cell(column: Column, value: Any, largest: float, *, heads: bool) -> Markup:
    """A cell; numbers carry their exact value, by which the script sorts."""
    shown: str | None = column.show(value)
    if column.name:
        shown = element("bdi", shown)
    bar = None
    if column.bar and largest > 0:
        bar = element("span", class_="bar", style=f"--share:{max(0.0, float(value)) / largest:.4f}", aria_hidden="true")
    exact = repr(value) if column.numeric and isinstance(value, int | float) else None
    kind = " ".join(filter(None, (_kind(column), "with-bar" if column.bar else "")))
    if heads:
        return element("th", shown, bar, scope="row", class_=kind or None, data_value=exact)
    return element("td", shown, bar, class_=kind or None, data_value=exact)


def _largest(column: Column, place: int, rows: Sequence[Sequence[Any]]) -> float:
    return max((float(row[place]) for row in rows if row[place] is not None), default=0.0) if column.bar else 0.0
