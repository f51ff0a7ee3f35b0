"""The docs keep their form: short performance pages, dated experiments, one sentence a limit, plain English."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT

pytestmark = pytest.mark.quick

NOTEBOOK = sorted((DOCS / "notebook").glob("20*.md"))
#: Phrases of an old dialect (STYLE: plain English), which read as foreign to an English-speaking engineer.
DIALECT = re.compile(
    r"\b(beside|told|anew|to be had|what became of|hangs? together|has of|who asks|so and so)\b", re.IGNORECASE
)
#: The same for docstrings, messages and help, with the words that were frequent there.
DIALECT_IN_CODE = re.compile(
    DIALECT.pattern
    + r"|\b(became of|for ever|who(?:m|so)?ever|whatever|whichever|so many|heeds?|knobs?|look(?:s|ed)? at|left out"
    r"|leaves? out|ask(?:s|ed)? for|as asked|nobody|everyone|somebody|anybody|alike|taken? for|(?:is|are) to be"
    r"|by turns|wants?|made again|for want of|of which there (?:is|are)|at hand|in vain)\b",
    re.IGNORECASE,
)
#: What is plain where a page speaks to its reader.
ON_PAGES = re.compile("looks? at|want|asks? for|leave out", re.IGNORECASE)
LONGEST_SENTENCE = 25  # words
SOURCE = ROOT / "src" / "clew"
MODULES = sorted((ROOT / "src").rglob("*.py"))
KERNELS = sorted(path for path in SOURCE.rglob("*") if path.suffix in (".cuh", ".h", ".cpp"))
#: Other pages are made from docstrings, or written with the features they describe.
PLAIN = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    *NOTEBOOK,
    *(page for page in DOCS.glob("*.md") if page.name != "from-networkx.md"),
]
#: Pages for users: all but experiments and the history.
SHORT = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted({*DOCS.rglob("*.md")} - {*DOCS.glob("notebook/*.md")})]


def prose(page: Path) -> str:
    """A page without its examples, code and the tables that tools write from docstrings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!-- \w+: begin.*?: end -->", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def texts(path: Path) -> Iterator[str]:
    """The docstrings, messages and help in a module, without examples, references, tables and code."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") >= 2:
            text = re.sub(r"(References|Examples)\n\s*-+.*?(?=\n\s*\w+\n\s*-{4}|\Z)", "", node.value, flags=re.DOTALL)
            text = re.sub(r"^ *==+ +==.*^ *==+ +==[ =]*$", "", text, flags=re.DOTALL | re.MULTILINE)
            yield re.sub(r"``[^`]*``", "x", re.sub(r">>>.*", "", text))


def comments(path: Path) -> str:
    """All comments of a module or a kernel file, one after the other, without code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        lines = [token.string.lstrip("#:! ") for token in tokens if token.type == tokenize.COMMENT]
    else:
        lines = [line.lstrip("/ ") for line in re.findall(r"//.*", text)]
    return re.sub(r"`+[^`]*`+", "x", " ".join(lines))


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; a change of indentation, a blank line and a bullet end one too."""
    lines = inspect.cleandoc(text).split("\n")
    indents = [len(line) - len(line.lstrip()) if line.strip() else None for line in lines]
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or indents[end] != indents[start] or lines[end].lstrip().startswith(("- ", "* ")):
            yield from re.split(r"(?<=[.!?])\s+", " ".join(lines[start:end]))
            start = end


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


@pytest.mark.parametrize("page", SHORT, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_for_users_have_short_sentences_and_no_dialect(page):
    assert [found[0] for found in DIALECT_IN_CODE.finditer(prose(page)) if not ON_PAGES.fullmatch(found[0])] == []
    text = re.sub(r"\]\([^)]*\)|`[^`]*`", " ", re.sub(r"^\|.*", "", prose(page), flags=re.MULTILINE))
    parts = re.split(r"\n\s*\n|\n(?=\s*[-*:] |#|\d+\. )", text)
    said = [sentence for part in parts for sentence in re.split(r"(?<=[.!?])\s+", " ".join(part.split()))]
    assert [one for one in said if len(re.findall(r"\S*[A-Za-z]\S*", one)) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_docstrings_messages_and_help_are_in_plain_english(path):
    assert [found[0] for text in texts(path) for found in DIALECT_IN_CODE.finditer(text)] == []
    said = [sentence for text in texts(path) for sentence in sentences(text)]
    assert [one for one in said if len(re.findall(r"\S*[A-Za-z]\S*", one)) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("path", [*MODULES, *KERNELS], ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_comments_are_in_plain_english(path):
    assert [found[0] for found in DIALECT_IN_CODE.finditer(comments(path))] == []


def test_what_the_checks_of_docstrings_find():
    assert DIALECT_IN_CODE.findall("Memory beside the graph; so many rounds, whatever they are to be.")
    assert not DIALECT_IN_CODE.search("Besides the graph, this many iterations of any kind.")
    assert list(sentences("One. Two\nthree.\n\n- four\n- five")) == ["One.", "Two three.", "", "- four", "- five"]
    assert "beside" in " ".join(texts(Path(__file__)))  # this module's own constants are seen, too


def test_the_help_of_every_command_is_in_plain_english():
    """As Typer shows it: also what is put together from docstrings."""
    from typer.main import get_command

    from clew.cli.main import app

    def helps(command) -> Iterator[str]:
        yield from (command.help or "", command.short_help or "")
        yield from (getattr(option, "help", None) or "" for option in command.params)
        for inner in getattr(command, "commands", {}).values():
            yield from helps(inner)

    shown = list(helps(get_command(app)))
    assert len(shown) > 300
    assert [text for text in shown if DIALECT_IN_CODE.search(text)] == []
