"""XML, read and written with care: what GraphML and GEXF share.

A document type is refused, since its entities may expand without bound or name other files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from clew.errors import FormatError
from clew.io.attributed import Content
from clew.io.sink import Sink
from clew.io.source import BLOCK_BYTES, Match, Source

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def flag(text: str) -> bool:
    """A truth value."""
    known = {"true": True, "1": True, "false": False, "0": False}
    return known[text.strip().lower()]


def has_root(head: bytes, tag: bytes) -> Match:
    """Sure of XML in whose first bytes an element with this tag starts."""
    start = head[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return Match.SURE if start.startswith(b"<") and (b"<" + tag in start or b":" + tag in start) else Match.NO


class XmlReader:
    """A parser that calls ``start`` and ``end`` for every element, and what it has collected.

    Parameters
    ----------
    source
        The file.
    """

    #: Elements whose text is collected for ``end``.
    texts: tuple[str, ...] = ()
    #: Elements that are refused, and what they are.
    refused: ClassVar[dict[str, str]] = {}

    def __init__(self, source: Source) -> None:
        self.source, self.content = source, Content()
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.inside: list[str] = []  # the elements that are open
        self._text: list[str] | None = None
        self.graphs = 0

    def parse(self) -> None:
        """Go through the file."""
        data = self.source.whole()
        try:
            for first in range(0, data.size, BLOCK_BYTES):
                self._parser.Parse(data[first : first + BLOCK_BYTES].tobytes(), False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise self.error(f"this is not well-formed XML: {expat.ErrorString(error.code)}.") from None
        except LookupError as error:
            raise self.error(f"the text cannot be decoded: {error}.") from None
        if self.graphs == 0:
            raise self.error("there is no graph element in the file.")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        raise NotImplementedError

    def end(self, tag: str, text: str) -> None:
        """An element ends; ``inside`` has the elements around it."""
        raise NotImplementedError

    def error(self, problem: str) -> FormatError:
        """An error at the current line, for the caller to raise."""
        return self.source.error(problem, line=self._parser.CurrentLineNumber)

    def attribute(self, attributes: dict[str, str], tag: str, name: str) -> str:
        """An attribute that an element must have."""
        if name not in attributes:
            raise self.error(f"the element {tag} has no {name}.")
        return attributes[name]

    def begin_graph(self) -> None:
        """Count the graphs: there must be one."""
        self.graphs += 1
        if self.graphs > 1:
            raise self.error("the file has a second graph; clew reads one. Write each to a file of its own.")

    def add_node(self, attributes: dict[str, str]) -> None:
        """Add a node, which must be new."""
        if not self.content.add_node(self.attribute(attributes, "node", "id")):
            raise self.error(f"the node {attributes['id']!r} is there twice.")

    def add_edge(self, attributes: dict[str, str], directed: bool | None) -> None:
        """Add an edge; ``directed`` is what it says itself, or None."""
        if directed is not None and directed != self.content.directed:
            raise self.error("an edge has another direction than the default; clew's edges all have the same.")
        self.content.source.append(self.attribute(attributes, "edge", "source"))
        self.content.target.append(self.attribute(attributes, "edge", "target"))

    def converted(self, convert: Callable[[str], Any], name: str, text: str) -> Any:
        """The value of an attribute."""
        try:
            return convert(text)
        except (ValueError, KeyError):
            raise self.error(f"{name} is {text!r}; the file declares another type.") from None

    def _refuse_doctype(self, *_: object) -> None:
        raise self.error("the file has a document type, whose entities may expand without bound. Remove the DOCTYPE.")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        tag = element.rpartition(" ")[2]
        self.inside.append(tag)
        if tag in self.refused:
            raise self.error(f"the file has {self.refused[tag]}; clew reads nodes and edges of one graph.")
        self.start(tag, attributes)
        if tag in self.texts:
            self._text = []

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, _: str) -> None:
        tag, text = self.inside.pop(), "".join(self._text or ())
        if tag in self.texts:
            self._text = None
        self.end(tag, text)


def type_of(kind: Any) -> str:
    """The type of a column, as GraphML and GEXF call it."""
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "long"
    return "double" if pa.types.is_floating(kind) else "string"


def shown(value: Any, sink: Sink) -> str:
    """A value as the text of an element."""
    return _plain(escape(str(value).lower() if isinstance(value, bool) else str(value)), sink)


def quoted(value: Any, sink: Sink) -> str:
    """A value in quotes, as an attribute."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return quoteattr(_plain(text, sink), {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def _plain(text: str, sink: Sink) -> str:
    """The text, if XML can hold it."""
    if any(letter < " " and letter not in "\t\n\r" for letter in text) or "\ufffe" in text or "\uffff" in text:
        raise sink.error(f"the text {text!r} has a character that XML cannot hold.")
    return text
