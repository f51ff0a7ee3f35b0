"""The wheel and the sdist, as a user gets them: built, installed for reading only, and used without root."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from email import message_from_string
from pathlib import Path

import numpy
import pytest

import clew
from clew.errors import install_command
from tests.environment.test_cache_folder import lock, place, without_root  # noqa: F401, a fixture

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
USE = """
import clew
graph = clew.datasets.debian()
assert clew.bfs(graph, "gnome").of("libc6") == 2
assert clew.verify.bfs(graph, "gnome", clew.bfs(graph, "gnome")) is None
"""


def said(*command, **more) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_packages_of_a_release_work_where_users_have_them(place, monkeypatch):  # noqa: F811
    try:
        printed = said(sys.executable, ROOT / "tools" / "release.py", "--build", place / "dist")
    except AssertionError as error:
        if "setuptools" in str(error) and "No matching distribution" in str(error):
            pytest.skip("there is no index of packages to get setuptools from")
        raise
    sdist, wheel = map(Path, printed.split())
    assert (sdist.suffix, wheel.suffix) == (".gz", ".whl")
    environment, home = place / "venv", place / "home"
    venv.create(environment, with_pip=True)
    site = next(environment.glob("lib/python*/site-packages"))
    python = environment / "bin" / "python"
    monkeypatch.delenv("PYTHONPATH", raising=False)
    said(python, "-m", "pip", "install", "--no-deps", "--no-index", "--no-compile", wheel)
    (site / "others.pth").write_text(f"{Path(numpy.__file__).parents[1]}\n")  # dependencies; this clew comes first
    about = message_from_string(next(site.glob("clew-*.dist-info")).joinpath("METADATA").read_text(encoding="utf-8"))
    assert (about["Version"], "Typing :: Typed" in about.get_all("Classifier")) == (PROJECT["version"], True)
    # What messages recommend adds to this installation, and asks no index for another clew.
    monkeypatch.setattr(sys, "executable", str(python))
    command = install_command("clew[networkx,plots]").replace(" install ", " install --dry-run --no-index ")
    assert "Would install" not in said("sh", "-c", command)
    lock(site / "clew")
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    settings = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CLEW_NUM_THREADS": "1"}
    stranger = {"env": settings, "cwd": "/", **without_root()}
    said(python, "-W", "error", "-c", USE, **stranger)
    assert f"clew {PROJECT['version']}" in said(environment / "bin" / "clew", "--version", **stranger)
    assert not list((site / "clew").rglob("__pycache__"))


@pytest.mark.quick
def test_versions_and_messages_agree(monkeypatch, tmp_path):
    assert clew.__version__ == PROJECT["version"]
    assert re.search(r"^## \[Unreleased\]$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install_command("clew[plots]") == f"{sys.executable} -m pip install 'clew[plots]'"
    own = Path(sys.executable).parent
    if (own / "pip").exists():
        monkeypatch.setenv("PATH", str(own))
        assert install_command("clew[plots]") == "pip install 'clew[plots]'"
