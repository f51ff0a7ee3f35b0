"""Files in zip and tar archives: ``graph.zip`` if one file is in it, else ``graph.zip::edges.csv``."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from clew.io import foreign
from clew.io.source import BROKEN, START_BYTES, Codec, Source, codec_of, opened

MARK = "::"
START = re.compile(rb"PK\x03\x04|PK\x05\x06|.{257}ustar", re.DOTALL)  # a zip archive, an empty one, a tar archive
SHOWN = 10  # names in an error
_ARRAYS = re.compile(rb"PK\x03\x04.{26}[^/]{1,200}?\.npy", re.DOTALL)


def split(origin: Any) -> tuple[Any, str]:
    """The archive and the file in it that ``graph.zip::edges.csv`` names; for other origins, the name is empty."""
    if Path(origin).exists():
        return origin, ""
    place, _, member = str(origin).partition(MARK)
    return type(origin)(place), member


def file_inside(source: Source, member: str) -> Source:
    """The file in an archive, unpacked while it is read; of what is no archive of files, the source itself."""
    head = source.head()
    if not START.match(head):
        raise source.error(f"this is no zip or tar archive, so there is no file {member!r} in it.")
    # NumPy's archives are a format of their own, and what is no graph is refused by its name.
    if not member and (_ARRAYS.match(head) or foreign.by_content(head) is not None):
        return source
    try:
        files = _zipped(source) if head.startswith(b"PK") else _tarred(source)
    except (*BROKEN, tarfile.TarError) as error:
        raise source.error(f"the archive is damaged or cut short ({error}); copy or download it again.") from None
    name = _chosen(source, [name for name in files if _is_visible(name)], member)
    inside = Source(source.whole(), max_expanded_bytes=source.expansion_limit)  # type: ignore[arg-type]
    inside._codec, inside._whole = Codec("archived", b"", lambda _: files[name](), lambda file: file), None
    inside.name = f"{source.name}{MARK}{name}"
    inside.path = Path(inside.name)
    if codec_of(inside.head()[:START_BYTES]) is None:
        return inside
    unpacked = Source(inside.whole(), max_expanded_bytes=source.expansion_limit)  # type: ignore[arg-type]
    unpacked.name, unpacked.path = inside.name, inside.path
    return unpacked


def _zipped(source: Source) -> dict[str, Callable[[], Any]]:
    """How to open each file of a zip archive."""
    archive = zipfile.ZipFile(opened(source.whole()))

    def stream(info: zipfile.ZipInfo) -> Any:
        if info.flag_bits & 1:
            raise source.error(f"the file {info.filename!r} in the archive is encrypted; unpack it with its password.")
        return archive.open(info)

    return {info.filename: partial(stream, info) for info in archive.infolist()}


def _tarred(source: Source) -> dict[str, Callable[[], Any]]:
    """How to open each file of a tar archive."""
    archive = tarfile.open(fileobj=opened(source.whole()))  # noqa: SIM115
    return {info.name: partial(archive.extractfile, info) for info in archive.getmembers() if info.isfile()}


def _is_visible(name: str) -> bool:
    """Whether this is a file of the archive's author: not a folder, nor what a Mac adds."""
    parts = name.split("/")
    return bool(parts[-1]) and not parts[-1].startswith(".") and parts[0] != "__MACOSX"


def _chosen(source: Source, names: list[str], member: str) -> str:
    listed = ", ".join(map(repr, names[:SHOWN])) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    if not names:
        raise source.error("the archive has no files in it.")
    if not member and len(names) > 1:
        raise source.error(
            f"which file holds the graph? The archive has {listed}. Add one to its name, "
            f"such as '{source.name}{MARK}{names[0]}'."
        )
    if member and member not in names:
        raise source.error(f"there is no file {member!r} in the archive; it has {listed}.")
    return member or names[0]
