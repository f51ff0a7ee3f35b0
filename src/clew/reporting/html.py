"""HTML from plain text: the one place where anything becomes markup, so that nothing gets into a page unescaped."""

from __future__ import annotations

import json
from html import escape
from typing import Any

VOID = ("br", "hr", "img", "input", "meta")


class Markup(str):
    """Text that is HTML already; everything else is escaped on its way into an element."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: str | bool | None) -> Markup:
    """An element. Attributes are written with ``_`` for ``-`` and at the end of ``class_``; None is omitted."""
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in VOID:
        return Markup(f"<{tag}{written}>")
    return Markup(f"<{tag}{written}>{join(*children)}</{tag}>")


def join(*parts: str | None) -> Markup:
    """Several parts one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else clean(part) for part in parts if part is not None))


def clean(text: str) -> str:
    """Text for anywhere in a page. Characters that HTML has no way to write become a visible stand-in."""
    return escape("".join(char if char.isprintable() or char in "\n\t\u00a0" else "\ufffd" for char in text))


def data(value: Any, **attributes: str) -> Markup:
    """A block of JSON for the page's script. Nothing in it can end the block early: it has no ``<``."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return element("script", Markup(safe), type="application/json", **attributes)


def _attribute(name: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{clean(str(value))}"'
