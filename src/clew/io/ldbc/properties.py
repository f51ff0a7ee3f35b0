"""The ``.properties`` file of an LDBC Graphalytics graph: keys ``graph.NAME.…`` and their values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from clew.errors import FormatError
from clew.io.source import Source
from clew.io.text import leading_lines
from clew.io.text.lines import shown

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
