"""The docs build without a warning, into a site that loads nothing from elsewhere and leaves out no public name."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from inspect import ismodule
from pathlib import Path
from xml.etree import ElementTree

import pytest

import clew
from clew import errors, gathers, monoids, operators, placement, plan, plots, semirings, tiers
from tests.docs.pages import DOCS

PICTURES = sorted((DOCS / "pictures").glob("*.svg"))


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built with warnings as errors."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", out / "trees"]
    done = subprocess.run([*command, DOCS, out / "html"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "html"


class Assets(HTMLParser):
    """What a browser fetches to show a page, and what the page calls its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        if tag != "a":
            # Of a link, only some kinds are fetched; what points to related pages is not.
            kind = given.get("rel", "") if tag == "link" else "stylesheet"
            if kind in ("stylesheet", "icon", "preload", "manifest"):
                self.fetched += [given[name] for name in ("src", "href", "srcset", "data") if given.get(name)]


def assets(page: Path) -> Assets:
    found = Assets()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def test_pages_load_nothing_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        assert [url for url in assets(page).fetched if re.match(r"(\w+:)?//", url)] == [], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def public_names() -> set[str]:
    """What users may call, by the name that the reference should have it under."""
    packages = {
        "clew": clew,
        "clew.generate": clew.generate,
        "clew.placement": placement,
        "clew.plan": plan,
        "clew.plots": plots,
        "clew.verify": clew.verify,
    }
    names = {
        f"{path}.{name}"
        for path, package in packages.items()
        for name in package.__all__
        if not ismodule(getattr(package, name))
    }
    names |= {f"clew.tiers.{name}" for name in tiers.__all__ if callable(getattr(tiers, name))}
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    # Some can be had from two places, and are shown under one name.
    elsewhere = {f"clew.{name}" for name in kinds} | {"clew.plan.Plan", "clew.plan.explain"}
    return (names - elsewhere) | {f"clew.errors.{name}" for name in kinds}


def test_the_reference_has_every_public_name(site):
    shown = set().union(*(assets(page).ids for page in (site / "reference").rglob("*.html")))
    assert public_names() - shown == set(), "add them to a page in docs/reference"


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        (operators, clew.Operator),
        (monoids, clew.Monoid),
        (semirings, clew.Semiring),
        (gathers, clew.Gather),
    ],
)
def test_the_list_of_built_in_operators_is_current(module, kind):
    names = sorted(name for name, value in vars(module).items() if isinstance(value, kind))
    short = module.__name__.split(".")[-1]
    row = f"| `clew.{short}` | {', '.join(f'`{name}`' for name in names)} |"
    assert row in (DOCS / "reference" / "operators.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_pictures_are_part_of_the_page_with_a_text_for_those_who_cannot_see_them(site, picture):
    ElementTree.parse(picture)
    body = picture.read_text(encoding="utf-8").partition("</style>")[2].strip()
    for page in DOCS.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        if f"pictures/{picture.name}" in text:
            assert re.search(rf"!\[[^\]]{{20,}}\]\(pictures/{picture.name}\)", text), page
            assert body in (site / page.name).with_suffix(".html").read_text(encoding="utf-8")


@pytest.mark.quick
@pytest.mark.parametrize("page", ["papers.md", "concepts.md", "architecture.md"])
def test_files_that_are_named_exist(page):
    source = DOCS.parent / "src" / "clew"
    engines, cuda = source / "engines", source / "engines" / "cuda"
    folders = (source, engines / "cpu", cuda, cuda / "kernels", source / "algorithms" / "bfs", source.parents[1])
    named = re.findall(r"`([\w/]+(?:\.py|\.cuh|/))`", (DOCS / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [
        path for path in named if path != "src/clew/" and not any((folder / path).exists() for folder in folders)
    ] == []
