"""A page as a tree, with nothing but the standard library: what a browser would see, and whether it is well-formed."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = ("br", "circle", "hr", "img", "input", "link", "meta", "path")


@dataclass
class Node:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    content: list[Node | str] = field(default_factory=list)

    @property
    def children(self) -> list[Node]:
        return [part for part in self.content if isinstance(part, Node)]

    @property
    def raw(self) -> str:
        """The text directly in it, of scripts too."""
        return "".join(part for part in self.content if isinstance(part, str))

    def all(self, tag: str = "", **attributes: str) -> list[Node]:
        """Every element below this one with that tag and those attributes."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        found = []
        for child in self.children:
            if child.tag == (tag or child.tag) and wanted.items() <= child.attributes.items():
                found.append(child)
            found += child.all(tag, **attributes)
        return found

    def one(self, tag: str = "", **attributes: str) -> Node:
        (found,) = self.all(tag, **attributes)
        return found

    @property
    def text(self) -> str:
        """All text in it; what stands in scripts and styles is none."""
        if self.tag in ("script", "style"):
            return ""
        return " ".join(" ".join(part if isinstance(part, str) else part.text for part in self.content).split())


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Node("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(attrs) == len({name for name, _ in attrs}), f"an attribute of <{tag}> is there twice"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].content.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].content.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> where <{self.open[-1].tag}> is open"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def parsed(text: str) -> Node:
    """The page; fails where an element is not closed, or closed in the wrong place."""
    builder = _Builder()
    builder.feed(text)
    builder.close()
    assert len(builder.open) == 1, f"<{builder.open[-1].tag}> is never closed"
    return builder.open[0]
