"""The three files of an LDBC Graphalytics graph, found from any one of them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clew.io.ldbc.properties import Properties, read_properties
from clew.io.source import COMPRESSION_SUFFIXES, Source

SUFFIXES = (".e", ".v", ".properties")


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
        found = _find(folder, stem + suffix) or (_find(folder, Path(named).name) if named else None)
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


def _find(folder: Path, name: str) -> Path | None:
    """The file of this name, compressed or not."""
    candidates = (folder / (name + compression) for compression in ("", *COMPRESSION_SUFFIXES))
    return next((path for path in candidates if path.is_file()), None)
