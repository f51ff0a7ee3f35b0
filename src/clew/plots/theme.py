"""The look of all figures: light or dark, with colour-blind-safe colours and letters that are legible on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import plotly.graph_objects as go

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FONT_SIZE = 14
TITLE_SIZE = 17
LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1, "xanchor": "left", "x": 0, "itemsizing": "constant"}


class Look(NamedTuple):
    """The colours of a theme. Those of the palette have a contrast of at least 3 against the paper.

    The last one is for groups without their own colour.
    """

    paper: str
    ink: str
    soft: str  # for secondary text
    faint: str  # for orientation: grids, edges of a drawing
    palette: tuple[str, ...]
    scale: tuple[str, ...]  # from small to large


LIGHT = Look(
    paper="#ffffff",
    ink="#1f2430",
    soft="#5a6172",
    faint="#8a91a0",
    palette=("#0067a5", "#c8500a", "#00805e", "#b0478f", "#8a6d00", "#2b2f3a", "#7d8493"),
    scale=("#35b779", "#21918c", "#31688e", "#443983", "#440154"),
)
DARK = Look(
    paper="#14171f",
    ink="#e8eaf0",
    soft="#a9b0be",
    faint="#7d8595",
    palette=("#5db4ec", "#ff9350", "#2fc39a", "#e08cc4", "#e2c044", "#f4f5f7", "#8f97a6"),
    scale=("#3b528b", "#21918c", "#35b779", "#a0da39", "#fde725"),
)


def look(dark: bool) -> Look:
    """The colours of the theme."""
    return DARK if dark else LIGHT


def template(dark: bool = False) -> go.layout.Template:
    """The theme as a plotly template. A page that switches themes gives its figures the other one."""
    import plotly.graph_objects as go

    colors = look(dark)
    grid = f"rgba{(*rgb(colors.faint), 0.25)}"
    lines = {"gridcolor": grid, "linecolor": colors.faint, "tickcolor": colors.faint, "zeroline": False}
    axis = lines | {"showline": True, "ticks": "outside", "automargin": True, "title": {"standoff": 8}}
    title = {"x": 0, "xref": "container", "y": 1, "yref": "container", "yanchor": "top", "pad": {"l": 16, "t": 14}}
    subtitle = {"font": {"size": FONT_SIZE - 1, "color": colors.soft}}
    return go.layout.Template(
        data={"bar": [{"insidetextfont": {"color": colors.paper}}]},
        layout={
            "font": {"family": FONT, "size": FONT_SIZE, "color": colors.ink},
            "title": title | {"font": {"size": TITLE_SIZE}, "subtitle": subtitle},
            "paper_bgcolor": colors.paper,
            "plot_bgcolor": colors.paper,
            "colorway": list(colors.palette),
            "colorscale": {"sequential": steps(colors.scale)},
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 16, "r": 16, "t": 48, "b": 16},
            "legend": LEGEND,
            "hoverlabel": {"font": {"family": FONT, "size": FONT_SIZE}},
            "hovermode": "closest",
            "bargap": 0.15,
        },
    )


def steps(colors: tuple[str, ...]) -> list[list[float | str]]:
    """A colour scale in plotly's form."""
    return [[number / (len(colors) - 1), color] for number, color in enumerate(colors)]


def rgb(color: str) -> tuple[int, int, int]:
    """The three numbers of a colour written as "#rrggbb"."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
