# mypy: ignore-errors
"""Compiled functions on disk, for later processes: one file for every function that Python calls, and its signature.

Numba's own cache numbers its files and lists them in an index. Two processes that write at once can list one's code
under the other's key, and the index notices changes of one source file only. Here the name of a file is a digest of
all that its code depends on:

* the source of the function's module and of all modules of clew that it imports, however indirectly
* the versions of Numba, llvmlite and NumPy, the processor, the signature, and what a closure captures

So an edit of any kernel is noticed by itself, in the kernels that use it and in no other. The key is stored in the file
too and compared when it is loaded. Files of earlier versions of a function are removed when a new one is written.

The workers of a cluster call the same kernels at the same moment. One of them compiles; the others wait for its file.
"""

import fcntl
import hashlib
import pickle
import re
import sys
import time
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import llvmlite
import numpy as np
from numba import __version__ as numba_version
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaWarning
from numba.core.serialize import dumps

from clew import cache_folder, late_code

FOLDER = "compiled"
PACKAGE = Path(__file__).parent
VERSIONS = f"numba {numba_version} llvmlite {llvmlite.__version__} numpy {np.__version__}"
PATIENCE = 120.0  # seconds to wait for another process, which may have been stopped; then both compile
IMPORT = re.compile(r"^from (clew(?:\.\w+)*) import (?:\(([^)]*)\)|(.*))$|^import (clew(?:\.\w+)*)", re.MULTILINE)


class Kept(_Cache):
    """What is on disk of one function; ``mark`` stands for what a closure captures, else that itself is compared."""

    def __init__(self, dispatcher, mark=None):
        function = dispatcher.py_func
        self._dispatcher, self._mark, self._enabled = dispatcher, mark, True
        self._turns = []
        source = function.__code__.co_filename
        self._stamp = stamp(source)
        place = hashlib.sha256(source.encode()).hexdigest()[:6]  # several installations may share a folder
        name = re.sub(r"[^\w.]", "", f"{function.__module__}.{function.__qualname__}")[-120:]
        self._stem = f"{name}-{place}.py{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}"

    @property
    def cache_path(self):
        """The folder that compiled code goes to."""
        return str((cache_folder.writable_folder() or Path()) / FOLDER)

    def enable(self):
        """Look up and write files."""
        self._enabled = True

    def disable(self):
        """Compile in memory only."""
        self._enabled = False

    def flush(self):
        """Remove all files of this function."""
        self._remove(f"{self._stem}.*.nbc")

    def load_overload(self, sig, target_context):
        """The compiled function for a signature; None where there is no file that fits."""
        if not self._enabled or self._dispatcher.inner:
            return None
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        name = self._name_of(key)
        path = cache_folder.find(name)
        if path is None:
            self._take_turn(name)
            path = cache_folder.find(name)
        if path is None:
            return None
        try:
            found, found_sig, data = pickle.loads(path.read_bytes())
        except Exception:  # removed meanwhile, or damaged, which pickle notices in many ways: it is compiled again
            return None
        if found != key or found_sig != sig:
            return None
        result = CompileResult._rebuild(target_context, *data)
        if isinstance(result.library, late_code.Late):
            _, _, (_, bitcode) = data[0]
            result.library.put_aside(bitcode)
        return result

    def save_overload(self, sig, data):
        """Write a compiled function, unless it holds addresses of this process or nothing can be written."""
        if not self._enabled or self._dispatcher.inner:
            return
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            warnings.warn(f"{self._stem} uses addresses of this process and cannot be kept.", NumbaWarning, 2)
            return
        key = self._key(sig, data.codegen)
        if cache_folder.store(self._name_of(key), dumps((key, sig, data._reduce()))) is not None:
            self._remove(f"{self._stem}.*.nbc", but=f"{self._stem}.{self._stamp}.")

    def _take_turn(self, name):
        """Wait until no other process compiles ``name``, and have others wait until ``turns`` ends."""
        folder = cache_folder.writable_folder()
        if folder is None:
            return
        path, end = folder / f"{name}.lock", time.monotonic() + PATIENCE
        with suppress(OSError):  # a full disk, or a file system without locks: each compiles for itself
            path.parent.mkdir(parents=True, exist_ok=True)
            self._turns.append((path.open("wb"), path))
            while time.monotonic() < end:
                with suppress(BlockingIOError):
                    fcntl.flock(self._turns[-1][0], fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                time.sleep(0.01)

    @contextmanager
    def turns(self):
        """End on leaving what began within: others may compile, or find the file."""
        before = len(self._turns)
        try:
            yield
        finally:
            while len(self._turns) > before:
                file, path = self._turns.pop()
                with suppress(OSError):
                    path.unlink()
                file.close()

    def _key(self, sig, codegen):
        """All that code depends on besides its sources, as plain values that are the same in every process."""
        function = self._dispatcher.py_func
        captured = self._mark
        if captured is None and function.__closure__:
            cells = dumps(tuple(cell.cell_contents for cell in function.__closure__))
            captured = hashlib.sha256(cells).hexdigest()
        code = hashlib.sha256(function.__code__.co_code).hexdigest()
        return str(sig), codegen.magic_tuple(), code, function.__code__.co_firstlineno, captured

    def _name_of(self, key):
        return f"{FOLDER}/{self._stem}.{self._stamp}.{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}.nbc"

    def _remove(self, pattern, but=None):
        folder = cache_folder.writable_folder()
        for path in (folder / FOLDER).glob(pattern) if folder else ():
            if but is None or not path.name.startswith(but):
                with suppress(OSError):  # another process was faster
                    path.unlink()


@cache
def stamp(source):
    """A digest of a source file, the modules of clew that it imports, and the compiler."""
    digest = hashlib.sha256(VERSIONS.encode())
    for path in sorted(sources(Path(source))):
        digest.update(_read(path)[0])
    return digest.hexdigest()[:12]


def sources(path):
    """A source file and the files of clew that it imports on its outermost level, and that those import, and so on."""
    found, ahead = set(), [path]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += _read(path)[1]
    return found


@cache
def _read(path):
    """The digest of a file, and the files of clew that it imports."""
    try:
        content = path.read_bytes()
    except OSError:  # typed into a prompt, or within an archive; closures over users' functions are marked anyway
        return str(path).encode(), ()
    imported = set()
    for package, several, one, whole in IMPORT.findall(content.decode("utf-8", "replace")):
        names = re.findall(r"(\w+)(?: as \w+)?", re.sub(r"#.*", "", several or one))
        imported.update(filter(None, (_file_of(f"{package}.{name}") or _file_of(package) for name in names)))
        imported.update(filter(None, [_file_of(whole)] if whole else []))
    return hashlib.sha256(content).digest(), tuple(sorted(imported))


@cache
def _file_of(module):
    base = PACKAGE.joinpath(*module.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)
