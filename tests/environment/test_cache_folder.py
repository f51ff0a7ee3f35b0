"""Where compiled code goes: for users without root, from a read-only folder, without a home."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

import clew
from clew import cache_folder
from clew.cli import machine
from clew.engines import measured
from clew.engines.cuda.toolchain import source
from clew.errors import ResourceError
from tests.cli import running

STRANGER = 12345  # a user that no file of accounts knows, as containers have them
LAST_CAPABILITY = 63

SCRIPT = """
import gc, json, sys
import numpy as np
import clew
from clew import cache_folder
from clew.adjacency import Adjacency
from clew.engines.cuda.emulation.builder import Builder
from clew.engines.cuda.toolchain.source import kept_bytes
from clew.jit import Lean

ring = clew.Graph(Adjacency(np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1], np.int32), None), directed=False)
assert clew.bfs(ring, 0).depth.tolist() == [0, 1, 1]
assert clew.connected_components(ring).label.tolist() == [0, 0, 0]
assert clew.elementwise(clew.operators.plus, [1, 2], [3, 4], device="cpu").tolist() == [4, 6]
Builder().runtime()
misses = sum(made.stats.cache_misses.total() for made in gc.get_objects() if isinstance(made, Lean))
print(json.dumps({"misses": misses, "folder": str(cache_folder.writable_folder())}))
"""


def forgo_rights():
    """Have the permissions of files hold for root too: drop every capability that may be passed on."""
    libc = ctypes.CDLL(None)
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; those that this kernel does not know fail


def without_root():
    """How to start a process that may not write everywhere: as a stranger if it can run Python, else without rights."""
    if os.getuid():
        return {}
    stranger = {"user": STRANGER, "group": STRANGER, "extra_groups": []}
    try:
        done = subprocess.run([sys.executable, "-c", "import numba"], check=False, capture_output=True, **stranger)
    except PermissionError:
        return {"preexec_fn": forgo_rights}
    return {"preexec_fn": forgo_rights} if done.returncode else stranger


@pytest.fixture
def place():
    """A folder that every user can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="clew-place-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644, follow_symlinks=True)


def run(place, script=SCRIPT, **settings):
    """A process of a user without root: neither package nor home can be written."""
    home = place / "home"
    home.mkdir(mode=0o555, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if not name.endswith(("CACHE_DIR", "CACHE_HOME"))}
    env |= {"HOME": str(home), "PYTHONPATH": str(place / "site"), "CLEW_NUM_THREADS": "1", **settings}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", script]
    done = subprocess.run(command, env=env, cwd=place, capture_output=True, text=True, check=False, **without_root())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def install(place):
    """The package, as an administrator has installed it: for reading only."""
    package = place / "site" / "clew"
    shutil.copytree(Path(clew.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "*.parquet"))
    lock(place / "site")
    return package


def lock(folder):
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def test_a_user_without_root_and_home_compiles_once(place):
    package = install(place)
    temporary = place / "temporary"
    temporary.mkdir()
    temporary.chmod(0o777)
    first = run(place, TMPDIR=str(temporary))
    (folder,) = temporary.iterdir()
    assert first["misses"] > 10
    assert first["folder"] == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not (package / "__pycache__").exists()
    assert run(place, TMPDIR=str(temporary)) == {**first, "misses": 0}
    # What root had compiled there serves users who cannot write to it.
    package.chmod(0o755)
    shutil.copytree(folder, package / "__pycache__")
    shutil.rmtree(folder)
    lock(package)
    assert run(place, TMPDIR=str(temporary)) == {**first, "misses": 0}


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No folder can be written: files stand where folders would have to be made."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache_folder, "__file__", str(tmp_path / "file" / "cache_folder.py"))
    monkeypatch.setattr(cache_folder, "_temporary", lambda setting: ())
    monkeypatch.delenv("CLEW_CACHE_DIR", raising=False)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    yield tmp_path
    cache_folder._chosen.cache_clear()
    cache_folder._warn.cache_clear()


