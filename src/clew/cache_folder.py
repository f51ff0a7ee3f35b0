"""Where clew keeps compiled code and measured rates for later processes.

The first of these folders that can be written is used:

1. ``$CLEW_CACHE_DIR``, then ``$NUMBA_CACHE_DIR``, where they are set
2. ``__pycache__`` in the installed package
3. clew's folder in the user's cache, ``$XDG_CACHE_HOME/clew`` or ``~/.cache/clew``
4. a private folder ``clew-<user id>`` in ``$TMPDIR``, ``/tmp``, ``/var/tmp`` or ``/dev/shm``

Files are looked up there and in the folders before it. So code that root compiled when a container was built also
serves users who cannot write to it. Where nothing can be written, a warning says what to set. Every process compiles
for itself then.
"""

from __future__ import annotations

import os
import stat
import threading
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

REMEDY = "Set CLEW_CACHE_DIR to a folder that this user can write"
_SETTINGS = ("CLEW_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "TMPDIR")


def folders() -> tuple[Path, ...]:
    """All folders that files are looked up in, the preferred one first."""
    return _chosen(*_settings())[0]


def writable_folder() -> Path | None:
    """The folder that new files go to; None, after a warning, where there is none."""
    settings = _settings()
    _warn(*settings)
    return _chosen(*settings)[1]


def is_temporary(folder: Path) -> bool:
    """Whether a folder is one of those that a restart of the machine or container may empty."""
    return folder in _temporary(os.environ.get("TMPDIR"))


def find(name: str) -> Path | None:
    """The file of this name in the first folder that has it."""
    for folder in folders():
        path = folder / name
        if os.access(path, os.R_OK):
            return path
    return None


def store(name: str, content: bytes) -> Path | None:
    """Write a file at once, whole or not at all; None where that is impossible, for instance on a full disk."""
    folder = writable_folder()
    if folder is None:
        return None
    path = folder / name
    draft = draft_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        return None
    return path


def draft_of(path: Path) -> Path:
    """A name next to ``path`` that no other process or thread writes to at the same time."""
    return path.with_name(f".{os.getpid()}-{threading.get_ident()}-{path.name}")


def _settings() -> tuple[str | None, ...]:
    return tuple(map(os.environ.get, _SETTINGS))


@lru_cache(maxsize=8)
def _chosen(*settings: str | None) -> tuple[tuple[Path, ...], Path | None]:
    """The folders to look files up in, and the one to write to, for these values of the environment variables."""
    every, temporary = _candidates(*settings), _temporary(settings[-1])
    readable = []
    for folder in every:
        writable = _prepare(folder, private=folder in temporary)
        if folder not in temporary or _is_private(folder):
            readable.append(folder)
        if writable:
            return tuple(readable), folder
    return tuple(readable), None


def _candidates(*settings: str | None) -> tuple[Path, ...]:
    chosen, numba, cache, _, temporary = settings
    candidates = [Path(setting).absolute() for setting in (chosen, numba) if setting]
    candidates.append(Path(__file__).parent / "__pycache__")
    home = os.path.expanduser("~")  # noqa: PTH111 -- unlike Path.home(), it does not fail for users without a home
    if cache or home != "~":
        candidates.append((Path(cache) if cache else Path(home) / ".cache") / "clew")
    return (*candidates, *_temporary(temporary))


@lru_cache(maxsize=8)
def _warn(*settings: str | None) -> None:
    """Say once that code goes elsewhere than requested, or nowhere."""
    chosen, folder = settings[0], _chosen(*settings)[1]
    if folder is None:
        tried = ", ".join(map(str, _candidates(*settings)))
        problem = f"clew cannot keep compiled code: it cannot write to any of {tried}"
        warnings.warn(f"{problem}. Every process compiles again. {REMEDY}.", RuntimeWarning, stacklevel=3)
    elif chosen and folder != Path(chosen).absolute():
        problem = f"clew cannot write to CLEW_CACHE_DIR, which is {chosen}, and keeps compiled code in {folder} instead"
        warnings.warn(f"{problem}. {REMEDY}.", RuntimeWarning, stacklevel=3)


def _temporary(setting: str | None) -> tuple[Path, ...]:
    places = [setting, "/tmp", "/var/tmp", "/dev/shm"]
    return tuple(Path(place) / f"clew-{os.getuid()}" for place in dict.fromkeys(places) if place)


def _prepare(folder: Path, *, private: bool) -> bool:
    """Create a folder where it is missing; returns whether it can be written."""
    try:
        folder.mkdir(mode=0o700 if private else 0o777, parents=not private, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and (not private or _is_private(folder))


def _is_private(folder: Path) -> bool:
    """Whether a folder exists that only this user can write: others' code must not be run from a shared place."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
