"""The newest Python on this machine, with what ``pip install`` gives there today: a smoke test of every engine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: cuda-core and numba-cuda come with compilers for GPUs, which need none; CuPy does need one.
PACKAGES = (".[networkx,pandas]", "cuda-core[cu13]", "numba-cuda")


def supported():
    """The versions of Python that pyproject.toml names, the newest first."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    found = [re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", line) for line in classifiers]
    return sorted((int(match[1]) for match in found if match), reverse=True)


def pythons(minor):
    """The interpreters of one version: this one, those on the PATH, and pyenv's."""
    if sys.version_info[1] == minor:
        yield sys.executable
    yield from filter(None, [shutil.which(f"python3.{minor}"), shutil.which(f"python3.{minor}", path="/usr/local/bin")])
    yield from map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3.{minor}"))


def newest():
    """The newest interpreter that runs and can make environments."""
    for minor in supported():
        for python in pythons(minor):
            if not subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode:
                return python
    return pytest.skip(f"no Python 3.{supported()[-1]} to 3.{supported()[0]} with venv is on the PATH or in ~/.pyenv")


@pytest.fixture
def installed():
    """An environment with clew and its packages, without the versions that constraints.txt pins; 1 GB, so removed."""
    with tempfile.TemporaryDirectory(prefix="clew-newest-") as name:
        folder = Path(name)
        subprocess.run([newest(), "-m", "venv", "--without-pip", str(folder / "venv")], check=True)
        python, project = folder / "venv" / "bin" / "python", folder / "project"
        project.mkdir()
        for part in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / part, project)
        shutil.copytree(ROOT / "src", project / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        done = pip(
            python, project, "install", "--no-compile", "--retries=1", "--timeout=20", *PACKAGES
        )  # most modules are never imported
        if done.returncode and not index_answers(python, folder):
            pytest.skip("pip cannot reach a package index, so nothing can be installed")
        assert done.returncode == 0, done.stderr[-3000:]
        yield python


def index_answers(python, folder):
    done = pip(python, folder, "download", "--retries=1", "--timeout=20", "--no-deps", "setuptools")
    return done.returncode == 0


def pip(python, folder, *arguments):
    """This environment's own pip, which works on another: to install one there takes seconds."""
    options = ("--python", str(python), "--quiet", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", *options, *arguments]
    return subprocess.run(command, cwd=folder, env=clean(), capture_output=True, text=True, check=False)


def clean():
    """The environment variables, but for those that pin packages or lead to this checkout."""
    left_out = ("PYTHONPATH", "PIP_CONSTRAINT", "CLEW_CACHE_DIR", "NUMBA_CACHE_DIR", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in left_out}


def test_every_engine_works_with_what_pip_installs_today(installed, tmp_path):
    script = shutil.copy(ROOT / "tests" / "environment" / "smoke.py", tmp_path)
    done = subprocess.run(
        [str(installed), script, str(tmp_path)], cwd=tmp_path, env=clean(), capture_output=True, text=True, check=False
    )
    versions = "" if done.returncode == 0 else pip(installed, tmp_path, "list", "--format=freeze").stdout
    assert done.returncode == 0, f"{done.stdout}{done.stderr[-4000:]}\n{versions}"
    assert done.stdout.split("\n")[-2] == "gpu_code"
