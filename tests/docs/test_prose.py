"""The docs keep their form: short performance pages, dated experiments, one sentence a limit, plain English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

NOTEBOOK = sorted((DOCS / "notebook").glob("20*.md"))
#: Phrases of an old dialect (STYLE: plain English), which read as foreign to an English-speaking engineer.
DIALECT = re.compile(
    r"\b(beside|told|anew|to be had|what became of|hangs? together|has of|who asks|so and so)\b", re.IGNORECASE
)
#: Other pages are made from docstrings, or written with the features they describe.
PLAIN = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *NOTEBOOK,
    *(page for page in DOCS.glob("*.md") if page.name not in ("from-networkx.md", "own-algorithm.md")),
]


def prose(page: Path) -> str:
    """A page without its examples, code and the tables that tools write from docstrings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!-- \w+: begin.*?: end -->", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


@pytest.mark.parametrize("name", ["performance.md", "performance-gpu.md"])
def test_performance_pages_are_short_and_say_how_to_reproduce_them(name):
    text = (DOCS / name).read_text(encoding="utf-8")
    assert text.count("\n") <= 150, "move experiments to docs/notebook"
    assert "## Reproduce it" in text


@pytest.mark.parametrize("page", NOTEBOOK, ids=lambda page: page.stem)
def test_an_experiment_has_a_date_and_its_parts_and_is_listed(page):
    assert re.match(r"20\d\d-\d\d-[a-z]", page.name)
    parts = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    if "Why it was removed" not in parts:  # a technique that is gone has its own form
        assert parts == ["Question", "Method", "Figures", "Conclusion"]
    assert f"]({page.name})" in (DOCS / "notebook" / "index.md").read_text(encoding="utf-8")


def test_a_limit_is_one_sentence():
    bullets = re.split(r"\n(?=- |\n|#)", prose(DOCS / "limits.md"))
    bullets = [" ".join(bullet.split()) for bullet in bullets if bullet.startswith("- ")]
    assert len(bullets) > 40
    assert [bullet for bullet in bullets if re.search(r"[.!?] +[A-Z]", bullet) or not bullet.endswith(".")] == []


def test_the_changelog_has_the_form_of_keep_a_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", version) for version in versions[1:])
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_glossary_defines_the_words_of_the_design():
    terms = {line.lower() for line in re.findall(r"^(\S.*)\n: ", (DOCS / "glossary.md").read_text(), re.MULTILINE)}
    words = (
        "graph vertex edge arc weight source frontier engine device plan tier placement trace push pull semiring monoid"
    )
    assert {*words.split(), "waist", "generic form", "fused form", "superstep", "degree cut"} <= terms


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.stem)
def test_pages_are_in_plain_english(page):
    assert DIALECT.findall(prose(page)) == []
