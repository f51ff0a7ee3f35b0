"""The three files of an LDBC Graphalytics graph, found from any one of them, and what its ``.properties`` file says.

Its keys are ``graph.NAME.…``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from clew.errors import FormatError
from clew.io.source import COMPRESSION_SUFFIXES, Source, packed_or_not
from clew.io.text import leading_lines, shown

#: What the graph itself says; all other keys are kept with it as they are.
STRUCTURE = (
    "vertex-file",
    "edge-file",
    "meta.vertices",
    "meta.edges",
    "directed",
    "vertex-properties.names",
    "vertex-properties.types",
    "edge-properties.names",
    "edge-properties.types",
)
_PAIR = re.compile(rb"([^=:\s]+)\s*[=:](.*)", re.DOTALL)
_NAMED = re.compile(r"graph\.(.+)\.(?:directed|vertex-file|edge-file|meta\.vertices|meta\.edges)")
SUFFIXES = (".e", ".v", ".properties")


@dataclass(frozen=True, slots=True)
class Properties:
    """What is known about a graph beside its vertices and edges.

    Parameters
    ----------
    values
        Keys, without ``graph.NAME.``, and values.
    lines
        The line of each key.
    source
        The file, or None where there is none: then nothing is known.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    source: Source | None = None

    @property
    def parameters(self) -> dict[str, str]:
        """Everything that does not describe the files, such as the source vertices of algorithms."""
        return {key: value for key, value in self.values.items() if key not in STRUCTURE}

    @property
    def directed(self) -> bool:
        """Whether edges go one way only; so it is where nothing is said."""
        found = self.values.get("directed", "true").lower()
        if found not in ("true", "false"):
            raise self._error("directed", "expected 'true' or 'false'")
        return found == "true"

    def count(self, what: str) -> int | None:
        """The number of "vertices" or "edges", if it is said."""
        found = self.values.get(f"meta.{what}")
        if found is None:
            return None
        if not re.fullmatch("[0-9]{1,18}", found):
            raise self._error(f"meta.{what}", "expected an integer of at most 18 digits")
        return int(found)

    def columns(self, what: str) -> dict[str, str]:
        """The names and types of the columns that "vertex" or "edge" lines have after their ids."""
        names, types = (self._listed(f"{what}-properties.{part}") for part in ("names", "types"))
        if types and len(types) != len(names):
            raise self._error(f"{what}-properties.types", f"expected as many types as there are names, {len(names)}")
        return dict(zip(names, types or [""] * len(names), strict=True))

    def _listed(self, key: str) -> list[str]:
        return [word.strip() for word in self.values.get(key, "").split(",") if word.strip()]

    def _error(self, key: str, expected: str) -> FormatError:
        assert self.source is not None
        return self.source.error(f"{key} is {self.values[key]!r}; {expected}.", line=self.lines[key])


def read_properties(source: Source, stem: str) -> Properties:
    """Read the properties of the graph that is called like the file, or else of the first one that the file names."""
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for line in leading_lines(source):
        text = line.text.strip()
        if not text or text.startswith((b"#", b"!")):
            continue
        pair = _PAIR.fullmatch(text)
        if pair is None:
            raise source.error(
                f"the line starts with {shown(text)}; expected 'key = value' or a comment.", line=line.number
            )
        key = pair[1].decode("utf-8", "replace")
        values[key], lines[key] = pair[2].strip().decode("utf-8", "replace"), line.number
    prefix = f"graph.{stem}."
    if not any(key.startswith(prefix) for key in values):
        named = next(filter(None, map(_NAMED.fullmatch, values)), None)
        if named is None:
            raise source.error(
                f"no property describes a graph; expected keys such as '{prefix}directed' and '{prefix}edge-file'."
            )
        prefix = f"graph.{named[1]}."
    own = {key: key.removeprefix(prefix) for key in values if key.startswith(prefix)}
    return Properties(
        {short: values[key] for key, short in own.items()}, {short: lines[key] for key, short in own.items()}, source
    )


def properties_text(stem: str, values: Mapping[str, str]) -> bytes:
    """The file for these keys (without ``graph.NAME.``) and values."""
    stem = re.sub(r"[=:#!\s]", "_", stem)
    return "".join(f"graph.{stem}.{key} = {value}\n" for key, value in values.items()).encode()


class Files(NamedTuple):
    """Vertices and edges, open, and what is known about them."""

    vertices: Source
    edges: Source
    properties: Properties


def find_files(source: Source, max_expanded_bytes: int | None) -> Files:
    """Open the files beside ``source``, which is one of the three."""
    if source.path is None:
        raise source.error(
            "an LDBC graph consists of several files, and these are the bytes of one; pass the path of its .e, .v or "
            ".properties file.",
            remedy="The bytes of the edges alone are read with format='edge-list'.",
            option="Edges alone are read with --format edge-list.",
        )
    if source.suffix not in SUFFIXES:
        raise source.error(
            f"the file's name ends in {source.suffix!r}; expected NAME.e, NAME.v or NAME.properties, which are the "
            "files of an LDBC graph.",
            remedy="Edges alone are read with format='edge-list'.",
            option="Edges alone are read with --format edge-list.",
        )
    folder, stem = source.path.parent, stem_of(source.path)

    def opened(suffix: str, named: str | None = None) -> Source | None:
        if source.suffix == suffix:
            return source
        found = packed_or_not(folder, stem + suffix) or (packed_or_not(folder, Path(named).name) if named else None)
        return None if found is None else Source(found, max_expanded_bytes=max_expanded_bytes)

    described = opened(".properties")
    properties = Properties() if described is None else read_properties(described, stem)
    vertices = opened(".v", properties.values.get("vertex-file"))
    if vertices is None:
        raise source.error(
            f"there is no '{stem}.v' beside it, which lists the vertices of an LDBC graph.",
            remedy="If there are only edges, read them with format='edge-list'.",
            option="If there are only edges, read them with --format edge-list.",
        )
    edges = opened(".e", properties.values.get("edge-file"))
    if edges is None:
        raise source.error(f"there is no '{stem}.e' beside it, which lists the edges of an LDBC graph.")
    return Files(vertices, edges, properties)


def stem_of(path: Path) -> str:
    """The name that the three files share."""
    plain = path.with_suffix("") if path.suffix.lower() in COMPRESSION_SUFFIXES else path
    return plain.stem
