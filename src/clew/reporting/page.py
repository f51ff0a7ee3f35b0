"""The page: content as HTML, with styles, scripts and figures embedded. It loads nothing from elsewhere.

`element` and `data` are the only functions that make markup, so nothing gets into a page unescaped.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from clew.plots.chart import DARK, LIGHT, template
from clew.reporting.content import Block, Column, Facts, Folded, Map, Plot, Section, Skipped, Table, Text, Tiles

VOID = ("br", "hr", "img", "input", "meta")
CLEAR = "rgba(0,0,0,0)"
TOP_MARGIN = 36  # pixels; the title is in the page, the legend in the figure
HEIGHT = 420  # pixels, of figures without a height


class Markup(str):
    """Text that is HTML already. Elements escape all other text."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: str | bool | None) -> Markup:
    """An element. Attributes are written with ``_`` for ``-`` and at the end of ``class_``; None is omitted."""
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in VOID:
        return Markup(f"<{tag}{written}>")
    inside = "".join(child if isinstance(child, Markup) else clean(child) for child in children if child is not None)
    return Markup(f"<{tag}{written}>{inside}</{tag}>")


def clean(text: str) -> str:
    """Escaped text. Characters that HTML cannot represent become U+FFFD."""
    return escape("".join(char if char.isprintable() or char in "\n\t\u00a0" else "\ufffd" for char in text))


def data(value: Any, **attributes: str) -> Markup:
    """A block of JSON for the page's script. It has no ``<``, so nothing in it can end the block early."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return element("script", Markup(safe), type="application/json", **attributes)


def _attribute(name: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{clean(str(value))}"'


def figure_data(plot: Plot) -> dict[str, Any]:
    """The light figure, and the differences of the dark one."""
    light, dark = (_bare(json.loads(drawn.to_json())) for drawn in (plot.light, plot.dark))
    return {"figure": light, "dark": list(differences(light, dark))}


def templates() -> dict[str, Any]:
    """Both themes, once for all figures. Their background is that of the page."""
    themes: dict[str, Any] = {name: template(name == "dark").to_plotly_json() for name in ("light", "dark")}
    for theme in themes.values():
        theme["layout"] |= {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}
    return themes


def differences(one: Any, other: Any, path: tuple[str | int, ...] = ()) -> Any:
    """Pairs of a path and the value of ``other`` there, wherever it differs from ``one``."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, (*path, place))
    elif one != other:
        yield [list(path), other]


def _bare(drawn: dict[str, Any]) -> dict[str, Any]:
    """A figure without what the page supplies: theme, title and background."""
    layout = drawn["layout"]
    for supplied in ("template", "title", "paper_bgcolor", "plot_bgcolor", "width"):
        layout.pop(supplied, None)
    layout["margin"] = {**layout.get("margin", {}), "t": TOP_MARGIN}
    return drawn


@cache
def plotly_script() -> tuple[str, str]:
    """plotly.js from the installed package, compressed, and the digest with which the page's policy permits it.

    Compression makes a page 3 MB smaller, and browsers unpack it quickly.
    """
    from plotly.offline import get_plotlyjs

    text = get_plotlyjs().replace("\r\n", "\n").encode()
    return base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii"), digest_of(text)