def test_nothing_can_be_written(nowhere):
    with pytest.warns(RuntimeWarning, match=r"cannot keep compiled code.* Set CLEW_CACHE_DIR to a folder"):
        assert cache_folder.writable_folder() is None
    with warnings.catch_warnings(action="error"):  # it is said once
        assert cache_folder.store("some/file", b"content") is None
        assert source.kept_bytes("cubin/some.cubin", lambda: b"code") == b"code"
        assert measured.measured_once("speed", lambda: {"speed": 3}) == {"speed": 3}
        with pytest.raises(ResourceError, match=r"no folder for some\.so.* Set CLEW_CACHE_DIR"):
            source.kept("emulated/some.so", lambda path: path.write_text("code"))


SMALL = """
import json, warnings
import clew
from clew import cache_folder
cache_folder._temporary = lambda setting: ()
with warnings.catch_warnings(record=True, action="always") as said:
    assert clew.elementwise(clew.operators.plus, [1, 2], [3, 4], device="cpu").tolist() == [4, 6]
print(json.dumps([str(warning.message) for warning in said]))
"""


def test_kernels_compile_where_nothing_can_be_written(place):
    install(place)
    (said,) = run(place, SMALL)
    assert "cannot keep compiled code" in said
    assert "Set CLEW_CACHE_DIR" in said


def test_the_first_that_can_be_written_is_taken(nowhere, monkeypatch):
    monkeypatch.setattr(cache_folder, "__file__", str(nowhere / "package" / "cache_folder.py"))
    package = nowhere / "package" / "__pycache__"
    assert (cache_folder.folders(), cache_folder.writable_folder()) == ((package,), package)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(nowhere / "numba"))
    assert cache_folder.writable_folder() == nowhere / "numba"
    monkeypatch.setenv("CLEW_CACHE_DIR", str(nowhere / "chosen"))
    assert cache_folder.folders() == (nowhere / "chosen",)
    assert cache_folder.writable_folder() == nowhere / "chosen"


def test_a_chosen_folder_that_cannot_be_written_is_named(nowhere, monkeypatch):
    chosen, other = nowhere / "file" / "chosen", nowhere / "numba"
    monkeypatch.setenv("CLEW_CACHE_DIR", str(chosen))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(other))
    with pytest.warns(RuntimeWarning, match="cannot write to CLEW_CACHE_DIR.* keeps compiled code in .*numba instead"):
        assert cache_folder.writable_folder() == other
    assert cache_folder.folders() == (chosen, other)


def test_users_without_an_account(nowhere, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as it is for a user who is not in /etc/passwd
    with pytest.warns(RuntimeWarning, match="cannot keep"):
        assert cache_folder.writable_folder() is None


@pytest.mark.parametrize("kind", ["open to others", "a link"])
def test_code_is_not_taken_from_folders_that_others_may_write(nowhere, monkeypatch, kind):
    folder = nowhere / "shared"
    if kind == "a link":
        (nowhere / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to("elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    private = nowhere / "private"
    monkeypatch.setattr(cache_folder, "_temporary", lambda setting: (folder, private))
    assert cache_folder.writable_folder() == private
    assert folder not in cache_folder.folders()
    assert private.stat().st_mode & 0o777 == 0o700


def test_the_doctor_says_where(nowhere, monkeypatch):
    with pytest.warns(RuntimeWarning, match="cannot keep"):
        assert "No folder for compiled code is writable" in machine._cache(cache_folder.writable_folder())
    temporary = nowhere / "temporary"
    monkeypatch.setattr(cache_folder, "_temporary", lambda setting: (temporary,))
    assert f"{temporary}, which a restart may delete. Set CLEW_CACHE_DIR" in machine._cache(temporary)
    monkeypatch.setenv("CLEW_CACHE_DIR", str(nowhere / "chosen"))
    assert json.loads(running.clew("doctor", "--json")[1])["cache"] == str(nowhere / "chosen")
    assert "Compiled code is cached in" in running.clew("doctor")[1]
