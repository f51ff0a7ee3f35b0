"""Figures and plotly's own script in the form in which a page carries them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from functools import cache
from typing import Any, NamedTuple

from clew.plots.theme import template
from clew.reporting.content import Plot

CLEAR = "rgba(0,0,0,0)"
TOP_MARGIN = 36  # pixels; the title stands in the page, the legend in the figure


class Script(NamedTuple):
    """A script as compressed text, and the digest by which the page's policy lets it run."""

    packed: str
    digest: str


def figure(plot: Plot) -> dict[str, Any]:
    """The light figure, and where the dark one differs from it."""
    light, dark = (_bare(json.loads(drawn.to_json())) for drawn in (plot.light, plot.dark))
    return {"figure": light, "dark": list(differences(light, dark))}


def templates() -> dict[str, Any]:
    """Both themes, once for all figures. The page itself is the paper."""
    found: dict[str, Any] = {}
    for name, dark in (("light", False), ("dark", True)):
        found[name] = template(dark).to_plotly_json()
        found[name]["layout"] |= {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}
    return found


def differences(one: Any, other: Any, path: tuple[str | int, ...] = ()) -> Any:
    """Pairs of a path and the value that ``other`` has there, for all places where it is not the same."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, (*path, place))
    elif one != other:
        yield [list(path), other]


def _bare(drawn: dict[str, Any]) -> dict[str, Any]:
    """A figure without what the page supplies: theme, title, colour of the paper."""
    layout = drawn["layout"]
    for supplied in ("template", "title", "paper_bgcolor", "plot_bgcolor", "width"):
        layout.pop(supplied, None)
    layout["margin"] = {**layout.get("margin", {}), "t": TOP_MARGIN}
    return drawn


@cache
def plotly_script() -> Script:
    """plotly.js from the installed package. Compressed, a page is 3 MB smaller; browsers unpack it in a moment."""
    from plotly.offline import get_plotlyjs

    text = get_plotlyjs().replace("\r\n", "\n").encode()
    return Script(base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii"), digest_of(text))


def digest_of(text: bytes) -> str:
    """A script's digest as a page's policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode('ascii')}'"