def digest_of(text: bytes) -> str:
    """The digest of a script, as written in a page's policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode('ascii')}'"


def html_page(title: str, sections: Sequence[Section]) -> str:
    """The whole page."""
    script, (plotly, digest) = _file("report.js") + _file("map.js"), plotly_script()
    blocks = [block for section in sections for block in _unfolded(section.blocks)]
    plots = [block for block in blocks if isinstance(block, Plot)]
    maps = [block for block in blocks if isinstance(block, Map)]
    return Template(_file("page.html")).substitute(
        title=clean(title),
        lead=element("p", sections[0].lead, class_="lead") if sections else "",
        policy=f"script-src {digest_of(script.encode())} {digest}",
        colors=_colors(),
        style=_file("report.css"),
        contents="".join(element("li", element("a", one.title, href=f"#{one.key}")) for one in sections),
        sections="\n".join(_section(section, first=section is sections[0]) for section in sections),
        figures="\n".join(
            [data(figure_data(plot), id=f"figure-{plot.key}") for plot in plots]
            + [element("script", Markup(each.packed), type="text/plain", id=f"map-{each.key}") for each in maps]
        ),
        templates=data(templates(), id="templates"),
        plotly=plotly if plots else "",
        script=script,
    )


def _unfolded(blocks: Sequence[Block]) -> Iterator[Block]:
    """All blocks, also those inside others."""
    for block in blocks:
        yield block
        if isinstance(block, Folded):
            yield from _unfolded(block.blocks)


def _file(name: str) -> str:
    return (files("clew.reporting") / "templates" / name).read_text(encoding="utf-8")


def _colors() -> str:
    """The colours that the page shares with its figures."""
    shared = {
        "paper": (LIGHT.paper, DARK.paper),
        "ink": (LIGHT.ink, DARK.ink),
        "accent": (LIGHT.palette[0], DARK.palette[0]),
        "warm": (LIGHT.palette[1], DARK.palette[1]),
    }
    return " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in shared.items())


def _section(section: Section, *, first: bool) -> Markup:
    heading = element("h2", section.title, id=f"{section.key}-title")
    lead = element("p", section.lead, class_="lead") if section.lead and not first else None
    blocks = (block_markup(block) for block in section.blocks)
    return element("section", heading, lead, *blocks, id=section.key, aria_labelledby=f"{section.key}-title")


def block_markup(block: Block) -> Markup:
    """A block as HTML."""
    match block:
        case Text(text):
            return element("p", text)
        case Skipped(what, why, remedy):
            reason = f" because {why}. {remedy}"
            return element("p", element("strong", f"{what}: skipped,"), reason, class_="skipped")
        case Tiles(tiles):
            cells = (
                element("div", element("dt", what), element("dd", value), element("dd", remark, class_="remark"))
                for value, what, remark in tiles
            )
            return element("dl", *cells, class_="tiles")
        case Facts(facts):
            rows = (element("div", element("dt", what), element("dd", value)) for what, value in facts)
            return element("dl", *rows, class_="facts")
        case Folded(title, blocks):
            inside = (block_markup(inner) for inner in blocks)
            return element("details", element("summary", title), *inside, class_="folded")
        case Table():
            return _table(block)
        case Plot():
            return _plot(block)
        case Map():
            return _map(block)


def _table(table: Table) -> Markup:
    columns = table.columns
    limits = [_largest(column, place, table.rows) for place, column in enumerate(columns)]
    heads = (
        element("th", element("button", column.title, type="button"), scope="col", class_=_class_of(column))
        for column in columns
    )
    first = next((place for place, column in enumerate(columns) if column.name or not column.numeric), 0)
    body = (
        element("tr", *(_cell(columns[at], value, limits[at], heads=at == first) for at, value in enumerate(row)))
        for row in table.rows
    )
    markup = element(
        "table",
        element("caption", element("span", table.caption)),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
    )
    return element("div", markup, class_="scroll", role="region", tabindex="0", aria_label=table.caption)


def _plot(plot: Plot) -> Markup:
    square = plot.light.layout.yaxis.scaleanchor is not None
    name, caption = f"{plot.key}-name", f"{plot.key}-caption"
    canvas = element(
        "div",
        class_="plot",
        role="img",
        aria_labelledby=name,
        aria_describedby=caption,
        data_figure=f"figure-{plot.key}",
        data_square=square,
        style=None if square else f"height:{int(plot.light.layout.height or HEIGHT)}px",
    )
    return _figure(plot, canvas)


def _map(picture: Map) -> Markup:
    """A canvas with a search and buttons; the script draws on it."""
    search = {"type": "search", "placeholder": "Find a vertex", "aria_label": "Find a vertex", "autocomplete": "off"}
    found = f"{picture.key}-found"
    buttons = {"+": "Zoom in", "−": "Zoom out", "⤢": "Show everything"}
    tools = element(
        "div",
        element("input", list=found, **search),
        element("datalist", id=found),
        *(element("button", sign, type="button", aria_label=what, title=what) for sign, what in buttons.items()),
        element("output"),
        class_="tools",
    )
    labels = {"aria_labelledby": f"{picture.key}-name", "aria_describedby": f"{picture.key}-caption"}
    canvas = element("div", element("canvas", role="img", tabindex="0", **labels), class_="sheet")
    return _figure(picture, element("div", tools, canvas, class_="map", data_map=f"map-{picture.key}"))


def _figure(shown: Plot | Map, drawing: Markup) -> Markup:
    """A drawing with its title, its description and its numbers."""
    return element(
        "figure",
        element("h3", shown.title, id=f"{shown.key}-name"),
        drawing,
        element("figcaption", shown.alt, id=f"{shown.key}-caption"),
        element("details", element("summary", "The numbers as a table"), _table(shown.table)),
        id=f"plot-{shown.key}",
    )


def _class_of(column: Column) -> str | None:
    return "number" if column.numeric else None


def _cell(column: Column, value: Any, largest: float, *, heads: bool) -> Markup:
    """A cell. Numbers carry their exact value, which the script sorts by."""
    missing = "–" if column.numeric else ""
    shown: str | None = missing if value is None else column.show(value)
    if column.name:
        shown = element("bdi", shown)
    bar = None
    if column.bar and largest > 0:
        bar = element("span", class_="bar", style=f"--share:{max(0.0, float(value)) / largest:.4f}", aria_hidden="true")
    exact = repr(value) if column.numeric and isinstance(value, int | float) else None
    classes = " ".join(filter(None, (_class_of(column), "with-bar" if column.bar else ""))) or None
    if heads:
        return element("th", shown, bar, scope="row", class_=classes, data_value=exact)
    return element("td", shown, bar, class_=classes, data_value=exact)


def _largest(column: Column, place: int, rows: Sequence[Sequence[Any]]) -> float:
    return max((float(row[place]) for row in rows if row[place] is not None), default=0.0) if column.bar else 0.0
